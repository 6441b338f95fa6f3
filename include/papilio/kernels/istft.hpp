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
  bool adjoint = false;            ///< the adjoint of the forward transform, not its inverse

  std::int64_t bins() const { return n_fft / 2 + 1; }
};

/// Inverse short-time Fourier transform by overlap-add in one launch, of all signals the one whose
/// segments differ least from the given ones in the sum of squares:
///   x[t] = sum over s of w[t - first(s)] y_s[t - first(s)] / sum over s of w[t - first(s)]^2,
/// y_s the inverse transform of segment s, first(s) = s hop (less n_fft / 2 where centred).
///
/// With `adjoint`, of the same operands, what the gradient of a function of the spectra is as one
/// of the signal: <g, S x> = <S* g, x> for every signal x, S stft_kernel's complex output with
/// zeros beyond the ends (of other padding: not centred, and folded as the signal was), <,> the sum
/// over all real and imaginary parts. No sum of squares divides it, and every bin counts once:
///   x[t] = sum over s and k = 0 ... n_fft / 2 of
///          w[j] (re g[s, k] cos(2 pi j k / n_fft) - im g[s, k] sin(2 pi j k / n_fft)),
///   j = t - first(s);
/// where no segment reaches, it is 0.
///
/// Input: [2, channels, segments, n_fft / 2 + 1] fp32, the planes re and im. Output: [channels,
/// samples] fp32. Imaginary parts of bin 0 and of bin n_fft / 2 of an even n_fft do not enter.
/// Nothing intermediate goes through HBM.
/// invalid_argument for sizes below 1 (first: below 0), a window of another length, and naming the
/// first sample whose sum of w^2 is not above 1e-10 of the largest w^2; shape_error where the
/// segments end before the samples do (both: of the inverse alone); resource_error for sizes above
/// 2^48, for an n_fft without factors for two stages whose matrix no core's memory holds, and where
/// more segments overlap one sample than the chip has room for (about 5000).
/// Aliasing: as sized_kernel says.
PAPILIO_API sized_kernel istft_kernel(const istft_shape& shape,
                                      const engine::machine_spec& machine);

}  // namespace papilio::kernels
