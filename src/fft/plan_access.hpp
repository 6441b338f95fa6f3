#pragma once

#include <complex>
#include <cstddef>

#include "papilio/base/tensor.hpp"
#include "papilio/fft/dct_plan.hpp"
#include "papilio/fft/fft_plan.hpp"
#include "papilio/fft/fftn_plan.hpp"
#include "papilio/fft/rfft_plan.hpp"

namespace papilio::fft_detail {

template <class T>
class complex_line;
template <class T>
class real_line_forward;
template <class T>
class real_line_inverse;

/// The way in to what plans hold, and to run them on arrays whose rank is known at run time only.
struct plan_access {
  /// Valid while a copy of the plan lives.
  template <class T>
  static complex_line<T> line(const fft_plan<T>& plan);
  template <class T>
  static real_line_forward<T> forward(const rfft_plan<T>& plan);
  template <class T>
  static real_line_inverse<T> inverse(const rfft_plan<T>& plan);

  /// The lines along `axis`, or the whole array, in the direction that the plan has or `inverse`
  /// says. Operands hold elements of the plan's types; errors as those of its own functions.
  template <class T>
  static void run(const fft_plan<T>& plan, bool /*inverse*/, const untyped_view<const void>& in,
                  const untyped_view<void>& out, std::size_t axis, int threads) {
    plan.execute_lines(in.of<const std::complex<T>>(), out.of<std::complex<T>>(), axis, threads);
  }
  template <class T>
  static void run(const rfft_plan<T>& plan, bool inverse, const untyped_view<const void>& in,
                  const untyped_view<void>& out, std::size_t axis, int threads) {
    if (inverse)
      plan.inverse_lines(in.of<const std::complex<T>>(), out.of<T>(), axis, threads);
    else
      plan.forward_lines(in.of<const T>(), out.of<std::complex<T>>(), axis, threads);
  }
  template <class T>
  static void run(const dct_plan<T>& plan, bool inverse, const untyped_view<const void>& in,
                  const untyped_view<void>& out, std::size_t axis, int threads) {
    if (inverse)
      plan.inverse_lines(in.of<const T>(), out.of<T>(), axis, threads);
    else
      plan.forward_lines(in.of<const T>(), out.of<T>(), axis, threads);
  }
  template <class T>
  static void run(const fftn_plan<T>& plan, bool /*inverse*/, const untyped_view<const void>& in,
                  const untyped_view<void>& out, std::size_t /*axis*/, int threads) {
    plan.execute_arrays(in.of<const std::complex<T>>(), out.of<std::complex<T>>(), threads);
  }
  template <class T>
  static void run(const rfftn_plan<T>& plan, bool inverse, const untyped_view<const void>& in,
                  const untyped_view<void>& out, std::size_t /*axis*/, int threads) {
    if (inverse)
      plan.inverse_arrays(in.of<const std::complex<T>>(), out.of<T>(), threads);
    else
      plan.forward_arrays(in.of<const T>(), out.of<std::complex<T>>(), threads);
  }
};

}  // namespace papilio::fft_detail
