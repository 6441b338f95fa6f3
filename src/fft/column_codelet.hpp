#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "papilio/base/array.hpp"
#include "papilio/fft/options.hpp"
#include "papilio/fft/recipe.hpp"

namespace papilio::fft_detail {

/// Radices whose product is the length; those behind the last are 1.
struct radices_of_codelet {
  std::size_t first, second = 1, third = 1, fourth = 1;
  constexpr std::size_t product() const { return first * second * third * fourth; }
};

/// Radices of all codelets of columns.
inline constexpr radices_of_codelet column_codelet_radices[] = {{4},    {8},     {4, 4},  {8, 4},
                                                                {8, 8}, {16, 8}, {16, 16}};

/// Returns the recipe of n by the radices of a list that multiply to n; none if there are none.
std::optional<recipe> codelet_among(std::span<const radices_of_codelet> all, std::size_t n);

/// Registers of adjacent columns, interleaved: the register of the row below is at in + in_step,
/// that of the next columns at in + in_run, in reals; likewise out. Columns may be in place.
template <class T>
struct interleaved_columns {
  const T* in = nullptr;
  T* out = nullptr;
  std::ptrdiff_t in_step = 0, out_step = 0;
  std::ptrdiff_t in_run = 0, out_run = 0;
  std::size_t runs = 1;
};

/// Twiddles, for n = R S rows: (re, re, -im, im) of W_n^{kc} for each c < S and each 0 < k < R,
/// conjugate for the inverse; then those of the S rows, until one radix is left, which has none.
template <class T>
struct column_codelet_tables {
  const T* twiddles = nullptr;
  T sign = 1;  ///< 1 forward, -1 inverse
  T scale = 1;
};

template <class T>
using column_codelet_function = void (*)(const column_codelet_tables<T>& tables,
                                         const interleaved_columns<T>& block);

/// Code of columns of n = R S rows, in which the S rows are transformed likewise, as the radices
/// say:
///   X[k + R j] = sum_c W_S^{cj} W_n^{kc} sum_r W_R^{rk} x[S r + c].
template <class T>
struct column_codelet_code {
  std::size_t complexes = 0;               ///< in one register
  column_codelet_function<T> run[2] = {};  ///< [1]: scaled
};

/// Returns the code for n rows; null if there is none, or registers hold one element.
template <class T>
const column_codelet_code<T>* find_column_codelet(std::size_t n);

/// Returns the twiddles of these radices, as column_codelet_tables has them.
template <class T>
array<T, 1> column_codelet_twiddles(std::span<const std::size_t> radices, direction dir);

/// Returns the recipe of a length that has such code.
std::optional<recipe> design_column_codelet(std::size_t n);

/// Transforms of adjacent columns, by the code of their length. Immutable; for many threads at once.
template <class T>
class column_codelet {
 public:
  /// `scale` multiplies every output.
  column_codelet(const recipe& r, direction dir, long double scale);
  column_codelet(const column_codelet&) = delete;
  column_codelet& operator=(const column_codelet&) = delete;

  /// Whether rows are so many and so far apart, `step` reals, that they are copied to memory and
  /// back, eight cache lines of a row at a time.
  static bool are_far(std::size_t rows, std::ptrdiff_t step);
  static constexpr std::size_t most_copied = 512 / (2 * sizeof(T));
  /// Reals of memory for the copies.
  std::size_t memory_reals() const { return rows_ * copied_step; }

  /// Transforms any number of adjacent columns; steps are from row to row, in reals. In place
  /// allowed.
  void run(const T* in, std::ptrdiff_t in_step, T* out, std::ptrdiff_t out_step,
           std::size_t columns, T* memory) const;

 private:
  // One cache line more, so that copied rows do not share the sets of the first cache.
  static constexpr std::ptrdiff_t copied_step = (512 + 64) / sizeof(T);

  void run_by_copy(const T* in, std::ptrdiff_t in_step, T* out, std::ptrdiff_t out_step,
                   std::size_t columns, bool streamed, T* memory) const;

  std::size_t rows_;
  const column_codelet_code<T>& code_;
  array<T, 1> twiddles_;
  column_codelet_tables<T> tables_;
  column_codelet_function<T> run_;
};

extern template class column_codelet<float>;
extern template class column_codelet<double>;

}  // namespace papilio::fft_detail
