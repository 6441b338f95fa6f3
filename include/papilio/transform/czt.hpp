#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/transform/array_like.hpp"
#include "papilio/transform/fitted.hpp"
#include "papilio/transform/options.hpp"
#include "papilio/transform/resident_run.hpp"
#include "papilio/transform/run.hpp"

namespace papilio {

/// As scipy.signal.czt has them.
struct czt_options {
  /// Number of points; not given: the extent of the axis.
  std::optional<std::ptrdiff_t> m = {};
  /// Ratio of neighbouring points; not given: exp(-2 pi i / m), exactly.
  std::optional<std::complex<double>> w = {};
  /// The first point.
  std::complex<double> a = 1;
  std::ptrdiff_t axis = -1;
  effort plan_effort = effort::estimate;
  execution on = {};
};

namespace transform_detail {

/// Factors of one chirp transform: of the n inputs, of the convolution (its filter, in time, of
/// length padded), and of the m outputs.
template <class T>
struct czt_factors {
  array<std::complex<T>, 1> in, filter, out;
};

/// invalid_argument if n or m is below 1, or w or a is 0 or not finite.
template <class T>
PAPILIO_API czt_factors<T> make_czt_factors(const char* function, std::size_t n,
                                            const czt_options& options);

/// Of an array that lies on an accelerator.
PAPILIO_API shared_tensor resident_czt(const resident_call& c, const shared_tensor& x,
                                       const czt_options& options);

/// The first factors.size() elements of x along the axis, each times the factor of its index.
template <class T, std::size_t Rank>
void multiply_along(view<const std::complex<T>, Rank> x, std::size_t axis,
                    std::span<const std::complex<T>> factors, view<std::complex<T>, Rank> out) {
  using C = std::complex<T>;
  const auto times = [](const C& v, const C& f) -> C {
    return {v.real() * f.real() - v.imag() * f.imag(), v.real() * f.imag() + v.imag() * f.real()};
  };
  const std::size_t count = axis == 0 ? factors.size() : x.extent(0);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (Rank == 1) {
      out[i] = times(x[i], factors[i]);
    } else if (axis == 0) {
      assign_each<C, C, Rank - 1>(x[i], out[i], [&](const C& v) { return times(v, factors[i]); });
    } else {
      multiply_along<T, Rank - 1>(x[i], axis - 1, factors, out[i]);
    }
  }
}

}  // namespace transform_detail

/// scipy.signal.czt, the chirp z-transform: X[k] = sum_j x[j] z_k^-j at the m points z_k = a w^-k
/// of a spiral, along one axis. By default the DFT of x at m points; with w = exp(-2 pi i d) and a
/// = exp(2 pi i f) a piece of the spectrum from f on in steps of d cycles a sample.
///
/// O((n + m) log(n + m)) a line by a cyclic convolution (Bluestein). Angles of the default w are
/// reduced in integers; those of a w that is given are taken in long double, where the error of
/// point k is about k^2 / 2 times its rounding. Where |w| is not 1 factors of |w|^(k^2 / 2) enter,
/// which may overflow for long transforms.
/// invalid_argument: m or the extent below 1, an axis that x does not have, w or a that is 0 or not
/// finite. Under policy::device x goes up once, the
/// result comes back once. Rabiner, L.R., Schafer, R.W., Rader, C.M. (1969), Bell Syst. Tech. J.
/// 48, 1249.
template <array_like X>
auto czt(const X& x, const czt_options& options = {}) {
  using namespace transform_detail;
  using T = real_of<X>;
  using C = std::complex<T>;
  constexpr std::size_t Rank = rank_of<X>;
  const auto in = as_view(x);
  const std::size_t axis = checked_axis("czt", options.axis, Rank);
  const std::size_t n = in.extent(axis);
  const czt_factors<T> factors = make_czt_factors<T>("czt", n, options);
  const std::size_t m = factors.out.size(), padded = factors.filter.size();
  const execution on = decided(options.on);
  if (options.on.where != policy::host) {
    array<C, Rank> result(with_extent(in.extents(), axis, m));
    const bool is_done =
        ran_as_residents({"czt", options.plan_effort, options.on}, in, result.view(),
                         [&](const resident_call& c, std::span<const shared_tensor> t) {
                           return resident_czt(c, t[0], options);
                         });
    if (is_done) return result;
  }
  const call c{"czt", options.plan_effort, on};

  array<C, 1> filter = factors.filter;
  run_line<C, C, 1>(c, fft_kind::complex_forward, fft_scaling::none, padded, 0,
                    std::as_const(filter).view(), filter.view());
  // Everything is done in the memory of the padded convolution.
  const fitted<C, Rank> converted(in, in.extents());
  array<C, Rank> work(with_extent(in.extents(), axis, padded));
  multiply_along<T, Rank>(converted.view(), axis, factors.in.flat(), work.view());
  const auto transform = [&](fft_kind kind, fft_scaling scaling) {
    run_line<C, C, Rank>(c, kind, scaling, padded, axis, std::as_const(work).view(), work.view());
  };
  transform(fft_kind::complex_forward, fft_scaling::none);
  multiply_along<T, Rank>(std::as_const(work).view(), axis, std::as_const(filter).flat(),
                          work.view());
  transform(fft_kind::complex_inverse, fft_scaling::by_count);
  array<C, Rank> out(with_extent(in.extents(), axis, m));
  multiply_along<T, Rank>(std::as_const(work).view(), axis, factors.out.flat(), out.view());
  return out;
}

}  // namespace papilio
