#pragma once

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/published/gemm.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels::published {

/// trntensor's kernel of contractions with one shared index: the tile loop of published::gemm, on
/// operands that the host transposed where the contraction asks for it. That they are padded by the
/// same rule is this library's reading; its documents do not say.
/// Errors as gemm_kernel. Source: trnsci/trntensor, trntensor/nki/.
PAPILIO_API sized_kernel matmul_kernel(const gemm_shape& shape,
                                       const engine::machine_spec& machine);

/// c = a b with that kernel; as published::gemm. A transposed operand is a strided view.
PAPILIO_API engine::launch_result matmul(engine::device& on, const view<const float, 2>& a,
                                         const view<const float, 2>& b, const view<float, 2>& c);

}  // namespace papilio::kernels::published
