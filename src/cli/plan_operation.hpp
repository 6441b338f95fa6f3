#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "papilio/dispatch.hpp"

namespace papilio::cli {

/// So many lines, or arrays, of one transform.
struct planned_transform {
  std::string name;  ///< "rfft"
  fft_problem problem;
  std::size_t lines = 1;
  double bytes_in = 0, bytes_out = 0;  ///< of all of them
  /// 5 n log2 n for each complex transform of n points, half of it for real ones: the convention by
  /// which speeds are compared.
  double nominal_flops = 0;
};

/// The whole array of so many transforms, lines or arrays.
operation array_of(fft_problem problem, std::size_t lines);

/// The language, for people.
extern const char* const plan_grammar;

/// An operation that `papilio plan` compares on host and device.
struct planned_operation {
  std::string name = {};  ///< "stft"
  operation what = {};
  std::optional<planned_transform> transform = {};  ///< where it is one
  /// The library's function that does it, of arrays without elements; else it is `what`.
  std::function<void(const execution&)> call = {};
};

/// Parses "fft 128x1024" or "stft 26460000 n_fft=2048 hop=512". usage_error with a caret under the
/// fault, and the grammar; also where operands have more bytes than there are addresses, and where
/// `type` is not one that the operation has.
planned_operation parse_operation(std::string_view text, real_type type);

/// Compares both sides for it. invalid_argument for a call that runs on the host whatever is asked.
comparison sides_of(const planned_operation& planned, const execution& on);

}  // namespace papilio::cli
