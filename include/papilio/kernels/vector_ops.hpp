#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

/// Of vectors of n elements:
///   axpy   in x, y, out alpha x + y
///   scal   in x, out alpha x
///   dot    in x, y, out the sum of x y, [1]
///   nrm2   in x, out the root of the sum of x^2, [1]
///   asum   in x, out the sum of |x|, [1]
///   iamax  in x, out the index, from 0, of the first element of largest magnitude, [1] of int32
enum class vector_operation : std::uint8_t { axpy, scal, dot, nrm2, asum, iamax };
PAPILIO_API const char* to_string(vector_operation operation);

struct vector_shape {
  vector_operation operation = vector_operation::axpy;
  std::int64_t n = 1;
  float alpha = 1;  ///< of axpy and scal
};

/// Vectors, n elements in a row, all fp32 but the index.
///
/// Layout: runs of up to 2048 elements, one a partition, 128 runs at a time. Sums: of a run
/// on the scalar engine, then of the blocks on each partition in order, then over partitions by a
/// product with ones. nrm2 squares as they are: an infinity where the sum overflows.
/// alpha = 0 multiplies all the same, so that values that are no numbers show.
/// iamax: the largest of each run and its place there, then of the runs on each partition, then of
/// the partitions; an index is the number of its run and the place in it, which fp32 holds each,
/// put together as integers where it does not fit itself. A value that is no number counts as the
/// largest (max8 has it so; on the host BLAS decides otherwise from case to case). Exact.
/// Bound: DMA, each element once; of iamax the vector engine, about as long. Error: axpy two
/// roundings of each element; sums gamma_q of the sum of magnitudes, q the elements of a run, the
/// blocks, 128 and 3 together. invalid_argument for n below 1, for iamax above 2^31, and an alpha
/// that is no finite number; resource_error where bytes overflow. Aliasing: y and the output of
/// axpy, and x and that of scal, may be the same buffer.
PAPILIO_API sized_kernel vector_kernel(const vector_shape& shape,
                                       const engine::machine_spec& machine);

}  // namespace papilio::kernels
