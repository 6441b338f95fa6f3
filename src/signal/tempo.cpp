#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "base/share.hpp"
#include "papilio/fft/rfft_plan.hpp"
#include "papilio/signal/rhythm.hpp"
#include "papilio/signal/window.hpp"
#include "papilio/transform/frequencies.hpp"
#include "signal/rhythm_parts.hpp"

namespace papilio {
namespace {
namespace tempo_steps {

using namespace rhythm_parts;

// The envelope with the lines that fall to 0 beyond its ends, and zeros behind it.
std::vector<double> with_ramps(std::span<const double> strength, std::size_t half,
                               std::size_t zeros) {
  const std::size_t end = strength.size() + 2 * half;
  std::vector<double> padded(end + zeros);
  for (std::size_t i = 0; i < half; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(half);
    padded[i] = strength.front() * share;
    padded[end - 1 - i] = strength.back() * share;
  }
  std::ranges::copy(strength, padded.begin() + static_cast<std::ptrdiff_t>(half));
  return padded;
}

/// Autocorrelations of windowed segments: the inverse transforms of their powers, with zeros behind the
/// segment as many as lags reach beyond it. Immutable.
class tempogram_rows {
 public:
  /// Memory that each thread has for itself.
  struct work {
    std::vector<double> power, values;
    std::vector<std::complex<double>> spectrum, scratch;
  };

  tempogram_rows(std::span<const double> strength, std::size_t window)
      : lags_(window),
        plan_(next_fast_len(static_cast<std::ptrdiff_t>(2 * window - 1), true)),
        padded_(with_ramps(strength, window / 2, plan_.size())),
        window_(plan_.size()) {
    std::ranges::copy(make_window(window_kind::hann, window, window_symmetry::periodic),
                      window_.begin());
  }

  work make_work() const {
    return {std::vector<double>(plan_.bins()), std::vector<double>(plan_.size()),
            std::vector<std::complex<double>>(plan_.bins()),
            std::vector<std::complex<double>>(
                std::max(plan_.scratch_size(), plan_.spectrum_scratch_size()))};
  }

  /// Computes the powers of a segment into w.power; their correlation at lag 0, the largest there is,
  /// comes out.
  double analyse(std::size_t segment, work& w) const {
    const std::size_t n = plan_.size();
    plan_.forward_power(std::span(padded_).subspan(segment, n), window_, w.power, w.scratch);
    double sum = 0;
    for (const double p : w.power) sum += p;
    return (2 * sum - w.power.front() - w.power.back()) / static_cast<double>(n);
  }

  /// Computes the correlation of the powers in w.power.
  void correlate(work& w, std::span<double> out) const {
    std::ranges::copy(w.power, w.spectrum.begin());
    plan_.inverse(w.spectrum, w.values, w.scratch);
    std::copy_n(w.values.begin(), out.size(), out.begin());
  }

  void compute(std::size_t segment, work& w, std::span<double> out) const {
    analyse(segment, w);
    correlate(w, out);
    const double largest = out[0];
    if (largest < least_normal) return;
    for (double& v : out) v /= largest;
  }

  /// The mean of so many rows: the correlation of their powers' mean, each over its largest.
  std::vector<double> mean(std::size_t segments) const {
    work w = make_work();
    std::vector<double> sum(w.power.size()), out(lags_);
    for (std::size_t s = 0; s < segments; ++s) {
      const double largest = analyse(s, w);
      if (largest < least_normal) continue;
      const double weight = 1 / (largest * static_cast<double>(segments));
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += w.power[k] * weight;
    }
    w.power = sum;
    correlate(w, out);
    return out;
  }

  /// Autocorrelation of the window, by which that of a steady beat falls with the lag.
  std::vector<double> of_window() const {
    work w = make_work();
    const std::vector<double> ones(plan_.size(), 1.0);
    std::vector<double> out(lags_);
    plan_.forward_power(ones, window_, w.power, w.scratch);
    correlate(w, out);
    return out;
  }

 private:
  std::size_t lags_;
  rfft_plan<double> plan_;
  std::vector<double> padded_, window_;
};

// Place of the peak next to `at`, between lags by a parabola; 0 where there is none within a lag.
double peak_near(std::span<const double> values, double at) {
  auto k = static_cast<std::size_t>(std::lround(at));
  for (int step = 0; step < 2; ++step) {
    if (k < 1 || k + 1 >= values.size()) return 0;
    if (values[k + 1] > values[k])
      ++k;
    else if (values[k - 1] > values[k])
      --k;
  }
  if (k < 1 || k + 1 >= values.size()) return 0;
  const double below = values[k - 1], middle = values[k], above = values[k + 1];
  if (middle < below || middle < above) return 0;
  const double curvature = below - 2 * middle + above;
  const double shift = curvature < 0 ? (below - above) / (2 * curvature) : 0;
  return static_cast<double>(k) + shift;
}

// The multiples' peaks, up to half the window, beyond which few segments make them, place the lag
// better the higher they are: an error of a part of a segment is divided by the multiple.
double refined_lag(std::vector<double> mean, std::span<const double> window, std::size_t lag) {
  for (std::size_t k = 0; k < mean.size(); ++k)
    mean[k] = window[k] > 1e-6 * window[0] ? mean[k] / window[k] : 0;
  const double first = peak_near(mean, static_cast<double>(lag));
  if (first == 0) return static_cast<double>(lag);
  double period = first;
  for (std::size_t m = 2; static_cast<double>(m) * period < static_cast<double>(mean.size()) / 2;
       ++m) {
    const double at = peak_near(mean, static_cast<double>(m) * period);
    if (at == 0) break;
    period = at / static_cast<double>(m);
  }
  return period;
}

}  // namespace tempo_steps
}  // namespace

array<double, 2> tempogram(std::span<const double> strength, std::size_t window, int threads) {
  using namespace tempo_steps;
  require(window >= 2 && window <= longest_window, "tempogram", "window", "2 ... 65536", window);
  require_envelope("tempogram", strength, 1, 1);
  array<double, 2> out({strength.size(), window});
  const tempogram_rows rows(strength, window);
  base_detail::share(strength.size(), base_detail::team_of(threads),
                     [&](std::size_t first, std::size_t last, std::size_t) {
                       tempogram_rows::work w = rows.make_work();
                       for (std::size_t s = first; s < last; ++s)
                         rows.compute(s, w, out.flat().subspan(s * window, window));
                     });
  return out;
}

double tempo(std::span<const double> strength, double frame_rate_hz, const tempo_options& o) {
  using namespace tempo_steps;
  constexpr const char* function = "tempo";
  require_envelope(function, strength, frame_rate_hz, 2);
  require_positive(function, "start_bpm", o.start_bpm);
  require_positive(function, "octaves", o.octaves);
  require_positive(function, "window_seconds", o.window_seconds);
  if (o.max_bpm) require_positive(function, "max_bpm", *o.max_bpm);
  const double lags = std::floor(o.window_seconds * frame_rate_hz);
  require(lags >= 2 && lags <= static_cast<double>(longest_window), function, "window_seconds",
          "2 ... 65536 segments", lags);
  const auto window = static_cast<std::size_t>(lags);
  const auto bpm_of = [&](double lag) { return 60 * frame_rate_hz / lag; };
  if (o.max_bpm && !(bpm_of(lags - 1) < *o.max_bpm))
    throw invalid_argument(base_detail::message("tempo: max_bpm must be above ", bpm_of(lags - 1),
                                                ", that of the longest lag, got ", *o.max_bpm));
  if (is_silent(strength)) return 0;
  const tempogram_rows rows(strength, window);
  const std::vector<double> mean = rows.mean(strength.size());
  double best = -std::numeric_limits<double>::infinity();
  std::size_t lag = 0;
  for (std::size_t k = 1; k < window; ++k) {
    const double bpm = bpm_of(static_cast<double>(k));
    if (o.max_bpm && !(bpm < *o.max_bpm)) continue;
    const double away = (std::log2(bpm) - std::log2(o.start_bpm)) / o.octaves;
    const double score = std::log1p(1e6 * std::max(0.0, mean[k])) - 0.5 * away * away;
    if (score > best) {
      best = score;
      lag = k;
    }
  }
  return bpm_of(o.refine ? refined_lag(mean, rows.of_window(), lag) : static_cast<double>(lag));
}

}  // namespace papilio
