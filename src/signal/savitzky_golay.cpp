#include "papilio/signal/filters.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "papilio/base/error.hpp"
#include "signal/filter_block.hpp"

namespace papilio {
namespace {
namespace savgol_steps {

constexpr std::size_t longest_window = 65535;

void check(const savgol_options& o) {
  constexpr const char* function = "savgol";
  if (o.window == 0 || o.window > longest_window)
    throw invalid_argument(base_detail::message(function, ": window must be 1 ... ", longest_window,
                                                ", got ", o.window));
  if (o.degree >= o.window)
    throw invalid_argument(base_detail::message(function, ": degree must be below window, ",
                                                o.window, ", got ", o.degree));
  if (!(std::isfinite(o.step) && o.step != 0))
    throw invalid_argument(
        base_detail::message(function, ": step must be finite and not 0, got ", o.step));
}

/// Middle of a window, between two samples of an even one.
double middle_of(const savgol_options& o) { return static_cast<double>(o.window - 1) / 2; }

double scale_of(const savgol_options& o) {
  return std::pow(o.step, -static_cast<double>(o.derivative));
}

/// Orthonormal polynomials p[0] ... p[degree] of the points -h ... h of a window (Gram's), whose
/// distance is 1 and which are halves of odd numbers where n is even:
///   c[k+1] p[k+1] = x p[k] - c[k] p[k-1],  c[k]^2 = k^2 (n^2 - k^2) / (4 (4 k^2 - 1)).
class gram_polynomials {
 public:
  gram_polynomials(std::size_t n, std::size_t degree)
      : first_(1 / std::sqrt(static_cast<double>(n))), factors_(degree + 1) {
    const auto points = static_cast<double>(n);
    for (std::size_t i = 1; i <= degree; ++i) {
      const auto k = static_cast<double>(i);
      factors_[i] = k / 2 * std::sqrt((points - k) * (points + k) / (4 * k * k - 1));
    }
  }

  std::size_t size() const { return factors_.size(); }

  /// Calls use(k, p[k](x)) for each k.
  template <class Use>
  void at(double x, const Use& use) const {
    double before = 0, now = first_;
    use(std::size_t{0}, now);
    for (std::size_t k = 1; k < size(); ++k) {
      const double next = (x * now - factors_[k - 1] * before) / factors_[k];
      before = now;
      now = next;
      use(k, now);
    }
  }

  /// Computes the derivatives of that order at x: each derivative of x p[k] takes d p[k]^(d-1) too.
  void derivatives_at(double x, std::size_t derivative, std::span<double> out) const {
    std::vector<double> before(derivative + 1), now(derivative + 1);
    now[0] = first_;
    out[0] = now[derivative];
    for (std::size_t k = 1; k < size(); ++k) {
      for (std::size_t d = derivative + 1; d-- > 0;) {
        const double lower = d > 0 ? static_cast<double>(d) * now[d - 1] : 0;
        const double next = (x * now[d] + lower - factors_[k - 1] * before[d]) / factors_[k];
        before[d] = std::exchange(now[d], next);
      }
      out[k] = now[derivative];
    }
  }

 private:
  double first_;
  std::vector<double> factors_;
};

/// Polynomial fitted to one window, as coefficients of the orthonormal ones.
class fitted_polynomial {
 public:
  template <class T>
  fitted_polynomial(const savgol_options& o, std::span<const T> samples)
      : options_(o), grams_(o.window, o.degree), weights_(o.degree + 1), values_(o.degree + 1) {
    for (std::size_t i = 0; i < samples.size(); ++i)
      grams_.at(static_cast<double>(i) - middle_of(o), [&](std::size_t k, double p) {
        weights_[k] += p * static_cast<double>(samples[i]);
      });
  }

  double at(std::size_t position) {
    if (options_.derivative > options_.degree) return 0;
    grams_.derivatives_at(static_cast<double>(position) - middle_of(options_), options_.derivative,
                          values_);
    double sum = 0;
    for (std::size_t k = 0; k < values_.size(); ++k) sum += weights_[k] * values_[k];
    return sum * scale_of(options_);
  }

 private:
  savgol_options options_;
  gram_polynomials grams_;
  std::vector<double> weights_, values_;
};

std::size_t folded(std::ptrdiff_t i, std::ptrdiff_t n, savgol_options::edge edges) {
  if (edges == savgol_options::edge::nearest)
    return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(i, 0, n - 1));
  const bool wraps = edges == savgol_options::edge::wrap;
  if (!wraps && n == 1) return 0;
  const std::ptrdiff_t period = wraps ? n : 2 * (n - 1);
  const std::ptrdiff_t at = ((i % period) + period) % period;
  return static_cast<std::size_t>(at < n ? at : period - at);
}

}  // namespace savgol_steps
}  // namespace

array<double, 1> savgol_weights(const savgol_options& o, std::optional<double> position) {
  using namespace savgol_steps;
  check(o);
  const double middle = middle_of(o), at = position.value_or(middle);
  if (!(at >= 0 && at <= 2 * middle))
    throw invalid_argument(base_detail::message("savgol_weights: position must be 0 ... ",
                                                o.window - 1, ", got ", at));
  array<double, 1> weights(o.window);
  std::ranges::fill(weights, 0.0);
  if (o.derivative > o.degree) return weights;
  const gram_polynomials grams(o.window, o.degree);
  std::vector<double> there(o.degree + 1);
  grams.derivatives_at(at - middle, o.derivative, there);
  for (std::size_t i = 0; i < o.window; ++i) {
    double sum = 0;
    grams.at(static_cast<double>(i) - middle,
             [&](std::size_t k, double p) { sum += p * there[k]; });
    weights[i] = sum * scale_of(o);
  }
  return weights;
}

template <class T>
array<T, 1> savgol_filter(std::span<const T> signal, const savgol_options& o) {
  using namespace savgol_steps;
  using edge = savgol_options::edge;
  array<double, 1> weights = savgol_weights(o);
  const std::size_t n = signal.size(), window = o.window, half = window / 2;
  if (o.edges == edge::interpolate && n < window)
    throw invalid_argument(
        base_detail::message("savgol_filter: signal must have at least the ", window,
                             " samples of the window where edges are interpolated, got ", n));
  array<T, 1> out(n);
  if (n == 0) return out;
  // The signal with what is beyond its ends, so that every window is whole.
  const bool is_fitted = o.edges == edge::interpolate;
  const std::size_t beyond = is_fitted ? 0 : half;
  array<double, 1> extended(n + 2 * beyond);
  for (std::size_t i = 0; i < extended.size(); ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(beyond);
    const bool is_outside = at < 0 || at >= static_cast<std::ptrdiff_t>(n);
    if (is_outside && o.edges == edge::constant)
      extended[i] = o.outside;
    else
      extended[i] = static_cast<double>(
          signal[is_outside ? folded(at, static_cast<std::ptrdiff_t>(n), o.edges)
                            : static_cast<std::size_t>(at)]);
  }
  array<double, 1> made(extended.size() - window + 1);
  filter_parts::correlate(weights.flat(), extended.data(), made.flat());
  // The window of a sample has half - 1 samples before it where it is even, as scipy's.
  const std::size_t before = (window - 1) / 2;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::size_t at = i + before;
    if (at >= beyond && at < n + beyond) out[at - beyond] = static_cast<T>(made[i]);
  }
  if (!is_fitted) return out;
  fitted_polynomial first(o, signal.first(window)), last(o, signal.last(window));
  for (std::size_t i = 0; i < half; ++i) {
    out[i] = static_cast<T>(first.at(i));
    out[n - half + i] = static_cast<T>(last.at(window - half + i));
  }
  return out;
}

template PAPILIO_API array<float, 1> savgol_filter(std::span<const float>, const savgol_options&);
template PAPILIO_API array<double, 1> savgol_filter(std::span<const double>, const savgol_options&);

}  // namespace papilio
