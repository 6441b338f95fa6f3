#pragma once

#include <cstddef>
#include <string_view>

#include "papilio/base/export.hpp"
#include "papilio/signal/window.hpp"

namespace papilio {

/// What stands within n_fft / 2 samples of either end of a centred signal x[0] ... x[m-1]:
///   zero: zeros (numpy.pad "constant"; scipy.signal.stft boundary "zeros");
///   reflect: its mirror image about the first and the last sample, x[-i] = x[i], repeated where
///     the signal is shorter than the padding (numpy.pad "reflect"; scipy "even");
///   edge: the first and the last sample, repeated (numpy.pad "edge"; scipy "constant").
enum class edge_padding { zero, reflect, edge };

/// one: bins 0 ... n_fft / 2, all that a real signal needs; two: bins 0 ... n_fft - 1, of which bin
/// n_fft - k is the conjugate of bin k.
enum class stft_sides { one, two };

/// What every bin is multiplied by; w is the window, sums run over its samples:
///   none: 1;
///   magnitude: 1 / sum w. A sine of amplitude A at a bin's centre has the magnitude A / 2, a
///     constant A the magnitude A (scipy.signal.stft scaling "spectrum", ShortTimeFFT "magnitude");
///   psd: 1 / sqrt(rate_hz sum w^2), so that |X|^2 is the two-sided power spectral density per Hz.
///     A one-sided density is twice that, save at bin 0 and, for even n_fft, at bin n_fft / 2;
///   orthonormal: 1 / sqrt(sum w^2) (torchaudio.transforms.Spectrogram normalized "window"; not
///     torch.stft's normalized=True, which is 1 / sqrt(n_fft));
///   dbfs: 2 / sum w, but 1 / sum w at bin 0 and, for even n_fft, at bin n_fft / 2. A sine of
///     amplitude 1 at a bin's centre, and a constant of 1, have the magnitude 1, which is 0 dBFS.
enum class stft_scaling { none, magnitude, psd, orthonormal, dbfs };

struct stft_options {
  std::size_t n_fft = 2048;       ///< points of each transform, 1 ... 2^24
  std::size_t hop = 512;          ///< samples from one segment to the next, at least 1
  std::size_t window_length = 0;  ///< at most n_fft; 0: n_fft. A shorter window is centred in n_fft
  window_spec window = window_kind::hann;     ///< periodic
  bool centre = true;                         ///< segment s is centred on sample s * hop
  edge_padding padding = edge_padding::zero;  ///< used where centre is set
  /// Zeros follow the (padded) signal, as many as its last samples need to stand in a segment too
  /// (scipy.signal.stft "padded"). Off: samples that do not fill another segment are left.
  bool pad_end = false;
  stft_sides sides = stft_sides::one;
  stft_scaling scaling = stft_scaling::none;
  double rate_hz = 1;  ///< samples per second, positive and finite; used by the scaling psd
};

inline constexpr std::size_t max_n_fft = std::size_t{1} << 24;

/// librosa.stft(x, n_fft=n_fft, hop_length=hop), of librosa 0.10 and later: Hann, centred, zeros
/// beyond the ends, unscaled. Element [s, k] here is element [k, s] there.
PAPILIO_API stft_options librosa_stft(std::size_t n_fft = 2048, std::size_t hop = 512);

/// torch.stft(x, n_fft, hop, window=window, center=True, pad_mode="reflect"): mirrored beyond the
/// ends, unscaled. torch's own default is no window at all, so it is the rectangle here, and its
/// default hop n_fft / 4. With window_kind::hann for torch.hann_window these are also the segments
/// of torchaudio.transforms.Spectrogram. torch refuses signals of n_fft / 2 samples and fewer.
/// invalid_argument if n_fft is below 4 and hop is not given.
PAPILIO_API stft_options torch_stft(std::size_t n_fft);
PAPILIO_API stft_options torch_stft(std::size_t n_fft, std::size_t hop,
                                    window_spec window = window_kind::rectangular);

/// scipy.signal.stft(x, nperseg=nperseg, noverlap=noverlap): Hann, centred, zeros beyond the ends
/// and after them, divided by sum w. noverlap is nperseg / 2 where it is not given. scipy takes the
/// signal's length for nperseg, with a warning, where that is less; here it is the caller who does.
/// invalid_argument unless noverlap < nperseg.
PAPILIO_API stft_options scipy_stft(std::size_t nperseg = 256);
PAPILIO_API stft_options scipy_stft(std::size_t nperseg, std::size_t noverlap);

/// The enumerator's name; and back, invalid_argument naming the choices for any other name.
PAPILIO_API std::string_view to_string(edge_padding padding);
PAPILIO_API std::string_view to_string(stft_sides sides);
PAPILIO_API std::string_view to_string(stft_scaling scaling);
PAPILIO_API edge_padding parse_edge_padding(std::string_view name);
PAPILIO_API stft_sides parse_stft_sides(std::string_view name);
PAPILIO_API stft_scaling parse_stft_scaling(std::string_view name);

}  // namespace papilio
