#include "papilio/signal/pooled_spectrogram.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "papilio/base/error.hpp"

namespace papilio {
namespace {

pooled_spectrogram_options checked(pooled_spectrogram_options o) {
  const auto require = [](bool good, const char* name) {
    if (!good)
      throw invalid_argument(
          base_detail::message("pooled_spectrogram_options: ", name, " must be at least 1, got 0"));
  };
  require(o.samples > 0, "samples");
  require(o.channels > 0, "channels");
  require(o.rows > 0, "rows");
  require(o.columns > 0, "columns");
  if (o.stft.padding != edge_padding::zero)
    throw invalid_argument("pooled_spectrogram_options: stft.padding must be zero, got reflect");
  return o;
}

// Power of a sine of amplitude 1 at the centre of each bin becomes 1.
template <class T>
void calibrate(const stft_plan<float>& plan, std::span<T> row) {
  const double sum = window_sum(plan.window());
  const double once = 1 / (sum * sum);
  const std::size_t n = plan.options().n_fft;
  for (std::size_t k = 0; k < row.size(); ++k)
    row[k] *= static_cast<T>(k == 0 || 2 * k == n ? once : 4 * once);
}

}  // namespace

pooled_spectrogram::pooled_spectrogram(const pooled_spectrogram_options& options)
    : options_(checked(options)),
      plan_(options_.stft),
      segments_(plan_.segments(options_.samples)),
      line_({options_.channels, 4096 + options_.stft.n_fft + options_.stft.n_fft / 4}),
      power_(plan_.bins()),
      column_(plan_.bins()),
      column_sum_(plan_.bins()),
      levels_({std::min(options_.rows, plan_.bins()),
               static_cast<std::size_t>(std::min<std::uint64_t>(options_.columns, segments_))}),
      mean_power_(plan_.bins()),
      bins_(plan_.bins()),
      scratch_(plan_.segment_scratch_size()) {
  if (segments_ == 0)
    throw invalid_argument(
        base_detail::message("pooled_spectrogram_options: samples must make one segment of ",
                             options_.stft.n_fft, ", got ", options_.samples));
  if (options_.stft.centre) filled_ = options_.stft.n_fft / 2;
}

void pooled_spectrogram::push(view<const float, 2> block) {
  if (block.extent(1) != options_.channels)
    throw shape_error(base_detail::message("pooled_spectrogram::push: block has ", block.extent(1),
                                           " channels, expected ", options_.channels));
  if (block.extent(0) > options_.samples - received_)
    throw shape_error(base_detail::message("pooled_spectrogram::push: ", received_, " + ",
                                           block.extent(0), " frames exceed the announced ",
                                           options_.samples));
  received_ += block.extent(0);
  for (std::size_t done = 0; done < block.extent(0);) {
    const std::size_t dropped = std::min(skip_, block.extent(0) - done);
    skip_ -= dropped;
    done += dropped;
    const std::size_t count = std::min(block.extent(0) - done, line_.extent(1) - filled_);
    for (std::size_t c = 0; c < options_.channels; ++c) {
      const float* from = block.data() + static_cast<std::ptrdiff_t>(done) * block.stride(0) +
                          static_cast<std::ptrdiff_t>(c) * block.stride(1);
      float* const to = &line_(c, 0) + filled_;
      for (std::size_t i = 0; i < count; ++i)
        to[i] = from[static_cast<std::ptrdiff_t>(i) * block.stride(0)];
    }
    filled_ += count;
    done += count;
    analyse_ready_segments();
  }
}

void pooled_spectrogram::finish() {
  if (received_ != options_.samples)
    throw shape_error(base_detail::message("pooled_spectrogram::finish: ", received_, " of ",
                                           options_.samples, " frames were pushed"));
  if (std::exchange(finished_, true)) return;
  // What follows the signal is zero, as far as the last segment reaches.
  while (segment_ < segments_) {
    const std::size_t zeros = line_.extent(1) - filled_;
    const std::size_t dropped = std::min(skip_, zeros);
    skip_ -= dropped;
    for (std::size_t c = 0; c < options_.channels; ++c)
      std::fill_n(&line_(c, 0) + filled_, zeros - dropped, 0.0f);
    filled_ += zeros - dropped;
    analyse_ready_segments();
  }
  const double sum = window_sum(plan_.window());
  for (double& power : mean_power_)
    power *= 4 / (sum * sum) / static_cast<double>(averaged_segments_ * options_.channels);
}

void pooled_spectrogram::analyse_ready_segments() {
  const std::size_t n = options_.stft.n_fft, hop = options_.stft.hop;
  std::size_t first = 0;
  for (; first + n <= filled_ && segment_ < segments_; ++segment_) {
    std::fill(power_.begin(), power_.end(), 0.0f);
    for (std::size_t c = 0; c < options_.channels; ++c) {
      plan_.transform_segment({&line_(c, 0) + first, n}, bins_.flat(), scratch_.flat());
      for (std::size_t k = 0; k < power_.size(); ++k)
        power_[k] += bins_[k].real() * bins_[k].real() + bins_[k].imag() * bins_[k].imag();
    }
    analyse_segment();
    const std::size_t step = std::min(hop, filled_ - first);
    skip_ = hop - step;
    first += step;
  }
  for (std::size_t c = 0; c < options_.channels; ++c)
    std::copy(&line_(c, 0) + first, &line_(c, 0) + filled_, &line_(c, 0));
  filled_ -= first;
}

void pooled_spectrogram::analyse_segment() {
  for (std::size_t k = 0; k < power_.size(); ++k) {
    column_[k] = std::max(column_[k], power_[k]);
    column_sum_[k] += static_cast<double>(power_[k]);
  }
  ++column_segments_;
  // Segments that reach beyond the ends hold less than a window of sound.
  const std::uint64_t lead = options_.stft.centre ? options_.stft.n_fft / 2 : 0;
  const std::uint64_t first = segment_ * options_.stft.hop;
  const bool inside = first >= lead && first - lead + options_.stft.n_fft <= options_.samples;
  const std::uint64_t rest =
      options_.samples - std::min<std::uint64_t>(options_.samples, options_.stft.n_fft);
  if (inside || rest < options_.stft.hop) {
    for (std::size_t k = 0; k < power_.size(); ++k)
      mean_power_[k] += static_cast<double>(power_[k]);
    ++averaged_segments_;
  }
  const std::uint64_t columns = levels_.extent(1);
  if ((segment_ + 1) * columns / segments_ != segment_ * columns / segments_) close_column();
}

void pooled_spectrogram::close_column() {
  const std::size_t rows = levels_.extent(0), bins = power_.size();
  const auto column = static_cast<std::size_t>(segment_ * levels_.extent(1) / segments_);
  const double channels = static_cast<double>(options_.channels);
  calibrate(plan_, column_.flat());
  calibrate(plan_, column_sum_.flat());
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t low = (row * bins + rows - 1) / rows,
                      high = ((row + 1) * bins + rows - 1) / rows;
    float largest = 0;
    double sum = 0;
    for (std::size_t k = low; k < high; ++k) {
      largest = std::max(largest, column_[k]);
      sum += column_sum_[k];
    }
    // A comparison passes over NaN, a sum keeps it: what could not be measured is not silence.
    const double mean = sum / (static_cast<double>(column_segments_ * (high - low)) * channels);
    levels_(row, column) = options_.pool == pooling::mean || std::isnan(mean)
                               ? static_cast<float>(mean)
                               : largest / static_cast<float>(channels);
  }
  std::fill(column_.begin(), column_.end(), 0.0f);
  std::fill(column_sum_.begin(), column_sum_.end(), 0.0);
  column_segments_ = 0;
}

}  // namespace papilio
