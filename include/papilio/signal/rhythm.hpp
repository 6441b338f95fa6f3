#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/array_like.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/parallel_for.hpp"

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
  std::size_t lag = 1;       ///< segments over which a rise is measured, 1 ... 65536
  onset_aggregate aggregate = onset_aggregate::mean;
  /// Level in dB that lower levels are raised to; none: the highest of the signal - 80, as librosa.
  std::optional<double> floor_db = {};
};

/// Computes the onset strength of a signal, 1 + samples / hop values: how much the levels of mel bands
/// rise. With S[s, b] the level in dB, at least the floor,
///
///   strength[s + lag + n_fft / (2 hop)] = aggregate_b max(0, S[s + lag, b] - S[s, b]),
///
/// and 0 before. The shift is that of a centred window, whose level rises before its middle. Levels of
/// up to 2^23 segments times bands (32 MB) are kept until the highest is known; of longer signals they
/// are computed twice, to the same bits. T is float or double.
/// Throws invalid_argument naming the argument unless each option is in its range, there is a sample,
/// and all are finite.
template <class T>
PAPILIO_API array<double, 1> onset_strength(std::span<const T> signal,
                                            const onset_options& options = {});

/// Computes the onset strength of levels in dB of any bands, [segments, bands], as they are: `lag` and
/// `aggregate` as in onset_options, strengths `shift` segments behind the rise.
/// Throws invalid_argument unless lag is at least 1, there is a band, and levels are finite.
PAPILIO_API array<double, 1> onset_strength(view<const float, 2> levels_db, std::size_t lag,
                                            std::size_t shift,
                                            onset_aggregate aggregate = onset_aggregate::mean);

/// Callback of an onset_stream, called with each segment in turn.
using onset_sink = function_ref<void(std::uint64_t segment, double strength)>;

/// Onset strength of signals that arrive in blocks of any sizes. Each value goes to the sink as soon as
/// its segment is complete, and has the bits that onset_strength computes from the whole signal with
/// this floor. A floor below the highest level takes a pass of its own: that of a stream with a floor
/// of -100, the lowest level there is, whose highest_db() - 80 is librosa's. Channels count by the mean
/// of their powers. Memory does not depend on the signal's length. Not thread-safe.
template <class T>
class PAPILIO_API onset_stream {
 public:
  /// Makes a stream. Throws as onset_strength, and invalid_argument if floor_db is not given or
  /// channels is 0.
  explicit onset_stream(const onset_options& options, std::size_t channels = 1);
  onset_stream(onset_stream&&) noexcept;
  onset_stream& operator=(onset_stream&&) noexcept;
  ~onset_stream();

  std::size_t channels() const;
  /// Number of segments passed to the sink.
  std::uint64_t segments() const;
  /// Highest level so far in dB, at least -100, that of a power of 1e-10.
  double highest_db() const;

  /// Takes the next block, [samples, channels], any strides and any number of samples; of one channel a
  /// vector or span. Throws shape_error if the channels differ, invalid_argument for samples that are
  /// not finite and after finish().
  void push(view<const T, 2> block, onset_sink sink);
  template <flat_array Block>
  void push(const Block& samples, onset_sink sink) {
    const std::span<const T> flat(samples);
    push(view<const T, 2>(flat.data(), {flat.size(), 1}), sink);
  }
  /// Ends the signal and passes on its last segments.
  void finish(onset_sink sink);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

extern template class onset_stream<float>;
extern template class onset_stream<double>;

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
/// window / 2 segments. O(n window log window), by transforms of twice the window. The result does not
/// depend on `threads` (0: every core).
/// Throws invalid_argument unless there is a segment, window is 2 ... 2^16, and strengths are finite.
PAPILIO_API array<double, 2> tempogram(std::span<const double> strength, std::size_t window = 384,
                                       int threads = 1);

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
/// Rows of the tempogram are summed as they are computed: memory is that of one.
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
  /// Share of the beats' root mean square score below which one is weak: in librosa all of it, which
  /// leaves out some of equal clicks. Half keeps these.
  double trim_share = 1;
  /// Whether the last beat lies where it would if the signal went on. In librosa it gives way to a
  /// candidate behind it, nearer to the end, that is then trimmed, by up to five segments.
  bool free_end = false;
};

/// Beats of an envelope.
struct beats {
  double bpm = 0;                     ///< the tempo they were tracked with
  std::vector<std::size_t> segments;  ///< ascending
};

/// Finds the beats: the sequence of segments with the largest sum of strength, divided by its standard
/// deviation and smoothed over a 32nd of a beat, less tightness log(distance / period)^2, by dynamic
/// programming over distances of half a beat to two. None of an envelope of zeros. O(n period).
/// Throws as tempo(), and invalid_argument unless tightness and trim_share are positive and finite,
/// and bpm positive and at most 60 frame_rate_hz.
PAPILIO_API beats beat_track(std::span<const double> strength, double frame_rate_hz,
                             const beat_options& options = {});

/// Places onsets or beats between segments, in seconds: at the centroid of the envelope about the
/// highest strength within a segment, less half of `lag`. A strength is a rise over `lag` segments,
/// which librosa places at the end of the rise.
/// Throws invalid_argument unless the rate is positive, strengths finite, segments ascending and below
/// their number, and lag at least 1.
PAPILIO_API std::vector<double> onset_seconds(std::span<const double> strength,
                                              double frame_rate_hz,
                                              std::span<const std::size_t> segments,
                                              std::size_t lag = 1);

}  // namespace papilio
