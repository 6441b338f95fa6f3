#include "papilio/transform/frequencies.hpp"

#include <cmath>
#include <numbers>

#include "papilio/base/error.hpp"
#include "papilio/transform/run.hpp"

namespace papilio::transform_detail {
namespace {

using wide = std::complex<long double>;

void require_usable(const char* function, const char* name, std::complex<double> z) {
  const bool is_finite = std::isfinite(z.real()) && std::isfinite(z.imag());
  if (!is_finite || z == 0.0)
    throw invalid_argument(
        base_detail::message(function, ": ", name, " must be finite and not 0, got ", z));
}

void require_usable(const char* function, const char* name, std::optional<long double> turns,
                    const char* other, bool other_is_given) {
  if (!turns) return;
  if (other_is_given)
    throw invalid_argument(
        base_detail::message(function, ": ", name, " and ", other, " are both given"));
  if (!std::isfinite(*turns))
    throw invalid_argument(
        base_detail::message(function, ": ", name, " must be finite, got ", *turns));
}

wide polar(long double log_magnitude, long double angle) {
  const long double magnitude = std::exp(log_magnitude);
  return {magnitude * std::cos(angle), magnitude * std::sin(angle)};
}

// exp(2 pi i factor turns): the product is reduced to a part of a turn before it is rounded.
wide turned(long double factor, long double turns) {
  const long double product = factor * turns, rest = std::fma(factor, turns, -product);
  const long double part = product - std::nearbyint(product) + rest;
  return polar(0, 2 * std::numbers::pi_v<long double> * part);
}

// w^(k^2 / 2) for k < count.
std::vector<wide> chirp(std::size_t count, std::size_t m, const czt_options& options) {
  const std::optional<std::complex<double>>& w = options.w;
  std::vector<wide> result(count);
  if (options.step_turns) {
    for (std::size_t k = 0; k < count; ++k)
      result[k] = turned(static_cast<long double>(k) * static_cast<long double>(k) / 2,
                         -*options.step_turns);
    return result;
  }
  if (w) {
    const long double angle = std::arg(wide(*w)), log = std::log(std::abs(wide(*w)));
    for (std::size_t k = 0; k < count; ++k) {
      const long double half_square = static_cast<long double>(k) * static_cast<long double>(k) / 2;
      result[k] = polar(log * half_square, angle * half_square);
    }
    return result;
  }
  // exp(-pi i k^2 / m), with k^2 reduced mod 2m as it grows by 2k - 1.
  const std::size_t period = 2 * m;
  std::size_t square = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (k > 0) square = (square + (2 * k - 1) % period) % period;
    const long double turns = static_cast<long double>(square) / static_cast<long double>(period);
    result[k] = polar(0, -2 * std::numbers::pi_v<long double> * turns);
  }
  return result;
}

template <class T>
std::complex<T> narrowed(const wide& z) {
  return {static_cast<T>(z.real()), static_cast<T>(z.imag())};
}

}  // namespace

template <class T>
czt_factors<T> make_czt_factors(const char* function, std::size_t n, const czt_options& options) {
  if (n < 1)
    throw invalid_argument(base_detail::message(function, ": n must be at least 1, got 0"));
  const std::ptrdiff_t asked = options.m.value_or(static_cast<std::ptrdiff_t>(n));
  if (asked < 1)
    throw invalid_argument(base_detail::message(function, ": m must be at least 1, got ", asked));
  if (options.w) require_usable(function, "w", *options.w);
  require_usable(function, "a", options.a);
  require_usable(function, "step_turns", options.step_turns, "w", options.w.has_value());
  require_usable(function, "first_turns", options.first_turns, "a", options.a != 1.0);
  const auto m = static_cast<std::size_t>(asked);
  const auto total = checked_cast<std::ptrdiff_t>(checked_add(n, m, function) - 1, function);
  const std::size_t padded = next_fast_len(total);

  const std::vector<wide> w = chirp(std::max(n, m), m, options);
  const wide a(options.a);
  const long double a_angle = std::arg(a), a_log = std::log(std::abs(a));
  czt_factors<T> f{array<std::complex<T>, 1>(n), array<std::complex<T>, 1>(padded),
                   array<std::complex<T>, 1>(m)};
  for (std::size_t j = 0; j < n; ++j) {
    const auto power = -static_cast<long double>(j);
    f.in[j] = narrowed<T>(w[j] * (options.first_turns ? turned(power, *options.first_turns)
                                                      : polar(a_log * power, a_angle * power)));
  }
  for (std::size_t k = 0; k < m; ++k) {
    f.out[k] = narrowed<T>(w[k]);
    f.filter[k] = narrowed<T>(wide(1) / w[k]);
  }
  for (std::size_t j = 1; j < n; ++j) f.filter[padded - j] = narrowed<T>(wide(1) / w[j]);
  return f;
}

template PAPILIO_API czt_factors<float> make_czt_factors<float>(const char*, std::size_t,
                                                                const czt_options&);
template PAPILIO_API czt_factors<double> make_czt_factors<double>(const char*, std::size_t,
                                                                  const czt_options&);
template PAPILIO_API czt_factors<long double> make_czt_factors<long double>(const char*,
                                                                            std::size_t,
                                                                            const czt_options&);

}  // namespace papilio::transform_detail
