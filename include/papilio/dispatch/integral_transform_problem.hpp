#pragma once

#include <cstddef>
#include <string>

#include "papilio/base/export.hpp"
#include "papilio/base/real_type.hpp"
#include "papilio/dispatch/operand.hpp"

namespace papilio {

/// Three-index integrals over molecular orbitals, [nocc, nvir, naux], from those over atomic ones,
/// [naux, nbasis, nbasis], and the orbitals' coefficients [nbasis, nocc] and [nbasis, nvir]; with a
/// metric, [naux, naux], times it over the auxiliary functions.
struct PAPILIO_API integral_transform_problem {
  std::size_t nbasis = 1, nocc = 1, nvir = 1, naux = 1;
  bool has_metric = false;
  real_type type = real_type::single_precision;

  std::string text()
      const;  ///< for example "integrals over 5x19 orbitals from 24 basis and 72 auxiliary functions in float"
  operand_shapes shapes() const;
  double nominal_flops() const;  ///< 2 for each product
  problem_size size() const;     ///< basis functions, with all else in its ratio
  integral_transform_problem of_size(std::size_t size) const;
  bool operator==(const integral_transform_problem&) const = default;
};

}  // namespace papilio
