#pragma once

#include <cstddef>
#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

/// Describes the layout of complex_mask_kernel's operands.
struct complex_mask_kernel_options {
  std::size_t rows = 1;   ///< Tensors are [2, rows, count / rows]
  std::size_t masks = 1;  ///< Products in one launch, each of its own tensors; 1 with a table
};

/// Computes out = mask * spectrum, element by element, for planar complex tensors [2, rows,
/// count / rows] fp32. In: mask and spectrum, or the spectrum alone if the problem has factors;
/// out: the product. Several masks: mask 0, spectrum 0, mask 1, ..., to product 0, 1, ... in one
/// launch; each is loaded while the one before is multiplied. Aliasing: as sized_kernel says.
///
/// Layout: the elements in the order of memory, cut into long rows, one a partition, whatever rows
/// and columns are. The vector engine multiplies; every second product lies in PSUM, since a sum
/// with one operand there takes half the cycles. Short masks share the rows.
/// Bound: DMA, for small masks its descriptors; the vector engine has 10 cycles an element of a
/// partition.
/// Each real or imaginary value has three roundings: two products and their sum.
///
/// Throws invalid_argument for a size below 1, another type than float, rows or a number of factors
/// that do not divide the count, and several masks with factors; resource_error if a tensor's bytes
/// overflow.
PAPILIO_API sized_kernel complex_mask_kernel(const product_problem& problem,
                                             const engine::machine_spec& machine,
                                             const complex_mask_kernel_options& options = {});

/// Computes a function of a layer, or its gradients, of fp32: operands as layer_function says,
/// planar: numbers [2, rows, features], b [features], beta and means [2, features], gamma and
/// covariances [3, features]. Aliasing: as sized_kernel says.
///
/// Layout: steps of a formula on tiles of [partitions, elements]; values of features alone are
/// computed once. Batch normalisation is one such pass for the mean, one for the covariance and
/// one more, its gradients two. modReLU divides numbers by the larger of |re| and |im| before they
/// are squared, so that nothing overflows or underflows on the way and the scalar engine's square
/// roots are within [1, 2]. Bound: the vector engine, of modReLU 15 cycles per element of a
/// partition.
/// Error: a rounding for each step of the formula; rectifiers are exact, modReLU's results are off
/// by at most 2^-20 of the larger of |z| and |b| (about 2^-22 in practice). A number whose larger
/// real or imaginary value is not finite gives NaN.
/// Source of modReLU: Arjovsky, Shah and Bengio (Unitary evolution recurrent neural networks, 2016);
/// the layer is trnsci/trnfft's ComplexModReLU.
///
/// Throws invalid_argument for a size below 1, another type than float, and an epsilon that is not
/// above 0 in float; resource_error if a tensor's bytes overflow.
PAPILIO_API sized_kernel layer_kernel(const layer_problem& problem,
                                      const engine::machine_spec& machine);

/// Selects the operation on vectors x and y of n elements:
///   axpy   in x, y, out alpha x + y
///   scal   in x, out alpha x
///   dot    in x, y, out the sum of x y, [1]
///   nrm2   in x, out the root of the sum of x^2, [1]
///   asum   in x, out the sum of |x|, [1]
///   iamax  in x, out the index, from 0, of the first element of largest magnitude, [1] of int32
enum class vector_operation : std::uint8_t { axpy, scal, dot, nrm2, asum, iamax };
PAPILIO_API const char* to_string(vector_operation operation);

/// Describes an operation on vectors.
struct vector_problem {
  vector_operation operation = vector_operation::axpy;
  std::int64_t n = 1;
  float alpha = 1;  ///< Factor of axpy and scal
};

/// Computes a vector operation on n contiguous elements, all fp32 but the index. Aliasing: y and
/// the output of axpy, and x and that of scal, may be the same buffer.
///
/// Layout: runs of up to 1024 elements (2048 of iamax), one a partition, 128 runs at a time. Sums:
/// element by element of the blocks in order, then along the run, then over partitions by a product
/// with ones. nrm2 squares as they are: an infinity where the sum overflows.
/// alpha = 0 multiplies all the same, so NaNs and infinities propagate. iamax is exact: the largest
/// of each run and its position, then of the runs on each partition, then of the partitions; an
/// index is the number of its run and the position in it, which fp32 holds separately, combined as
/// integers if fp32 does not hold it. A NaN counts as the largest (as in max8; on the host BLAS
/// varies).
/// Bound: DMA, each element once; of iamax the vector engine, about as long. Error: axpy two
/// roundings of each element; sums gamma_q of the sum of magnitudes, q the elements of a run, the
/// blocks, 128 and 3 together.
///
/// Throws invalid_argument for n below 1, for iamax above 2^31, and an alpha that is not finite;
/// resource_error if bytes overflow.
PAPILIO_API sized_kernel vector_kernel(const vector_problem& problem,
                                       const engine::machine_spec& machine);

}  // namespace papilio::kernels
