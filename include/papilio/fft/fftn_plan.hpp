#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/array_like.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/fft/options.hpp"
#include "papilio/fft/recipe.hpp"

namespace papilio {

/// Complex discrete Fourier transform over some axes of an array of fixed extents, in one
/// direction. Sign and scaling are those of fft_plan along each axis (backward: the inverse is
/// scaled by one over the product of the transformed extents).
///
/// T is float, double or long double. A plan is immutable, cheap to copy, and safe to execute from
/// many threads at once. O(N log N) for N elements. The axes are transformed from the last of the
/// array to the first, in blocks that fit the cache; the bits depend neither on the blocks, nor on
/// the strides of the operands, nor on the number of threads.
template <class T>
class PAPILIO_API fftn_plan {
  static_assert(std::is_floating_point_v<T>, "T is float, double or long double");

 public:
  using value_type = T;

  /// Plans a transform over all axes. Throws invalid_argument if there is no extent or one is 0;
  /// resource_error if the size of the array in bytes overflows or the tables cannot be allocated.
  explicit fftn_plan(std::vector<std::size_t> extents, direction dir = direction::forward,
                     fft_options options = {});

  /// Plans a transform over some axes, each once, in any order; negative ones count from the end.
  /// With an empty list, execute copies.
  /// Throws also invalid_argument if an axis is out of range or repeated.
  fftn_plan(std::vector<std::size_t> extents, const std::vector<std::ptrdiff_t>& axes,
            direction dir = direction::forward, fft_options options = {});

  const std::vector<std::size_t>& extents() const;
  /// Axes in the order given, all counted from the front.
  const std::vector<std::size_t>& axes() const;
  direction transform_direction() const;
  /// Plans the adjoint, as fft_plan::adjoint along each axis.
  fftn_plan adjoint() const;
  /// Recipes that a line along each of axes() runs in a row-major array.
  std::vector<recipe> designs() const;

  /// Transforms an array. Rank is deduced from `out`. Scratch is allocated.
  /// - Strides of `in` may be any (negative, zero). In `out` every axis must step over the whole of
  ///   those with smaller strides.
  /// - The same view as in and out transforms in place; operands that overlap otherwise are copied
  ///   first. The input is not written unless it is the output.
  /// - `threads` threads share the work (0: one per core).
  ///
  /// Throws shape_error if the extents are not the plan's or the strides of `out` break the rule;
  /// invalid_argument if threads < 0.
  template <std::size_t Rank>
  void execute(std::type_identity_t<view<const std::complex<T>, Rank>> in,
               view<std::complex<T>, Rank> out, int threads = 1) const {
    execute_arrays(base_detail::any_rank(in), base_detail::any_rank(out), threads);
  }
  /// Transforms an array given as an array, view, range or mdspan.
  template <readable_array In, writable_array Out>
  void execute(const In& in, Out&& out, int threads = 1) const {
    execute<base_detail::rank_of<In>>(
        base_detail::as_view(in), base_detail::as_writable_view(std::forward<Out>(out)), threads);
  }

 private:
  friend struct fft_detail::plan_access;
  struct state;
  void execute_arrays(base_detail::strided<const std::complex<T>> in,
                      base_detail::strided<std::complex<T>> out, int threads) const;
  std::shared_ptr<const state> state_;
};

extern template class fftn_plan<float>;
extern template class fftn_plan<double>;
extern template class fftn_plan<long double>;

/// Discrete Fourier transform of a real array over some of its axes, and its inverse;
/// numpy.fft.rfftn and irfftn. Along the last of the axes given, of extent n, the spectrum holds
/// n/2 + 1 bins (as in rfft_plan); along the others it is a complex transform. Scaling is that of
/// the plans of one axis.
///
/// T is float, double or long double. A plan is immutable, cheap to copy, and safe to execute from
/// many threads at once. O(N log N) for N elements. The bits depend neither on the strides of the
/// operands nor on the number of threads.
template <class T>
class PAPILIO_API rfftn_plan {
  static_assert(std::is_floating_point_v<T>, "T is float, double or long double");

 public:
  using value_type = T;

  /// Plans a transform over all axes of a real array of these extents. Throws invalid_argument if
  /// there are none or one is 0; resource_error if the size in bytes overflows or the tables cannot
  /// be allocated.
  explicit rfftn_plan(std::vector<std::size_t> extents, fft_options options = {});

  /// Plans a transform over some axes, each once; negative ones count from the end.
  /// Throws also invalid_argument if there are none, or one is out of range or repeated.
  rfftn_plan(std::vector<std::size_t> extents, const std::vector<std::ptrdiff_t>& axes,
             fft_options options = {});

  /// Extents of the real array.
  const std::vector<std::size_t>& extents() const;
  /// Extents of the spectrum.
  const std::vector<std::size_t>& spectrum_extents() const;
  /// Plans the adjoints of both directions: the inverse of the result is the adjoint of this
  /// forward, the forward of the result that of this inverse (see rfft_plan::adjoint).
  rfftn_plan adjoint() const;
  /// Axes in the order given, all counted from the front.
  const std::vector<std::size_t>& axes() const;
  /// Recipes that a line along each of axes() runs in a row-major array.
  std::vector<recipe> designs() const;

  /// Transforms a real array to its half spectrum (forward), or back (inverse). As in
  /// numpy.fft.irfftn, inverse takes the bins 0 and (n even) n/2 of the last axis as real after the
  /// other axes are done. The input is not written; operands that overlap are copied first. Inverse
  /// over several axes allocates memory of the size of the spectrum. Strides, threads, rank and
  /// errors are those of fftn_plan::execute.
  template <std::size_t Rank>
  void forward(std::type_identity_t<view<const T, Rank>> in, view<std::complex<T>, Rank> out,
               int threads = 1) const {
    forward_arrays(base_detail::any_rank(in), base_detail::any_rank(out), threads);
  }
  template <readable_array In, writable_array Out>
  void forward(const In& in, Out&& out, int threads = 1) const {
    forward<base_detail::rank_of<In>>(
        base_detail::as_view(in), base_detail::as_writable_view(std::forward<Out>(out)), threads);
  }
  template <std::size_t Rank>
  void inverse(std::type_identity_t<view<const std::complex<T>, Rank>> in, view<T, Rank> out,
               int threads = 1) const {
    inverse_arrays(base_detail::any_rank(in), base_detail::any_rank(out), threads);
  }
  template <readable_array In, writable_array Out>
  void inverse(const In& in, Out&& out, int threads = 1) const {
    inverse<base_detail::rank_of<In>>(
        base_detail::as_view(in), base_detail::as_writable_view(std::forward<Out>(out)), threads);
  }

 private:
  friend struct fft_detail::plan_access;
  struct state;
  explicit rfftn_plan(std::shared_ptr<const state> built) : state_(std::move(built)) {}
  void forward_arrays(base_detail::strided<const T> in, base_detail::strided<std::complex<T>> out,
                      int threads) const;
  void inverse_arrays(base_detail::strided<const std::complex<T>> in, base_detail::strided<T> out,
                      int threads) const;
  std::shared_ptr<const state> state_;
};

extern template class rfftn_plan<float>;
extern template class rfftn_plan<double>;
extern template class rfftn_plan<long double>;

}  // namespace papilio
