#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

struct complex_mask_shape {
  std::int64_t rows = 1, columns = 1;
  std::int64_t count = 1;  ///< masks, each a tensor of its own
};

/// out = mask * spectrum, element by element, of planar complex tensors: in mask and spectrum, out
/// the product, all [2, rows, columns] fp32. Any sizes of at least 1. With `count`, inputs are mask
/// 0, spectrum 0, mask 1, ..., and outputs product 0, 1, ...: one launch for masks that lie
/// anywhere, each loaded while the one before is multiplied.
///
/// Layout: the elements in the order of memory, cut into long rows, one a partition, whatever rows
/// and columns are. Products on the vector engine; where that is faster the mask is first copied
/// into PSUM by the scalar engine, since a product with one operand there takes half the cycles.
/// Number and length of the rows and the place of the mask are chosen by dry runs.
/// Bound: DMA, for small masks its descriptors; without PSUM the vector engine is as busy.
/// Each part of a result has three roundings: two products and their sum. invalid_argument for a
/// size below 1, resource_error where a tensor's bytes overflow.
/// Aliasing: as sized_kernel says.
PAPILIO_API sized_kernel complex_mask_kernel(const complex_mask_shape& shape,
                                             const engine::machine_spec& machine);

}  // namespace papilio::kernels
