#include "papilio/signal/rhythm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "signal/rhythm_parts.hpp"

namespace papilio {
namespace {
namespace rhythm_steps {

using namespace rhythm_parts;

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

/// Cost of the distance between neighbours, from half a period to two.
struct distance_costs {
  distance_costs(std::size_t period, double tightness)
      : nearest(std::max<std::size_t>(
            1, static_cast<std::size_t>(std::nearbyint(static_cast<double>(period) / 2)))),
        farthest(2 * period),
        of(2 * period + 1) {
    for (std::size_t d = nearest; d <= farthest; ++d)
      of[d] = tightness *
              std::pow(std::log(static_cast<double>(d)) - std::log(static_cast<double>(period)), 2);
  }

  std::size_t nearest, farthest;
  std::vector<double> of;
};

beat_chain best_chain(std::span<const double> scores, const distance_costs& costs) {
  beat_chain chain{std::vector<double>(scores.size()),
                   std::vector<std::size_t>(scores.size(), no_beat)};
  const double least = 0.01 * std::ranges::max(scores);
  bool has_begun = false;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    double best = -std::numeric_limits<double>::infinity();
    std::size_t from = no_beat;
    for (std::size_t d = costs.nearest; d <= std::min(i, costs.farthest); ++d) {
      const double total = chain.total[i - d] - costs.of[d];
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

// Half the root mean square of the beats' scores, smoothed by a symmetric Hann window of 5, whose sum is 2.
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

// The beat after `before` that has the best score, were it the end of the chain.
std::size_t best_end(std::span<const double> scores, const distance_costs& costs,
                     std::size_t before) {
  std::size_t end = before + costs.nearest;
  for (std::size_t d = costs.nearest; d <= costs.farthest && before + d < scores.size(); ++d)
    if (scores[before + d] - costs.of[d] > scores[end] - costs.of[end - before]) end = before + d;
  return end;
}

// The highest strength within a segment of `at`, and the centroid of what rises above the lowest there.
double centroid_near(std::span<const double> strength, std::size_t at) {
  std::size_t top = at;
  for (std::size_t i = at - std::min<std::size_t>(at, 1); i <= at + 1 && i < strength.size(); ++i)
    if (strength[i] > strength[top]) top = i;
  const std::size_t first = top - std::min<std::size_t>(top, 1),
                    last = std::min(top + 2, strength.size());
  const double lowest = std::ranges::min(strength.subspan(first, last - first));
  double sum = 0, moment = 0;
  for (std::size_t i = first; i < last; ++i) {
    const double above = strength[i] - lowest;
    sum += above;
    moment += above * (static_cast<double>(i) - static_cast<double>(top));
  }
  return static_cast<double>(top) + (sum > 0 ? moment / sum : 0);
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

beats beat_track(std::span<const double> strength, double frame_rate_hz, const beat_options& o) {
  using namespace rhythm_steps;
  constexpr const char* function = "beat_track";
  require_envelope(function, strength, frame_rate_hz, 2);
  require_positive(function, "tightness", o.tightness);
  require_positive(function, "trim_share", o.trim_share);
  if (o.bpm)
    require(*o.bpm > 0 && *o.bpm <= 60 * frame_rate_hz, function, "bpm",
            "above 0, at most a beat for each segment", *o.bpm);
  const double bpm = o.bpm ? *o.bpm : tempo(strength, frame_rate_hz, o.tempo);
  if (is_silent(strength)) return {};
  // A period beyond the envelope is no other than one as long.
  const auto period = static_cast<std::size_t>(std::clamp(
      std::nearbyint(60 * frame_rate_hz / bpm), 1.0, static_cast<double>(2 * strength.size())));
  const std::vector<double> scores = beat_scores(strength, period);
  const distance_costs costs(period, o.tightness);
  const beat_chain chain = best_chain(scores, costs);
  beats found{.bpm = bpm, .segments = {}};
  for (std::size_t i = last_beat(chain.total); i != no_beat; i = chain.previous[i])
    found.segments.push_back(i);
  std::ranges::reverse(found.segments);
  const double threshold = o.trim ? o.trim_share * trim_threshold(scores, found.segments) : 0;
  const auto is_strong = [&](double score) { return score > threshold; };
  const auto first = std::ranges::find_if(scores, is_strong);
  const auto last = std::find_if(scores.rbegin(), scores.rend(), is_strong).base();
  const auto begin = static_cast<std::size_t>(first - scores.begin()),
             end = static_cast<std::size_t>(last - scores.begin());
  std::erase_if(found.segments, [&](std::size_t i) { return i < begin || i >= end; });
  if (o.free_end && found.segments.size() >= 2)
    found.segments.back() = best_end(scores, costs, found.segments[found.segments.size() - 2]);
  return found;
}

std::vector<double> onset_seconds(std::span<const double> strength, double frame_rate_hz,
                                  std::span<const std::size_t> segments, std::size_t lag) {
  using namespace rhythm_steps;
  constexpr const char* function = "onset_seconds";
  require_envelope(function, strength, frame_rate_hz, 0);
  require(lag >= 1, function, "lag", "at least 1", lag);
  std::vector<double> seconds;
  std::size_t least = 0;
  for (const std::size_t s : segments) {
    if (s < least || s >= strength.size())
      throw invalid_argument(base_detail::message(function, ": segments must ascend and be below ",
                                                  strength.size(), ", got ", s));
    least = s + 1;
    const double place = centroid_near(strength, s) - static_cast<double>(lag) / 2;
    seconds.push_back(std::max(0.0, place) / frame_rate_hz);
  }
  return seconds;
}

}  // namespace papilio
