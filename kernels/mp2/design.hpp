#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "kernels/ceil_div.hpp"
#include "kernels/product/panel.hpp"
#include "papilio/engine/dtype.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/catalog.hpp"
#include "papilio/kernels/mp2.hpp"

// How the energies of pairs are cut: strips, blocks and groups of T, and where B^T stays.
namespace papilio::kernels_detail {

/// The orbitals of one spin.
struct mp2_side {
  std::int64_t nocc = 1, nvir = 1;
  std::int64_t block = 1;  ///< virtual orbitals of a block: one bank's columns at most
  std::int64_t strip = 1;  ///< rows of a strip; the last of a block may have fewer

  std::int64_t blocks() const { return ceil_div(nvir, block); }
  std::int64_t block_size(std::int64_t which) const {
    return std::min(block, nvir - which * block);
  }
  std::int64_t strips(std::int64_t which) const { return ceil_div(block_size(which), strip); }
  std::int64_t strips_max() const { return ceil_div(block, strip); }
  std::int64_t strips_all() const { return blocks() * strips_max(); }
  /// Orbitals whose virtual ones have so many columns together.
  std::int64_t together(std::int64_t columns) const {
    return std::clamp<std::int64_t>(columns / nvir, 1, nocc);
  }
  auto fields() const { return std::tie(nocc, nvir, block, strip); }
};

/// Where B^T is while T is made.
///   whole     all of it in SBUF
///   panels    some orbitals i in SBUF, and groups of j in turn
///   streamed  tiles of naux in turn, of a block of i and one of j
enum class mp2_home { whole, panels, streamed };

struct mp2_design {
  std::int64_t naux = 1;
  std::int64_t frozen = 0;                 ///< occupied orbitals of each spin, in neither side
  std::int64_t first_pair = 0, pairs = 1;  ///< that are asked for
  kernels::integral_layout layout = kernels::integral_layout::iap;
  mp2_side left = {}, right = {};
  bool symmetric = true;    ///< both sides are one: pairs i <= j
  bool squares = true;      ///< sums T^2 r^2
  bool differences = true;  ///< sums (T - T^T)^2 r^2
  engine::dtype type = engine::dtype::fp32;
  std::int64_t planes = 1;  ///< bf16 parts of an element
  std::int64_t side = 1;    ///< of the array
  std::int64_t k_tiles = 1;
  mp2_home home = mp2_home::whole;
  std::int64_t orbitals = 1;  ///< i whose panels stay
  std::int64_t group = 1;     ///< j side by side in a strip

  std::int64_t lanes() const { return std::max(left.strip, right.strip); }
  /// Columns of a strip at most.
  std::int64_t columns() const { return right.blocks() > 1 ? right.block : group * right.nvir; }
  /// Of tiles that live through an item, and through the next one.
  std::int64_t strips_kept() const {
    return left.strips_max() + (right.blocks() > 1 ? right.strips_max() : 0);
  }
  /// D^(-1/2) of a block's strips, while differences take those of the block before.
  std::int64_t roots_kept() const { return differences ? left.strips_max() + 2 : 1; }
  /// B^T in HBM is what is given: DMA rounds to bf16 where it should be.
  bool as_given() const { return planes == 1 && layout == kernels::integral_layout::ipa; }
  /// j with which i makes a pair that is asked for: [first, second).
  std::pair<std::int64_t, std::int64_t> partners(std::int64_t i) const;
  /// Of the tensor engine on a full array: the elements of T that no symmetry gives.
  double tensor_cycles(const engine::machine_spec& machine) const;
  double expected_error() const;
  std::string describe() const;
  /// Of any number of pairs.
  mp2_design without_batch() const {
    mp2_design any = *this;
    any.pairs = 0;
    return any;
  }
  auto fields() const {
    return std::tie(naux, frozen, first_pair, pairs, layout, left, right, symmetric, squares,
                    differences, type, planes, side, k_tiles, home, orbitals, group);
  }
};

/// B of one spin as loops over orbitals, virtual ones and auxiliary functions, and its panels.
struct mp2_operand {
  contraction_step loops;
  panel_design panel;

  panel_size size(std::int64_t orbitals, std::int64_t virtuals, std::int64_t auxiliary) const {
    return panel_size_of(panel, {{0, orbitals}, {0, virtuals}, {0, auxiliary}});
  }
};
/// In the home that the design has: as it is given, or with rows of auxiliary functions.
mp2_operand operand_of(const mp2_design& design, const mp2_side& of);

/// Sizes, type and frozen orbitals of a problem: invalid_argument in the kernel's name; resource_error
/// where bytes overflow.
void check_pairs(const char* name, const pair_energy_problem& problem);
/// Parameters of the catalog that say a problem, and what their values say.
std::vector<kernels::kernel_parameter> mp2_parameters();
pair_energy_problem mp2_problem_of(const kernels::parameter_values& values);

/// Pairs of occupied orbitals of a checked problem, frozen ones not counted.
std::int64_t pairs_of(const pair_energy_problem& problem);

/// Of a checked problem.
mp2_design design_mp2(const pair_energy_problem& problem,
                      const kernels::mp2_energy_kernel_options& options,
                      const engine::machine_spec& machine);

/// Columns of a ring of partial sums.
constexpr std::int64_t mp2_ring = 256;

}  // namespace papilio::kernels_detail
