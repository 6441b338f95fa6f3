#include "papilio/dispatch/operation.hpp"

#include "papilio/base/error.hpp"

namespace papilio {

using base_detail::message;

std::string product_problem::text() const {
  return message("product of ", count, " complex numbers",
                 factors.empty() ? "" : message(" by a table of ", factors.size()));
}

operand_shapes product_problem::shapes() const {
  const operand_shape numbers{{count}, true};
  if (!factors.empty()) return {{numbers}, {numbers}};
  return {{numbers, numbers}, {numbers}};
}

double product_problem::nominal_flops() const { return 6 * static_cast<double>(count); }

problem_size product_problem::size() const {
  return {.parameter = "complex numbers in each operand", .size = count};
}

product_problem product_problem::of_size(std::size_t size) const { return {.count = size}; }

}  // namespace papilio
