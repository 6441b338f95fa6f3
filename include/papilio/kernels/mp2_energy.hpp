#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/base/precision.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

/// What is summed over pairs of occupied orbitals i, j and of virtual ones a, b, with
/// T = (ia|jb) and D = e_a + e_b - e_i - e_j.
///   closed_shell   two energies: -sum T_ab^2 / D, then -sum T_ab (T_ab - T_ba) / D, over all i, j
///   same_spin      one: -1/4 sum (T_ab - T_ba)^2 / D over all i, j
///   opposite_spin  one: -sum T_ab^2 / D, i and a of one spin, j and b of the other
enum class mp2_spins { closed_shell, same_spin, opposite_spin };

/// How the three-index integrals lie in HBM.
///   virtual_auxiliary  [nocc, nvir, naux], as of the host's ao_to_mo
///   auxiliary_virtual  [nocc, naux, nvir]: rows as the tensor engine wants them
enum class mp2_layout { virtual_auxiliary, auxiliary_virtual };

struct mp2_energy_shape {
  std::int64_t nocc = 1, nvir = 1, naux = 1;
  mp2_spins spins = mp2_spins::closed_shell;
  std::int64_t nocc_other = 1, nvir_other = 1;  ///< of the second spin, where it is opposite
  mp2_layout layout = mp2_layout::virtual_auxiliary;
  /// So many of the first occupied orbitals of the operands (of each spin) are left out.
  std::int64_t frozen = 0;
  /// native, bf16, split_bf16 with two parts, or bf16_refined with one refinement: the products of
  /// the operands' bf16 remainders are added, which is what split_bf16 of two parts computes.
  precision_options precision = {};
  /// Only pairs first_pair ... + pairs - 1, of i <= j in the order of i, then j (opposite_spin: of
  /// all i, j), frozen orbitals not counted; pairs 0: all that follow.
  std::int64_t first_pair = 0, pairs = 0;

  std::int64_t all_pairs() const {
    const std::int64_t i = nocc - frozen;
    return spins == mp2_spins::opposite_spin ? i * (nocc_other - frozen) : i * (i + 1) / 2;
  }
};

/// Correlation energies of second order from density-fitted integrals B, T = B_i B_j^T: products,
/// quotients and sums in one launch, nothing of T in HBM. In: B, e of the occupied [nocc] and of
/// the virtual orbitals [nvir] (opposite_spin: then the same three of the other spin). Out: the
/// energies, [2] or [1], of fp32. Any sizes. D must be positive.
///
/// Layout: panels of B^T, naux on partitions, transposed on the tensor engine; strips of up to 128
/// a by up to 512 columns (j, b) of T, summed in a bank of PSUM; those of few virtual orbitals have
/// several j side by side. All of B stays in SBUF where it fits; else it goes to HBM as B^T once,
/// and the panels of some i stay while those of j pass; else tiles of naux pass.
/// T^T comes by transposing T's tiles: of a second product's cost a 48th at 1536 auxiliaries.
/// Identity: -sum T_ab (T_ab - T_ba) / D = -1/2 sum (T_ab - T_ba)^2 / D, so that both energies are
/// sums of squares (T r)^2 with r = D^(-1/2), one activation of e_b with the bias e_a - e_i - e_j.
/// Bound: the tensor engine, from some hundred auxiliary functions on; else the vector engine.
/// Errors: invalid_argument for sizes below 1, frozen orbitals that leave none, pairs that there
/// are not, and precisions that it has not; resource_error where a tensor's bytes overflow; on
/// launch kernel_error where HBM or SBUF do not suffice. Aliasing: as sized_kernel says.
PAPILIO_API sized_kernel mp2_energy_kernel(const mp2_energy_shape& shape,
                                           const engine::machine_spec& machine);

}  // namespace papilio::kernels
