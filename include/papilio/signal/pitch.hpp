#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio {

// Fundamental frequency by the definitions and defaults of librosa 0.11. With x the `frame` samples
// of a segment, 0 outside the signal, and lags k in samples, both methods begin with
//
//   d[k] = 2 (r[0] - r[k]) - sum_{m<k} x[m]^2,   r[k] = sum_m x[m] x[m + k],
//   d'[k] = d[k] / (mean of d[1] ... d[k]),   floor(rate / fmax) <= k <= ceil(rate / fmin);
//
// at a period of the signal d' is small. Lag k is a trough if d'[k] is below d'[k - 1] and not above
// d'[k + 1]; the first lag if it is below the second. A period is the lag of a trough plus the place
// of the minimum of a parabola through it and its neighbours, which is left out at the first and the
// last lag, and where it would be half a lag or more away.
//
// De Cheveigne, A., Kawahara, H. (2002), J. Acoust. Soc. Am. 111, 1917 (YIN); Mauch, M., Dixon, S.
// (2014), ICASSP (pYIN).

/// Frequencies of C2 and C7 in Hz, of equal temperament with A4 at 440 Hz.
inline constexpr double c2_hz = 65.40639132514966, c7_hz = 2093.004522404789;

/// Options of yin_plan.
struct yin_options {
  double rate_hz = 22050;    ///< sample rate
  double fmin_hz = c2_hz;    ///< lowest frequency, above rate_hz / (frame - 1)
  double fmax_hz = c7_hz;    ///< highest frequency, above fmin_hz, at most rate_hz / 2
  std::size_t frame = 2048;  ///< samples of a segment, 4 ... 2^20; two periods of fmin_hz or more
  std::size_t hop = 512;     ///< samples between segments, at least 1
  bool centre = true;        ///< segment s is centred on sample s * hop, else begins there
  double trough_threshold = 0.1;  ///< of d', positive

  bool operator==(const yin_options&) const = default;
};

/// Options of pyin_plan.
struct pyin_options {
  double rate_hz = 22050;  ///< these six as in yin_options
  double fmin_hz = c2_hz;  ///< also the frequency of bin 0
  double fmax_hz = c7_hz;
  std::size_t frame = 2048;
  std::size_t hop = 512;
  bool centre = true;
  std::size_t thresholds = 100;    ///< thresholds i / thresholds of troughs, 1 ... 10000
  double beta_a = 2, beta_b = 18;  ///< their prior, a beta distribution; both positive
  double boltzmann = 2;            ///< how much the first troughs are preferred, positive
  double resolution = 0.1;         ///< bin width in semitones, 0.001 ... 1; 1 / its ceiling is used
  double max_transition_rate = 35.92;  ///< most octaves a second that a pitch moves, at least 0
  double switch_probability = 0.01;    ///< that voicing changes from a segment to the next, 0 ... 1
  double no_trough_probability = 0.01;  ///< of the lowest trough where none is below a threshold
  /// Frequency in Hz of segments that are not voiced; none: that of the path's bin.
  std::optional<double> fill_hz = std::numeric_limits<double>::quiet_NaN();
};

/// Pitch of a segment.
struct pitch {
  double f0_hz = 0;
  bool voiced = false;            ///< whether the most probable path is voiced here
  double voiced_probability = 0;  ///< sum of the candidates' probabilities, 0 ... 1
};

template <class T>
class pyin_stream;
namespace signal_detail {
template <class T>
class yin_differences;
template <class T>
class pitch_candidates;
}  // namespace signal_detail

/// YIN: the frequency of each segment is that of its first trough with d' < trough_threshold, or of
/// the least d' where there is none. Every segment has one: of silence it is rate_hz / floor(rate_hz /
/// fmax_hz).
///
/// r is computed by one real FFT of at least frame + ceil(rate_hz / fmin_hz) points and back. T is
/// float or double. Immutable, cheap to copy, safe to use from many threads at once; results do not
/// depend on `threads` (0: every core). O(frame log frame) a segment.
template <class T>
class PAPILIO_API yin_plan {
 public:
  /// Plans an analysis. Throws invalid_argument naming the option unless each is in its range.
  explicit yin_plan(const yin_options& options = {});

  const yin_options& options() const { return options_; }
  /// Returns the number of segments of a signal: of an even frame that is centred 1 + samples / hop;
  /// 0 of no samples, and of fewer than `frame` that are not centred.
  std::uint64_t segments(std::uint64_t samples) const;

  /// Computes the frequency of each segment in Hz.
  /// Throws shape_error unless f0_hz has segments(signal.size()) elements; invalid_argument if there
  /// is no segment, if a sample is not finite or so large that its square overflows.
  void execute(std::span<const T> signal, std::span<double> f0_hz, int threads = 1) const;
  array<double, 1> execute(std::span<const T> signal, int threads = 1) const;

 private:
  yin_options options_;
  std::shared_ptr<const signal_detail::yin_differences<T>> differences_;
};

extern template class yin_plan<float>;
extern template class yin_plan<double>;

/// Probabilistic YIN. For each threshold t of `thresholds`, with the prior's probability, the troughs
/// with d' < t are candidates, trough i of n of them with the probability of a truncated Boltzmann
/// distribution, (1 - e^-b) e^(-b i) / (1 - e^(-b n)); without any, the lowest trough has
/// no_trough_probability. Candidates are put into bins of 1 / ceil(1 / resolution) semitones from
/// fmin_hz on (of several in a bin the one of the longest period counts), and f0 is the most probable
/// path through the bins, voiced or not, of a hidden Markov model: a pitch moves within
/// max_transition_rate by a triangular distribution, and voicing changes by switch_probability.
///
/// The path is Viterbi's; where twice delay() segments wait, the first half is decided, on the path
/// that is then the most probable. Paths to different states usually meet within some dozens of
/// segments, so that the rest of the signal would not change it.
///
/// T is float or double. Immutable, cheap to copy, safe to use from many threads at once. Results
/// depend neither on threads nor on how a stream is cut. O(frame log frame + bins semitones) a
/// segment; memory beside the result is 2^24 bytes for the path, 2^25 of the most bins.
template <class T>
class PAPILIO_API pyin_plan {
 public:
  /// Plans an analysis. Throws invalid_argument naming the option unless each is in its range and
  /// there are at most 2^14 bins.
  explicit pyin_plan(const pyin_options& options = {});

  const pyin_options& options() const;
  /// Number of pitch bins, 1 + floor(12 ceil(1 / resolution) log2(fmax_hz / fmin_hz)).
  std::size_t bins() const;
  /// Number of segments that are known, at least, behind one that is decided before the end.
  std::size_t delay() const;
  /// Number of segments, as yin_plan::segments.
  std::uint64_t segments(std::uint64_t samples) const;

  /// Computes the pitch of each segment. Throws as yin_plan::execute.
  void execute(std::span<const T> signal, std::span<pitch> out, int threads = 1) const;
  std::vector<pitch> execute(std::span<const T> signal, int threads = 1) const;

 private:
  friend class pyin_stream<T>;
  std::shared_ptr<const signal_detail::pitch_candidates<T>> tables_;
};

extern template class pyin_plan<float>;
extern template class pyin_plan<double>;

/// Callback of a stream: the pitches of the segments from `first` on, valid until it returns.
using pitch_sink = function_ref<void(std::uint64_t first, std::span<const pitch> pitches)>;

/// pYIN of a signal that comes in blocks of any sizes and whose length is unknown until finish(). Of
/// one channel the pitches have the bits that the plan computes. The differences d of several channels
/// are added, so that there is one pitch of all, which no phase between channels hides.
///
/// Pitches come delay() segments at a time. Memory depends on the plan and the channels only. Not
/// thread-safe. Exceptions of a sink pass through; only reset() may then be called.
template <class T>
class PAPILIO_API pyin_stream {
 public:
  /// Makes a stream that shares the plan's tables. Throws invalid_argument if channels is 0.
  explicit pyin_stream(const pyin_plan<T>& plan, std::size_t channels = 1);
  pyin_stream(pyin_stream&&) noexcept;
  pyin_stream& operator=(pyin_stream&&) noexcept;
  ~pyin_stream();

  const pyin_plan<T>& plan() const;
  std::size_t channels() const;

  /// Takes the next block, [samples, channels], any strides and any number of samples.
  /// Throws shape_error if the channels differ, invalid_argument after finish() and, once its segment
  /// is complete, for a sample that plan().execute() refuses.
  void push(view<const T, 2> block, pitch_sink sink);
  /// Ends the signal and passes on the pitches that are left. A signal without a segment has none.
  /// Does nothing when called again.
  void finish(pitch_sink sink);
  /// Resets the stream for another signal.
  void reset();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

extern template class pyin_stream<float>;
extern template class pyin_stream<double>;

}  // namespace papilio
