#pragma once

#include <string>
#include <vector>

#include "cli/json_value.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/contract/contraction_plan.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/io.hpp"

namespace papilio::cli {

/// What is said of an einsum that ran.
struct einsum_facts {
  std::string subscripts;
  std::vector<std::string> files = {};
  std::vector<npy_description> operands = {};
  std::string type = {};  ///< numpy's name of the result's: "float32"
  std::string out = {};   ///< may be empty
};

/// Up to so many elements are shown one by one.
inline constexpr std::size_t most_shown_elements = 100;

/// Operands and result, without values; then the lines that show a result, or sum it up where it
/// has more elements.
std::string report_text(const einsum_facts& facts, const contraction_plan& plan);
template <class T>
std::string values_text(const tensor<T>& result);

/// The same for programs: complex numbers are pairs, those that are not finite null.
json_value report_json(const einsum_facts& facts, const contraction_plan& plan);
template <class T>
json_value values_json(const tensor<T>& result);

}  // namespace papilio::cli
