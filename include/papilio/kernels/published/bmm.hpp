#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/published/gemm.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels::published {

/// C[s] = A[s] B[s] in one program, as trntensor's kernel computes it: the tile loop of
/// published::gemm inside a loop over s. a: [batch, m, k], b: [batch, k, n], c: [batch, m, n], all
/// fp32, any sizes.
/// Bound: as gemm; nothing is shared between slices.
/// Source: trnsci/trntensor, trntensor/nki/. shape_error if the shapes do not agree.
PAPILIO_API void bmm(engine::core& nc, const engine::hbm_view& c, const engine::hbm_view& a,
                     const engine::hbm_view& b);

/// The program for `batch` slices, each padded as padded(slice, machine) says. invalid_argument for
/// a batch below 1; others as padded.
PAPILIO_API sized_kernel bmm_kernel(std::int64_t batch, const gemm_shape& slice,
                                    const engine::machine_spec& machine);

/// c[s] = a[s] b[s] in one launch; as published::gemm.
PAPILIO_API engine::launch_result bmm(engine::device& on, const view<const float, 3>& a,
                                      const view<const float, 3>& b, const view<float, 3>& c);

}  // namespace papilio::kernels::published
