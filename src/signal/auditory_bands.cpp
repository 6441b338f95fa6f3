#include "papilio/signal/auditory_bands.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "papilio/base/error.hpp"
#include "papilio/signal/stft.hpp"

namespace papilio {
namespace {
namespace auditory {

using complex = std::complex<double>;

constexpr double ear_q = 9.26449, least_erb_hz = 24.7;

template <class Value>
void require(bool good, const char* name, const char* bound, Value value) {
  if (!good)
    throw invalid_argument(
        base_detail::message("auditory_filterbank: ", name, " must be ", bound, ", got ", value));
}

void check(double rate_hz, std::size_t n_fft, const auditory_options& o) {
  const double top_hz = o.fmax_hz.value_or(rate_hz / 2);
  require(rate_hz > 0 && std::isfinite(rate_hz), "rate_hz", "finite and above 0", rate_hz);
  require(n_fft >= 1 && n_fft <= max_n_fft, "n_fft", "1 ... 16777216", n_fft);
  require(o.bands >= 1 && o.bands <= 65536, "bands", "1 ... 65536", o.bands);
  require(o.shape == auditory_shape::gammatone || o.shape == auditory_shape::triangle, "shape",
          "one of auditory_shape", static_cast<int>(o.shape));
  require(o.fmin_hz >= 0 && o.fmin_hz < top_hz, "fmin_hz", "at least 0 and below fmax_hz",
          o.fmin_hz);
  require(top_hz <= rate_hz / 2, "fmax_hz", "at most rate_hz / 2", top_hz);
  require(o.order >= 1 && o.order <= 8, "order", "1 ... 8", o.order);
  require(o.bandwidth_erb >= 1e-3 && o.bandwidth_erb <= 1e3, "bandwidth_erb", "0.001 ... 1000",
          o.bandwidth_erb);
}

std::vector<double> edges(double rate_hz, const auditory_options& o) {
  const double top_hz = o.fmax_hz.value_or(rate_hz / 2);
  const double low = hz_to_erb_number(o.fmin_hz), high = hz_to_erb_number(top_hz);
  std::vector<double> result(o.bands + 2);
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = erb_number_to_hz(low + (high - low) * static_cast<double>(i) /
                                           static_cast<double>(o.bands + 1));
  result.front() = o.fmin_hz;
  result.back() = top_hz;
  return result;
}

// Coefficients of the Eulerian polynomial A_m: A(m, k) = (k + 1) A(m-1, k) + (m - k) A(m-1, k-1).
std::vector<double> eulerian(std::size_t m) {
  std::vector<double> a{1};
  for (std::size_t degree = 2; degree <= m; ++degree) {
    a.push_back(0);
    for (std::size_t k = degree; k-- > 0;)
      a[k] = static_cast<double>(k + 1) * a[k] +
             (k > 0 ? static_cast<double>(degree - k) * a[k - 1] : 0);
  }
  return a;
}

/// sum_{n >= 0} n^m p^n of p = exp(-decay + i angle).
complex sum_of_powers(std::span<const double> polynomial, std::size_t m, double decay,
                      double angle) {
  const double size = std::exp(-decay), half = std::sin(angle / 2);
  const complex p(size * std::cos(angle), size * std::sin(angle));
  // 1 - p without a difference of what is nearly equal.
  const complex rest(-std::expm1(-decay) + size * 2 * half * half, -size * std::sin(angle));
  if (m == 0) return 1.0 / rest;
  complex value = 0;
  for (std::size_t k = polynomial.size(); k-- > 0;) value = value * p + polynomial[k];
  value *= p / rest;
  for (std::size_t i = 0; i < m; ++i) value /= rest;
  return value;
}

/// Transform of a sampled gammatone filter, but for a factor.
class gammatone {
 public:
  gammatone(double centre_hz, double rate_hz, const auditory_options& o)
      : polynomial_(eulerian(o.order - 1)),
        order_(o.order),
        decay_(2 * std::numbers::pi * o.bandwidth_erb * erb_hz(centre_hz) / rate_hz),
        centre_(2 * std::numbers::pi * centre_hz / rate_hz) {}

  /// |H|^2 at an angle of 2 pi f / rate.
  double power(double angle) const {
    return std::norm(sum_of_powers(polynomial_, order_ - 1, decay_, centre_ - angle) +
                     sum_of_powers(polynomial_, order_ - 1, decay_, -centre_ - angle));
  }
  double peak() const { return power(centre_); }

 private:
  std::vector<double> polynomial_;
  std::size_t order_;
  double decay_, centre_;
};

template <class T>
array<T, 2> weights_of(double rate_hz, std::size_t n_fft, const auditory_options& o,
                       std::span<const double> edges_hz) {
  array<T, 2> weights({o.bands, n_fft / 2 + 1});
  const double points = static_cast<double>(n_fft);
  for (std::size_t b = 0; b < o.bands; ++b) {
    const double low = edges_hz[b], centre = edges_hz[b + 1], high = edges_hz[b + 2];
    const gammatone filter(centre, rate_hz, o);
    const double peak = filter.peak();
    for (std::size_t bin = 0; bin < weights.extent(1); ++bin) {
      const double k = static_cast<double>(bin), hz = k * rate_hz / points;
      double weight = 0;
      if (o.shape == auditory_shape::gammatone)
        weight = filter.power(2 * std::numbers::pi * k / points) / peak;
      else if (hz > low && hz < high)
        weight = hz <= centre ? (hz - low) / (centre - low) : (high - hz) / (high - centre);
      require(std::isfinite(weight), "rate_hz", "such that weights are finite", rate_hz);
      weights(b, bin) = static_cast<T>(weight);
    }
  }
  return weights;
}

}  // namespace auditory
}  // namespace

double erb_hz(double hz) { return auditory::least_erb_hz + hz / auditory::ear_q; }

double hz_to_erb_number(double hz) {
  return auditory::ear_q * std::log1p(hz / (auditory::least_erb_hz * auditory::ear_q));
}

double erb_number_to_hz(double number) {
  return auditory::least_erb_hz * auditory::ear_q * std::expm1(number / auditory::ear_q);
}

template <class T>
auditory_filterbank<T>::auditory_filterbank(double rate_hz, std::size_t n_fft,
                                            const auditory_options& options) {
  auditory::check(rate_hz, n_fft, options);
  std::vector<double> edges_hz = auditory::edges(rate_hz, options);
  const array<T, 2> weights = auditory::weights_of<T>(rate_hz, n_fft, options, edges_hz);
  bank_ = mel_filterbank<T>(std::move(edges_hz), weights.view());
}

template class auditory_filterbank<float>;
template class auditory_filterbank<double>;

}  // namespace papilio
