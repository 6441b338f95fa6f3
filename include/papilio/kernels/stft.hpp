#pragma once

#include <cstdint>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

/// What stands within n_fft / 2 samples of either end of a centred signal: zeros, its mirror image
/// about the first and the last sample (repeated where the signal is shorter than the padding), or
/// those samples repeated.
enum class stft_padding : std::uint8_t { zero, reflect, edge };

/// complex: [2, channels, segments, bins], the planes re and im; magnitude and power:
/// [channels, segments, bins]; mel: [channels, segments, mels], the mel matrix times the power;
/// decibel: 10 log10 of max(power, floor), of mel where there is a mel matrix.
enum class stft_output : std::uint8_t { complex, magnitude, power, mel, decibel };

struct stft_shape {
  std::int64_t channels = 1;
  std::int64_t samples = 16000;
  std::int64_t n_fft = 2048;
  std::int64_t hop = 512;
  std::vector<float> window = {};  ///< n_fft weights, any scaling with them; empty: ones
  bool centre = true;              ///< segment s is centred on sample s * hop
  stft_padding padding = stft_padding::zero;
  stft_output output = stft_output::complex;
  float floor = 1e-10F;  ///< of decibel: a power, 2^-126 ... 2^126
  std::int64_t mels = 0;
  std::vector<float> mel = {};  ///< [mels, bins], row by row

  std::int64_t bins() const { return n_fft / 2 + 1; }
};

/// 1 + floor((samples [+ 2 (n_fft / 2) where centred] - n_fft) / hop); 0 where there is no segment.
/// invalid_argument for sizes below 1.
PAPILIO_API std::int64_t stft_segments(const stft_shape& shape);

/// Short-time Fourier transform in one launch: X[c, s, k] = sum over j of w[j] x[c, first(s) + j]
/// exp(-2 pi i j k / n_fft), first(s) = s hop (less n_fft / 2 where centred), k = 0 ... n_fft / 2.
///
/// Input: [channels, samples] fp32. Output: as stft_output says, fp32. Imaginary parts of bin 0
/// and of bin n_fft / 2 of an even n_fft are 0. Magnitudes are right where squares neither overflow
/// nor vanish in fp32. The window is folded into the resident matrices.
/// Nothing intermediate goes through HBM but the padded ends of the signal.
/// invalid_argument for sizes below 1, a window or mel matrix of another length, a floor out of
/// range; shape_error where there is no segment; resource_error for sizes above 2^48, and for an
/// n_fft without factors for two stages whose matrix of n_fft^2 numbers no core's memory holds.
/// Aliasing: as sized_kernel says.
PAPILIO_API sized_kernel stft_kernel(const stft_shape& shape, const engine::machine_spec& machine);

}  // namespace papilio::kernels
