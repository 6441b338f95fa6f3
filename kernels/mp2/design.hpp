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

// The design of the MP2 energy kernel. T_ij[a, b] = sum over P of B_i[P, a] B_j[P, b] is made in
// strips of rows a by columns (j, b): a block is the virtual orbitals that one PSUM bank holds, a
// strip the rows that the array has, and a group the orbitals j that lie side by side in a strip.
namespace papilio::kernels_detail {

/// The orbitals of one spin, and how its virtual ones are cut.
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
  /// Occupied orbitals whose virtual ones fit side by side in so many columns; at least one.
  std::int64_t together(std::int64_t columns) const {
    return std::clamp<std::int64_t>(columns / nvir, 1, nocc);
  }
  auto fields() const { return std::tie(nocc, nvir, block, strip); }
};

/// Where B^T is while T is made.
///   whole     SBUF holds all of it
///   panels    SBUF holds some orbitals i, and groups of j pass
///   streamed  tiles of auxiliary functions pass, of a block of i and of one of j
enum class mp2_home { whole, panels, streamed };

struct mp2_design {
  std::int64_t naux = 1;
  std::int64_t frozen = 0;                 ///< occupied orbitals of each spin, left out
  std::int64_t first_pair = 0, pairs = 1;  ///< the pairs to sum
  kernels::integral_layout layout = kernels::integral_layout::iap;
  mp2_side left = {}, right = {};
  bool symmetric = true;    ///< i and j are of one spin: pairs i <= j
  bool squares = true;      ///< sums T^2 r^2
  bool differences = true;  ///< sums (T - T^T)^2 r^2
  engine::dtype type = engine::dtype::fp32;
  std::int64_t planes = 1;  ///< bf16 parts of an element
  std::int64_t side = 1;    ///< rows of the tensor engine's array
  std::int64_t k_tiles = 1;
  mp2_home home = mp2_home::whole;
  std::int64_t orbitals = 1;  ///< orbitals i whose panels stay in SBUF
  std::int64_t group = 1;     ///< orbitals j side by side in a strip

  std::int64_t lanes() const { return std::max(left.strip, right.strip); }
  /// The most columns that a strip has.
  std::int64_t columns() const { return right.blocks() > 1 ? right.block : group * right.nvir; }
  /// Strips of T that a block keeps for differences to their transposes: its own, and those of the
  /// block with a and b exchanged.
  std::int64_t strips_kept() const {
    return left.strips_max() + (right.blocks() > 1 ? right.strips_max() : 0);
  }
  /// Tiles of D^(-1/2): one for each strip of a block, and two that the differences of the block
  /// before still read.
  std::int64_t roots_kept() const { return differences ? left.strips_max() + 2 : 1; }
  /// Whether panels are loaded from the caller's B, which DMA rounds to bf16 where T needs that.
  bool as_given() const { return planes == 1 && layout == kernels::integral_layout::ipa; }
  /// The orbitals j in [first, second) make a pair with i that is asked for.
  std::pair<std::int64_t, std::int64_t> partners(std::int64_t i) const;
  /// Cycles of the tensor engine with a full array, for the elements of T that the energies need:
  /// T_ii is symmetric, so one triangle of it is enough.
  double tensor_cycles(const engine::machine_spec& machine) const;
  double expected_error() const;
  std::string describe() const;
  /// The design with its number of pairs left out: runs of parts differ in that alone.
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

/// B of one spin as the loops (occupied, virtual, auxiliary), and how its panels lie in SBUF.
struct mp2_operand {
  contraction_step loops;
  panel_design panel;

  panel_size size(std::int64_t orbitals, std::int64_t virtuals, std::int64_t auxiliary) const {
    return panel_size_of(panel, {{0, orbitals}, {0, virtuals}, {0, auxiliary}});
  }
};
/// B as the design reads it: in the caller's layout where all of it is kept in SBUF, else as
/// [planes, nocc, naux, nvir] in HBM.
mp2_operand operand_of(const mp2_design& design, const mp2_side& of);

/// Checks sizes, type and frozen orbitals of a problem. invalid_argument in the kernel's name;
/// resource_error where bytes overflow.
void check_pairs(const char* name, const pair_energy_problem& problem);
/// The catalog's parameters of a problem, and the problem that their values name.
std::vector<kernels::kernel_parameter> mp2_parameters();
pair_energy_problem mp2_problem_of(const kernels::parameter_values& values);

/// Pairs of occupied orbitals of a checked problem, frozen ones not counted.
std::int64_t pairs_of(const pair_energy_problem& problem);

/// Cuts T of a checked problem and chooses the home of B^T.
mp2_design design_mp2(const pair_energy_problem& problem,
                      const kernels::mp2_energy_kernel_options& options,
                      const engine::machine_spec& machine);

/// Partial sums that a ring holds before they are added up (mp2_sums).
constexpr std::int64_t mp2_ring = 256;

}  // namespace papilio::kernels_detail
