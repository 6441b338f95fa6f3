#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels::published {

struct ao_to_mo_shape {
  std::int64_t nbasis = 1, nocc = 1, nvir = 1, naux = 1;
};

/// Three-index integrals from atomic to molecular orbitals, as trntensor's kernel computes them:
///   B[P, i, a] = sum over mu, nu of C_occ[mu, i] C_vir[nu, a] eri[P, mu, nu]
///
/// out: [naux, nocc, nvir], eri: [naux, nbasis, nbasis], c_occ: [nbasis, nocc], c_vir: [nbasis,
/// nvir]; all fp32, any sizes. The published interface has P as the last axis; that the host hands
/// it over as the first, by a strided copy, is this library's reading: on the device its elements
/// would be transfers of 4 bytes each.
///
/// Layout: a loop over P of two products, first M = C_occ^t eri (C_occ stationary as it lies), then
/// M C_vir, with the tiles of published::gemm. M [nocc, nbasis] goes through HBM and is loaded
/// transposed; the second product of P follows the first of P + 1.
/// Bound: DMA; where nocc is small the array idles.
/// Source: trnsci/trntensor, ao_to_mo_transform. shape_error unless the shapes agree.
PAPILIO_API void ao_to_mo(engine::core& nc, const engine::hbm_view& out,
                          const engine::hbm_view& eri, const engine::hbm_view& c_occ,
                          const engine::hbm_view& c_vir);

/// invalid_argument for sizes below 1.
PAPILIO_API sized_kernel ao_to_mo_kernel(const ao_to_mo_shape& shape,
                                         const engine::machine_spec& machine);

}  // namespace papilio::kernels::published
