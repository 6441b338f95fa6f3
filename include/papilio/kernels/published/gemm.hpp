#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels::published {

/// C [m, n] = A [m, k] B [k, n].
struct gemm_shape {
  std::int64_t m = 1, k = 1, n = 1;
  bool operator==(const gemm_shape&) const = default;
};

/// What trnblas' host pads a product to: m and k to whole tiles of 128, n to 512 only above 512
/// (the machine's array and the columns of a product, in general). invalid_argument for sizes below
/// 1, resource_error where they overflow.
PAPILIO_API gemm_shape padded(const gemm_shape& shape, const engine::machine_spec& machine);

/// C = A B as trnblas' kernel computes it; all fp32, any sizes.
///
/// Layout: for each 128 rows and 512 columns of C a sum over tiles of k, which loads A's tile of
/// 128 x 128 transposed (k on partitions, stationary), B's tile of 128 x 512 (moving), and adds in
/// one bank of PSUM; one tensor_copy out, one store. Nothing stays: A is read once for every 512
/// columns of C, B once for every 128 rows.
/// Bound: DMA; in fp32 the array is active half of the time on trainium1.
/// fp32: a sum of k terms, in array order by 128, then in PSUM.
/// Source: trnsci/trnblas, trnblas/nki/ and docs/api/nki.md.
/// shape_error if the shapes do not agree.
PAPILIO_API void gemm(engine::core& nc, const engine::hbm_view& c, const engine::hbm_view& a,
                      const engine::hbm_view& b);

/// The program on padded operands: inputs A and B, output C, of padded(shape, machine). Errors as
/// padded.
PAPILIO_API sized_kernel gemm_kernel(const gemm_shape& shape, const engine::machine_spec& machine);

/// alpha A B + beta C: the device makes A B, the host the rest.
struct product_scale {
  float alpha = 1, beta = 0;
};

/// c = alpha a b + beta c as trnblas' host does it: copies of a and b are padded with zeros where
/// they need it, one launch copies them to the device and the product back, and c takes its part of
/// it. c is read only for beta != 0, and not touched where anything is refused; it may not overlap
/// a or b. shape_error unless the shapes agree; others as device::launch.
PAPILIO_API engine::launch_result gemm(engine::device& on, const view<const float, 2>& a,
                                       const view<const float, 2>& b, const view<float, 2>& c,
                                       const product_scale& scale = {});

}  // namespace papilio::kernels::published
