#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/fft/options.hpp"
#include "papilio/fft/recipe.hpp"

namespace papilio {

/// Kind of a discrete cosine or sine transform of n reals to n reals.
enum class trigonometric_kind { dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4 };

/// Discrete cosine or sine transform of one length n >= 1 (dct1: n >= 2) and one kind, and its
/// inverse, as defined, scaled and named by scipy.fft. Unscaled, with j and k from 0 to n-1:
///
///   dct1  y[k] = x[0] + (-1)^k x[n-1] + 2 sum_{0<j<n-1} x[j] cos(pi j k / (n-1))    N = 2 (n-1)
///   dct2  y[k] = 2 sum_j x[j] cos(pi (2j+1) k / (2n))                               N = 2n
///   dct3  y[k] = x[0] + 2 sum_{j>0} x[j] cos(pi j (2k+1) / (2n))                    N = 2n
///   dct4  y[k] = 2 sum_j x[j] cos(pi (2j+1) (2k+1) / (4n))                          N = 2n
///   dst1  y[k] = 2 sum_j x[j] sin(pi (j+1) (k+1) / (n+1))                           N = 2 (n+1)
///   dst2  y[k] = 2 sum_j x[j] sin(pi (2j+1) (k+1) / (2n))                           N = 2n
///   dst3  y[k] = (-1)^k x[n-1] + 2 sum_{j<n-1} x[j] sin(pi (j+1) (2k+1) / (2n))     N = 2n
///   dst4  y[k] = 2 sum_j x[j] sin(pi (2j+1) (2k+1) / (4n))                          N = 2n
///
/// Types 1 and 4 are their own inverses, and types 2 and 3 each other's, times 1/N.
///   backward     forward 1,       inverse 1/N
///   orthonormal  both 1/sqrt(N), and the matrix is orthogonal: x[0] and x[n-1] of dct1, x[0] of
///                dct3 and x[n-1] of dst3 are first multiplied by sqrt 2; y[0] and y[n-1] of dct1,
///                y[0] of dct2 and y[n-1] of dst2 are divided by it
///   forward      forward 1/N,     inverse 1
///   none         both 1
/// inverse(forward(x)) = x except under `none`.
///
/// T is float, double or long double. A plan is immutable, cheap to copy, and safe to execute from
/// many threads at once. O(n log n) for every n: types 2 and 3 by a real transform of n, type 4 by
/// a complex one of n/2 (n even) or a real one of n (n odd), type 1 by a real one of N. Operands
/// may have any alignment, and `out` may be `in`. The input is not written unless it is the output.
///
/// Makhoul, J. (1980), IEEE Trans. ASSP-28, 27; Britanak, V., Yip, P., Rao, K. (2007), Discrete
/// Cosine and Sine Transforms.
template <class T>
class PAPILIO_API dct_plan {
  static_assert(std::is_floating_point_v<T>, "T is float, double or long double");

 public:
  using value_type = T;

  /// Plans both directions. Throws invalid_argument if n is 0, or 1 for dct1; resource_error if the
  /// tables cannot be allocated.
  explicit dct_plan(std::size_t n, trigonometric_kind kind = trigonometric_kind::dct2,
                    fft_options options = {});

  std::size_t size() const;
  trigonometric_kind kind() const;
  /// Scratch size, in reals, with which forward and inverse allocate nothing.
  std::size_t scratch_size() const;
  /// Recipe that one line runs.
  const recipe& design() const;

  /// Transforms n reals by the formula of the kind, or of its inverse. Scratch must not overlap the
  /// operands; without scratch, small n uses the stack and large n allocates.
  /// Throws shape_error unless in and out hold n reals, or if scratch is given and shorter than
  /// scratch_size(); invalid_argument if the operands overlap and do not begin at the same address.
  void forward(std::span<const T> in, std::span<T> out, std::span<T> scratch = {}) const;
  void inverse(std::span<const T> in, std::span<T> out, std::span<T> scratch = {}) const;

  /// Transforms every line along `axis` of an array of any rank; strides, aliasing, threads, rank
  /// and errors are those of fft_plan::execute_axis.
  template <std::size_t Rank>
  void forward_axis(std::type_identity_t<view<const T, Rank>> in, view<T, Rank> out,
                    std::size_t axis, int threads = 1) const {
    forward_lines(base_detail::any_rank(in), base_detail::any_rank(out), axis, threads);
  }
  template <std::size_t Rank>
  void inverse_axis(std::type_identity_t<view<const T, Rank>> in, view<T, Rank> out,
                    std::size_t axis, int threads = 1) const {
    inverse_lines(base_detail::any_rank(in), base_detail::any_rank(out), axis, threads);
  }

 private:
  friend struct fft_detail::plan_access;
  struct state;
  void forward_lines(base_detail::strided<const T> in, base_detail::strided<T> out,
                     std::size_t axis, int threads) const;
  void inverse_lines(base_detail::strided<const T> in, base_detail::strided<T> out,
                     std::size_t axis, int threads) const;
  std::shared_ptr<const state> state_;
};

extern template class dct_plan<float>;
extern template class dct_plan<double>;
extern template class dct_plan<long double>;

}  // namespace papilio
