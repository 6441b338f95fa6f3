#include "cli/psd_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "cli/common.hpp"
#include "cli/work_ahead.hpp"

namespace papilio::cli {
namespace {

welch_options options_of(const psd_request& request, const excerpt_reader& reader,
                         std::vector<std::string>& warnings) {
  const std::uint64_t frames = reader.part().frames;
  welch_options o{.rate_hz = static_cast<double>(reader.info().rate_hz),
                  .window = request.window,
                  .detrend = request.detrend};
  const bool free = !request.segment_length && !request.overlap && !request.n_fft;
  o.segment_length = request.wanted_length();
  if (frames < o.segment_length) {
    if (!free && !request.shortened)
      throw io_error(shown_name(request.source.file),
                     fmt::format("{} are fewer than a segment of {}, --segment-length",
                                 counted(frames, "frame"), o.segment_length));
    o.segment_length = static_cast<std::size_t>(frames);
    warnings.push_back(fmt::format("{} are all in one segment: there is nothing to average",
                                   counted(frames, "frame")));
  }
  o.overlap = request.overlap.value_or(o.segment_length / 2);
  o.n_fft = request.n_fft.value_or(o.segment_length);
  return o;
}

/// Samples of one channel as neighbours, in double.
std::span<const double> column(view<const float, 2> block, std::size_t channel,
                               std::vector<double>& samples) {
  samples.resize(block.extent(0));
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = block(i, channel);
  return samples;
}

std::uint64_t average_mean(excerpt_reader& reader, const welch_options& options,
                           view<double, 2> power) {
  std::vector<welch_stream<double>> streams;
  for (std::size_t c = 0; c < power.extent(0); ++c) streams.emplace_back(options);
  std::vector<double> samples;
  reader.read([&](view<const float, 2> block) {
    for (std::size_t c = 0; c < streams.size(); ++c) streams[c].push(column(block, c, samples));
  });
  for (std::size_t c = 0; c < streams.size(); ++c)
    streams[c].result(std::span(&power(c, 0u), power.extent(1)));
  return streams.front().segments();
}

/// The spectrum of every segment of one channel, one after the other.
class segment_powers {
 public:
  explicit segment_powers(const welch_options& options)
      : welch_(options),
        hop_(options.segment_length - *options.overlap),
        segment_(options.segment_length),
        power_(welch_.bins()) {}

  template <class Take>
  void push(std::span<const double> samples, Take take) {
    for (const double sample : samples) {
      segment_[filled_++] = sample;
      if (filled_ < segment_.size()) continue;
      welch_.reset();
      welch_.push(segment_);
      welch_.result(power_);
      take(std::span<const double>(power_));
      std::copy(segment_.begin() + static_cast<std::ptrdiff_t>(hop_), segment_.end(),
                segment_.begin());
      filled_ = segment_.size() - hop_;
    }
  }

 private:
  welch_stream<double> welch_;
  std::size_t hop_, filled_ = 0;
  std::vector<double> segment_, power_;
};

/// One element by its rank among many that are shown four times: eight bits of it a time. Floats
/// that are not negative are in the order of their bits.
class ranked_element {
 public:
  void count(std::uint32_t key, unsigned shift) {
    if (shift == 24 || ((key ^ found_) >> (shift + 8)) == 0) ++counts_[(key >> shift) & 255];
  }
  /// After each showing; `rank` from 0, counts from the first.
  void settle(unsigned shift, std::uint64_t rank) {
    if (shift == 24) left_ = rank;
    std::uint32_t digit = 0;
    while (digit < 255 && left_ >= counts_[digit]) left_ -= counts_[digit++];
    found_ |= digit << shift;
    counts_.fill(0);
  }
  double value() const { return std::bit_cast<float>(found_); }

 private:
  std::array<std::uint32_t, 256> counts_{};
  std::uint64_t left_ = 0;
  std::uint32_t found_ = 0;
};

/// Median of n exponentially distributed powers over their mean (Allen et al. 2012).
double median_bias(std::uint64_t n) {
  double bias = 1;
  for (std::uint64_t i = 1; i <= (n - 1) / 2; ++i)
    bias += 1 / (2.0 * static_cast<double>(i) + 1) - 1 / (2.0 * static_cast<double>(i));
  return bias;
}

std::uint64_t average_median(excerpt_reader& reader, const welch_options& options,
                             view<double, 2> power) {
  const std::size_t channels = power.extent(0), bins = power.extent(1);
  // Of an even number the two in the middle.
  std::vector<ranked_element> low(channels * bins), high(channels * bins);
  std::uint64_t segments = 0;
  std::vector<double> samples;
  for (unsigned shift = 32; shift > 0;) {
    shift -= 8;
    std::vector<segment_powers> streams(channels, segment_powers(options));
    std::uint64_t seen = 0;
    reader.read([&](view<const float, 2> block) {
      for (std::size_t c = 0; c < channels; ++c)
        streams[c].push(column(block, c, samples), [&](std::span<const double> p) {
          seen += c == 0 ? 1 : 0;
          for (std::size_t k = 0; k < bins; ++k) {
            const auto key = std::bit_cast<std::uint32_t>(static_cast<float>(p[k]));
            low[c * bins + k].count(key, shift);
            high[c * bins + k].count(key, shift);
          }
        });
    });
    segments = seen;
    if (segments == 0) throw io_error(shown_name(reader.facts().file), "it ends within a segment");
    for (ranked_element& e : low) e.settle(shift, (segments - 1) / 2);
    for (ranked_element& e : high) e.settle(shift, segments / 2);
  }
  const double bias = median_bias(segments);
  for (std::size_t i = 0; i < power.size(); ++i)
    power.data()[i] = (low[i].value() + high[i].value()) / 2 / bias;
  return segments;
}

struct window_sums {
  double plain = 0, squares = 0;
};

window_sums sums_of(const welch_options& o) {
  window_sums sums;
  for (const double w : make_window<double>(o.window, o.segment_length)) {
    sums.plain += w;
    sums.squares += w * w;
  }
  return sums;
}

bool is_single(const welch_options& o, std::size_t bin) { return bin == 0 || 2 * bin == o.n_fft; }

std::vector<double> mean_of(view<const double, 2> rows) {
  std::vector<double> mean(rows.extent(1));
  for (std::size_t c = 0; c < rows.extent(0); ++c)
    for (std::size_t k = 0; k < mean.size(); ++k)
      mean[k] += rows(c, k) / static_cast<double>(rows.extent(0));
  return mean;
}

/// find_peaks takes every bin on the scale of a sine, those that are not doubled as well.
std::vector<spectral_peak> peaks_of(const psd_result& r, std::vector<double> density,
                                    const window_sums& sums, const psd_request& request) {
  const welch_options& o = r.options;
  for (std::size_t k = 0; k < density.size(); ++k)
    density[k] *= o.rate_hz * sums.squares / (sums.plain * sums.plain) * (is_single(o, k) ? 4 : 2);
  const stft_options stft{.n_fft = o.n_fft, .window_length = o.segment_length, .window = o.window};
  return find_peaks(density, stft, o.rate_hz, request.peak_count, 0, request.peak_range_db);
}

}  // namespace

psd_result estimate_psd(const psd_request& request, const work_surroundings& around) {
  excerpt_reader reader(request.source);
  const std::size_t channels = reader.channels();
  psd_result r;
  r.options = options_of(request, reader, r.warnings);
  const auto memory = begin_work(
      request.source.file,
      {.channels = channels,
       .frames = reader.part().frames,
       .n_fft = r.options.n_fft,
       .hop = r.options.segment_length - *r.options.overlap,
       .type = real_type::double_precision,
       .most_samples = std::size_t{1} << (request.average == psd_average::median ? 18 : 24)},
      around);
  array<double, 2> each({channels, r.options.n_fft / 2 + 1});
  r.segments = request.average == psd_average::mean
                   ? average_mean(reader, r.options, each.view())
                   : average_median(reader, r.options, each.view());
  r.options.average = request.average;
  r.sound = reader.facts();
  r.warnings.insert(r.warnings.begin(), r.sound.warnings.begin(), r.sound.warnings.end());
  const window_sums sums = sums_of(r.options);
  r.noise_bandwidth_hz = r.options.rate_hz * sums.squares / (sums.plain * sums.plain);
  const std::vector<double> mean = mean_of(each.view());
  for (const double density : mean)
    r.mean_square += density * r.options.rate_hz / static_cast<double>(r.options.n_fft);
  r.peaks = peaks_of(r, mean, sums, request);
  if (!request.per_channel) {
    each = array<double, 2>({1, mean.size()});
    std::copy(mean.begin(), mean.end(), each.data());
  }
  r.options.scaling = request.scaling;
  if (request.scaling == psd_scaling::spectrum)
    for (double& p : each.flat()) p *= r.noise_bandwidth_hz;
  r.power = std::move(each);
  return r;
}

}  // namespace papilio::cli
