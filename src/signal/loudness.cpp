#include "papilio/signal/loudness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "papilio/base/error.hpp"
#include "signal/true_peak.hpp"

namespace papilio {
namespace {
namespace loudness_parts {

constexpr std::size_t block_samples = 256, momentary_steps = 4, short_term_steps = 30;
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

double lufs(double power) { return -0.691 + 10 * std::log10(power); }
double power_of(double lufs) { return std::pow(10, (lufs + 0.691) / 10); }
double decibel(double peak) { return 20 * std::log10(peak); }

// With w = (z - 1) / (z + 1), a section is a ratio of polynomials in w, which is j tan(pi f / rate) at
// frequency f. Its poles have the magnitude tan(pi corner / 48000): at another rate w is scaled so that
// the corner stays where it is.
sos_section at_rate(const sos_section& s, double rate_hz) {
  const double b[] = {s.b0 + s.b1 + s.b2, 2 * (s.b0 - s.b2), s.b0 - s.b1 + s.b2},
               a[] = {1 + s.a1 + s.a2, 2 * (1 - s.a2), 1 - s.a1 + s.a2},
               corner = std::sqrt(a[0] / a[2]),
               scale = corner / std::tan(std::atan(corner) * 48000 / rate_hz);
  const double b1 = b[1] * scale, b2 = b[2] * scale * scale, a1 = a[1] * scale,
               a2 = a[2] * scale * scale, sum = a[0] + a1 + a2;
  return {(b[0] + b1 + b2) / sum, 2 * (b[0] - b2) / sum, (b[0] - b1 + b2) / sum,
          2 * (a[0] - a2) / sum, (a[0] - a1 + a2) / sum};
}

std::vector<double> checked_weights(std::size_t channels, const std::vector<double>& given) {
  if (channels == 0) throw invalid_argument("loudness_meter: channels must be at least 1, got 0");
  if (given.empty()) return loudness_weights(channels);
  if (given.size() != channels)
    throw invalid_argument(base_detail::message("loudness_meter: weights must be ", channels,
                                                ", a channel one, got ", given.size()));
  for (const double w : given)
    if (!(w >= 0 && std::isfinite(w)))
      throw invalid_argument(
          base_detail::message("loudness_meter: weights must be finite and at least 0, got ", w));
  return given;
}

// Mean power of each window of so many steps.
std::vector<double> window_powers(std::span<const double> powers, std::size_t steps) {
  std::vector<double> of;
  for (std::size_t end = steps; end <= powers.size(); ++end) {
    double sum = 0;
    for (const double power : powers.subspan(end - steps, steps)) sum += power;
    of.push_back(sum / static_cast<double>(steps));
  }
  return of;
}

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

template <class T>
loudness_meter measured(view<const T, 2> signal, double rate_hz, const loudness_options& options) {
  loudness_meter meter(rate_hz, signal.extent(1), options);
  meter.push(signal);
  meter.finish();
  return meter;
}

template <class T>
array<double, 1> curve(view<const T, 2> signal, double rate_hz, loudness_options options,
                       std::size_t steps) {
  options.true_peak = false;
  const loudness_meter meter = measured(signal, rate_hz, options);
  array<double, 1> made(meter.steps() < steps ? 0 : meter.steps() - steps + 1);
  for (std::size_t k = 0; k < made.size(); ++k)
    made[k] = *(steps == momentary_steps ? meter.momentary_lufs(k + steps)
                                         : meter.short_term_lufs(k + steps));
  return made;
}

}  // namespace loudness_parts
}  // namespace

std::array<sos_section, 2> k_weighting(double rate_hz) {
  if (!(rate_hz >= 4000 && rate_hz <= 4e6))
    throw invalid_argument(
        base_detail::message("k_weighting: rate_hz must be 4000 ... 4e6, got ", rate_hz));
  // BS.1770-5, tables 1 and 2, at 48 kHz.
  constexpr sos_section shelf{1.53512485958697, -2.69169618940638, 1.19839281085285,
                              -1.69065929318241, 0.73248077421585},
      high_pass{1, -2, 1, -1.99004745483398, 0.99007225036621};
  if (rate_hz == 48000) return {shelf, high_pass};
  return {loudness_parts::at_rate(shelf, rate_hz), loudness_parts::at_rate(high_pass, rate_hz)};
}

std::vector<double> loudness_weights(std::size_t channels) {
  constexpr double side = 1.41;
  switch (channels) {
    case 1:
    case 2:
    case 3:
      return std::vector<double>(channels, 1);
    case 4:
      return {1, 1, side, side};
    case 5:
      return {1, 1, 1, side, side};
    case 6:
      return {1, 1, 1, 0, side, side};
    case 7:
      return {1, 1, 1, 0, 1, side, side};
    case 8:
      return {1, 1, 1, 0, 1, 1, side, side};
    default:
      throw invalid_argument(base_detail::message(
          "loudness_weights: channels must be 1 ... 8 unless weights are given, got ", channels));
  }
}

loudness_meter::loudness_meter(double rate_hz, std::size_t channels,
                               const loudness_options& options)
    : rate_hz_(rate_hz),
      weights_(loudness_parts::checked_weights(channels, options.weights)),
      step_samples_(0),
      filter_(k_weighting(rate_hz), channels),
      weighted_({loudness_parts::block_samples, channels}),
      sums_(channels),
      sample_peaks_(channels),
      true_peaks_(options.true_peak ? channels : 0) {
  step_samples_ = static_cast<std::size_t>(std::lround(rate_hz / 10));
  if (options.true_peak) phases_ = true_peak::phases(rate_hz);
  held_ = phases_.empty() ? 0 : true_peak::taps - 1;
  lines_ =
      array<double, 2>({channels, held_ + loudness_parts::block_samples + true_peak::read_behind});
}

void loudness_meter::reserve(double seconds) {
  if (!(seconds >= 0 && seconds <= 1e9))
    throw invalid_argument(
        base_detail::message("loudness_meter::reserve: seconds must be 0 ... 1e9, got ", seconds));
  powers_.reserve(
      static_cast<std::size_t>(std::ceil(seconds * rate_hz_ / static_cast<double>(step_samples_))));
}

void loudness_meter::reset() {
  in_step_ = 0;
  samples_ = 0;
  has_ended_ = false;
  filter_.reset();
  powers_.clear();
  std::ranges::fill(lines_, 0.0);
  for (std::vector<double>* values : {&sums_, &sample_peaks_, &true_peaks_})
    std::ranges::fill(*values, 0.0);
}

void loudness_meter::push(view<const float, 2> block) { take(block); }
void loudness_meter::push(view<const double, 2> block) { take(block); }

template <class T>
void loudness_meter::take(view<const T, 2> block) {
  if (has_ended_)
    throw invalid_argument("loudness_meter::push: the signal has ended; reset() begins another");
  if (block.extent(1) != channels())
    throw shape_error(base_detail::message("loudness_meter::push: block must be samples x ",
                                           channels(), ", got ", block.extent(0), " x ",
                                           block.extent(1)));
  for (std::size_t first = 0; first < block.extent(0);) {
    const std::size_t count = std::min(
        {loudness_parts::block_samples, step_samples_ - in_step_, block.extent(0) - first});
    for (std::size_t c = 0; c < channels(); ++c) {
      const T* from = &block(first, c);
      double* const to = &lines_(c, held_);
      for (std::size_t i = 0; i < count; ++i)
        to[i] = static_cast<double>(from[static_cast<std::ptrdiff_t>(i) * block.stride(0)]);
    }
    measure(count);
    first += count;
  }
}

// Takes the samples behind the held ones, none beyond the end of a step.
void loudness_meter::measure(std::size_t count) {
  const view<const double, 2> block(&lines_(0u, held_), {count, channels()},
                                    {1, static_cast<std::ptrdiff_t>(lines_.extent(1))});
  filter_.push(block, {weighted_.data(), {count, channels()}});
  for (std::size_t c = 0; c < channels(); ++c) {
    true_peak::raise(sample_peaks_[c], {&lines_(c, held_), count});
    const double* const y = weighted_.data() + c;
    double sum = sums_[c];
    for (std::size_t i = 0; i < count; ++i) sum += y[i * channels()] * y[i * channels()];
    sums_[c] = sum;
  }
  if (!true_peaks_.empty()) measure_peaks(count);
  samples_ += count;
  in_step_ += count;
  if (in_step_ < step_samples_) return;
  double power = 0;
  for (std::size_t c = 0; c < channels(); ++c)
    if (weights_[c] > 0) power += weights_[c] * sums_[c];
  power /= static_cast<double>(step_samples_);
  powers_.push_back(std::isfinite(power) ? power : loudness_parts::no_number);
  std::ranges::fill(sums_, 0.0);
  in_step_ = 0;
}

void loudness_meter::measure_peaks(std::size_t count) {
  for (std::size_t c = 0; c < channels(); ++c) {
    double* const line = &lines_(c, 0u);
    true_peak::raise_between(true_peaks_[c], phases_, {line, held_ + count});
    true_peak::raise(true_peaks_[c], {line + held_, count});
    std::copy(line + count, line + count + held_, line);
  }
}

void loudness_meter::finish() {
  if (has_ended_) return;
  has_ended_ = true;
  if (held_ == 0) return;
  for (std::size_t c = 0; c < channels(); ++c) std::fill_n(&lines_(c, held_), held_, 0.0);
  measure_peaks(held_);
}

std::optional<double> loudness_meter::window_lufs(std::size_t steps, std::size_t end) const {
  if (end < steps || end > powers_.size()) return std::nullopt;
  double sum = 0;
  for (std::size_t i = end - steps; i < end; ++i) sum += powers_[i];
  return loudness_parts::lufs(sum / static_cast<double>(steps));
}

std::optional<double> loudness_meter::momentary_lufs(std::optional<std::size_t> steps) const {
  return window_lufs(loudness_parts::momentary_steps, steps.value_or(powers_.size()));
}

std::optional<double> loudness_meter::short_term_lufs(std::optional<std::size_t> steps) const {
  return window_lufs(loudness_parts::short_term_steps, steps.value_or(powers_.size()));
}

std::optional<double> loudness_meter::integrated_lufs() const {
  using namespace loudness_parts;
  std::vector<double> powers = window_powers(powers_, momentary_steps);
  if (powers.empty()) return std::nullopt;
  if (std::ranges::any_of(powers, [](double p) { return std::isnan(p); })) return no_number;
  const auto keep_above = [&](double least) {
    std::erase_if(powers, [least](double p) { return !(p > least); });
  };
  keep_above(power_of(-70));
  if (powers.empty()) return -std::numeric_limits<double>::infinity();
  keep_above(mean(powers) / 10);
  return lufs(mean(powers));
}

std::optional<double> loudness_meter::range_lu() const {
  using namespace loudness_parts;
  std::vector<double> powers = window_powers(powers_, short_term_steps);
  if (std::ranges::any_of(powers, [](double p) { return std::isnan(p); })) return no_number;
  const auto keep_from = [&](double least) {
    std::erase_if(powers, [least](double p) { return p < least; });
  };
  keep_from(power_of(-70));
  if (powers.empty()) return std::nullopt;
  keep_from(mean(powers) / 100);
  std::ranges::sort(powers);
  const auto percentile = [&](double share) {
    return lufs(powers[static_cast<std::size_t>(
        std::lround(static_cast<double>(powers.size() - 1) * share))]);
  };
  return percentile(0.95) - percentile(0.1);
}

loudness_summary loudness_meter::summary() const {
  using namespace loudness_parts;
  const auto highest = [&](std::size_t steps) -> std::optional<double> {
    const std::vector<double> powers = window_powers(powers_, steps);
    if (powers.empty()) return std::nullopt;
    double most = 0;
    true_peak::raise(most, powers);
    return lufs(most);
  };
  const auto peak_db = [](std::span<const double> peaks) {
    double most = 0;
    true_peak::raise(most, peaks);
    return decibel(most);
  };
  loudness_summary made{.integrated_lufs = integrated_lufs(),
                        .range_lu = range_lu(),
                        .highest_momentary_lufs = highest(momentary_steps),
                        .highest_short_term_lufs = highest(short_term_steps),
                        .sample_peak_dbfs = peak_db(sample_peaks_),
                        .true_peak_dbtp = {}};
  if (!true_peaks_.empty()) made.true_peak_dbtp = peak_db(true_peaks_);
  return made;
}

template <class T>
loudness_summary measure_loudness(view<const T, 2> signal, double rate_hz,
                                  const loudness_options& options) {
  return loudness_parts::measured(signal, rate_hz, options).summary();
}

template <class T>
array<double, 1> momentary_loudness(view<const T, 2> signal, double rate_hz,
                                    const loudness_options& options) {
  return loudness_parts::curve(signal, rate_hz, options, loudness_parts::momentary_steps);
}

template <class T>
array<double, 1> short_term_loudness(view<const T, 2> signal, double rate_hz,
                                     const loudness_options& options) {
  return loudness_parts::curve(signal, rate_hz, options, loudness_parts::short_term_steps);
}

template <class T>
array<double, 1> true_peaks(view<const T, 2> signal, double rate_hz) {
  const loudness_options any{.weights = std::vector<double>(signal.extent(1), 1)};
  const loudness_meter meter = loudness_parts::measured(signal, rate_hz, any);
  array<double, 1> made(meter.channels());
  std::ranges::copy(meter.true_peaks(), made.begin());
  return made;
}

template PAPILIO_API loudness_summary measure_loudness(view<const float, 2>, double,
                                                       const loudness_options&);
template PAPILIO_API loudness_summary measure_loudness(view<const double, 2>, double,
                                                       const loudness_options&);
template PAPILIO_API array<double, 1> momentary_loudness(view<const float, 2>, double,
                                                         const loudness_options&);
template PAPILIO_API array<double, 1> momentary_loudness(view<const double, 2>, double,
                                                         const loudness_options&);
template PAPILIO_API array<double, 1> short_term_loudness(view<const float, 2>, double,
                                                          const loudness_options&);
template PAPILIO_API array<double, 1> short_term_loudness(view<const double, 2>, double,
                                                          const loudness_options&);
template PAPILIO_API array<double, 1> true_peaks(view<const float, 2>, double);
template PAPILIO_API array<double, 1> true_peaks(view<const double, 2>, double);

}  // namespace papilio
