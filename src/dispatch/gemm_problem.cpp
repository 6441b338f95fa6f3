#include "papilio/dispatch/operation.hpp"

#include <array>

#include "dispatch/problem_text.hpp"
#include "papilio/base/error.hpp"

namespace papilio {

using base_detail::message;

std::string gemm_problem::text() const {
  return message("gemm of ", batch == 1 ? "" : message(batch, " times "),
                 is_complex ? "complex " : "", m, "x", k, " by ", k, "x", n, " in ",
                 to_string(type));
}

operand_shapes gemm_problem::shapes() const {
  return {{{{shared_left ? 1 : batch, m, k}, is_complex},
           {{shared_right ? 1 : batch, k, n}, is_complex}},
          {{{batch, m, n}, is_complex}}};
}

double gemm_problem::nominal_flops() const {
  return (is_complex ? 8 : 2) * dispatch_detail::count_of(std::array{batch, m, k, n});
}

problem_size gemm_problem::size() const {
  const bool is_cube = m == k && k == n;
  return {.parameter = is_cube ? "side of the matrices" : "rows m, with k and n in their ratio",
          .size = m};
}

gemm_problem gemm_problem::of_size(std::size_t size) const {
  gemm_problem grown = *this;
  grown.m = size;
  grown.k = dispatch_detail::in_ratio(k, size, m);
  grown.n = dispatch_detail::in_ratio(n, size, m);
  return grown;
}

}  // namespace papilio
