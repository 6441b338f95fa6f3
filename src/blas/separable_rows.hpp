#pragma once

namespace papilio::blas_detail {

/// Whether a product of T may be cut between any rows of C whose index is a multiple of row_grain
/// without a change of bits. It is so where the library packs panels of whole kernel tiles and sums
/// in an order that the number of rows does not enter, as OpenBLAS does on x86; asked of the
/// library itself the first time, by products cut and whole (a millisecond).
template <class T>
bool has_separable_rows();

}  // namespace papilio::blas_detail
