#include "signal/density_estimator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "papilio/base/error.hpp"
#include "papilio/transform.hpp"
#include "signal/welch_scale.hpp"

namespace papilio::signal_detail {
namespace {

/// Samples of one channel as neighbours, in double.
std::span<const double> column(view<const float, 2> block, std::size_t channel,
                               std::vector<double>& samples) {
  samples.resize(block.extent(0));
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = block(i, channel);
  return samples;
}

bool is_single(const welch_options& o, std::size_t bin) { return bin == 0 || 2 * bin == o.n_fft; }

array<double, 1> mean_of(view<const double, 2> rows) {
  array<double, 1> mean(rows.extent(1));
  for (std::size_t c = 0; c < rows.extent(0); ++c)
    for (std::size_t k = 0; k < mean.size(); ++k)
      mean[k] += rows(c, k) / static_cast<double>(rows.extent(0));
  return mean;
}

}  // namespace

void ranked_element::count(std::uint32_t key, unsigned shift) {
  if (shift == 24 || ((key ^ found_) >> (shift + 8)) == 0) ++counts_[(key >> shift) & 255];
}

void ranked_element::settle(unsigned shift, std::uint64_t rank) {
  if (shift == 24) left_ = rank;
  std::uint32_t digit = 0;
  while (digit < 255 && left_ >= counts_[digit]) left_ -= counts_[digit++];
  found_ |= digit << shift;
  counts_.fill(0);
}

double ranked_element::value() const { return power_of_key(found_); }

namespace {

// Keys of normal floats, and of 0 and of doubles of 2^-1022 ... 2^-126 and 2^128 ... 2^1024 before
// and behind them: their bits but for the last 32.
constexpr std::uint32_t first_float = 0x00800000, behind_floats = 0x7f800000;
constexpr std::uint32_t small_bits = std::uint32_t{1023 - 126} << 20;
constexpr std::uint32_t large_bits = std::uint32_t{1023 + 128} << 20;

std::uint32_t top_bits(double power) {
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(power) >> 32);
}

}  // namespace

std::uint32_t key_of_power(double power) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(power));
  if (bits >= first_float && bits < behind_floats) return bits - first_float + small_bits;
  if (bits < first_float) return std::min(top_bits(power), small_bits - 1);
  return std::max(top_bits(power), large_bits) - large_bits + (behind_floats - first_float) +
         small_bits;
}

double power_of_key(std::uint32_t key) {
  if (key < small_bits) return std::bit_cast<double>(std::uint64_t{key} << 32);
  key -= small_bits;
  if (key < behind_floats - first_float) return std::bit_cast<float>(key + first_float);
  key += large_bits - (behind_floats - first_float);
  return std::bit_cast<double>(std::uint64_t{key} << 32);
}

double full_scale_power(const welch_options& o, std::size_t bin) {
  return is_single(o, bin) ? 1 : 0.5;
}

segment_powers::segment_powers(const welch_options& options)
    : welch_(options),
      hop_(options.segment_length - *options.overlap),
      segment_(options.segment_length),
      power_(welch_.bins()) {}

void segment_powers::push(std::span<const double> samples,
                          function_ref<void(std::span<const double>)> take) {
  for (const double sample : samples) {
    segment_[filled_++] = sample;
    if (filled_ < segment_.size()) continue;
    welch_.reset();
    welch_.push(segment_);
    trends_.mean += welch_.trends().mean;
    trends_.mean_square += welch_.trends().mean_square;
    trends_.rise_square += welch_.trends().rise_square;
    welch_.result(power_);
    take(power_);
    std::copy(segment_.begin() + static_cast<std::ptrdiff_t>(hop_), segment_.end(),
              segment_.begin());
    filled_ = segment_.size() - hop_;
  }
}

density_estimator::density_estimator(const welch_options& options, std::size_t channels)
    : options_(options), median_(options.average == psd_average::median) {
  // Each segment's powers are a mean of one.
  options_.average = psd_average::mean;
  options_.scaling = psd_scaling::density;
  for (std::size_t c = 0; c < channels; ++c) means_.emplace_back(options_);
  if (!median_) return;
  segments_of_.assign(channels, segment_powers(options_));
  low_.resize(channels * means_[0].bins());
  high_.resize(low_.size());
}

bool density_estimator::wants_more() const { return median_ ? shift_ > 0 : !done_; }

void density_estimator::push(view<const float, 2> block) {
  for (std::size_t c = 0; c < means_.size(); ++c) {
    const std::span<const double> samples = column(block, c, samples_);
    if (!median_) {
      means_[c].push(samples);
      continue;
    }
    segments_of_[c].push(samples, [&](std::span<const double> p) {
      seen_ += c == 0 ? 1 : 0;
      for (std::size_t k = 0; k < p.size(); ++k) {
        const std::uint32_t key = key_of_power(p[k]);
        low_[c * p.size() + k].count(key, shift_ - 8);
        high_[c * p.size() + k].count(key, shift_ - 8);
      }
    });
  }
}

void density_estimator::end_pass() {
  done_ = true;
  segments_ = median_ ? seen_ : means_[0].segments();
  if (segments_ == 0) throw invalid_argument("density_estimator: it ends within a segment");
  trends_.clear();
  for (std::size_t c = 0; c < means_.size(); ++c)
    trends_.push_back(median_ ? segments_of_[c].trends() : means_[c].trends());
  if (!median_) return;
  shift_ -= 8;
  for (ranked_element& e : low_) e.settle(shift_, (segments_ - 1) / 2);
  for (ranked_element& e : high_) e.settle(shift_, segments_ / 2);
  seen_ = 0;
  segments_of_.assign(means_.size(), segment_powers(options_));
}

array<double, 2> density_estimator::powers() const {
  array<double, 2> power({means_.size(), means_[0].bins()});
  if (!median_) {
    for (std::size_t c = 0; c < means_.size(); ++c)
      means_[c].result(std::span(&power(c, 0u), power.extent(1)));
    return power;
  }
  const double bias = median_bias(segments_);
  for (std::size_t i = 0; i < power.size(); ++i)
    power.data()[i] = (low_[i].value() + high_[i].value()) / 2 / bias;
  return power;
}

density density_estimator::result(psd_scaling scaling, bool per_channel) const {
  density d{.power = powers(), .mean = {}, .segments = segments_};
  double plain = 0, squares = 0;
  for (const double w : make_window<double>(options_.window, options_.segment_length)) {
    plain += w;
    squares += w * w;
  }
  d.noise_bandwidth_hz = options_.rate_hz * squares / (plain * plain);
  d.mean = mean_of(d.power.view());
  for (const double p : d.mean)
    d.mean_square += p * options_.rate_hz / static_cast<double>(options_.n_fft);
  if (!per_channel) {
    d.power = array<double, 2>({1, d.mean.size()});
    std::copy(d.mean.begin(), d.mean.end(), d.power.data());
  }
  if (scaling == psd_scaling::spectrum) d.power_per_density = d.noise_bandwidth_hz;
  for (double& p : d.power.flat()) p *= d.power_per_density;
  return d;
}

// The power, on the scale of a sine, of what was subtracted for the sake of tones: their means and
// lines over a segment are not what the window sees of them. A constant in all leaves nothing.
std::vector<double> density_estimator::skirt(std::optional<std::size_t> channel) const {
  const welch_options& o = options_;
  std::vector<double> power(o.n_fft / 2 + 1);
  if (o.detrend == detrending::none) return power;
  const array<double, 1> window = make_window<double>(o.window, o.segment_length);
  array<double, 1> line(window.extents());
  const double middle = static_cast<double>(line.size() - 1) / 2;
  for (std::size_t j = 0; j < line.size(); ++j)
    line[j] = window[j] * (static_cast<double>(j) - middle) / std::max(middle, 0.5);
  const auto flat = rfft(window, {.n = o.n_fft}), sloped = rfft(line, {.n = o.n_fft});
  const auto count = static_cast<double>(segments_);
  const std::span<const trend_sums> trends = channel ? std::span(&trends_[*channel], 1) : trends_;
  const auto channels = static_cast<double>(trends.size());
  double level = 0, rise = 0;
  for (const trend_sums& t : trends) {
    const double constant = segments_ > 1 ? t.mean / count : 0;
    level += (t.mean_square / count - constant * constant) / channels;
    rise += t.rise_square / count / channels;
  }
  if (o.detrend == detrending::constant) rise = 0;
  const double scale = 4 / std::norm(flat[0]);
  const std::size_t lobe = 4 * o.n_fft / o.segment_length;
  for (std::size_t k = 0; k < std::min(lobe, power.size()); ++k)
    power[k] = scale * (level * std::norm(flat[k]) + rise * std::norm(sloped[k]));
  return power;
}

// find_peaks takes every bin on the scale of a sine, those that are not doubled as well.
std::vector<spectral_peak> density_estimator::peaks(const density& of, std::size_t count,
                                                    double range_db,
                                                    std::optional<std::size_t> channel) const {
  const welch_options& o = options_;
  std::vector<double> power(of.mean.begin(), of.mean.end());
  for (std::size_t k = 0; channel && k < power.size(); ++k)
    power[k] = of.power(*channel, k) / of.power_per_density;
  for (std::size_t k = 0; k < power.size(); ++k)
    power[k] *= of.noise_bandwidth_hz * (is_single(o, k) ? 4 : 2);
  const stft_options stft{.n_fft = o.n_fft, .window_length = o.segment_length, .window = o.window};
  // A skirt has few maxima.
  std::vector<spectral_peak> found = find_peaks(power, stft, o.rate_hz, count + 16, 0, range_db);
  if (o.detrend != detrending::none) {
    const std::vector<double> explained = skirt(channel);
    std::erase_if(found, [&](const spectral_peak& peak) {
      const double at = peak.frequency_hz * static_cast<double>(o.n_fft) / o.rate_hz;
      const auto k = static_cast<std::size_t>(std::lround(at));
      double highest = 0;
      for (std::size_t i = k > 0 ? k - 1 : 0; i < std::min(k + 2, power.size()); ++i)
        highest = std::max(highest, explained[i]);
      return k == 0 || power[k] <= 2 * highest;
    });
  }
  found.resize(std::min(found.size(), count));
  return found;
}

}  // namespace papilio::signal_detail
