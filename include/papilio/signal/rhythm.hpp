#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"

namespace papilio {

// Onsets, tempo and beats by the definitions and defaults of librosa 0.11. An envelope is a strength
// for each segment; frame_rate_hz is how many of them a second has, rate / hop. All functions are
// safe to call from many threads.
//
// Ellis, D.P.W. (2007), Beat tracking by dynamic programming, J. New Music Research 36, 51; Boeck, S.,
// Krebs, F., Schedl, M. (2012), ISMIR (peak picking); Grosche, P., Mueller, M., Kurth, F. (2010),
// ICASSP (tempogram).

/// Reduction of the rises of all mel bands to one number. The median, which beats are tracked by in
/// librosa, leaves out what only a few bands have.
enum class onset_aggregate { mean, median };

/// Options of onset_strength.
struct onset_options {
  double rate_hz = 22050;
  std::size_t n_fft = 2048;  ///< points of a segment, 2 ... 2^24; a periodic Hann window
  std::size_t hop = 512;     ///< samples between segments, at least 1
  std::size_t bands = 128;   ///< mel bands from 0 Hz to rate_hz / 2, 1 ... 1024
  std::size_t lag = 1;       ///< segments over which a rise is measured, at least 1
  onset_aggregate aggregate = onset_aggregate::mean;
};

/// Computes the onset strength of a signal, 1 + samples / hop values: how much the levels of mel bands
/// rise. With S[s, b] the level in dB, at least the highest level - 80,
///
///   strength[s + lag + n_fft / (2 hop)] = aggregate_b max(0, S[s + lag, b] - S[s, b]),
///
/// and 0 before. The shift is that of a centred window, whose level rises before its middle. Memory
/// is a float for each segment and band beside the signal. T is float or double.
/// Throws invalid_argument naming the argument unless each option is in its range, there is a sample,
/// and all are finite.
template <class T>
PAPILIO_API array<double, 1> onset_strength(std::span<const T> signal,
                                            const onset_options& options = {});

/// Options of onset_detect: spans in seconds, rounded down to segments.
struct onset_detect_options {
  double before_maximum = 0.03, after_maximum = 0;  ///< the peak is the largest of these
  double before_mean = 0.1, after_mean = 0.1;       ///< and `delta` above the mean of these
  double wait = 0.03;                               ///< least distance behind the last onset
  double delta = 0.07;  ///< share of the span between the smallest and the largest strength
};

/// Returns the segments, ascending, at which an envelope has an onset: peaks of the envelope scaled to
/// 0 ... 1. Each span begins or ends with the segment itself. A constant envelope has none. O(n) times
/// the spans' segments.
/// Throws invalid_argument unless the rate is positive, strengths finite, and options finite and at
/// least 0.
PAPILIO_API std::vector<std::size_t> onset_detect(std::span<const double> strength,
                                                  double frame_rate_hz,
                                                  const onset_detect_options& options = {});

/// Computes the tempogram, [segments, window]: of `window` segments about each, times a periodic Hann
/// window, the autocorrelation at lags 0 ... window - 1, divided by its largest value. Lag k is a tempo
/// of 60 frame_rate_hz / k beats a minute. Beyond its ends the envelope falls to 0 in a line within
/// window / 2 segments. O(n window^2).
/// Throws invalid_argument unless there is a segment, window is 2 ... 2^16, and strengths are finite.
PAPILIO_API array<double, 2> tempogram(std::span<const double> strength, std::size_t window = 384);

/// Options of a tempo.
struct tempo_options {
  double start_bpm = 120;     ///< centre of the prior in beats a minute
  double octaves = 1;         ///< standard deviation of the prior, normal in log2 of the tempo
  double window_seconds = 8;  ///< of the tempogram
  std::optional<double> max_bpm = 320;  ///< tempos must be below it; none: any
  /// Whether the lag, whole segments in librosa, is refined by the peaks at its multiples: at 43
  /// segments a second 120 beats a minute are 117.45 without.
  bool refine = true;
};

/// Estimates the tempo in beats a minute: the lag k of the mean tempogram R with the largest
/// log(1 + 10^6 R[k]) - ((log2 bpm(k) - log2 start_bpm) / octaves)^2 / 2. 0 of an envelope of zeros.
/// Throws invalid_argument unless there are 2 segments, strengths finite, options and rate positive and
/// finite, and the window has 2 ... 2^16 segments; and if no lag is below max_bpm.
PAPILIO_API double tempo(std::span<const double> strength, double frame_rate_hz,
                         const tempo_options& options = {});

/// Options of beat_track.
struct beat_options {
  tempo_options tempo = {};
  std::optional<double> bpm = {};  ///< none: tempo() of the envelope
  double tightness = 100;          ///< how much a beat that is early or late costs
  bool trim = true;                ///< whether weak beats at the two ends are left out
};

/// Beats of an envelope.
struct beats {
  double bpm = 0;                     ///< the tempo they were tracked with
  std::vector<std::size_t> segments;  ///< ascending
};

/// Finds the beats: the sequence of segments with the largest sum of strength, divided by its standard
/// deviation and smoothed over a 32nd of a beat, less tightness log(distance / period)^2, by dynamic
/// programming over distances of half a beat to two. None of an envelope of zeros. O(n period).
/// Throws as tempo(), and invalid_argument unless tightness is positive and finite, and bpm positive
/// and at most 60 frame_rate_hz.
PAPILIO_API beats beat_track(std::span<const double> strength, double frame_rate_hz,
                             const beat_options& options = {});

}  // namespace papilio
