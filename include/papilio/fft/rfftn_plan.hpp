#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/strided.hpp"
#include "papilio/base/view.hpp"
#include "papilio/fft/options.hpp"
#include "papilio/fft/recipe.hpp"

namespace papilio {

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
  template <std::size_t Rank>
  void inverse(std::type_identity_t<view<const std::complex<T>, Rank>> in, view<T, Rank> out,
               int threads = 1) const {
    inverse_arrays(base_detail::any_rank(in), base_detail::any_rank(out), threads);
  }

 private:
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
