#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/internal.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/signal/auditory_bands.hpp"
#include "papilio/signal/loudness.hpp"
#include "papilio/signal/pcen.hpp"
#include "papilio/signal/spectral_contrast.hpp"
#include "papilio/signal/spectral_features.hpp"
#include "signal/delta_columns.hpp"
#include "signal/onset_steps.hpp"
#include "signal/pitch_columns.hpp"
#include "signal/plan_store.hpp"

namespace papilio::signal_detail {

/// Numbers that describe a segment, and how they are made.
struct feature_selection {
  bool rms = false, centroid = false, bandwidth = false, rolloff = false, flatness = false,
       zero_crossings = false, mel = false, mfcc = false, contrast = false, pcen = false,
       erb = false, gammatone = false, onset = false, f0 = false, loudness = false;
  bool contrast_parts = false;  ///< peaks and valleys of contrast, which levels are made of
  double rolloff_share = 0.85;
  mel_options bands = {};
  std::optional<decibel_options> mel_levels = {};  ///< none: mel bands are powers
  float onset_floor_db = -100;  ///< levels that onsets are rises of are at least this, dB
  mfcc_options cepstrum = {};
  contrast_options octaves = {};
  std::optional<decibel_options> valley_levels = {};  ///< none: those of octaves, as peaks have
  pcen_options gain_control = {};
  auditory_options auditory = {};                 ///< for triangles (erb) and for gammatone filters
  std::size_t delta_orders = 0, delta_width = 9;  ///< deltas of all columns but f0's and loudness's
  double f0_min_hz = c2_hz;
  std::optional<double> f0_max_hz = {};  ///< none: C7, or half the rate
  bool whole_hz = false;                 ///< half an odd rate is rounded down, as torchaudio does

  /// Whether any of them is made from magnitudes.
  bool needs_magnitudes() const { return has_spectral_scalar() || needs_contrast() || pcen; }
  bool has_spectral_scalar() const { return centroid || bandwidth || rolloff || flatness; }
  bool needs_bands() const { return mel || mfcc || pcen || onset; }
  bool needs_contrast() const { return contrast || contrast_parts; }
  bool needs_auditory() const { return erb || gammatone; }
  bool is_empty() const {
    return !rms && !zero_crossings && !f0 && !loudness && !needs_magnitudes() && !needs_bands() &&
           !needs_auditory();
  }
  /// Whether a level depends on the highest of the whole sound.
  bool needs_highest() const {
    return (mel_levels && mel_levels->top_db) || (mfcc && cepstrum.decibel.top_db) ||
           (contrast && octaves.levels.top_db) || onset;
  }
  /// Returns the rate, in Hz, whose half is the frequency of the highest bin.
  double band_rate_hz(int rate_hz) const { return whole_hz ? rate_hz / 2 * 2 : rate_hz; }
};

/// Highest values of a whole sound, from which top_db of levels counts down.
struct highest_values {
  double power = 0, peak = 0, valley = 0;  ///< power of mel bands; peak and valley of contrast
};

/// Returns the names of columns: "rms", "centroid_hz", ... "mel_0", "mel_1", ... "mfcc_0", ... and
/// their deltas, and those of loudness and f0.
PAPILIO_INTERNAL std::vector<std::string> feature_columns(const feature_selection& what);

/// Features of a sound that arrives in blocks, computed in double (flatness and levels show the
/// rounding of a float transform where a sound has no more than that), in memory that does not
/// depend on its length; levels must not depend on the highest of the whole
/// (feature_selection::needs_highest).
class PAPILIO_INTERNAL feature_extractor {
 public:
  /// Takes rows [segments, columns], the first of which is segment `first`; values are floats, but
  /// for those that are beyond a normal float.
  using sink = function_ref<void(std::uint64_t first, view<const double, 2> values)>;

  feature_extractor(const feature_selection& what, const stft_options& stft, double rate_hz,
                    std::size_t channels, plan_store& plans);

  const std::vector<std::string>& columns() const { return columns_; }
  /// Mel bands so narrow that they hold no bin.
  std::size_t empty_bands() const { return bank_ ? bank_->empty_bands().size() : 0; }
  /// ERB bands so narrow that they hold no bin.
  std::size_t empty_erb_bands() const { return erb_ ? erb_->empty_bands().size() : 0; }
  /// Number of segments so far; fewer than a delta needs have given no rows.
  std::uint64_t segments() const { return stream_.segments(); }

  /// Takes a block [frames, channels].
  void push(view<const float, 2> block, sink out);
  void finish(sink out);

 private:
  void note_crossings(view<const float, 2> block);
  void forget_crossings();
  double crossing_rate(std::uint64_t segment) const;
  double rms_of_segment() const;
  void add_segment(std::uint64_t segment, view<const double, 2> power, sink out);
  void flush(sink out);
  void hand_on(std::uint64_t first, view<const double, 2> rows, sink out);
  void add_loudness(std::uint64_t first, view<const double, 2> rows);
  void flush_scalars(view<double, 2> values, std::size_t& column);
  void flush_bands(view<const double, 2> power, view<double, 2> values, std::size_t& column);
  void flush_onset(view<const double, 2> bands, view<double, 2> values, std::size_t& column);
  void flush_contrast(view<double, 2> values, std::size_t& column);
  void flush_pcen(view<double, 2> values, std::size_t& column);

  feature_selection what_;
  double bin_hz_;
  stft_stream<double> stream_;
  std::shared_ptr<const mel_filterbank<double>> bank_;
  std::optional<mfcc_plan<double>> cepstrum_;
  std::optional<contrast_plan<double>> contrast_;
  std::optional<pcen_stream<double>> gain_control_;
  std::optional<onset_rises> rises_;
  std::shared_ptr<const auditory_filterbank<double>> erb_, gammatone_;
  std::optional<delta_columns> deltas_;
  std::optional<loudness_meter> meter_;
  std::optional<pitch_columns> pitches_;
  std::vector<std::string> columns_;

  // Sample numbers at which the sign is not that of the sample before, of each channel.
  std::vector<std::deque<std::uint64_t>> crossings_;
  std::vector<char> negative_;  // the last sample, of each channel
  std::uint64_t received_ = 0;

  std::uint64_t first_segment_ = 0;
  std::size_t filled_ = 0;  // segments that wait
  array<double, 2> block_, power_, magnitude_, bands_, coefficients_, peaks_, valleys_, normalized_,
      auditory_, values_, with_loudness_;
  std::vector<double> rms_, crossing_rates_, strengths_;
  std::vector<float> levels_;
};

/// Returns the selection of a first pass, whose columns are those of highest_values.
PAPILIO_INTERNAL feature_selection of_highest_values(const feature_selection& what);
/// Keeps the highest values of a first pass's columns, [segments, columns].
PAPILIO_INTERNAL void keep_highest(highest_values& highest, const feature_selection& first_pass,
                                   view<const double, 2> values);

/// Returns the selection with levels that do not depend on the whole sound: levels at least top_db
/// below the highest power are those of powers that have a floor.
PAPILIO_INTERNAL feature_selection with_fixed_levels(feature_selection what,
                                                     const highest_values& highest);

}  // namespace papilio::signal_detail
