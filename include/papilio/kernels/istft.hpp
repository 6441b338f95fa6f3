#pragma once

#include <cstdint>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

struct istft_shape {
  std::int64_t channels = 1;
  std::int64_t segments = 1;
  std::int64_t samples = 16000;  ///< of each channel of the result: any that the segments reach
  std::int64_t first = 0;        ///< sample of the signal with which the result begins
  std::int64_t n_fft = 2048;
  std::int64_t hop = 512;
  std::vector<float> window = {};  ///< n_fft weights, as of stft_shape; empty: ones
  bool centre = true;              ///< segment s is centred on sample s hop

  std::int64_t bins() const { return n_fft / 2 + 1; }
};

/// Inverse short-time Fourier transform by overlap-add in one launch, of all signals the one whose
/// segments differ least from the given ones in the sum of squares:
///   x[t] = sum over s of w[t - first(s)] y_s[t - first(s)] / sum over s of w[t - first(s)]^2,
/// y_s the inverse transform of segment s, first(s) = s hop (less n_fft / 2 where centred).
///
/// Input: [2, channels, segments, n_fft / 2 + 1] fp32, the planes re and im. Output: [channels,
/// samples] fp32. Imaginary parts of bin 0 and of bin n_fft / 2 of an even n_fft do not enter.
/// Nothing intermediate goes through HBM.
/// invalid_argument for sizes below 1 (first: below 0), a window of another length, and naming the
/// first sample whose sum of w^2 is not above 1e-10 of the largest w^2; shape_error where the
/// segments end before the samples do; resource_error for sizes above 2^48, for an n_fft without
/// factors for two stages whose matrix no core's memory holds, and where more segments overlap one
/// sample than the chip has room for (about 5000).
PAPILIO_API sized_kernel istft_kernel(const istft_shape& shape,
                                      const engine::machine_spec& machine);

}  // namespace papilio::kernels
