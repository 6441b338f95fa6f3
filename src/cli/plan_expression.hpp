#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "papilio/dispatch.hpp"

namespace papilio::cli {

/// What `papilio plan` is asked about: so many lines, or arrays, of one problem.
struct planned_transform {
  std::string name;  ///< "rfft"
  fft_problem problem;
  std::size_t lines = 1;
  double bytes_in = 0, bytes_out = 0;  ///< of all of them
  /// 5 n log2 n for each complex transform of n points, half of it for real ones: the convention by
  /// which speeds are compared.
  double nominal_flops = 0;
};

/// The language, for people.
extern const char* const plan_grammar;

/// Parses "fft 128x1024". `type` is that of the elements. usage_error with a caret under the fault
/// and the grammar; also where the bytes of all arrays do not fit in memory's addresses.
planned_transform parse_plan_expression(std::string_view text, real_type type);

}  // namespace papilio::cli
