#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include "papilio/base/array.hpp"
#include "papilio/base/array_like.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/fft/options.hpp"
#include "papilio/fft/recipe.hpp"

namespace papilio {
/// Where the lines of a batch lie: `count` lines, strides in complex elements.
struct batch_layout {
  std::size_t count = 1;
  std::ptrdiff_t line_stride = 0;
  std::ptrdiff_t element_stride = 1;
};

/// Complex discrete Fourier transform of one length n >= 1, one direction and one scaling.
///
/// T is float, double, or long double (one element at a time: slow). A plan is immutable and cheap
/// to copy (copies share the tables); any number of threads may execute it at once. O(n log n) time
/// for every n, tables of about n complex elements. The cheapest is taken of: a codelet in
/// registers (powers of two from 16 to 256), the sums themselves (n odd, from 15 to 127: n^2/2
/// products), Stockham passes (no prime factor above 61), a four-step over two such factors near
/// sqrt(n) (n of 256 and more), and, where a prime factor exceeds 16, Rader (n prime, tables of
/// about 4 n) and Bluestein (tables of about 8 n). Twiddles are within 0.51 ulp, those of long
/// double within 1.
///
/// Operands may have any alignment. `out` may be `in`; operands that overlap in any other way are
/// an invalid_argument. The input is never written unless it is the output. The result does not
/// depend on threads, on the entry point or on the batch size; lines that lie beside each other run
/// as columns, a recipe of their own, however many there are.
///
/// Stockham, T.G. (1966), AFIPS 28, 229; Gentleman, W.M., Sande, G. (1966), AFIPS 29, 563 (the
/// four-step); Rader, C.M. (1968), Proc. IEEE 56, 1107; Bluestein, L.I. (1970), IEEE Trans. AU-18,
/// 451.
template <class T>
class PAPILIO_API fft_plan {
  static_assert(std::is_floating_point_v<T>, "T is float, double or long double");

 public:
  using value_type = T;

  /// invalid_argument if n is 0; resource_error if the tables cannot be had.
  explicit fft_plan(std::size_t n, direction dir = direction::forward, fft_options options = {});

  std::size_t size() const;
  direction transform_direction() const;

  /// Complex elements of scratch with which execute allocates nothing.
  std::size_t scratch_size() const;

  /// What one line runs; what each line of a batch runs.
  const recipe& design() const;
  recipe design(batch_layout layout) const;

  /// Transforms n elements. shape_error unless both spans hold exactly n. Scratch for small n is on
  /// the stack, for large n it is allocated.
  void execute(std::span<const std::complex<T>> in, std::span<std::complex<T>> out) const;

  /// As above without any allocation. shape_error if scratch is shorter than scratch_size(). It
  /// must not overlap the operands; its contents afterwards are unspecified.
  void execute(std::span<const std::complex<T>> in, std::span<std::complex<T>> out,
               std::span<std::complex<T>> scratch) const;

  /// One line on `threads` threads (0: one per core): a four-step recipe shares the line, and so do
  /// Rader's and Bluestein's with a four-step inside; any other runs on one. Same bits as execute
  /// for any number. It allocates; resource_error before anything is written.
  void execute_parallel(std::span<const std::complex<T>> in, std::span<std::complex<T>> out,
                        int threads = 0) const;

  /// The same transform on split (planar) operands; re and im of `out` may be those of `in`.
  /// Scratch, if given, holds at least 2 * scratch_size() reals.
  void execute_split(split_view<const T> in, split_view<T> out, std::span<T> scratch = {}) const;

  /// Each row of [batch, n]: execute_axis along axis 1.
  void execute_batch(view<const std::complex<T>, 2> in, view<std::complex<T>, 2> out,
                     int threads = 1) const;
  /// The same of vectors and spans that hold the rows one after the other.
  template <flat_array In, flat_array Out>
  void execute_batch(const In& in, Out&& out, int threads = 1) const {
    const char* const function = "fft_plan::execute_batch";
    execute_batch(base_detail::rows_of(function, "in", base_detail::as_view(in), size()),
                  base_detail::rows_of(function, "out", base_detail::as_writable_view(out), size()),
                  threads);
  }

  /// Every line along `axis` of an array of any rank. Any strides in `in` (negative, zero); in
  /// `out` every axis must step over the whole of those with smaller strides, else shape_error.
  /// The same view in and out is in place; operands that overlap otherwise are copied first.
  /// `threads` threads share the lines (0: one per core), or the line where there is but one, as
  /// execute_parallel; the bits do not depend on their number.
  /// invalid_argument if axis >= Rank or threads < 0; shape_error if the extents differ or that of
  /// the axis is not n. Empty arrays: nothing is done. Rank is deduced from `out`.
  template <std::size_t Rank>
  void execute_axis(std::type_identity_t<view<const std::complex<T>, Rank>> in,
                    view<std::complex<T>, Rank> out, std::size_t axis, int threads = 1) const {
    execute_lines(base_detail::any_rank(in), base_detail::any_rank(out), axis, threads);
  }

 private:
  friend struct fft_detail::plan_access;
  struct state;
  void execute_lines(base_detail::strided<const std::complex<T>> in,
                     base_detail::strided<std::complex<T>> out, std::size_t axis,
                     int threads) const;
  std::shared_ptr<const state> state_;
};

extern template class fft_plan<float>;
extern template class fft_plan<double>;
extern template class fft_plan<long double>;

}  // namespace papilio
