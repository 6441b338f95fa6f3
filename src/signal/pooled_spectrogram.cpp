#include "papilio/signal/spectrogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "papilio/base/error.hpp"
#include "papilio/signal/window.hpp"
#include "signal/wide_spectrum.hpp"

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
  if (o.span != 0 && o.span < o.samples)
    throw invalid_argument(
        base_detail::message("pooled_spectrogram_options: span must be 0 or at least samples ",
                             o.samples, ", got ", o.span));
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
  if (o.span == 0) o.span = o.samples;
  if (o.stft.sides != stft_sides::one || o.stft.scaling != stft_scaling::none)
    throw invalid_argument(
        "pooled_spectrogram_options: stft must be one-sided and without scaling");
  o.stft.scaling = stft_scaling::dbfs;
  return o;
}

pooled_spectrogram_options checked(pooled_spectrogram_options o, const stft_plan<float>& plan) {
  require_valid(o);
  if (o.span == 0) o.span = o.samples;
  o.stft = plan.options();
  if (o.stft.sides != stft_sides::one || o.stft.scaling != stft_scaling::dbfs)
    throw invalid_argument("pooled_spectrogram: plan must be one-sided and scaled dbfs");
  return o;
}

/// Segments whose powers are added in float before their sum is added in double, which takes twice
/// the time. The error of seven sums is no larger than that of a power itself.
constexpr std::uint64_t recent_segments = 8;

/// Returns the larger of two powers, and NaN if one is that: what could not be measured is not
/// silence. Bits of floats are ordered as the floats are, those of NaN above all, once the sign is
/// gone.
float larger_power(float a, float b) {
  constexpr std::int32_t magnitude = 0x7fffffff;
  return std::bit_cast<float>(std::max(std::bit_cast<std::int32_t>(a) & magnitude,
                                       std::bit_cast<std::int32_t>(b) & magnitude));
}

double larger_power(double a, double b) { return a >= b || std::isnan(a) ? a : b; }

}  // namespace

array<float, 2> spread_columns(view<const float, 2> levels, const spectrogram_columns& of,
                               std::uint64_t samples, std::size_t columns) {
  const double width = static_cast<double>(samples) / static_cast<double>(columns);
  const double count = static_cast<double>(levels.extent(1));
  array<float, 2> spread({levels.extent(0), columns});
  std::ranges::fill(spread, std::numeric_limits<float>::quiet_NaN());
  for (std::size_t c = 0; c < columns; ++c) {
    const double place = ((static_cast<double>(c) + 0.5) * width - of.first) / of.step;
    if (place < -0.5 || place > count - 1e-6) continue;
    const auto nearest = static_cast<std::size_t>(std::clamp(std::round(place), 0.0, count - 1));
    for (std::size_t row = 0; row < levels.extent(0); ++row) spread(row, c) = levels(row, nearest);
  }
  return spread;
}

frequency_axis spectrogram_axis(frequency_scale scale, double rate_hz, std::size_t n_fft,
                                std::optional<double> low_hz, std::optional<double> high_hz) {
  double low = 0;
  if (is_logarithmic(scale)) {
    const double least = std::min(20.0, rate_hz / 200.0);
    low = std::min(std::max(2.0 * rate_hz / static_cast<double>(n_fft), least), 2.5 * least);
  }
  return {scale, low_hz.value_or(low), high_hz.value_or(rate_hz / 2.0)};
}

std::size_t spectrogram_hop(const stft_options& stft, std::uint64_t samples, std::size_t columns) {
  if (columns == 0) throw invalid_argument("spectrogram_hop: columns must be at least 1, got 0");
  const std::size_t length = stft.window_length == 0 ? stft.n_fft : stft.window_length;
  const std::uint64_t width = samples / columns;
  const array<double, 1> window = make_window<double>(stft.window, length);
  const double largest = *std::ranges::max_element(window);
  const auto weights =
      std::max<std::size_t>(1, std::lround(window_sum<double>(window.flat()) / largest));
  if (width >= 4 * std::uint64_t{length}) return weights;
  return std::min({stft.hop, weights, std::max<std::size_t>(width, (length + 15) / 16)});
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
      wide_(std::make_unique<signal_detail::wide_spectrum>(plan())),
      segments_(plan().segments(options_.samples)),
      is_even_(plan().segments(options_.span) > options_.columns),
      power_(plan().bins()),
      column_(plan().bins()),
      column_sum_(plan().bins()),
      recent_sum_(plan().bins()),
      uncounted_sum_(plan().bins()),
      rows_(make_rows()),
      octaves_(count_interpolated()),
      mean_power_(plan().bins()) {
  if (segments_ == 0)
    throw invalid_argument(
        base_detail::message("pooled_spectrogram_options: samples must make one segment of ",
                             options_.stft.n_fft, ", got ", options_.samples));
  levels_ = array<double, 2>(
      {rows_.size(), static_cast<std::size_t>(column_of(segments_ - 1) - column_of(0) + 1)});
}

pooled_spectrogram::pooled_spectrogram(pooled_spectrogram&&) noexcept = default;
pooled_spectrogram& pooled_spectrogram::operator=(pooled_spectrogram&&) noexcept = default;
pooled_spectrogram::~pooled_spectrogram() = default;

void pooled_spectrogram::push(view<const float, 2> block) {
  if (block.extent(1) != options_.channels)
    throw shape_error(base_detail::message("pooled_spectrogram::push: block has ", block.extent(1),
                                           " channels, expected ", options_.channels));
  if (block.extent(0) > options_.samples - stream_.received())
    throw shape_error(base_detail::message("pooled_spectrogram::push: ", stream_.received(), " + ",
                                           block.extent(0), " frames exceed the announced ",
                                           options_.samples));
  wide_->note(block, stream_.received());
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
  add_recent();
  for (std::size_t k = 0; k < mean_power_.size(); ++k) {
    // All bins get the scale of a sine, 0 Hz and the Nyquist frequency too.
    const bool end = k == 0 || 2 * k == options_.stft.n_fft;
    mean_power_[k] *= (end ? 4 : 1) / static_cast<double>(averaged_segments_ * options_.channels);
  }
}

// Columns follow from twice the centre of a segment, which may lie between two samples.
std::uint64_t pooled_spectrogram::column_of(std::uint64_t segment) const {
  if (!is_even_) return segment;
  const stft_options& o = options_.stft;
  const std::uint64_t centre = 2 * segment * o.hop + (o.centre ? 0 : o.n_fft);
  return std::min<std::uint64_t>(centre * options_.columns / (2 * options_.span),
                                 options_.columns - 1);
}

spectrogram_columns pooled_spectrogram::columns() const {
  const stft_options& o = options_.stft;
  if (!is_even_) return {o.centre ? 0 : static_cast<double>(o.n_fft) / 2, double(o.hop)};
  const double step = static_cast<double>(options_.span) / static_cast<double>(options_.columns);
  return {(static_cast<double>(column_of(0)) + 0.5) * step, step};
}

// Segments that reach beyond the ends hold less than a window of sound.
bool pooled_spectrogram::is_averaged(std::uint64_t segment) const {
  const stft_options& o = options_.stft;
  const std::uint64_t lead = o.centre ? o.n_fft / 2 : 0, first = segment * o.hop;
  const bool inside = first >= lead && first - lead + o.n_fft <= options_.samples;
  return inside || options_.samples - std::min<std::uint64_t>(options_.samples, o.n_fft) < o.hop;
}

void pooled_spectrogram::add_segment(std::uint64_t segment, view<const float, 2> power) {
  const bool counts = is_averaged(segment);
  // A stream hands its rows on without gaps.
  std::span<const float> sum(power[0].data(), power_.size());
  for (std::size_t c = 1; c < options_.channels; ++c) {
    const float* const of_channel = power[c].data();
    for (std::size_t k = 0; k < sum.size(); ++k) power_[k] = sum[k] + of_channel[k];
    sum = power_.flat();
  }
  ++column_segments_;
  bool is_wide = false;
  if (wide_->leave_float(segment, sum))
    for (std::size_t c = 0; c < options_.channels && !is_wide; ++c)
      is_wide = !signal_detail::is_silence(stream_.samples(c));
  if (is_wide)
    add_wide_spectrums(counts);
  else
    add_powers(sum, counts);
  if (counts && ++averaged_segments_ % recent_segments == 0) add_recent();
  const std::uint64_t column = column_of(segment), first = column_of(0);
  const std::uint64_t next = segment + 1 < segments_ ? column_of(segment + 1) : column + 1;
  if (next != column)
    close_column(static_cast<std::size_t>(column - first), static_cast<std::size_t>(next - first));
}

void pooled_spectrogram::add_powers(std::span<const float> power, bool counts) {
  float* const average = counts ? recent_sum_.data() : uncounted_sum_.data();
  if (options_.pool == pooling::mean)
    for (std::size_t k = 0; k < power.size(); ++k) {
      column_sum_[k] += static_cast<double>(power[k]);
      average[k] += power[k];
    }
  else
    for (std::size_t k = 0; k < power.size(); ++k) {
      column_[k] = larger_power(column_[k], power[k]);
      average[k] += power[k];
    }
}

void pooled_spectrogram::add_wide_spectrums(bool counts) {
  if (wide_column_.empty()) wide_column_ = array<double, 1>(power_.size());
  std::vector<double> sum(power_.size());
  for (std::size_t c = 0; c < options_.channels; ++c) {
    const std::span<const double> one = wide_->power(stream_.samples(c));
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += one[k];
  }
  for (std::size_t k = 0; k < sum.size(); ++k) {
    column_sum_[k] += sum[k];
    wide_column_[k] = larger_power(wide_column_[k], sum[k]);
    if (counts) mean_power_[k] += sum[k];
  }
}

void pooled_spectrogram::add_recent() {
  for (std::size_t k = 0; k < mean_power_.size(); ++k) {
    mean_power_[k] += static_cast<double>(recent_sum_[k]);
    recent_sum_[k] = 0;
  }
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

/// Returns the number of the lowest bins, up to the last one that a row is interpolated from.
std::size_t pooled_spectrogram::count_interpolated() const {
  std::size_t end = 0;
  for (const row_bins& row : rows_)
    if (row.low == row.high) end = std::max(end, row.low + 1);
  return end;
}

template <class T>
T pooled_spectrogram::cell(const row_bins& row, std::span<const T> column,
                           std::span<const T> octaves) const {
  if (row.low == row.high) {
    const T below = column[row.low - 1], above = column[row.low];
    const auto share = static_cast<T>(row.share);
    if (below == 0 || above == 0) return below + share * (above - below);
    const T from = octaves[row.low - 1], to = octaves[row.low];
    return std::exp2(from + share * (to - from));
  }
  if (options_.pool == pooling::mean) {
    double sum = 0;
    for (std::size_t k = row.low; k < row.high; ++k) sum += column_sum_[k];
    const double values = static_cast<double>(column_segments_ * options_.channels);
    return static_cast<T>(sum / (static_cast<double>(row.high - row.low) * values));
  }
  T largest = 0;
  for (std::size_t k = row.low; k < row.high; ++k) largest = larger_power(largest, column[k]);
  return largest;
}

template <class T>
void pooled_spectrogram::write_cells(std::span<T> column, std::span<T> octaves, std::size_t first,
                                     std::size_t last) {
  // Powers become means over the channels and, unless they are maxima, over the segments.
  const double values = static_cast<double>(column_segments_ * options_.channels);
  if (options_.pool == pooling::mean)
    for (std::size_t k = 0; k < column.size(); ++k)
      column[k] = static_cast<T>(column_sum_[k] / values);
  else if (options_.channels > 1)
    for (T& power : column) power /= static_cast<T>(options_.channels);
  for (std::size_t k = 0; k < octaves.size(); ++k) octaves[k] = std::log2(column[k]);
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const auto level = static_cast<double>(cell<T>(rows_[row], column, octaves));
    for (std::size_t c = first; c < last; ++c) levels_(row, c) = level;
  }
}

void pooled_spectrogram::close_column(std::size_t first, std::size_t last) {
  if (wide_column_.empty()) {
    write_cells<float>(column_.flat(), octaves_, first, last);
  } else {
    for (std::size_t k = 0; k < column_.size(); ++k)
      wide_column_[k] = larger_power(wide_column_[k], static_cast<double>(column_[k]));
    std::vector<double> octaves(octaves_.size());
    write_cells<double>(wide_column_.flat(), octaves, first, last);
    wide_column_ = {};
  }
  std::fill(column_.begin(), column_.end(), 0.0f);
  std::fill(column_sum_.begin(), column_sum_.end(), 0.0);
  column_segments_ = 0;
}

}  // namespace papilio
