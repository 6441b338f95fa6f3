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

/// Complex discrete Fourier transform over some axes of an array of fixed extents, every line of an
/// axis as fft_plan does it, in one direction; sign and scaling are those of fft_plan along each
/// axis (backward: the inverse is scaled by one over the product of the transformed extents).
///
/// T is float, double or long double. Immutable, cheap to copy, and safe to execute from many
/// threads at once. O(N log N) for N elements. The axes are done from the last of the array to the
/// first, in blocks that fit the cache; the bits depend neither on the blocks, nor on the strides
/// of the operands, nor on the number of threads.
template <class T>
class PAPILIO_API fftn_plan {
  static_assert(std::is_floating_point_v<T>, "T is float, double or long double");

 public:
  using value_type = T;

  /// All axes. invalid_argument if an extent is 0; resource_error if the size of the array in bytes
  /// overflows or the tables cannot be had.
  explicit fftn_plan(std::vector<std::size_t> extents, direction dir = direction::forward,
                     fft_options options = {});

  /// Some axes, each once, in any order; negative ones count from the end. With none, execute
  /// copies. invalid_argument also if an axis is out of range or repeated.
  fftn_plan(std::vector<std::size_t> extents, const std::vector<std::ptrdiff_t>& axes,
            direction dir = direction::forward, fft_options options = {});

  const std::vector<std::size_t>& extents() const;
  /// As given, but non-negative.
  const std::vector<std::size_t>& axes() const;
  direction transform_direction() const;
  /// What a line along each of axes() runs in a row-major array.
  std::vector<recipe> designs() const;

  /// Any strides in `in` (negative, zero); in `out` every axis must step over the whole of those
  /// with smaller strides, else shape_error. The same view in and out is in place; operands that
  /// overlap otherwise are copied first; the input is not written unless it is the output.
  /// `threads` threads share the work (0: one per core). shape_error if extents are not the plan's;
  /// invalid_argument if threads < 0. Allocates scratch. Rank is deduced from `out`.
  template <std::size_t Rank>
  void execute(std::type_identity_t<view<const std::complex<T>, Rank>> in,
               view<std::complex<T>, Rank> out, int threads = 1) const {
    execute_arrays(base_detail::any_rank(in), base_detail::any_rank(out), threads);
  }
  /// The same of arrays, whose rank is theirs.
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

/// Discrete Fourier transform of a real array over some of its axes, and back; numpy.fft.rfftn and
/// irfftn. Along the last of the axes given, of extent n, the spectrum holds n/2 + 1 bins (as in
/// rfft_plan); along the others it is a complex transform. Scaling is that of the plans of one
/// axis.
///
/// T is float, double or long double. Immutable, cheap to copy, and safe to execute from many
/// threads at once. O(N log N) for N elements. The bits depend neither on the strides of the
/// operands nor on the number of threads.
template <class T>
class PAPILIO_API rfftn_plan {
  static_assert(std::is_floating_point_v<T>, "T is float, double or long double");

 public:
  using value_type = T;

  /// Extents of the real array; all axes. invalid_argument if there are none or one is 0;
  /// resource_error if the size in bytes overflows or the tables cannot be had.
  explicit rfftn_plan(std::vector<std::size_t> extents, fft_options options = {});

  /// Some axes, each once; negative ones count from the end. invalid_argument also if there are
  /// none, or one is out of range or repeated.
  rfftn_plan(std::vector<std::size_t> extents, const std::vector<std::ptrdiff_t>& axes,
             fft_options options = {});

  /// Of the real array.
  const std::vector<std::size_t>& extents() const;
  const std::vector<std::size_t>& spectrum_extents() const;
  /// As given, but non-negative.
  const std::vector<std::size_t>& axes() const;
  /// What a line along each of axes() runs in a row-major array.
  std::vector<recipe> designs() const;

  /// Real array to half spectrum, and back. As in numpy.fft.irfftn, inverse takes the bins 0 and
  /// (n even) n/2 of the last axis as real after the other axes are done. The input is not
  /// written; inverse over several axes allocates memory of the size of the spectrum. Operands that
  /// overlap are copied first. Strides, threads, rank and errors as in fftn_plan::execute.
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
