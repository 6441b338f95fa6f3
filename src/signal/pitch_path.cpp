#include "signal/pitch_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace papilio::signal_detail {
namespace {
namespace pitch_path_parts {

constexpr double least_probability = std::numeric_limits<double>::min(),
                 below_all = -std::numeric_limits<double>::infinity();
const double log_least = std::log(least_probability);
constexpr std::size_t block = 16;  // bins whose maxima are kept in registers

double log_of(double probability) { return std::log(probability + least_probability); }

std::size_t padded(std::size_t bins) { return (bins + block - 1) / block * block; }

std::size_t reach_of(const pyin_options& o, std::size_t bins, std::size_t bins_per_octave) {
  const double semitones =
      std::nearbyint(o.max_transition_rate * 12 * static_cast<double>(o.hop) / o.rate_hz);
  const double reach = semitones * static_cast<double>(bins_per_octave) / 24;
  return static_cast<std::size_t>(std::min(std::floor(reach), static_cast<double>(bins - 1)));
}

/// best[i] = max over |e| <= reach of from[i + e] + triangle[e], for all bins and some behind them.
void banded_maximum(std::span<const double> from, std::span<const double> triangle,
                    std::span<double> best) {
  for (std::size_t i = 0; i < best.size(); i += block) {
    double largest[block];
    std::fill_n(largest, block, below_all);
    for (std::size_t e = 0; e < triangle.size(); ++e) {
      const double* const values = from.data() + i + e;
      const double t = triangle[e];
      for (std::size_t x = 0; x < block; ++x) {
        const double value = values[x] + t;
        largest[x] = value > largest[x] ? value : largest[x];
      }
    }
    std::copy_n(largest, block, best.data() + i);
  }
}

}  // namespace pitch_path_parts
}  // namespace

using namespace pitch_path_parts;

std::size_t pitch_path::delay(std::size_t bins) {
  return std::clamp<std::size_t>((std::size_t{1} << 19) / bins, 64, 1024);
}

pitch_path::pitch_path(const pyin_options& o, std::size_t bins, std::size_t bins_per_octave)
    : bins_(bins),
      reach_(reach_of(o, bins, bins_per_octave)),
      fmin_hz_(o.fmin_hz),
      bins_per_octave_(static_cast<double>(bins_per_octave)),
      fill_hz_(o.fill_hz),
      total_(bins),
      log_stay_(log_of(1 - o.switch_probability)),
      log_switch_(log_of(o.switch_probability)),
      from_(2 * (padded(bins) + 2 * reach_), below_all),
      best_(2 * padded(bins)),
      values_({2 * delay(bins), 2 * bins}),
      voiced_(2 * delay(bins)) {
  std::vector<double> weights;
  for (std::size_t e = 0; e <= 2 * reach_; ++e) {
    weights.push_back(static_cast<double>(std::min(e, 2 * reach_ - e) + 1));
    triangle_.push_back(std::log(weights.back()));
  }
  for (std::size_t j = 0; j < bins; ++j) {
    double sum = 0;
    for (std::size_t e = 0; e <= 2 * reach_; ++e)
      if (j + e >= reach_ && j + e < bins + reach_) sum += weights[e];
    total_[j] = std::log(sum);
  }
}

void pitch_path::reset() {
  begin_ = waiting_ = 0;
  first_ = 0;
}

// Adds the logarithms of what is observed.
void pitch_path::observe(const pitch_observation& observed, double* values) const {
  const double unvoiced = log_of((1 - observed.voiced) / static_cast<double>(bins_));
  std::size_t next = 0;
  for (std::size_t i = 0; i < bins_; ++i) {
    const bool is_candidate =
        next < observed.candidates.size() && observed.candidates[next].bin == i;
    values[i] += is_candidate ? log_of(observed.candidates[next++].probability) : log_least;
    values[bins_ + i] += unvoiced;
  }
}

void pitch_path::step(const double* before, double* values) {
  const std::size_t line = padded(bins_) + 2 * reach_, width = padded(bins_);
  const std::span<double> from(from_), best(best_);
  for (std::size_t v = 0; v < 2; ++v) {
    for (std::size_t j = 0; j < bins_; ++j)
      from[v * line + reach_ + j] = before[v * bins_ + j] - total_[j];
    banded_maximum(from.subspan(v * line, line), triangle_, best.subspan(v * width, width));
  }
  const double anywhere = *std::max_element(before, before + states()) + log_least;
  for (std::size_t i = 0; i < bins_; ++i) {
    const double voiced = best[i], unvoiced = best[width + i];
    values[i] = std::max({voiced + log_stay_, unvoiced + log_switch_, anywhere});
    values[bins_ + i] = std::max({voiced + log_switch_, unvoiced + log_stay_, anywhere});
  }
}

// The first of equal states, with the very sums of step().
std::size_t pitch_path::step_back(const double* before, std::size_t state) const {
  const std::size_t voicing = state / bins_, i = state % bins_;
  const std::size_t begin = i - std::min(i, reach_), end = std::min(i + reach_ + 1, bins_);
  double best = below_all;
  std::size_t from = 0;
  for (std::size_t v = 0; v < 2; ++v)
    for (std::size_t j = begin; j < end; ++j) {
      const double value = ((before[v * bins_ + j] - total_[j]) + triangle_[j + reach_ - i]) +
                           (v == voicing ? log_stay_ : log_switch_);
      if (value > best) {
        best = value;
        from = v * bins_ + j;
      }
    }
  const double* const largest = std::max_element(before, before + states());
  return *largest + log_least > best ? static_cast<std::size_t>(largest - before) : from;
}

pitch pitch_path::pitch_of(std::size_t state, double voiced) const {
  const bool is_voiced = state < bins_;
  const double f0_hz = fmin_hz_ * std::exp2(static_cast<double>(state % bins_) / bins_per_octave_);
  return {is_voiced || !fill_hz_ ? f0_hz : *fill_hz_, is_voiced, voiced};
}

void pitch_path::decide(std::size_t count, pitch_sink sink) {
  decided_.resize(count);
  const double* const last = row(waiting_ - 1);
  auto state = static_cast<std::size_t>(std::max_element(last, last + states()) - last);
  for (std::size_t w = waiting_; w-- > 0;) {
    if (w < count) decided_[w] = pitch_of(state, voiced_[(begin_ + w) % voiced_.size()]);
    if (w > 0) state = step_back(row(w - 1), state);
  }
  const std::uint64_t first = first_;
  begin_ = (begin_ + count) % voiced_.size();
  waiting_ -= count;
  first_ += count;
  sink(first, decided_);
}

void pitch_path::push(const pitch_observation& observed, pitch_sink sink) {
  if (waiting_ == voiced_.size()) decide(waiting_ / 2, sink);
  double* const values = row(waiting_);
  if (waiting_ == 0)
    std::fill_n(values, states(), -std::log(static_cast<double>(states())));
  else
    step(row(waiting_ - 1), values);
  observe(observed, values);
  voiced_[(begin_ + waiting_) % voiced_.size()] = observed.voiced;
  ++waiting_;
}

void pitch_path::finish(pitch_sink sink) {
  if (waiting_ > 0) decide(waiting_, sink);
  reset();
}

}  // namespace papilio::signal_detail
