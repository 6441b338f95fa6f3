#pragma once

#include <string_view>

#include "cli/expression_parser.hpp"
#include "cli/plan_operation.hpp"

// Readers of what follows an operation's name in an expression, for operations with named sizes and
// for functions of several operations. All throw as parse_operation.
namespace papilio::cli {

planned_operation read_triangle(expression_parser& p, std::string_view name, real_type type);
planned_operation read_einsum(expression_parser& p, std::string_view name, real_type type);
planned_operation read_integrals(expression_parser& p, std::string_view name, real_type type);
planned_operation read_pair_energies(expression_parser& p, std::string_view name, real_type type);
planned_operation read_decomposition(expression_parser& p, std::string_view name, real_type type);
planned_operation read_welch(expression_parser& p, std::string_view name, real_type type);
planned_operation read_convolution(expression_parser& p, std::string_view name, real_type type);
planned_operation read_chirp(expression_parser& p, std::string_view name, real_type type);

}  // namespace papilio::cli
