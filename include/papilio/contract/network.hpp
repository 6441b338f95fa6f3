#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"

namespace papilio {

/// A sum of products of several operands: the labels of each operand's axes, those of the result,
/// and the extent of each. Labels are 0 ... sizes.size() - 1; those that the result has not are
/// summed. A label may occur on any number of operands, and several times on one (its diagonal);
/// at most once in the result, and there only if some operand has it.
struct contraction_network {
  std::vector<std::vector<int>> inputs;
  std::vector<int> output;
  std::vector<std::size_t> sizes;  ///< by label
  std::vector<std::string> names;  ///< by label, for messages and reports; empty: the numbers

  bool operator==(const contraction_network&) const = default;
};

/// invalid_argument, that names operand and label, unless the network is as it says above and has
/// at least one operand. A size may be 0, and a label that occurs nowhere changes nothing.
PAPILIO_API void validate(const contraction_network& network);

}  // namespace papilio
