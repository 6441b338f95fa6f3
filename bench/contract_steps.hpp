#pragma once

#include <map>
#include <string>
#include <vector>

#include "papilio/base.hpp"

namespace papilio::bench {

/// A contraction of two operands: its subscripts, and the extents of its labels.
struct step {
  const char* name;
  std::string left, right, out;
  std::map<char, std::size_t> sizes;
};

std::vector<std::size_t> extents_of(const std::string& labels,
                                    const std::map<char, std::size_t>& sizes);

/// Numbers within 0.5 of 0, the same each time.
tensor<float> made(const std::vector<std::size_t>& extents);

/// Products of every kind: plain, batched, permuted, outer, elementwise.
std::vector<step> contraction_steps();

}  // namespace papilio::bench
