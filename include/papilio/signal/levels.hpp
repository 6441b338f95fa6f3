#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/array_like.hpp"
#include "papilio/base/export.hpp"
#include "papilio/signal/filters.hpp"

namespace papilio {

/// Frequency weightings of IEC 61672-1:2013: A and C are 0 dB at 1 kHz, Z everywhere.
enum class frequency_weighting { a, c, z };

/// Computes the gain of a weighting in dB at hz, by the analog poles of IEC 61672-1, annex E,
/// exactly: A: poles at 20.6 Hz (two), 107.7 Hz, 737.9 Hz and 12194 Hz (two), four zeros at 0 Hz;
/// C: those of 20.6 Hz and 12194 Hz, two zeros. At 0 Hz A and C are -infinity.
/// Throws invalid_argument unless hz is finite and at least 0.
PAPILIO_API double weighting_gain_db(frequency_weighting weighting, double hz);

/// Designs a weighting as second-order sections (A three, C two, Z one that does nothing). Poles
/// below 1 kHz go to exp(2 pi p / rate_hz), zeros to z = 1. One section takes the place of the
/// poles at 12194 Hz: its own are theirs, and its zeros give the cascade the analog gain towards 0
/// Hz and at 0.3 and 0.45 of the rate, in closed form (a linear system in the squared magnitude,
/// then its spectral factor). Gains are within 0.3 dB of the analog ones to 0.45 rate_hz and within
/// 1.2 dB to rate_hz / 2: class 1 at all frequencies below that; nothing is claimed of higher ones.
/// Throws invalid_argument unless rate_hz is 1000 ... 1e7.
PAPILIO_API std::vector<sos_section> weighting_sections(frequency_weighting weighting,
                                                        double rate_hz);

/// Band of an octave or of a fraction of it.
struct octave_band {
  double nominal_hz = 0;  ///< its name, as 31.5 or 1250
  double mid_hz = 0, low_hz = 0, high_hz = 0;
  bool operator==(const octave_band&) const = default;
};

/// Returns the bands of 1/fraction octave whose nominal frequency is from low_hz to high_hz, and
/// whose upper edge is below rate_hz / 2, ascending. IEC 61260-1:2014: with G = 10^0.3 they have
/// their middle at 1000 G^(k / fraction) Hz, or 1000 G^((2 k + 1) / (2 fraction)) where fraction is
/// even, and edges G^(1 / (2 fraction)) below and above it. Names of octaves and thirds are the
/// standard's, and middles to three digits (two from 5 up) of other fractions.
/// Throws invalid_argument unless fraction is 1 ... 48, low_hz above 0 and at most high_hz, high_hz
/// at most 1e9, and rate_hz above 0.
PAPILIO_API std::vector<octave_band> octave_bands(
    std::size_t fraction, double low_hz = 20, double high_hz = 20000,
    double rate_hz = std::numeric_limits<double>::infinity());

/// Designs the filter of a band: Butterworth sections (iir_sections) with -3.01 dB at its edges.
/// The order is 3, and to 6 near half the rate, where the bilinear transformation flattens the
/// lower slope: the least that attenuates there as much as an analog filter of order 3.
/// Class 1 of IEC 61260-1 holds at any rate, for all frequencies below half of it.
/// Throws invalid_argument unless edges ascend about mid_hz, high_hz is below rate_hz / 2, and the
/// band is wide enough for doubles (mid_hz 1e-6 of the rate and more, at fractions to 48).
PAPILIO_API std::vector<sos_section> octave_band_sections(const octave_band& band, double rate_hz);

/// Exponential averages of sound level meters: of 125 ms (F) and of 1 s (S).
enum class time_weighting { fast, slow };

/// Options of meters.
struct sound_level_options {
  double rate_hz = 48000;  ///< 1000 ... 1e7
  frequency_weighting weighting = frequency_weighting::a;
  time_weighting time = time_weighting::fast;
  frequency_weighting peak_weighting = frequency_weighting::c;
  /// Level in dB of a sine whose peaks are at -1 and 1. 0 makes all levels dBFS (AES17), its sound
  /// pressure level makes them dB re 20 uPa: 94 - L if a calibrator of 94 dB reads L dBFS.
  double full_scale_db = 0;
};

/// Levels of a channel in dB. Digital silence is -infinity; NaN is what does not exist: all levels
/// of a channel with a sample that is not finite, and min_db and l*_db of signals no longer than
/// five time constants, which are left out there because the average still rises from silence.
struct sound_levels {
  double leq_db = 0;       ///< of the mean square, Leq
  double max_db = 0;       ///< highest time-weighted level, Lmax
  double min_db = 0;       ///< lowest, Lmin
  double exposure_db = 0;  ///< LE = Leq + 10 log10(duration / 1 s)
  double peak_db = 0;      ///< of the largest weighted sample: a sine of full scale has 3.01 more
  double l10_db = 0;       ///< exceeded in 10 % of the time, to 0.1 dB; below -250 dBFS -infinity
  double l50_db = 0, l90_db = 0;
};

/// Sound level meter over signals that come in blocks of any sizes. Samples are weighted
/// (sos_filter), from silence, and with x their squares, and a the time constant in samples, the
/// time-weighted mean square is
///
///   m[n] = m[n-1] + (1 - exp(-1 / a)) (x[n] - m[n-1]),  a level 10 log10(2 m) + full_scale_db;
///
/// Lmax and Lmin are over all samples, percentiles over every 10 ms. All is computed in double, and
/// has the same bits however a signal is cut, and whatever its other channels are. What is below
/// 1e-100 counts as 0. A copy goes on from the state of its original. Not thread-safe.
template <class T>
class PAPILIO_API level_meter {
 public:
  /// Makes a meter. Throws as weighting_sections, and invalid_argument unless full_scale_db is
  /// finite and channels at least 1.
  explicit level_meter(const sound_level_options& options, std::size_t channels = 1);
  level_meter(const level_meter& other);
  level_meter(level_meter&&) noexcept;
  level_meter& operator=(level_meter other) noexcept;
  ~level_meter();

  const sound_level_options& options() const;
  std::size_t channels() const;
  /// Number of samples so far.
  std::uint64_t samples() const;

  /// Takes the next block, [samples, channels], any strides and number of samples, or a vector of
  /// one channel. Nothing is allocated. O(samples channels). Throws shape_error for other channels.
  void push(view<const T, 2> block);
  template <flat_array Block>
  void push(const Block& samples) {
    const std::span<const T> flat(samples);
    push(view<const T, 2>(flat.data(), {flat.size(), 1}));
  }
  /// Returns the levels of all samples so far. Throws invalid_argument if there are none, or no
  /// such channel.
  sound_levels levels(std::size_t channel = 0) const;
  /// Returns the time-weighted level now. Throws as levels().
  double level_db(std::size_t channel = 0) const;
  /// Begins another signal.
  void reset();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

extern template class level_meter<float>;
extern template class level_meter<double>;

/// Levels of a band, as in sound_levels.
struct band_levels {
  double leq_db = 0, max_db = 0, min_db = 0;
};

/// Levels in bands (octave_band_sections) of what options.weighting leaves, as of level_meter, in
/// all bands at once. peak_weighting is not used. O(samples channels bands).
template <class T>
class PAPILIO_API octave_band_meter {
 public:
  /// Makes a meter. Throws as level_meter and octave_band_sections, invalid_argument for no bands.
  octave_band_meter(const sound_level_options& options, std::span<const octave_band> bands,
                    std::size_t channels = 1);
  octave_band_meter(const octave_band_meter& other);
  octave_band_meter(octave_band_meter&&) noexcept;
  octave_band_meter& operator=(octave_band_meter other) noexcept;
  ~octave_band_meter();

  const sound_level_options& options() const;
  std::span<const octave_band> bands() const;
  std::size_t channels() const;
  std::uint64_t samples() const;

  /// Takes the next block, as level_meter::push.
  void push(view<const T, 2> block);
  template <flat_array Block>
  void push(const Block& samples) {
    const std::span<const T> flat(samples);
    push(view<const T, 2>(flat.data(), {flat.size(), 1}));
  }
  /// Returns the levels of a band so far. Throws as level_meter::levels, and for no such band.
  band_levels levels(std::size_t channel, std::size_t band) const;
  void reset();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

extern template class octave_band_meter<float>;
extern template class octave_band_meter<double>;

}  // namespace papilio
