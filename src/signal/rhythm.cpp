#include "papilio/signal/rhythm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "papilio/signal/window.hpp"
#include "signal/rhythm_parts.hpp"

namespace papilio {
namespace {
namespace rhythm_steps {

using namespace rhythm_parts;

// The envelope with the lines that fall to 0 beyond its ends.
std::vector<double> with_ramps(std::span<const double> strength, std::size_t half) {
  std::vector<double> padded(strength.size() + 2 * half);
  for (std::size_t i = 0; i < half; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(half);
    padded[i] = strength.front() * share;
    padded[padded.size() - 1 - i] = strength.back() * share;
  }
  std::ranges::copy(strength, padded.begin() + static_cast<std::ptrdiff_t>(half));
  return padded;
}

/// Rows of a tempogram, one after the other.
class autocorrelation {
 public:
  autocorrelation(std::span<const double> strength, std::size_t window)
      : padded_(with_ramps(strength, window / 2)),
        window_(make_window(window_kind::hann, window, window_symmetry::periodic)),
        values_(window) {}

  void compute(std::size_t segment, std::span<double> out) {
    const std::size_t n = values_.size();
    for (std::size_t i = 0; i < n; ++i) values_[i] = padded_[segment + i] * window_[i];
    correlate(values_, out);
    double largest = 0;
    for (const double v : out) largest = std::max(largest, std::abs(v));
    if (largest < least_normal) return;
    for (double& v : out) v /= largest;
  }

  /// Autocorrelation of the window, by which that of a steady beat falls with the lag.
  std::vector<double> of_window() const {
    std::vector<double> out(values_.size());
    correlate(window_.flat(), out);
    return out;
  }

 private:
  static void correlate(std::span<const double> values, std::span<double> out) {
    std::ranges::fill(out, 0.0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == 0) continue;
      for (std::size_t k = 0; k + i < values.size(); ++k) out[k] += values[i] * values[i + k];
    }
  }

  std::vector<double> padded_;
  array<double, 1> window_;
  std::vector<double> values_;
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

void require_envelope(const char* function, std::span<const double> strength, double frame_rate_hz,
                      std::size_t least) {
  require_positive(function, "frame_rate_hz", frame_rate_hz);
  if (strength.size() < least)
    throw invalid_argument(base_detail::message(function, ": strength must have at least ", least,
                                                " segments, got ", strength.size()));
  require_finite(function, "strength", strength);
}

bool is_silent(std::span<const double> strength) {
  return std::ranges::all_of(strength, [](double v) { return v == 0; });
}

// The envelope in its standard deviations, smoothed by a Gaussian of a 32nd of a beat.
std::vector<double> beat_scores(std::span<const double> strength, std::size_t period) {
  const double mean = mean_of(strength);
  double square = 0;
  for (const double v : strength) square += (v - mean) * (v - mean);
  const double deviation =
      std::sqrt(square / static_cast<double>(strength.size() - 1)) + least_normal;
  const auto n = static_cast<std::ptrdiff_t>(strength.size()),
             reach = static_cast<std::ptrdiff_t>(period);
  std::vector<double> weights(2 * period + 1), scores(strength.size());
  for (std::ptrdiff_t d = -reach; d <= reach; ++d)
    weights[static_cast<std::size_t>(d + reach)] =
        std::exp(-0.5 * std::pow(32.0 * static_cast<double>(d) / static_cast<double>(reach), 2));
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::ptrdiff_t j = std::max<std::ptrdiff_t>(0, i - reach); j <= std::min(n - 1, i + reach);
         ++j)
      sum += weights[static_cast<std::size_t>(i - j + reach)] *
             (strength[static_cast<std::size_t>(j)] / deviation);
    scores[static_cast<std::size_t>(i)] = sum;
  }
  return scores;
}

constexpr std::size_t no_beat = std::numeric_limits<std::size_t>::max();

struct beat_chain {
  std::vector<double> total;
  std::vector<std::size_t> previous;
};

beat_chain best_chain(std::span<const double> scores, std::size_t period, double tightness) {
  beat_chain chain{std::vector<double>(scores.size()),
                   std::vector<std::size_t>(scores.size(), no_beat)};
  const double least = 0.01 * std::ranges::max(scores);
  const auto nearest = std::max<std::size_t>(
      1, static_cast<std::size_t>(std::nearbyint(static_cast<double>(period) / 2)));
  std::vector<double> costs(2 * period + 1);
  for (std::size_t d = nearest; d <= 2 * period; ++d)
    costs[d] =
        tightness *
        std::pow(std::log(static_cast<double>(d)) - std::log(static_cast<double>(period)), 2);
  bool has_begun = false;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    double best = -std::numeric_limits<double>::infinity();
    std::size_t from = no_beat;
    for (std::size_t d = nearest; d <= std::min(i, 2 * period); ++d) {
      const double total = chain.total[i - d] - costs[d];
      if (total > best) {
        best = total;
        from = i - d;
      }
    }
    chain.total[i] = from == no_beat ? scores[i] : scores[i] + best;
    if (!has_begun && scores[i] < least) continue;
    has_begun = true;
    chain.previous[i] = from;
  }
  return chain;
}

// The last maximum of the totals that is at least half of their median.
std::size_t last_beat(std::span<const double> total) {
  std::vector<std::size_t> maxima;
  std::vector<double> values;
  for (std::size_t i = 1; i < total.size(); ++i)
    if (total[i] > total[i - 1] && (i + 1 == total.size() || total[i] >= total[i + 1])) {
      maxima.push_back(i);
      values.push_back(total[i]);
    }
  if (maxima.empty()) return total.size() - 1;
  const double least = 0.5 * median_of(values);
  for (std::size_t i = maxima.size(); i > 0; --i)
    if (total[maxima[i - 1]] >= least) return maxima[i - 1];
  return total.size() - 1;
}

// Half the root mean square of the beats' scores, smoothed by a symmetric Hann window of 5.
double trim_threshold(std::span<const double> scores, std::span<const std::size_t> found) {
  constexpr double weights[] = {0, 0.5, 1, 0.5, 0};
  const std::size_t n = found.size(), smoothed = std::min(scores.size(), n + 2);
  double square = 0;
  for (std::size_t i = 0; i < smoothed; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < 5; ++k)
      if (i + 2 >= k && i + 2 - k < n) sum += weights[k] * scores[found[i + 2 - k]];
    square += sum * sum;
  }
  return 0.5 * std::sqrt(square / static_cast<double>(smoothed));
}

}  // namespace rhythm_steps
}  // namespace

std::vector<std::size_t> onset_detect(std::span<const double> strength, double frame_rate_hz,
                                      const onset_detect_options& o) {
  using namespace rhythm_steps;
  constexpr const char* function = "onset_detect";
  require_envelope(function, strength, frame_rate_hz, 0);
  const auto segments_of = [&](const char* name, double seconds) {
    require(seconds >= 0 && seconds <= 1e6, function, name, "0 ... 1e6", seconds);
    const double segments = std::floor(seconds * frame_rate_hz);
    return static_cast<std::size_t>(std::min(segments, static_cast<double>(strength.size())));
  };
  const std::size_t before_maximum = segments_of("before_maximum", o.before_maximum),
                    after_maximum = segments_of("after_maximum", o.after_maximum) + 1,
                    before_mean = segments_of("before_mean", o.before_mean),
                    after_mean = segments_of("after_mean", o.after_mean) + 1,
                    wait = segments_of("wait", o.wait);
  require(o.delta >= 0 && std::isfinite(o.delta), function, "delta", "finite and at least 0",
          o.delta);
  std::vector<std::size_t> found;
  if (strength.empty()) return found;
  const auto [smallest, largest] = std::ranges::minmax(strength);
  if (smallest == largest) return found;
  std::vector<double> scaled(strength.begin(), strength.end());
  for (double& v : scaled) v = (v - smallest) / (largest - smallest + least_normal);
  const auto part = [&](std::size_t at, std::size_t before, std::size_t after) {
    const std::size_t first = at - std::min(at, before), last = std::min(at + after, scaled.size());
    return std::span<const double>(scaled).subspan(first, last - first);
  };
  for (std::size_t i = 0; i < scaled.size();) {
    const bool is_peak = scaled[i] >= std::ranges::max(part(i, before_maximum, after_maximum)) &&
                         scaled[i] >= mean_of(part(i, before_mean, after_mean)) + o.delta;
    if (is_peak) found.push_back(i);
    i += is_peak ? wait + 1 : 1;
  }
  return found;
}

array<double, 2> tempogram(std::span<const double> strength, std::size_t window) {
  using namespace rhythm_steps;
  require(window >= 2 && window <= longest_window, "tempogram", "window", "2 ... 65536", window);
  require_envelope("tempogram", strength, 1, 1);
  array<double, 2> out({strength.size(), window});
  autocorrelation rows(strength, window);
  for (std::size_t s = 0; s < strength.size(); ++s)
    rows.compute(s, out.flat().subspan(s * window, window));
  return out;
}

double tempo(std::span<const double> strength, double frame_rate_hz, const tempo_options& o) {
  using namespace rhythm_steps;
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
  autocorrelation rows(strength, window);
  std::vector<double> one(window), mean(window);
  for (std::size_t s = 0; s < strength.size(); ++s) {
    rows.compute(s, one);
    for (std::size_t k = 0; k < window; ++k) mean[k] += one[k];
  }
  for (double& v : mean) v /= static_cast<double>(strength.size());
  double best = -std::numeric_limits<double>::infinity();
  std::size_t lag = 0;
  for (std::size_t k = 1; k < window; ++k) {
    const double bpm = bpm_of(static_cast<double>(k));
    if (o.max_bpm && !(bpm < *o.max_bpm)) continue;
    const double away = (std::log2(bpm) - std::log2(o.start_bpm)) / o.octaves;
    const double score = std::log1p(1e6 * mean[k]) - 0.5 * away * away;
    if (score > best) {
      best = score;
      lag = k;
    }
  }
  return bpm_of(o.refine ? refined_lag(mean, rows.of_window(), lag) : static_cast<double>(lag));
}

beats beat_track(std::span<const double> strength, double frame_rate_hz, const beat_options& o) {
  using namespace rhythm_steps;
  constexpr const char* function = "beat_track";
  require_envelope(function, strength, frame_rate_hz, 2);
  require_positive(function, "tightness", o.tightness);
  if (o.bpm)
    require(*o.bpm > 0 && *o.bpm <= 60 * frame_rate_hz, function, "bpm",
            "above 0, at most a beat for each segment", *o.bpm);
  const double bpm = o.bpm ? *o.bpm : tempo(strength, frame_rate_hz, o.tempo);
  if (is_silent(strength)) return {};
  // A period beyond the envelope is no other than one as long.
  const auto period = static_cast<std::size_t>(std::clamp(
      std::nearbyint(60 * frame_rate_hz / bpm), 1.0, static_cast<double>(2 * strength.size())));
  const std::vector<double> scores = beat_scores(strength, period);
  const beat_chain chain = best_chain(scores, period, o.tightness);
  beats found{.bpm = bpm, .segments = {}};
  for (std::size_t i = last_beat(chain.total); i != no_beat; i = chain.previous[i])
    found.segments.push_back(i);
  std::ranges::reverse(found.segments);
  const double threshold = o.trim ? trim_threshold(scores, found.segments) : 0;
  const auto is_strong = [&](double score) { return score > threshold; };
  const auto first = std::ranges::find_if(scores, is_strong);
  const auto last = std::find_if(scores.rbegin(), scores.rend(), is_strong).base();
  const auto begin = static_cast<std::size_t>(first - scores.begin()),
             end = static_cast<std::size_t>(last - scores.begin());
  std::erase_if(found.segments, [&](std::size_t i) { return i < begin || i >= end; });
  return found;
}

}  // namespace papilio
