#include "transform/reference_run.hpp"

#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "papilio/transform.hpp"

namespace papilio::test {
namespace {

template <class V, std::size_t Rank>
array<V, Rank> filled(const reference_case& c, const std::vector<V>& values) {
  extents_type<Rank> extents;
  std::copy_n(c.extents.begin(), Rank, extents.begin());
  array<V, Rank> x(extents);
  std::copy(values.begin(), values.end(), x.begin());
  return x;
}

std::vector<float> real_signal(const reference_case& c) {
  const std::size_t n = count(c.extents);
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(n);
    x[i] = c.input == signal::ones       ? 1.0f
           : c.input == signal::impulse  ? (i == 0 ? 1.0f : 0.0f)
           : c.input == signal::counting ? static_cast<float>(i + 1)
                                         : static_cast<float>(std::cos(10 * std::numbers::pi * t));
  }
  return c.input == signal::real_noise ? random_real<float>(n, 42) : x;
}

template <class Data>
std::vector<exact> wide(const Data& data) {
  return {data.begin(), data.end()};
}

// In long double: the definition, by FFTW where that would take seconds.
std::vector<exact> oracle(std::vector<exact> x, const sizes& extents, const sizes& axes, int sign) {
  if (extents.size() > 1 || extents[0] <= 2000) return dftn(std::move(x), extents, axes, sign);
  auto* const data = reinterpret_cast<fftwl_complex*>(x.data());
  const fftwl_plan plan =
      fftwl_plan_dft_1d(static_cast<int>(extents[0]), data, data, sign, FFTW_ESTIMATE);
  fftwl_execute(plan);
  fftwl_destroy_plan(plan);
  return x;
}

// x cut, or followed by zeros, to other extents.
std::vector<exact> refitted(const std::vector<exact>& x, const sizes& from, const sizes& to) {
  std::vector<exact> result(count(to));
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::size_t rest = i, at = 0, step = 1;
    bool inside = true;
    for (std::size_t k = from.size(); k-- > 0;) {
      const std::size_t index = rest % from[k];
      rest /= from[k];
      inside = inside && index < to[k];
      at += index * step;
      step *= to[k];
    }
    if (inside) result[at] = x[i];
  }
  return result;
}

struct transformed {
  sizes axes, extents;  // of the real or complex array, after s
};

transformed shape_of(const reference_case& c) {
  transformed t{{}, c.extents};
  const std::size_t rank = c.extents.size();
  for (std::ptrdiff_t a : c.axes)
    t.axes.push_back(static_cast<std::size_t>(a < 0 ? a + static_cast<std::ptrdiff_t>(rank) : a));
  const bool is_line = c.op < operation::fft2;
  if (c.axes.empty())
    for (std::size_t k = is_line ? rank - 1 : 0; k < rank; ++k) t.axes.push_back(k);
  for (std::size_t i = 0; i < c.lengths.size(); ++i) t.extents[t.axes[i]] = c.lengths[i];
  return t;
}

line_options line(const reference_case& c) {
  line_options options;
  if (!c.lengths.empty()) options.n = static_cast<std::ptrdiff_t>(c.lengths[0]);
  return options;
}

grid_options grid(const reference_case& c) {
  grid_options options;
  if (!c.lengths.empty()) options.s = c.lengths;
  if (!c.axes.empty()) options.axes = c.axes;
  return options;
}

// From a half spectrum, of complex elements.
template <std::size_t Rank>
outcome from_half(const reference_case& c) {
  const transformed t = shape_of(c);
  const std::size_t axis = t.axes.back(), n = t.extents[axis];
  const auto x = filled<std::complex<float>, Rank>(c, random_complex<float>(count(c.extents), 42));
  sizes half = t.extents;
  half[axis] = n / 2 + 1;
  const auto whole = hermitian(refitted(wide(x), c.extents, half), half, axis, n);
  const bool is_hfft = c.op == operation::hfft;
  auto expected = oracle(whole, t.extents, {axis}, is_hfft ? -1 : 1);
  if (!is_hfft)
    for (exact& v : expected) v /= static_cast<long double>(n);
  const auto got = is_hfft ? hfft(x, line(c)) : irfft(x, line(c));
  return {wide(got), std::move(expected), fftn_tolerance<float>(t.extents, t.axes)};
}

template <std::size_t Rank, class V>
outcome spectrum(const reference_case& c, const array<V, Rank>& x) {
  const transformed t = shape_of(c);
  auto expected = oracle(refitted(wide(x), c.extents, t.extents), t.extents, t.axes, -1);
  const double bound = fftn_tolerance<float>(t.extents, t.axes);
  if constexpr (!std::is_same_v<V, float>) {
    return {wide(fft(x, line(c))), std::move(expected), bound};
  } else {
    const std::size_t last = t.axes.back(), n = t.extents[last];
    if (c.op == operation::fft) return {wide(fft(x, line(c))), std::move(expected), bound};
    if (c.op == operation::fftn) return {wide(fftn(x, grid(c))), std::move(expected), bound};
    if constexpr (Rank >= 2)
      if (c.op == operation::fft2) return {wide(fft2(x, grid(c))), std::move(expected), bound};
    auto half = first_along(expected, t.extents, last, n / 2 + 1);
    if (c.op == operation::ihfft) {
      for (exact& v : half) v = std::conj(v) / static_cast<long double>(n);
      return {wide(ihfft(x, line(c))), std::move(half), bound};
    }
    const auto got = c.op == operation::rfft    ? rfft(x, line(c))
                     : c.op == operation::rfft2 ? rfft2(x, grid(c))
                                                : rfftn(x, grid(c));
    return {wide(got), std::move(half), bound};
  }
}

template <std::size_t Rank, class V>
outcome round_trip(const reference_case& c, const array<V, Rank>& x) {
  const transformed t = shape_of(c);
  const double bound = 2 * fftn_tolerance<float>(t.extents, t.axes);
  const auto back = [&] {
    if constexpr (std::is_same_v<V, float>) {
      if (c.op == operation::irfft_of_rfft) return wide(irfft(rfft(x), line(c)));
      if (c.op == operation::hfft_of_ihfft) return wide(hfft(ihfft(x, line(c)), line(c)));
      if (c.op == operation::irfft2_of_rfft2) return wide(irfft2(rfft2(x), grid(c)));
      if (c.op == operation::irfftn_of_rfftn) return wide(irfftn(rfftn(x), grid(c)));
    }
    if (c.op == operation::ifftn_of_fftn) return wide(ifftn(fftn(x)));
    return wide(ifft(fft(x)));
  };
  return {back(), wide(x), bound};
}

template <std::size_t Rank>
outcome run_ranked(const reference_case& c) {
  switch (c.op) {
    case operation::hfft:
    case operation::irfft:
      return from_half<Rank>(c);
    case operation::fft:
    case operation::rfft:
    case operation::ihfft:
    case operation::fft2:
    case operation::fftn:
    case operation::rfft2:
    case operation::rfftn:
      if (c.input == signal::complex_noise)
        return spectrum<Rank>(
            c, filled<std::complex<float>, Rank>(c, random_complex<float>(count(c.extents), 42)));
      return spectrum<Rank>(c, filled<float, Rank>(c, real_signal(c)));
    case operation::ifft_of_fft:
    case operation::irfft_of_rfft:
    case operation::hfft_of_ihfft:
    case operation::ifftn_of_fftn:
    case operation::irfft2_of_rfft2:
    case operation::irfftn_of_rfftn:
      break;
  }
  if (c.input == signal::complex_noise)
    return round_trip<Rank>(
        c, filled<std::complex<float>, Rank>(c, random_complex<float>(count(c.extents), 42)));
  return round_trip<Rank>(c, filled<float, Rank>(c, real_signal(c)));
}

}  // namespace

std::vector<outcome> run(const reference_case& c) {
  std::vector<outcome> outcomes;
  const auto add = [&](const reference_case& one) {
    with_rank(one.extents.size(),
              [&]<std::size_t Rank>() { outcomes.push_back(run_ranked<Rank>(one)); });
  };
  if (c.extents.size() > 1 || c.lengths.size() < 2) {
    add(c);
    return outcomes;
  }
  for (std::size_t n : c.lengths) {
    reference_case one = c;
    one.lengths = {n};
    add(one);
  }
  return outcomes;
}

}  // namespace papilio::test
