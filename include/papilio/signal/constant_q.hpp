#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/signal/window.hpp"

namespace papilio {

/// Norm of an atom that is 1. l1: a sine of amplitude A at its frequency reads A / 2; l2: white noise
/// reads the same in all bins; peak: its largest weight is 1. These are librosa's norms 1, 2, inf.
enum class constant_q_norm { l1, l2, peak };

/// Frequency of C1 in Hz, of equal temperament with A4 at 440 Hz.
inline constexpr double c1_hz = 32.70319566257483;

/// Options of a constant-Q or variable-Q transform; the defaults are those of librosa.cqt.
struct constant_q_options {
  double rate_hz = 22050;  ///< sample rate
  std::size_t hop = 512;   ///< samples between segments, 1 ... 2^20; any number, odd ones too
  double fmin_hz = c1_hz;  ///< frequency of bin 0
  std::size_t bins = 84;   ///< 1 ... 2^14
  std::size_t bins_per_octave = 12;  ///< 1 ... 1024
  /// Bandwidth in Hz that is added to each bin's; 0 is a constant Q. None: 228.7 alpha, as of the
  /// ear (equivalent rectangular bandwidths; librosa.vqt's default).
  std::optional<double> gamma_hz = 0.0;
  double filter_scale = 1;  ///< length of the atoms relative to one period of beats between bins
  window_spec window = window_kind::hann;  ///< a kind whose transform has a closed form
  constant_q_norm norm = constant_q_norm::l1;
  /// Whether values are divided by the root of the atom's length, as librosa's scale.
  bool scale = true;
  /// Share of an atom's peak below which its spectrum is cut off, 1e-9 ... 0.1.
  double tolerance = 1e-5;

  bool operator==(const constant_q_options&) const = default;
};

/// Returns the length in samples, a fraction too, of the atom at a frequency: length[k] of
/// constant_q_plan at f[k]. Nothing is checked.
PAPILIO_API double constant_q_length(const constant_q_options& options, double hz);

/// Returns the highest frequency in Hz that a bin may have, so that half of its window's noise
/// bandwidth (as librosa has it) and gamma_hz / 2 above it are rate_hz / 2. Nothing is checked but the
/// window, as in make_window.
PAPILIO_API double constant_q_highest_hz(const constant_q_options& options);

template <class T>
class constant_q_stream;
namespace signal_detail {
template <class T>
class constant_q_bank;
}

/// Constant-Q transform (variable-Q with gamma_hz): spectra whose bins are spaced in octaves, and as
/// wide as their distance. With f[k] = fmin_hz 2^(k / B), B bins_per_octave, r = 2^(2/B),
///
///   alpha = (r - 1) / (r + 1),  length[k] = filter_scale / alpha rate / (f[k] + gamma / alpha),
///   X[s, k] = c[k] sum_m x[s hop + m] w(m / length[k]) exp(-2 pi i f[k] m / rate),
///
/// w the window over |u| <= 1/2, the signal 0 outside its samples, and c[k] such that the atom has
/// norm 1, times length[k], divided by the root of length[k] with `scale`: librosa's frequencies,
/// lengths and scaling (early downsampling left aside, which changes none of them).
///
/// Definition in frequency: the atom's spectrum is the transform of the continuous window, real, about
/// f[k], cut off where it stays below `tolerance` of its peak, at 0 Hz and at rate / 2. Nothing is
/// resampled, so nothing aliases and a hop may be any number. librosa halves the rate from octave to
/// octave, rounds each length to samples of the halved rate (1 % of it), and leaves out the smallest
/// 1 % of each spectrum: magnitudes differ from it by up to 0.03 of the largest.
///
/// Blocks of block_size() samples are transformed by one real FFT; each bin is its part of the
/// spectrum times its atom's, folded to the segments of the block, and one short inverse FFT. The
/// cost of a sample is about log2(block_size()) + 12 multiply-adds for the defaults.
///
/// T is float or double. Immutable, cheap to copy, and safe to use from many threads at once. Results
/// depend neither on threads nor on how a stream is cut.
///
/// Brown, J.C. (1991), J. Acoust. Soc. Am. 89, 425; Schoerkhuber, C., Klapuri, A., Holighaus, N.,
/// Doerfler, M. (2014), AES 53rd Int. Conf. (variable Q); Velasco, G.A., Holighaus, N., Doerfler, M.,
/// Grill, T. (2011), DAFx-11 (bands of one FFT).
template <class T>
class PAPILIO_API constant_q_plan {
 public:
  /// Plans a transform. Throws invalid_argument naming the option unless each is in its range, the
  /// highest bin's band ends at rate_hz / 2 at most, and the longest atom has at most 2^21 samples.
  explicit constant_q_plan(const constant_q_options& options = {});

  const constant_q_options& options() const;
  std::size_t bins() const { return options().bins; }
  /// Centre frequencies in Hz.
  std::span<const double> frequencies_hz() const;
  /// Lengths of the atoms in samples, fractions too.
  std::span<const double> lengths() const;
  /// Samples that are transformed at once: how far a stream lags behind its input at most.
  std::size_t block_size() const;

  /// Returns the number of segments of a signal, 1 + samples / hop; 0 of no samples. Segment s lies
  /// about sample s hop.
  std::uint64_t segments(std::uint64_t samples) const;

  /// Computes out[s, k] = X[s, k], [segments(signal.size()), bins()], any strides. Memory beside the
  /// result is a block's for each thread.
  /// Throws shape_error for other extents, invalid_argument if a sample is not finite (an FFT would
  /// spread it over its block) or out overlaps the signal.
  void execute(std::span<const T> signal, view<std::complex<T>, 2> out, int threads = 1) const;
  array<std::complex<T>, 2> execute(std::span<const T> signal, int threads = 1) const;

  /// Computes the magnitudes |X[s, k]| in the same shape.
  void execute_magnitude(std::span<const T> signal, view<T, 2> out, int threads = 1) const;

  /// Computes the signal whose transform is nearest to `values`, [segments(out.size()), bins()], in
  /// the sum of |difference / c[k]|^2, by `iterations` steps of conjugate gradients from 0. Each takes
  /// a transform and its adjoint; one is librosa.icqt's result but for its scale.
  /// - What no bin passes is not restored: below fmin_hz and above the highest bin.
  /// - Where hop is longer than about length[k] / 4 the values do not determine the signal.
  /// - A real signal is found: of values that are no transform the nearest one.
  ///
  /// Throws shape_error for other extents; invalid_argument if a value is not finite, iterations is 0,
  /// or out overlaps the values. Memory: four signals and a block for each thread.
  void inverse(view<const std::complex<T>, 2> values, std::span<T> out, std::size_t iterations = 4,
               int threads = 1) const;

 private:
  friend class constant_q_stream<T>;
  std::shared_ptr<const signal_detail::constant_q_bank<T>> bank_;
};

extern template class constant_q_plan<float>;
extern template class constant_q_plan<double>;

/// Callback of a stream, called for each channel in turn with values [segments, bins] of the segments
/// from `first` on, valid until it returns; the sink may overwrite them.
template <class T>
using constant_q_sink =
    function_ref<void(std::uint64_t first, std::size_t channel, view<std::complex<T>, 2> values)>;

/// Constant-Q transform of signals that come in blocks of any sizes and whose length is unknown until
/// finish(). Values have the bits that the plan computes from the whole signal. They come as blocks of
/// block_size() samples are full, many segments at a time.
///
/// Memory is block_size() samples a channel and the work of one block. Not thread-safe. Exceptions of
/// a sink pass through; only reset() may then be called.
template <class T>
class PAPILIO_API constant_q_stream {
 public:
  /// Makes a stream that shares the plan's tables. Throws invalid_argument if channels is 0.
  explicit constant_q_stream(const constant_q_plan<T>& plan, std::size_t channels = 1);
  constant_q_stream(constant_q_stream&&) noexcept;
  constant_q_stream& operator=(constant_q_stream&&) noexcept;
  ~constant_q_stream();

  const constant_q_plan<T>& plan() const;
  std::size_t channels() const;
  /// Number of samples per channel received, and of segments passed to the sink.
  std::uint64_t received() const;
  std::uint64_t segments() const;

  /// Takes the next block, [samples, channels], any strides and any number of samples. Nothing is
  /// allocated.
  /// Throws shape_error if the channels differ, invalid_argument after finish() and, once its block is
  /// transformed, for a sample that is not finite.
  void push(view<const T, 2> block, constant_q_sink<T> sink);
  /// Ends the signal and passes on its last segments. Does nothing when called again.
  void finish(constant_q_sink<T> sink);
  /// Resets the stream for another signal.
  void reset();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

extern template class constant_q_stream<float>;
extern template class constant_q_stream<double>;

}  // namespace papilio
