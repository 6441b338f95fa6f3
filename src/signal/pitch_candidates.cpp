#include "signal/pitch_candidates.hpp"

#include <algorithm>
#include <cmath>

#include "papilio/base/error.hpp"
#include "signal/rhythm_parts.hpp"

namespace papilio::signal_detail {
namespace {
namespace pitch_candidate_parts {

using namespace rhythm_parts;

constexpr const char* name = "pyin_options";
constexpr std::size_t most_bins = std::size_t{1} << 14;

yin_options frames_of(const pyin_options& o) {
  return {.rate_hz = o.rate_hz,
          .fmin_hz = o.fmin_hz,
          .fmax_hz = o.fmax_hz,
          .frame = o.frame,
          .hop = o.hop,
          .centre = o.centre};
}

pyin_options checked(const pyin_options& o) {
  const auto require_probability = [](const char* option, double value) {
    require(value >= 0 && value <= 1, name, option, "0 ... 1", value);
  };
  require(o.thresholds >= 1 && o.thresholds <= 10000, name, "thresholds", "1 ... 10000",
          o.thresholds);
  require_positive(name, "beta_a", o.beta_a);
  require_positive(name, "beta_b", o.beta_b);
  require_positive(name, "boltzmann", o.boltzmann);
  require(o.resolution >= 0.001 && o.resolution <= 1, name, "resolution", "0.001 ... 1",
          o.resolution);
  require(o.max_transition_rate >= 0 && o.max_transition_rate <= 1e6, name, "max_transition_rate",
          "0 ... 1e6", o.max_transition_rate);
  require_probability("switch_probability", o.switch_probability);
  require_probability("no_trough_probability", o.no_trough_probability);
  return o;
}

/// Continued fraction of the incomplete beta function, by Lentz's method; converges fast for
/// x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double least = 1e-300;
  const auto held = [](double v) { return std::abs(v) < least ? least : v; };
  double c = 1, d = 1 / held(1 - (a + b) * x / (a + 1)), fraction = d;
  for (int step = 1; step <= 10000; ++step) {
    const double m = step;
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                 odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / held(1 + even * d);
    c = held(1 + even / c);
    fraction *= d * c;
    d = 1 / held(1 + odd * d);
    c = held(1 + odd / c);
    fraction *= d * c;
    if (std::abs(d * c - 1) < 1e-16) break;
  }
  return fraction;
}

/// Cumulative distribution function of the beta distribution.
double beta_cdf(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double factor = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                 a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return factor * beta_fraction(a, b, x) / a;
  return 1 - factor * beta_fraction(b, a, 1 - x) / b;
}

std::size_t bins_of(const pyin_options& o, std::size_t bins_per_octave) {
  const double steps =
      std::floor(static_cast<double>(bins_per_octave) * std::log2(o.fmax_hz / o.fmin_hz));
  if (steps >= static_cast<double>(most_bins))
    throw invalid_argument(base_detail::message(name, ": resolution must give at most ", most_bins,
                                                " bins from fmin_hz to fmax_hz, got ", steps + 1));
  return 1 + static_cast<std::size_t>(steps);
}

}  // namespace pitch_candidate_parts
}  // namespace

using namespace pitch_candidate_parts;

template <class T>
pitch_candidates<T>::pitch_candidates(const pyin_options& o)
    : options_(pitch_candidate_parts::checked(o)),
      differences_(name, frames_of(o)),
      bins_per_octave_(12 * static_cast<std::size_t>(std::ceil(1 / o.resolution))),
      bins_(bins_of(o, bins_per_octave_)) {
  const auto n = static_cast<double>(o.thresholds);
  double last = 0;
  before_.push_back(0);
  for (std::size_t j = 1; j <= o.thresholds; ++j) {
    thresholds_.push_back(static_cast<double>(j) * (1 / n));
    const double cdf = beta_cdf(static_cast<double>(j) / n, o.beta_a, o.beta_b);
    prior_.push_back(cdf - last);
    before_.push_back(before_.back() + prior_.back());
    last = cdf;
  }
}

/// Number of thresholds that are not above a height.
template <class T>
std::size_t pitch_candidates<T>::rank(double height) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(thresholds_, height) -
                                  thresholds_.begin());
}

template <class T>
void pitch_candidates<T>::find_troughs(work& w) const {
  const std::span<const double> d = w.segment.normalised;
  w.troughs.clear();
  w.ranks.clear();
  w.below.assign(thresholds_.size(), 0);
  for (std::size_t i = 0; i < d.size(); ++i) {
    if (!is_trough(d, i)) continue;
    w.troughs.push_back(i);
    w.ranks.push_back(rank(d[i]));
    if (w.ranks.back() < w.below.size()) ++w.below[w.ranks.back()];
  }
}

// Sets the share of each threshold to its probability times that of its first trough.
template <class T>
void pitch_candidates<T>::begin_shares(work& w) const {
  const double b = options_.boltzmann, first = -std::expm1(-b);
  std::size_t troughs = 0;
  w.shares.resize(thresholds_.size());
  for (std::size_t j = 0; j < w.shares.size(); ++j) {
    troughs += w.below[j];
    w.shares[j] =
        troughs == 0 ? 0 : prior_[j] * first / -std::expm1(-b * static_cast<double>(troughs));
  }
}

template <class T>
void pitch_candidates<T>::find(work& w, pitch_observation& out) const {
  out.candidates.clear();
  out.voiced = 0;
  find_troughs(w);
  if (w.troughs.empty()) return;
  begin_shares(w);
  const std::span<const double> d = w.segment.normalised;
  const auto lower = [&](std::size_t a, std::size_t b) { return d[a] < d[b]; };
  const std::size_t least = *std::ranges::min_element(w.troughs, lower);
  const double decay = std::exp(-options_.boltzmann);
  for (std::size_t i = 0; i < w.troughs.size(); ++i) {
    double probability = 0;
    // The next trough is one later below these thresholds.
    for (std::size_t j = w.ranks[i]; j < w.shares.size(); ++j) {
      probability += w.shares[j];
      w.shares[j] *= decay;
    }
    if (w.troughs[i] == least) probability += options_.no_trough_probability * before_[w.ranks[i]];
    if (probability == 0) continue;
    const double f0_hz = options_.rate_hz / differences_.period(d, w.troughs[i]);
    const double place = std::clamp(
        std::nearbyint(static_cast<double>(bins_per_octave_) * std::log2(f0_hz / options_.fmin_hz)),
        0.0, static_cast<double>(bins_));
    const auto bin = static_cast<std::size_t>(place);
    if (bin == bins_) continue;  // above fmax
    std::erase_if(out.candidates, [&](const auto& c) { return c.bin == bin; });
    out.candidates.push_back({bin, probability});
  }
  std::ranges::sort(out.candidates, {}, &pitch_observation::candidate::bin);
  for (const auto& c : out.candidates) out.voiced += c.probability;
  out.voiced = std::min(out.voiced, 1.0);
}

template class pitch_candidates<float>;
template class pitch_candidates<double>;

}  // namespace papilio::signal_detail
