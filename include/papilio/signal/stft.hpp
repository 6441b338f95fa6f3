#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/fft/rfft_plan.hpp"
#include "papilio/signal/window.hpp"

namespace papilio {

/// What stands outside the signal: zeros, or its mirror image about the first and last sample
/// (numpy.pad's "reflect", repeated where the signal is shorter than the padding).
enum class edge_padding { zero, reflect };

struct stft_options {
  std::size_t n_fft = 2048;       ///< points of each transform, 1 ... 2^24
  std::size_t hop = 512;          ///< samples from one segment to the next, at least 1
  std::size_t window_length = 0;  ///< at most n_fft; 0: n_fft. A shorter window is centred in n_fft
  window_spec window = window_kind::hann;     ///< periodic
  bool centre = true;                         ///< segment s is centred on sample s * hop
  edge_padding padding = edge_padding::zero;  ///< used where centre is set
};

inline constexpr std::size_t max_n_fft = std::size_t{1} << 24;

/// Short-time Fourier transform of real signals: X[s, k] = sum_j w[j] x[first(s) + j]
/// exp(-2 pi i j k / n_fft), first(s) = s * hop (minus n_fft / 2 where centred), bins k = 0 ...
/// n_fft / 2. Unscaled. With centre and n_fft even, the frame count and the values are those of
/// librosa.stft and torch.stft with the same padding.
///
/// T is float or double. Immutable and safe to execute from many threads at once. The result does
/// not depend on `threads`. O(n_fft log n_fft) a segment.
template <class T>
class PAPILIO_API stft_plan {
 public:
  /// invalid_argument naming the option, the bound and the value.
  explicit stft_plan(stft_options options = {});

  /// As given, window_length resolved.
  const stft_options& options() const { return options_; }
  std::size_t bins() const { return transform_.bins(); }
  std::span<const T> window() const { return window_.flat(); }

  /// Segments of a signal: centred 1 + (samples + 2 (n_fft / 2) - n_fft) / hop, else
  /// 1 + (samples - n_fft) / hop; 0 where there are no samples, or too few for one segment.
  std::uint64_t segments(std::uint64_t samples) const;

  /// out[s, k], [segments(signal.size()), bins()], any strides with which one axis steps over the
  /// whole of the other. shape_error otherwise, invalid_argument if out overlaps the signal.
  void execute(std::span<const T> signal, view<std::complex<T>, 2> out, int threads = 1) const;

  /// |X[s, k]|^2 in the same shape.
  void execute_power(std::span<const T> signal, view<T, 2> out, int threads = 1) const;

  /// One segment of n_fft samples, windowed and transformed to bins() values; `scratch` holds
  /// segment_scratch_size() elements and nothing is allocated.
  void transform_segment(std::span<const T> samples, std::span<std::complex<T>> out,
                         std::span<std::complex<T>> scratch) const;
  std::size_t segment_scratch_size() const;

 private:
  template <class Store>
  void for_each_segment(std::span<const T> signal, std::size_t rows, std::size_t columns,
                        int threads, const Store& store) const;

  stft_options options_;
  rfft_plan<T> transform_;
  array<T, 1> window_;
};

extern template class stft_plan<float>;
extern template class stft_plan<double>;

}  // namespace papilio
