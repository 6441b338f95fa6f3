#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/plan_expression.hpp"
#include "papilio/dispatch.hpp"

namespace papilio::cli {

/// What `papilio plan` compares.
struct planned_operation {
  std::string name;  ///< "stft"
  operation what;
  std::optional<planned_transform> transform;  ///< where it is one
};

/// The whole array of a transform of lines or of arrays.
operation array_of(const planned_transform& t);

/// Parses "stft 26460000 n_fft=2048 hop=512" and what parse_plan_expression does. usage_error with
/// a caret under the fault, and the grammar; also where operands have more bytes than there are
/// addresses, and where `type` is not one that the operation has.
planned_operation parse_operation(std::string_view text, real_type type);

}  // namespace papilio::cli
