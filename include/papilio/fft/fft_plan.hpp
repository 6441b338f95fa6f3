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
/// Memory layout of a batch of `count` lines, with strides in complex elements.
struct batch_layout {
  std::size_t count = 1;
  std::ptrdiff_t line_stride = 0;
  std::ptrdiff_t element_stride = 1;
};

/// Complex discrete Fourier transform of one length n >= 1, one direction and one scaling,
/// X[k] = c sum_j x[j] exp(-2 pi i j k / n), inverse +2 pi i, with the normalization's factor c.
///
/// T is float, double, or long double (computed one element at a time: slow). A plan is immutable
/// and cheap to copy (copies share the tables); any number of threads may execute it at once. O(n
/// log n) time for every n, tables of n or 2 n complex elements. The cheapest algorithm is chosen:
/// - a codelet in registers or in the first cache, for powers of two from 4 to 8192;
/// - two steps in the first cache, for other n of up to 2048 without prime factors beyond 7;
/// - the sums themselves, for odd n from 15 to 127, with n^2/2 products;
/// - Stockham passes, if no prime factor is above 61;
/// - a four-step algorithm over two such factors near sqrt(n), for n of 256 and more;
/// - Rader (n prime, tables of about 4 n) or Bluestein (tables of about 8 n), if a prime factor
///   exceeds 16.
///
/// Twiddles are within 0.51 ulp, those of long double within 1.
///
/// Operands may have any alignment, and `out` may be `in`. The input is never written unless it is
/// the output. The result does not depend on the threads, the entry point or the batch size. Lines
/// that are adjacent in memory (a stride of 1 from line to line) run by a recipe of their own,
/// whatever their number.
///
/// Stockham, T.G. (1966), AFIPS 28, 229; Gentleman, W.M., Sande, G. (1966), AFIPS 29, 563 (the
/// four-step); Rader, C.M. (1968), Proc. IEEE 56, 1107; Bluestein, L.I. (1970), IEEE Trans. AU-18,
/// 451.
template <class T>
class PAPILIO_API fft_plan {
  static_assert(std::is_floating_point_v<T>, "T is float, double or long double");

 public:
  using value_type = T;

  /// Plans one transform. Throws invalid_argument if n is 0; resource_error for lack of memory.
  explicit fft_plan(std::size_t n, direction dir = direction::forward, fft_options options = {});

  std::size_t size() const;
  direction transform_direction() const;
  /// Plans the adjoint A* of this transform A, <A x, y> = <x, A* y>: the other direction with this
  /// one's factor (of the forward transform under `backward`, the unscaled inverse). For a real
  /// loss L and X = A x, dL/dx = A* dL/dX, each complex gradient being dL/dRe + i dL/dIm as in
  /// torch.autograd. It has tables of its own. Its adjoint is this transform.
  fft_plan adjoint() const;

  /// Scratch size, in complex elements, with which execute allocates nothing.
  std::size_t scratch_size() const;

  /// Recipe that one line runs, or each line of a batch.
  const recipe& design() const;
  recipe design(batch_layout layout) const;

  /// Transforms n elements. Scratch for small n is on the stack, for large n it is allocated.
  /// Throws shape_error unless both spans hold exactly n; invalid_argument if they overlap and do
  /// not begin at the same address.
  void execute(std::span<const std::complex<T>> in, std::span<std::complex<T>> out) const;

  /// Arrays of several axes are those of execute_batch, execute_axis or fftn_plan.
  template <readable_array In, writable_array Out>
    requires(base_detail::rank_of<In> > 1)
  void execute(const In&, Out&&, int = 1) const {
    static_assert(base_detail::rank_of<In> == 1,
                  "execute transforms one line; execute_batch transforms rows of [batch, n], "
                  "execute_axis the lines along an axis");
  }

  /// Transforms n elements without any allocation. Scratch must not overlap the operands; its
  /// contents afterwards are unspecified.
  /// Throws also shape_error if scratch is shorter than scratch_size().
  void execute(std::span<const std::complex<T>> in, std::span<std::complex<T>> out,
               std::span<std::complex<T>> scratch) const;

  /// Transforms one line on `threads` threads (0: one per core). A four-step recipe shares the
  /// line, and so do Rader's and Bluestein's with a four-step inside; any other runs on one. The
  /// result has the bits of execute for any number of threads.
  /// Throws as execute, invalid_argument if threads < 0, and resource_error before anything is
  /// written if the scratch cannot be allocated.
  void execute_parallel(std::span<const std::complex<T>> in, std::span<std::complex<T>> out,
                        int threads = 0) const;

  /// Transforms n elements given as real and imaginary planes; re and im of `out` may be those of
  /// `in`. Scratch, if given, holds at least 2 * scratch_size() reals.
  /// Throws as execute, and invalid_argument if the planes of `out` overlap.
  void execute_split(split_view<const T> in, split_view<T> out, std::span<T> scratch = {}) const;

  /// Transforms each row of [batch, n]: execute_axis along axis 1.
  void execute_batch(view<const std::complex<T>, 2> in, view<std::complex<T>, 2> out,
                     int threads = 1) const;
  /// Transforms vectors or spans that hold whole rows of n one after the other, else shape_error.
  template <flat_array In, flat_array Out>
  void execute_batch(const In& in, Out&& out, int threads = 1) const {
    const char* const function = "fft_plan::execute_batch";
    execute_batch(base_detail::rows_of(function, "in", base_detail::as_view(in), size()),
                  base_detail::rows_of(function, "out", base_detail::as_writable_view(out), size()),
                  threads);
  }

  /// Transforms every line along `axis` of an array of any rank, which is deduced from `out`.
  /// - Strides of `in` may be any (negative, zero). In `out` every axis must step over the whole of
  ///   those with smaller strides.
  /// - The same view as in and out transforms in place; operands that overlap otherwise are copied
  ///   first. Empty arrays are left alone.
  /// - `threads` threads share the lines (0: one per core), or a single line as in
  ///   execute_parallel; the bits do not depend on their number.
  ///
  /// Throws invalid_argument if axis >= Rank or threads < 0; shape_error if the extents differ,
  /// that of the axis is not n, or the strides of `out` break the rule.
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
