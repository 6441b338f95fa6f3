#include "papilio/dispatch/operation.hpp"

#include <array>

#include "dispatch/problem_text.hpp"
#include "papilio/base/error.hpp"

namespace papilio {

using base_detail::message;
using dispatch_detail::count_of;

std::string integral_transform_problem::text() const {
  return message("integrals over ", nocc, "x", nvir, " orbitals from ", nbasis, " basis and ", naux,
                 " auxiliary functions in ", to_string(type));
}

operand_shapes integral_transform_problem::shapes() const {
  operand_shapes all{{{{naux, nbasis, nbasis}}, {{nbasis, nocc}}, {{nbasis, nvir}}},
                     {{{nocc, nvir, naux}}}};
  if (has_metric) all.in.push_back({{naux, naux}});
  return all;
}

double integral_transform_problem::nominal_flops() const {
  const double halves = count_of(std::array{naux, nocc, nbasis}) *
                        (static_cast<double>(nbasis) + static_cast<double>(nvir));
  return 2 * (halves + (has_metric ? count_of(std::array{nocc, nvir, naux, naux}) : 0));
}

problem_size integral_transform_problem::size() const {
  return {.parameter = "basis functions, with all else in its ratio", .size = nbasis};
}

integral_transform_problem integral_transform_problem::of_size(std::size_t size) const {
  integral_transform_problem grown = *this;
  grown.nbasis = size;
  grown.nocc = dispatch_detail::in_ratio(nocc, size, nbasis);
  grown.nvir = dispatch_detail::in_ratio(nvir, size, nbasis);
  grown.naux = dispatch_detail::in_ratio(naux, size, nbasis);
  return grown;
}

}  // namespace papilio
