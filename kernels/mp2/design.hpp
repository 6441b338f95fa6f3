#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "kernels/array_operands.hpp"
#include "kernels/ceil_div.hpp"
#include "kernels/parameters.hpp"
#include "kernels/product/panel.hpp"
#include "kernels/tiles.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/mp2.hpp"

// The design of the MP2 energy kernel. T_ij[a, b] = sum over P of B_i[P, a] B_j[P, b] is made in
// strips of rows a by columns (j, b): a block is the virtual orbitals that one PSUM bank holds, a
// strip the rows that the array has, and a group the orbitals j that lie side by side in a strip.
namespace papilio::kernels_detail {

/// The orbitals of one spin, and how its virtual ones are cut.
struct mp2_spin {
  std::int64_t nocc = 1, nvir = 1;
  std::int64_t together = 1;  ///< orbitals whose virtual ones a bank holds side by side
  std::int64_t strip = 1;     ///< rows of a strip; the last may have fewer
  std::int64_t block =
      1;  ///< virtual orbitals of a block: whole strips, one bank's columns at most

  std::int64_t blocks() const { return ceil_div(nvir, block); }
  std::int64_t columns(std::int64_t which) const { return std::min(block, nvir - which * block); }
  std::int64_t strips() const { return ceil_div(nvir, strip); }
  std::int64_t strips_of_block() const { return block / strip; }
  std::int64_t rows(std::int64_t which) const { return std::min(strip, nvir - which * strip); }
  auto fields() const { return std::tie(nocc, nvir, together, strip, block); }
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
  pair_spins spins = pair_spins::closed_shell;
  mp2_spin left = {}, right = {};
  array_operands operands = {};
  std::int64_t array_rows = 1;  ///< of the array
  mp2_home home = mp2_home::whole;
  std::int64_t orbitals = 1;  ///< orbitals i whose panels stay in SBUF
  std::int64_t group = 1;     ///< orbitals j side by side in a strip

  /// Both sides are one: pairs i <= j, of which there are sums (T - T^T)^2 r^2.
  bool is_symmetric() const { return spins != pair_spins::opposite_spin; }
  /// Sums T^2 r^2.
  bool has_squares() const { return spins != pair_spins::same_spin; }
  std::int64_t partitions() const { return std::max(left.strip, right.strip); }
  /// The most columns that a strip has.
  std::int64_t columns() const { return right.blocks() > 1 ? right.block : group * right.nvir; }
  std::int64_t k_tiles() const { return ceil_div(naux, array_rows); }
  /// Auxiliary functions of a panel.
  std::int64_t panel_rows() const { return home == mp2_home::streamed ? array_rows : naux; }
  /// B^T in HBM is what is given: DMA rounds to bf16 where it should be.
  bool as_given() const { return operands.parts == 1 && layout == kernels::integral_layout::ipa; }
  /// j with which i makes a pair that is asked for: [first, second).
  std::pair<std::int64_t, std::int64_t> partners(std::int64_t i) const;

  /// Tiles in SBUF: panels of B^T, T, D^(-1/2), what is squared, what activations leave, e_b - e_j
  /// and e_a - e_i.
  enum tiles { of_i, of_j, strips, roots, products, differences, squares, gaps, biases };
  std::array<pool_shape, biases + 1> pools() const;
  bool fits(const engine::machine_spec& machine) const;
  /// Returns cycles of the tensor engine on a full array, for elements of T that no symmetry gives.
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
    return std::tie(naux, frozen, first_pair, pairs, layout, spins, left, right, operands,
                    array_rows, home, orbitals, group);
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
mp2_operand operand_of(const mp2_design& design, const mp2_spin& of);

/// Checks sizes, type and frozen orbitals of a problem. invalid_argument in the kernel's name;
/// resource_error where bytes overflow.
void check_pairs(const char* name, const pair_energy_problem& problem);
/// Returns the catalog's settings of a problem.
settings<pair_energy_problem> mp2_settings();

/// Pairs of occupied orbitals of a checked problem, frozen ones not counted.
std::int64_t pairs_of(const pair_energy_problem& problem);

/// Columns of the sums of one kind.
inline std::int64_t sum_columns(const engine::machine_spec& machine) {
  return product_columns(machine) / 2;
}

/// Designs a problem that was checked.
mp2_design design_mp2(const pair_energy_problem& problem,
                      const kernels::mp2_energy_kernel_options& options,
                      const engine::machine_spec& machine);
}  // namespace papilio::kernels_detail
