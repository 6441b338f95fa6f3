#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels::published {

/// How far the device sums the energy; the host adds up the rest.
///   of_pairs  [ni, nj]: a number for each pair, over the partitions too (trntensor)
///   of_lanes  [lanes, ni nj]: a column for each pair, lanes = min(nvir, 128) (trnblas)
enum class mp2_partials : std::uint8_t { of_pairs, of_lanes };

struct fused_mp2_shape {
  std::int64_t nocc = 1, nvir = 1, naux = 1;
  mp2_partials partials = mp2_partials::of_pairs;
};

/// The MP2 energy of all pairs of two lists of occupied orbitals, T never in HBM:
///   E = sum over i, j, a, b of T (2 T - T^t) / (e_i + e_j - e_a - e_b),  T = B_i B_j^t
///
/// b_i: [ni, nvir, naux], eps_i: [ni, 1]; b_j: [nj, nvir, naux], eps_j: [nj, 1]; eps_vir: [nvir,
/// 1]; all fp32, any sizes. partials as mp2_partials says; their sum is E.
///
/// Layout: tiles of 128 of a (partitions) and b; k = naux by 128. Every pair i, j has two products,
/// T and T^t = B_j B_i^t, each with operands loaded transposed; both are copied out of PSUM, and
/// the energy is made of them on the vector engine, the reciprocal at 8 cycles an element. With
/// nvir and naux of up to 128 B_i is loaded once for all j, else all four tiles of B anew for each
/// tile of a, b and k; there trnblas pads with zeros where here tiles are short.
/// Bound: vector engine. Four times the products that the energy needs (no i <-> j symmetry).
/// Source: trnsci/trntensor, mp2_energy_kernel of trntensor/nki/_kernels.py; trnsci/trnblas,
/// nki_fused_gemm_energy and nki_batched_pair_energy.
/// shape_error unless the shapes agree.
PAPILIO_API void fused_mp2(engine::core& nc, const engine::hbm_view& partials,
                           const engine::hbm_view& b_i, const engine::hbm_view& b_j,
                           const engine::hbm_view& eps_i, const engine::hbm_view& eps_j,
                           const engine::hbm_view& eps_vir, mp2_partials what);

/// All pairs of nocc orbitals: inputs B [nocc, nvir, naux], eps_occ [nocc, 1], eps_vir [nvir, 1].
/// The floor counts one product a pair i <= j. invalid_argument for sizes below 1.
PAPILIO_API sized_kernel fused_mp2_kernel(const fused_mp2_shape& shape,
                                          const engine::machine_spec& machine);

}  // namespace papilio::kernels::published
