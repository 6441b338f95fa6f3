#include "signal/feature_extractor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace papilio::signal_detail {
namespace {

/// Segments that are worked on at once.
std::size_t block_segments(std::size_t bins) {
  return std::clamp<std::size_t>(65536 / bins, 1, 64);
}

double rounded(double value) {
  using limits = std::numeric_limits<float>;
  const double size = std::abs(value);
  const bool is_normal = size >= double{limits::min()} && size <= double{limits::max()};
  return is_normal ? static_cast<double>(static_cast<float>(value)) : value;
}

template <class Range>
void fill_column(view<double, 2> values, std::size_t& column, const Range& numbers) {
  for (std::size_t s = 0; s < values.extent(0); ++s) values(s, column) = rounded(numbers[s]);
  ++column;
}

void fill_columns(view<double, 2> values, std::size_t& column, view<const double, 2> numbers) {
  for (std::size_t s = 0; s < values.extent(0); ++s)
    for (std::size_t i = 0; i < numbers.extent(1); ++i)
      values(s, column + i) = rounded(numbers(s, i));
  column += numbers.extent(1);
}

}  // namespace

std::vector<std::string> feature_columns(const feature_selection& what) {
  std::vector<std::string> columns;
  const std::pair<bool, const char*> scalars[] = {{what.rms, "rms"},
                                                  {what.centroid, "centroid_hz"},
                                                  {what.bandwidth, "bandwidth_hz"},
                                                  {what.rolloff, "rolloff_hz"},
                                                  {what.flatness, "flatness"},
                                                  {what.zero_crossings, "zero_crossing_rate"},
                                                  {what.onset, "onset_strength"}};
  for (const auto& [chosen, name] : scalars)
    if (chosen) columns.emplace_back(name);
  for (std::size_t b = 0; what.mel && b < what.bands.bands; ++b)
    columns.push_back("mel_" + std::to_string(b));
  for (std::size_t c = 0; what.mfcc && c < what.cepstrum.coefficients; ++c)
    columns.push_back("mfcc_" + std::to_string(c));
  const std::tuple<bool, const char*, std::size_t> groups[] = {
      {what.contrast_parts, "peak_", what.octaves.octaves + 1},
      {what.contrast_parts, "valley_", what.octaves.octaves + 1},
      {what.contrast, "contrast_", what.octaves.octaves + 1},
      {what.pcen, "pcen_", what.bands.bands},
      {what.erb, "erb_", what.auditory.bands},
      {what.gammatone, "gammatone_", what.auditory.bands}};
  for (const auto& [chosen, name, count] : groups)
    for (std::size_t i = 0; chosen && i < count; ++i) columns.push_back(name + std::to_string(i));
  columns = delta_columns::names(columns, what.delta_orders);
  if (what.loudness) columns.insert(columns.end(), {"momentary_lufs", "short_term_lufs"});
  if (what.f0) columns.insert(columns.end(), {"f0_hz", "voiced", "voiced_probability"});
  return columns;
}

feature_extractor::feature_extractor(const feature_selection& what, const stft_options& stft,
                                     double rate_hz, std::size_t channels, plan_store& plans)
    : what_(what),
      bin_hz_(rate_hz / static_cast<double>(stft.n_fft)),
      stream_(plans.stft<double>(stft), channels),
      columns_(feature_columns(what)),
      crossings_(channels),
      negative_(channels) {
  const std::size_t bins = stream_.plan().bins(), most = block_segments(bins);
  if (what.needs_bands()) bank_ = plans.mel(rate_hz, stft.n_fft, what.bands);
  if (what.mfcc) cepstrum_.emplace(what.bands.bands, what.cepstrum);
  power_ = array<double, 2>({most, bins});
  if (what.needs_magnitudes()) magnitude_ = array<double, 2>({most, bins});
  if (what.needs_bands()) bands_ = array<double, 2>({most, what.bands.bands});
  if (what.mfcc) coefficients_ = array<double, 2>({most, what.cepstrum.coefficients});
  if (what.needs_contrast()) {
    contrast_.emplace(rate_hz, stft.n_fft, what.octaves);
    peaks_ = valleys_ = array<double, 2>({most, contrast_->bands()});
  }
  if (what.pcen) {
    gain_control_.emplace(pcen_plan<double>(rate_hz, stft.hop, what.gain_control),
                          what.bands.bands);
    normalized_ = array<double, 2>({most, what.bands.bands});
  }
  if (what.onset) {
    rises_.emplace(what.bands.bands, 1, stft.centre ? stft.n_fft / (2 * stft.hop) : 0,
                   onset_aggregate::mean, what.onset_floor_db);
    strengths_.resize(most);
    levels_.resize(what.bands.bands);
  }
  const auto filters = [&](auditory_shape shape) {
    auditory_options options = what.auditory;
    options.shape = shape;
    return plans.auditory(rate_hz, stft.n_fft, options);
  };
  if (what.erb) erb_ = filters(auditory_shape::triangle);
  if (what.gammatone) gammatone_ = filters(auditory_shape::gammatone);
  if (what.needs_auditory()) auditory_ = array<double, 2>({most, what.auditory.bands});
  const std::size_t rows = columns_.size() - (what.f0 ? pitch_columns::count : 0),
                    own = (rows - (what.loudness ? 2 : 0)) / (what.delta_orders + 1);
  if (what.loudness)
    meter_.emplace(rate_hz, channels, loudness_options{.weights = {}, .true_peak = false});
  if (what.f0)
    pitches_.emplace(stft, rate_hz, what.f0_min_hz,
                     what.f0_max_hz.value_or(std::min(c7_hz, rate_hz / 2)), channels, rows);
  if (what.delta_orders > 0) deltas_.emplace(own, what.delta_orders, what.delta_width);
  values_ = array<double, 2>({most, own});
  rms_.resize(most);
  crossing_rates_.resize(most);
}

void feature_extractor::push(view<const float, 2> block, sink out) {
  if (what_.zero_crossings) note_crossings(block);
  if (pitches_) pitches_->push_samples(block);
  if (meter_) meter_->push(block);
  if (block_.extents() != block.extents()) block_ = array<double, 2>(block.extents());
  for (std::size_t i = 0; i < block.extent(0); ++i)
    for (std::size_t c = 0; c < block.extent(1); ++c) block_(i, c) = block(i, c);
  stream_.push_power(block_, [&](std::uint64_t s, view<double, 2> p) { add_segment(s, p, out); });
  if (what_.zero_crossings) forget_crossings();
}

void feature_extractor::finish(sink out) {
  stream_.finish_power([&](std::uint64_t s, view<double, 2> p) { add_segment(s, p, out); });
  flush(out);
  if (deltas_)
    deltas_->finish(
        [&](std::uint64_t first, view<const double, 2> rows) { hand_on(first, rows, out); });
  if (pitches_) pitches_->finish(out);
}

// Loudness of the windows that end with the last whole step before a segment's centre.
void feature_extractor::add_loudness(std::uint64_t first, view<const double, 2> rows) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const stft_options& o = stream_.plan().options();
  const std::size_t count = rows.extent(1);
  with_loudness_ = array<double, 2>({rows.extent(0), count + 2});
  for (std::size_t s = 0; s < rows.extent(0); ++s) {
    const std::uint64_t centre = (first + s) * o.hop + (o.centre ? 0 : o.n_fft / 2);
    const auto steps = static_cast<std::size_t>(
        std::min<std::uint64_t>(centre / meter_->step_samples(), meter_->steps()));
    for (std::size_t c = 0; c < count; ++c) with_loudness_(s, c) = rows(s, c);
    with_loudness_(s, count) = rounded(meter_->momentary_lufs(steps).value_or(none));
    with_loudness_(s, count + 1) = rounded(meter_->short_term_lufs(steps).value_or(none));
  }
}

void feature_extractor::hand_on(std::uint64_t first, view<const double, 2> rows, sink out) {
  if (meter_) {
    add_loudness(first, rows);
    rows = with_loudness_.view();
  }
  if (pitches_)
    pitches_->push_rows(rows, out);
  else
    out(first, rows);
}

// Samples less than -1e-10 are negative, as papilio::zero_crossing_rate has it.
void feature_extractor::note_crossings(view<const float, 2> block) {
  for (std::size_t c = 0; c < crossings_.size(); ++c) {
    for (std::size_t i = 0; i < block.extent(0); ++i) {
      const char negative = block(i, c) < -1e-10f;
      if (negative != negative_[c] && received_ + i > 0) crossings_[c].push_back(received_ + i);
      negative_[c] = negative;
    }
  }
  received_ += block.extent(0);
}

void feature_extractor::forget_crossings() {
  const stft_options& o = stream_.plan().options();
  const std::uint64_t lead = o.centre ? o.n_fft / 2 : 0, next = stream_.segments() * o.hop;
  for (auto& positions : crossings_)
    while (!positions.empty() && positions.front() + lead <= next) positions.pop_front();
}

// Outside the sound stand its first and last sample, where no sign changes.
double feature_extractor::crossing_rate(std::uint64_t segment) const {
  const stft_options& o = stream_.plan().options();
  const std::uint64_t lead = o.centre ? o.n_fft / 2 : 0, first = segment * o.hop,
                      after = first + o.n_fft > lead ? first + o.n_fft - lead : 0;
  std::ptrdiff_t count = 0;
  for (const auto& positions : crossings_) {
    const auto low = first < lead
                         ? positions.begin()
                         : std::upper_bound(positions.begin(), positions.end(), first - lead);
    count += std::lower_bound(low, positions.end(), after) - low;
  }
  return static_cast<double>(count) / static_cast<double>(o.n_fft * crossings_.size());
}

double feature_extractor::rms_of_segment() const {
  double sum = 0;
  for (std::size_t c = 0; c < stream_.channels(); ++c) {
    const double one = rms(stream_.samples(c));
    sum += one * one;
  }
  return std::sqrt(sum / static_cast<double>(stream_.channels()));
}

void feature_extractor::add_segment(std::uint64_t segment, view<const double, 2> power, sink out) {
  if (filled_ == 0) first_segment_ = segment;
  const view<double, 1> mean = power_[filled_];
  const std::size_t channels = power.extent(0);
  for (std::size_t k = 0; k < mean.size(); ++k) mean[k] = power(std::size_t{0}, k);
  for (std::size_t c = 1; c < channels; ++c)
    for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += power(c, k);
  if (channels > 1)
    for (std::size_t k = 0; k < mean.size(); ++k) mean[k] /= static_cast<double>(channels);
  if (what_.rms) rms_[filled_] = rms_of_segment();
  if (what_.zero_crossings) crossing_rates_[filled_] = crossing_rate(segment);
  if (++filled_ == power_.extent(0)) flush(out);
}

void feature_extractor::flush(sink out) {
  if (filled_ == 0) return;
  const view<const double, 2> power = power_.view().slice(0, 0, filled_);
  const view<double, 2> values = values_.view().slice(0, 0, filled_);
  std::size_t column = 0;
  if (what_.rms) fill_column(values, column, rms_);
  if (what_.needs_magnitudes()) {
    for (std::size_t i = 0; i < power.size(); ++i)
      magnitude_.data()[i] = std::sqrt(power.data()[i]);
    flush_scalars(values, column);
  }
  if (what_.zero_crossings) fill_column(values, column, crossing_rates_);
  if (what_.mel || what_.mfcc || what_.onset) flush_bands(power, values, column);
  if (what_.needs_contrast()) flush_contrast(values, column);
  if (what_.pcen) flush_pcen(values, column);
  for (const auto& filters : {erb_, gammatone_}) {
    if (!filters) continue;
    const view<double, 2> bands = auditory_.view().slice(0, 0, filled_);
    filters->apply(power, bands);
    fill_columns(values, column, bands);
  }
  filled_ = 0;
  if (deltas_)
    deltas_->push(values, [&](std::uint64_t first, view<const double, 2> rows) {
      hand_on(first, rows, out);
    });
  else
    hand_on(first_segment_, values, out);
}

void feature_extractor::flush_scalars(view<double, 2> values, std::size_t& column) {
  const view<const double, 2> magnitude = magnitude_.view().slice(0, 0, values.extent(0));
  if (what_.centroid) fill_column(values, column, spectral_centroid(magnitude, bin_hz_));
  if (what_.bandwidth) fill_column(values, column, spectral_bandwidth(magnitude, bin_hz_));
  if (what_.rolloff)
    fill_column(values, column, spectral_rolloff(magnitude, bin_hz_, what_.rolloff_share));
  if (what_.flatness) fill_column(values, column, spectral_flatness(magnitude));
}

void feature_extractor::flush_bands(view<const double, 2> power, view<double, 2> values,
                                    std::size_t& column) {
  const std::size_t segments = power.extent(0);
  const view<double, 2> bands = bands_.view().slice(0, 0, segments);
  bank_->apply(power, bands);
  if (what_.onset) flush_onset(bands, values, column);
  if (what_.mfcc) cepstrum_->execute(bands, coefficients_.view().slice(0, 0, segments));
  if (what_.mel_levels) {
    const std::span<double> flat(bands.data(), bands.size());
    to_decibel<double>(flat, flat, *what_.mel_levels);
  }
  if (what_.mel) fill_columns(values, column, bands);
  if (what_.mfcc) fill_columns(values, column, coefficients_.view());
}

void feature_extractor::flush_onset(view<const double, 2> bands, view<double, 2> values,
                                    std::size_t& column) {
  for (std::size_t s = 0; s < bands.extent(0); ++s) {
    const view<const double, 1> row = bands[s];
    onset_levels<double>({row.data(), row.size()}, levels_);
    strengths_[s] = rises_->push(levels_);
  }
  fill_column(values, column, strengths_);
}

void feature_extractor::flush_contrast(view<double, 2> values, std::size_t& column) {
  const std::size_t segments = values.extent(0);
  const view<double, 2> peaks = peaks_.view().slice(0, 0, segments),
                        valleys = valleys_.view().slice(0, 0, segments);
  contrast_->peaks_and_valleys(magnitude_.view().slice(0, 0, segments), peaks, valleys);
  if (what_.contrast_parts) {
    fill_columns(values, column, peaks);
    fill_columns(values, column, valleys);
  }
  if (!what_.contrast) return;
  const std::span<double> high(peaks.data(), peaks.size()), low(valleys.data(), valleys.size());
  to_decibel<double>(high, high, what_.octaves.levels);
  to_decibel<double>(low, low, what_.valley_levels.value_or(what_.octaves.levels));
  for (std::size_t i = 0; i < high.size(); ++i) high[i] -= low[i];
  fill_columns(values, column, peaks);
}

// Magnitudes are those of samples of 32 bits, as librosa advises.
void feature_extractor::flush_pcen(view<double, 2> values, std::size_t& column) {
  const std::size_t segments = values.extent(0);
  const view<double, 2> bands = bands_.view().slice(0, 0, segments),
                        normalized = normalized_.view().slice(0, 0, segments);
  bank_->apply(magnitude_.view().slice(0, 0, segments), bands);
  for (double& band : std::span<double>(bands.data(), bands.size())) band *= 0x1p31;
  gain_control_->push(bands, normalized);
  fill_columns(values, column, normalized);
}

feature_selection of_highest_values(const feature_selection& what) {
  const bool of_bands = what.mel_levels || what.mfcc || what.onset;
  return {.mel = of_bands,
          .contrast_parts = what.contrast,
          .bands = what.bands,
          .octaves = what.octaves};
}

void keep_highest(highest_values& highest, const feature_selection& first_pass,
                  view<const double, 2> values) {
  const std::size_t bands = first_pass.mel ? first_pass.bands.bands : 0,
                    octaves = first_pass.octaves.octaves + 1;
  for (std::size_t row = 0; row < values.extent(0); ++row)
    for (std::size_t column = 0; column < values.extent(1); ++column) {
      const double v = values(row, column);
      double& of = column < bands             ? highest.power
                   : column < bands + octaves ? highest.peak
                                              : highest.valley;
      if (std::isfinite(v)) of = std::max(of, v);
    }
}

feature_selection with_fixed_levels(feature_selection what, const highest_values& highest) {
  const auto fixed = [](decibel_options o, double value) {
    if (!o.top_db) return o;
    o.floor = std::max(o.floor.value_or(1e-10), value * std::pow(10, -*o.top_db / 10));
    o.top_db = std::nullopt;
    return o;
  };
  what.onset_floor_db = static_cast<float>(10 * std::log10(std::max(1e-10, highest.power)) - 80);
  if (what.mel_levels) what.mel_levels = fixed(*what.mel_levels, highest.power);
  what.cepstrum.decibel = fixed(what.cepstrum.decibel, highest.power);
  what.valley_levels = fixed(what.octaves.levels, highest.valley);
  what.octaves.levels = fixed(what.octaves.levels, highest.peak);
  return what;
}

}  // namespace papilio::signal_detail
