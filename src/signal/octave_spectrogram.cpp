#include "signal/octave_spectrogram.hpp"

#include <algorithm>
#include <cmath>

namespace papilio::signal_detail {

octave_spectrogram::octave_spectrogram(const constant_q_plan<float>& plan, const octave_picture& of)
    : of_(of),
      stream_(plan, of.channels),
      segments_(plan.segments(of.samples)),
      is_even_(plan.segments(of.span) > of.columns),
      sum_(plan.bins()) {
  const std::size_t panels = of.stacked ? of.channels : 1, bins = plan.bins();
  column_ = array<double, 2>({panels, bins});
  in_column_.resize(panels);
  for (const double length : plan.lengths())
    scale_.push_back(4 / (length * length) / static_cast<double>(of.stacked ? 1 : of.channels));
  std::vector<double> places;
  for (const double hz : plan.frequencies_hz())
    places.push_back(of.axis.place(hz) * static_cast<double>(of.rows));
  for (std::size_t row = 0; row < of.rows; ++row) {
    const auto low = static_cast<std::size_t>(
                   std::ranges::lower_bound(places, static_cast<double>(row)) - places.begin()),
               high = static_cast<std::size_t>(
                   std::ranges::lower_bound(places, static_cast<double>(row + 1)) - places.begin());
    if (high > low) {
      rows_.push_back({low, high, 0});
      continue;
    }
    const std::size_t below =
        std::clamp<std::size_t>(low, 1, std::max<std::size_t>(1, bins - 1)) - 1;
    const std::size_t above = std::min(below + 1, bins - 1);
    const double width = std::max(places[above] - places[below], 1e-9);
    rows_.push_back(
        {below, below,
         std::clamp((static_cast<double>(row) + 0.5 - places[below]) / width, 0.0, 1.0)});
  }
  const std::size_t columns = segments_ == 0 ? 0 : column_of(segments_ - 1) - column_of(0) + 1;
  for (std::size_t p = 0; p < panels; ++p) levels_.emplace_back(extents_type<2>{of.rows, columns});
}

void octave_spectrogram::push(view<const float, 2> block) {
  stream_.push(
      block, [this](std::uint64_t first, std::size_t channel, view<std::complex<float>, 2> values) {
        take(first, channel, values);
      });
}

void octave_spectrogram::finish() {
  stream_.finish([this](std::uint64_t first, std::size_t channel,
                        view<std::complex<float>, 2> values) { take(first, channel, values); });
}

std::size_t octave_spectrogram::column_of(std::uint64_t segment) const {
  if (!is_even_) return static_cast<std::size_t>(segment);
  const std::uint64_t sample = segment * stream_.plan().options().hop;
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(sample * of_.columns / of_.span, of_.columns - 1));
}

spectrogram_columns octave_spectrogram::columns() const {
  if (!is_even_) return {0, static_cast<double>(stream_.plan().options().hop)};
  const double step = static_cast<double>(of_.span) / static_cast<double>(of_.columns);
  return {0.5 * step, step};
}

std::vector<double> octave_spectrogram::mean_power() const {
  std::vector<double> mean = sum_;
  const double panels = of_.stacked ? static_cast<double>(of_.channels) : 1.0;
  for (double& power : mean)
    power /= panels * static_cast<double>(std::max<std::uint64_t>(1, segments_));
  return mean;
}

void octave_spectrogram::take(std::uint64_t first, std::size_t channel,
                              view<std::complex<float>, 2> values) {
  const std::size_t count = values.extent(0), bins = values.extent(1);
  if (power_.extent(0) < count) power_ = array<double, 2>({count, bins});
  const bool begins = of_.stacked || channel == 0;
  for (std::size_t k = 0; k < bins; ++k) {
    const std::complex<float>* const value = &values(0, k);  // segments are side by side
    for (std::size_t s = 0; s < count; ++s) {
      const double re = static_cast<double>(value[s].real()),
                   im = static_cast<double>(value[s].imag());
      const double power = scale_[k] * (re * re + im * im);
      power_(s, k) = begins ? power : power_(s, k) + power;
    }
  }
  if (of_.stacked || channel + 1 == of_.channels)
    add_block(first, count, of_.stacked ? channel : 0);
}

void octave_spectrogram::add_block(std::uint64_t first, std::size_t count, std::size_t panel) {
  const std::size_t bins = sum_.size();
  double* const column = &column_(panel, 0);
  for (std::size_t s = 0; s < count; ++s) {
    const double* const power = &power_(s, 0);
    for (std::size_t k = 0; k < bins; ++k) sum_[k] += power[k];
    if (of_.pool == pooling::mean)
      for (std::size_t k = 0; k < bins; ++k) column[k] += power[k];
    else
      for (std::size_t k = 0; k < bins; ++k) column[k] = std::max(column[k], power[k]);
    ++in_column_[panel];
    const std::size_t at = column_of(first + s);
    const std::size_t next = first + s + 1 < segments_ ? column_of(first + s + 1) : at + 1;
    if (next != at) close_column(panel, at, next);
  }
}

// A column without a segment of its own shows the one before it.
void octave_spectrogram::close_column(std::size_t panel, std::size_t first, std::size_t last) {
  const bool is_mean = of_.pool == pooling::mean;
  double* const column = &column_(panel, 0);
  if (is_mean)
    for (std::size_t k = 0; k < sum_.size(); ++k)
      column[k] /= static_cast<double>(in_column_[panel]);
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const auto [low, high, share] = rows_[row];
    double level = 0;
    if (low == high) {
      const double below = column[low], above = column[std::min(low + 1, sum_.size() - 1)];
      level = below > 0 && above > 0 ? below * std::pow(above / below, share)
                                     : below + share * (above - below);
    } else {
      for (std::size_t k = low; k < high; ++k)
        level = is_mean ? level + column[k] / static_cast<double>(high - low)
                        : std::max(level, column[k]);
    }
    for (std::size_t c = first; c < std::min(last, levels_[panel].extent(1)); ++c)
      levels_[panel](row, c) = level;
  }
  std::fill_n(column, sum_.size(), 0.0);
  in_column_[panel] = 0;
}

}  // namespace papilio::signal_detail
