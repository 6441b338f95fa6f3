#pragma once

#include <algorithm>
#include <cstddef>

#include "blas/shared_memory.hpp"
#include "blas/strided_matrix.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/overlap.hpp"

namespace papilio::blas_detail {

/// Whether BLAS has a word for the stride.
template <class T>
bool has_blas_step(const view<T, 1>& x) {
  const std::ptrdiff_t limit = static_cast<std::ptrdiff_t>(blas_limit);
  return x.extent(0) <= 1 || (x.stride(0) != 0 && x.stride(0) <= limit && x.stride(0) >= -limit);
}

/// A piece of a vector as BLAS takes it: from its lowest address, a negative step counting down to
/// it.
template <class T>
struct blas_vector {
  T* lowest = nullptr;
  int step = 1;
};
template <class T>
blas_vector<T> blas_piece(const view<T, 1>& x, std::size_t first, std::size_t count) {
  const std::ptrdiff_t stride = x.extent(0) <= 1 ? 1 : x.stride(0);
  const std::size_t lowest = stride < 0 && count > 0 ? first + count - 1 : first;
  return {x.data() + static_cast<std::ptrdiff_t>(lowest) * stride, static_cast<int>(stride)};
}

/// Calls piece(first, count) for consecutive pieces of [0, n) that BLAS can count.
template <class Piece>
void for_blas_pieces(std::size_t n, const Piece& piece) {
  constexpr std::size_t longest = std::size_t{1} << 30;
  for (std::size_t first = 0; first < n; first += longest)
    piece(first, std::min(longest, n - first));
}

template <class T>
void check_lengths(const char* who, const view<const T, 1>& x, std::size_t n) {
  if (x.extent(0) != n)
    throw shape_error(base_detail::message(who, ": x has ", x.extent(0), " elements, y has ", n));
}

template <class T, std::size_t R>
void check_apart(const char* who, const char* in, const view<const T, R>& x, const char* out,
                 const auto& y) {
  if (shares_memory(elements_of(base_detail::any_rank(x)), elements_of(base_detail::any_rank(y))))
    throw invalid_argument(base_detail::message(who, ": ", out, " shares memory with ", in));
}

}  // namespace papilio::blas_detail
