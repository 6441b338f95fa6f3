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

namespace papilio::kernels_detail {

/// Both transformations of some auxiliary functions.
struct transformed_functions {
  std::int64_t first = 0;                         ///< of them
  product_chain products = {};                    ///< half transformed integrals stay in SBUF
  bool through_hbm = false;                       ///< no, they do not fit
  std::array<product_step_design, 2> apart = {};  ///< the products are then these

  auto fields() const { return std::tie(first, products, through_hbm, apart); }
};

/// How the two transformations are made, and what follows them.
struct ao_to_mo_design {
  std::int64_t nbasis = 1, nocc = 1, nvir = 1, naux = 1;
  kernels::integral_layout layout = kernels::integral_layout::pia;
  array_operands operands = {};  ///< of the transformations
  std::vector<transformed_functions> parts = {};
  std::optional<product_design> metric = {};  ///< the product with the root of the metric

  /// H[n, p, i] = sum over m of (mn|p) C_occ[m, i], and B = sum over n of H C_vir[n, a], of so many
  /// groups of functions p; m is the strips' number times a partition's place and a strip.
  product_chain products_of(std::int64_t groups, std::int64_t together, std::int64_t strips) const;
  double tensor_cycles(const engine::machine_spec& machine) const;
  double expected_error(const engine::machine_spec& machine) const;
  std::string describe() const;
  auto fields() const {
    return std::tie(nbasis, nocc, nvir, naux, layout, operands, parts, metric);
  }
};

/// Of a checked problem, without the metric.
ao_to_mo_design design_ao_to_mo(const integral_transform_problem& problem,
                                const kernels::ao_to_mo_kernel_options& options,
                                const engine::machine_spec& machine);

/// Element (P, i, a) of B at P per_p + i per_i + a.
struct mo_strides {
  std::int64_t per_p, per_i;
};
mo_strides strides_of(const ao_to_mo_design& design);

}  // namespace papilio::kernels_detail
