#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/array_operands.hpp"
#include "kernels/product/chain.hpp"
#include "kernels/products/products.hpp"
#include "papilio/kernels/mp2.hpp"

// The design of ao_to_mo: how many auxiliary functions go together through both products, and where
// the half transformed integrals stay. ao_to_mo.cpp has the identity and the bound.
namespace papilio::kernels_detail {

/// Both transformations of some auxiliary functions.
struct transformed_functions {
  std::int64_t first = 0;                         ///< the first of them
  product_chain products = {};                    ///< chained through SBUF
  bool through_hbm = false;                       ///< half transformed integrals do not fit SBUF
  std::array<product_step_design, 2> apart = {};  ///< the products where they go through HBM

  auto fields() const { return std::tie(first, products, through_hbm, apart); }
};

/// How the two transformations are made, and what follows them.
struct ao_to_mo_design {
  std::int64_t nbasis = 1, nocc = 1, nvir = 1, naux = 1;
  kernels::integral_layout layout = kernels::integral_layout::pia;
  array_operands operands = {};  ///< type and parts of the transformations' operands
  std::vector<transformed_functions> parts = {};
  std::optional<product_design> metric = {};  ///< the product with the root of the metric

  /// The steps H[n, p, i] = sum over m of (mn|p) C_occ[m, i] and B = sum over n of H C_vir[n, a]
  /// for `groups` groups of `together` functions p, with m = strips * partition + strip. The
  /// designs are left empty.
  product_chain products_of(std::int64_t groups, std::int64_t together, std::int64_t strips) const;
  double tensor_cycles(const engine::machine_spec& machine) const;
  double expected_error(const engine::machine_spec& machine) const;
  std::string describe() const;
  auto fields() const {
    return std::tie(nbasis, nocc, nvir, naux, layout, operands, parts, metric);
  }
};

/// Designs both transformations of a checked problem; the caller adds the product with the metric.
ao_to_mo_design design_ao_to_mo(const integral_transform_problem& problem,
                                const kernels::ao_to_mo_kernel_options& options,
                                const engine::machine_spec& machine);

/// Element (P, i, a) of B at P per_p + i per_i + a.
struct mo_strides {
  std::int64_t per_p, per_i;
};
mo_strides strides_of(const ao_to_mo_design& design);

}  // namespace papilio::kernels_detail
