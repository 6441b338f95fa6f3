#include "papilio/signal/spectrogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "papilio/base/error.hpp"

namespace papilio {
namespace {

void require_valid(const pooled_spectrogram_options& o) {
  const auto require = [](bool good, const char* name) {
    if (!good)
      throw invalid_argument(
          base_detail::message("pooled_spectrogram_options: ", name, " must be at least 1, got 0"));
  };
  require(o.samples > 0, "samples");
  require(o.channels > 0, "channels");
  require(o.rows > 0, "rows");
  require(o.columns > 0, "columns");
  if (o.axis) {
    o.axis->require_valid("pooled_spectrogram_options");
    if (!(o.axis->high_hz <= o.rate_hz / 2))
      throw invalid_argument(
          base_detail::message("pooled_spectrogram_options: axis.high_hz must be "
                               "at most rate_hz / 2 = ",
                               o.rate_hz / 2, ", got ", o.axis->high_hz));
  }
}

pooled_spectrogram_options checked(pooled_spectrogram_options o) {
  require_valid(o);
  if (o.stft.sides != stft_sides::one || o.stft.scaling != stft_scaling::none)
    throw invalid_argument(
        "pooled_spectrogram_options: stft must be one-sided and without scaling");
  o.stft.scaling = stft_scaling::dbfs;
  return o;
}

pooled_spectrogram_options checked(pooled_spectrogram_options o, const stft_plan<float>& plan) {
  require_valid(o);
  o.stft = plan.options();
  if (o.stft.sides != stft_sides::one || o.stft.scaling != stft_scaling::dbfs)
    throw invalid_argument("pooled_spectrogram: plan must be one-sided and scaled dbfs");
  return o;
}

/// The larger of two powers, and NaN if one is that: what could not be measured is not silence. Bits
/// of floats are ordered as the floats are, those of NaN above all, once the sign is gone.
float larger_power(float a, float b) {
  constexpr std::int32_t magnitude = 0x7fffffff;
  return std::bit_cast<float>(std::max(std::bit_cast<std::int32_t>(a) & magnitude,
                                       std::bit_cast<std::int32_t>(b) & magnitude));
}

}  // namespace

frequency_axis spectrogram_axis(frequency_scale scale, double rate_hz, std::size_t n_fft,
                                std::optional<double> low_hz, std::optional<double> high_hz) {
  double low = 0;
  if (is_logarithmic(scale)) {
    const double least = std::min(20.0, rate_hz / 200.0);
    low = std::min(std::max(2.0 * rate_hz / static_cast<double>(n_fft), least), 2.5 * least);
  }
  return {scale, low_hz.value_or(low), high_hz.value_or(rate_hz / 2.0)};
}

pooled_spectrogram::pooled_spectrogram(const pooled_spectrogram_options& options)
    : pooled_spectrogram(stft_plan<float>(checked(options).stft), options) {}

pooled_spectrogram::pooled_spectrogram(const stft_plan<float>& plan,
                                       const pooled_spectrogram_options& options)
    : pooled_spectrogram(checked(options, plan), stft_stream<float>(plan, options.channels)) {}

pooled_spectrogram::pooled_spectrogram(const pooled_spectrogram_options& checked,
                                       stft_stream<float> stream)
    : options_(checked),
      stream_(std::move(stream)),
      segments_(plan().segments(options_.samples)),
      power_(plan().bins()),
      column_(plan().bins()),
      column_sum_(plan().bins()),
      rows_(make_rows()),
      levels_({rows_.size(),
               static_cast<std::size_t>(std::min<std::uint64_t>(options_.columns, segments_))}),
      mean_power_(plan().bins()) {
  if (segments_ == 0)
    throw invalid_argument(
        base_detail::message("pooled_spectrogram_options: samples must make one segment of ",
                             options_.stft.n_fft, ", got ", options_.samples));
}

void pooled_spectrogram::push(view<const float, 2> block) {
  if (block.extent(1) != options_.channels)
    throw shape_error(base_detail::message("pooled_spectrogram::push: block has ", block.extent(1),
                                           " channels, expected ", options_.channels));
  if (block.extent(0) > options_.samples - stream_.received())
    throw shape_error(base_detail::message("pooled_spectrogram::push: ", stream_.received(), " + ",
                                           block.extent(0), " frames exceed the announced ",
                                           options_.samples));
  stream_.push_power(block,
                     [this](std::uint64_t s, view<float, 2> power) { add_segment(s, power); });
}

void pooled_spectrogram::finish() {
  if (stream_.received() != options_.samples)
    throw shape_error(base_detail::message("pooled_spectrogram::finish: ", stream_.received(),
                                           " of ", options_.samples, " frames were pushed"));
  if (finished_) return;
  finished_ = true;
  stream_.finish_power([this](std::uint64_t s, view<float, 2> power) { add_segment(s, power); });
  for (std::size_t k = 0; k < mean_power_.size(); ++k) {
    // The scale of a sine for all, 0 Hz and the Nyquist frequency too.
    const bool end = k == 0 || 2 * k == options_.stft.n_fft;
    mean_power_[k] *= (end ? 4 : 1) / static_cast<double>(averaged_segments_ * options_.channels);
  }
}

void pooled_spectrogram::add_segment(std::uint64_t segment, view<const float, 2> power) {
  // A stream hands its rows on without gaps.
  std::span<const float> sum(power[0].data(), power_.size());
  if (options_.channels > 1) {
    std::ranges::copy(sum, power_.begin());
    for (std::size_t c = 1; c < options_.channels; ++c) {
      const float* const of_channel = power[c].data();
      for (std::size_t k = 0; k < power_.size(); ++k) power_[k] += of_channel[k];
    }
    sum = power_.flat();
  }
  if (options_.pool == pooling::mean)
    for (std::size_t k = 0; k < sum.size(); ++k) column_sum_[k] += static_cast<double>(sum[k]);
  else
    for (std::size_t k = 0; k < sum.size(); ++k) column_[k] = larger_power(column_[k], sum[k]);
  ++column_segments_;
  // Segments that reach beyond the ends hold less than a window of sound.
  const std::uint64_t lead = options_.stft.centre ? options_.stft.n_fft / 2 : 0;
  const std::uint64_t first = segment * options_.stft.hop;
  const bool inside = first >= lead && first - lead + options_.stft.n_fft <= options_.samples;
  const std::uint64_t rest =
      options_.samples - std::min<std::uint64_t>(options_.samples, options_.stft.n_fft);
  if (inside || rest < options_.stft.hop) {
    for (std::size_t k = 0; k < sum.size(); ++k) mean_power_[k] += static_cast<double>(sum[k]);
    ++averaged_segments_;
  }
  const std::uint64_t columns = levels_.extent(1);
  if ((segment + 1) * columns / segments_ != segment * columns / segments_) close_column(segment);
}

std::vector<pooled_spectrogram::row_bins> pooled_spectrogram::make_rows() const {
  const std::size_t bins = plan().bins();
  const std::size_t rows = options_.axis ? options_.rows : std::min(options_.rows, bins);
  std::vector<row_bins> result(rows);
  if (!options_.axis) {
    for (std::size_t row = 0; row < rows; ++row)
      result[row] = {(row * bins + rows - 1) / rows, ((row + 1) * bins + rows - 1) / rows, 0};
    return result;
  }
  const frequency_axis& axis = *options_.axis;
  const double bins_per_hz = static_cast<double>(options_.stft.n_fft) / options_.rate_hz;
  const auto bin_at = [&](double row) {
    return axis.hz(row / static_cast<double>(rows)) * bins_per_hz;
  };
  std::size_t low = std::min(bins, static_cast<std::size_t>(std::ceil(bin_at(0))));
  for (std::size_t row = 0; row < rows; ++row) {
    const double edge = bin_at(static_cast<double>(row + 1));
    const double end = row + 1 == rows ? std::floor(edge) + 1 : std::ceil(edge);
    const std::size_t high = std::clamp(static_cast<std::size_t>(end), low, bins);
    result[row] = {low, high, 0};
    if (low == high && bins == 1) {
      result[row] = {0, 1, 0};
    } else if (low == high) {
      const double middle = bin_at(static_cast<double>(row) + 0.5);
      const std::size_t above = std::clamp<std::size_t>(low, 1, bins - 1);
      result[row] = {above, above, std::clamp(middle - static_cast<double>(above - 1), 0.0, 1.0)};
    }
    low = high;
  }
  return result;
}

float pooled_spectrogram::cell(const row_bins& row) const {
  const double channels = static_cast<double>(options_.channels);
  const double values = static_cast<double>(column_segments_) * channels;
  if (row.low == row.high) {
    const auto power = [&](std::size_t bin) {
      return options_.pool == pooling::mean ? column_sum_[bin] / values
                                            : static_cast<double>(column_[bin]) / channels;
    };
    const double below = power(row.low - 1), above = power(row.low);
    const bool silent = below == 0 || above == 0;
    return static_cast<float>(silent ? below + row.share * (above - below)
                                     : below * std::pow(above / below, row.share));
  }
  if (options_.pool == pooling::mean) {
    double sum = 0;
    for (std::size_t k = row.low; k < row.high; ++k) sum += column_sum_[k];
    return static_cast<float>(sum / (static_cast<double>(row.high - row.low) * values));
  }
  float largest = 0;
  for (std::size_t k = row.low; k < row.high; ++k) largest = larger_power(largest, column_[k]);
  return largest / static_cast<float>(channels);
}

void pooled_spectrogram::close_column(std::uint64_t segment) {
  const auto column = static_cast<std::size_t>(segment * levels_.extent(1) / segments_);
  for (std::size_t row = 0; row < rows_.size(); ++row) levels_(row, column) = cell(rows_[row]);
  std::fill(column_.begin(), column_.end(), 0.0f);
  std::fill(column_sum_.begin(), column_sum_.end(), 0.0);
  column_segments_ = 0;
}

}  // namespace papilio
