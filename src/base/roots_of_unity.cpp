#include "base/roots_of_unity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace papilio::base_detail {

static_assert(std::numeric_limits<long double>::digits >= 64,
              "double tables need a wider type; this platform's long double is not one");

namespace {

// Computes exp(-2 pi i q / (4n)) to two units in the last place.
template <class Wide>
std::complex<Wide> direct(std::size_t q, std::size_t n) {
  const Wide angle = std::numbers::pi_v<Wide> / 2 * (static_cast<Wide>(q) / static_cast<Wide>(n));
  return {std::cos(angle), -std::sin(angle)};
}

// Computes exp(-2 pi i q / (4n)) in the first octant within an ulp. The angle is high + low: low
// takes the rounding errors of pi/2 and of q/n, and enters to first order. The sine of the rounded
// pi is pi's rounding error.
std::complex<long double> precise(std::size_t q, std::size_t n) {
  constexpr long double pi = std::numbers::pi_v<long double>;
  static const long double pi_low = std::sin(pi);
  const auto numerator = static_cast<long double>(q), denominator = static_cast<long double>(n);
  const long double ratio = numerator / denominator;
  const long double ratio_low = std::fma(-ratio, denominator, numerator) / denominator;
  const long double high = pi / 2 * ratio;
  const long double low =
      std::fma(pi / 2, ratio, -high) + (pi / 2 * ratio_low + pi_low / 2 * ratio);
  const long double c = std::cos(high), s = std::sin(high);
  return {c - low * s, -(s + low * c)};
}

}  // namespace

// Everything below counts in quarter steps, q = 4k of 4n, so that octants have integer borders
// whether or not 8 divides n; the first octant is 0 <= q <= n/2.
template <class T>
roots_of_unity<T>::roots_of_unity(std::size_t n) : n_(n) {
  if constexpr (std::is_same_v<T, long double>) return;
  const std::size_t octant = n / 2;
  step_ = std::max<std::size_t>(
      2, static_cast<std::size_t>(std::sqrt(static_cast<double>(octant))) + 1);
  // floor(q / step) is the high half of the product with 2^64 / step, rounded up, for all
  // q < 2^64 / step: here q step is about n^(3/2).
  reciprocal_ = ~std::uint64_t{0} / step_ + 1;
  fine_.reserve(step_);
  coarse_.reserve(octant / step_ + 1);
  for (std::size_t b = 0; b < step_; ++b) fine_.push_back(direct<wide>(b, n));
  for (std::size_t a = 0; a <= octant / step_; ++a) coarse_.push_back(direct<wide>(a * step_, n));
}

template <class T>
auto roots_of_unity<T>::first_octant(std::size_t q) const -> std::complex<wide> {
  if constexpr (std::is_same_v<T, long double>) return precise(q, n_);
  __extension__ using product = unsigned __int128;
  const auto a = static_cast<std::size_t>(static_cast<product>(q) * reciprocal_ >> 64);
  const std::complex<wide> u = coarse_[a], v = fine_[q - a * step_];
  return {u.real() * v.real() - u.imag() * v.imag(), u.real() * v.imag() + u.imag() * v.real()};
}

template <class T>
auto roots_of_unity<T>::root(std::size_t k) const -> std::complex<returned> {
  std::size_t q = 4 * (k < n_ ? k : k % n_);
  const bool below = q > 2 * n_;  // W(4n - q) = conj W(q)
  if (below) q = 4 * n_ - q;
  const bool left = q > n_;  // W(2n - q) = -conj W(q)
  if (left) q = 2 * n_ - q;
  const bool steep = q > n_ / 2;  // W(n - q) = -i conj W(q)
  if (steep) q = n_ - q;
  std::complex<wide> w = first_octant(q);
  if (steep) w = {-w.imag(), -w.real()};
  if (left) w = {-w.real(), w.imag()};
  if (below) w = {w.real(), -w.imag()};
  return {static_cast<returned>(w.real()), static_cast<returned>(w.imag())};
}

template class roots_of_unity<float>;
template class roots_of_unity<double>;
template class roots_of_unity<long double>;

}  // namespace papilio::base_detail
