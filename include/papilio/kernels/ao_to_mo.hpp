#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/base/precision.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

/// How the transformed integrals B lie in HBM.
///   pia  [naux, nocc, nvir], as of the published kernel
///   ipa  [nocc, naux, nvir]: auxiliary functions are rows, as the tensor engine sums over them
///   iap  [nocc, nvir, naux], as of the host's ao_to_mo
enum class mo_layout { pia, ipa, iap };

struct ao_to_mo_shape {
  std::int64_t nbasis = 1, nocc = 1, nvir = 1, naux = 1;
  mo_layout layout = mo_layout::pia;
  /// A further input [naux, naux]: the inverse square root of the metric (P|Q), symmetric, by which
  /// B is multiplied over P.
  bool metric = false;
  /// Of the two transformations: native, bf16, or split_bf16 of two parts. The product with the
  /// metric is in fp32.
  precision_options precision = {};
};

/// B[P, i, a] = sum over m, n of C_occ[m, i] (mn|P) C_vir[n, a]: integrals over molecular orbitals
/// from those over atomic ones, both transformations in one launch, and B_Q = sum over P of
/// B_P root[P, Q] where there is a metric. In: (mn|P) as [naux, nbasis, nbasis], which need not be
/// symmetric, C_occ [nbasis, nocc], C_vir [nbasis, nvir], and the root; all fp32. Out: B as
/// `layout` says. Any sizes.
///
/// Layout: the integrals of a P are stationary, m on partitions, while C_occ passes, so that the
/// half transformed ones have n on partitions; those of a few P are then stationary side by side,
/// while C_vir passes. They never leave the chip, and each integral is read once: where the tiles
/// of all occupied orbitals, or more than 512 of them, do not fit SBUF, once for each block of
/// them. C_vir stays where it fits, else it passes for every few P. iap comes by transposing B in
/// HBM, and a metric by a product of its own: B passes HBM once more for each. Bound: DMA, the
/// integrals; the tensor engine from some 100 occupied orbitals on. `expected_error` is relative,
/// in the Euclidean norm, for random operands. invalid_argument for sizes below 1 and for
/// precisions that it has not; resource_error where a tensor's bytes overflow, and where a block
/// does not fit SBUF. Aliasing: as sized_kernel says.
PAPILIO_API sized_kernel ao_to_mo_kernel(const ao_to_mo_shape& shape,
                                         const engine::machine_spec& machine);

}  // namespace papilio::kernels
