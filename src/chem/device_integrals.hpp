#pragma once

#include "chem/atomic_integrals.hpp"
#include "papilio/base/array.hpp"
#include "papilio/chem.hpp"
#include "papilio/dispatch/operation.hpp"

// Integrals over molecular orbitals by an accelerator.
namespace papilio::chem_detail {

/// The accelerator for this transform; null: the host. Errors as place.
accelerator* integrals_on(const integral_transform_problem& problem, const execution& on);

/// Transforms by one upload, one dispatch and one fetch, into `b` [nocc, nvir, naux].
void transform_on(accelerator& on, const atomic_integrals<float>& integrals,
                  view<const float, 2> c_occ, view<const float, 2> c_vir, array<float, 3>& b,
                  const ao_to_mo_options& options);

}  // namespace papilio::chem_detail
