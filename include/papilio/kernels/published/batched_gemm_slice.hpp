#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/published/gemm.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels::published {

/// One slice of trnblas' batched GEMM: the program of gemm_kernel under a name of its own.
PAPILIO_API sized_kernel batched_gemm_slice_kernel(const gemm_shape& slice,
                                                   const engine::machine_spec& machine);

/// c[s] = alpha a[s] b[s] + beta c[s] as trnblas computes it: a loop on the host, one launch for
/// each slice, which copies its two operands to the device and its product back. The slices are of
/// one shape, so that all but the first find their program. a: [batch, m, k], b: [batch, k, n], c:
/// [batch, m, n]; a batch of 0 launches nothing.
///
/// Returns the sum of all launches: their number, and the modelled seconds of launches, copies,
/// program and device; total_seconds() of it is what the host waits.
/// Errors as gemm, of the whole batch before the first slice.
/// Source: trnsci/trnblas, docs/api/nki.md, nki_batched_gemm.
PAPILIO_API engine::device_record batched_gemm_by_slices(engine::device& on,
                                                         const view<const float, 3>& a,
                                                         const view<const float, 3>& b,
                                                         const view<float, 3>& c,
                                                         const product_scale& scale = {});

/// The same in a dry run, for its times alone. invalid_argument for a batch below 0.
PAPILIO_API engine::device_record batched_gemm_by_slices(engine::device& on, std::int64_t batch,
                                                         const gemm_shape& slice);

}  // namespace papilio::kernels::published
