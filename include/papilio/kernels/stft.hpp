#pragma once

#include <cstdint>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/kernels/group_split.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

/// Short-time Fourier transform in one launch: X[c, s, k] = sum over j of w[j] x[c, first(s) + j]
/// exp(-2 pi i j k / n_fft), first(s) = s hop (less n_fft / 2 where centred), k = 0 ... n_fft / 2.
///
/// Input: [channels, samples] fp32. Output, fp32, as the problem's result says: complex [2, channels,
/// segments, bins], the planes re and im; magnitude and power [channels, segments, bins]; mel and
/// decibel of mel [channels, segments, bands]. Imaginary parts of bin 0 and of bin n_fft / 2 of an
/// even n_fft are 0. Magnitudes are right where squares neither overflow
/// nor vanish in fp32. The window is folded into the matrices, which stay there.
/// Nothing intermediate goes through HBM but the padded ends of the signal.
/// invalid_argument for sizes below 1, a malformed problem, a floor beyond 2^-126 ... 2^126, a window
/// that is not finite, and what the kernel does not do: double precision, two-sided spectra, halved
/// ends and zeros behind the signal (pad_end); shape_error where there is no segment; resource_error for sizes above 2^48, and for an
/// n_fft without factors for two stages whose matrix of n_fft^2 numbers no core's memory holds.
/// Aliasing: as sized_kernel says.
PAPILIO_API sized_kernel stft_kernel(const stft_problem& problem,
                                     const engine::machine_spec& machine);

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
/// samples] fp32. Imaginary parts of bin 0 and of bin n_fft / 2 of an even n_fft are ignored.
/// Nothing intermediate goes through HBM.
/// invalid_argument for sizes below 1 (first: below 0), a window of another length, and naming the
/// first sample whose sum of w^2 is not above 1e-10 of the largest w^2; shape_error where the
/// segments end before the samples do (both: of the inverse alone); resource_error for sizes above
/// 2^48, for an n_fft without factors for two stages whose matrix no core's memory holds, and where
/// more segments overlap one sample than the chip has room for (about 5000).
/// Aliasing: as sized_kernel says.
PAPILIO_API sized_kernel istft_kernel(const istft_problem& problem,
                                      const engine::machine_spec& machine);

/// Signals to spectra, times a mask, and back, as one graph: nothing is fetched in between, spectra
/// stay on the device, and all tables are there already.
///
///   const masked_stft denoise(dev, {.samples = 16000, ...});
///   graph g(dev);
///   denoise.capture(g, x, mask, y);
///   g.submit();
class PAPILIO_API masked_stft {
 public:
  /// The inverse has the same window and length. A mask is [segments, bins], or, where it is complex,
  /// planes [2, segments, bins]. The device must outlive it. Errors as stft_kernel and istft_kernel;
  /// invalid_argument for a result other than complex. `mode` as prepared_kernel's.
  masked_stft(engine::device& on, const stft_problem& transform, bool complex_mask = false,
              engine::run_mode mode = engine::run_mode::execute);

  engine::tensor_shape signal_shape() const;  ///< [channels, samples]; the result's too
  engine::tensor_shape mask_shape() const;    ///< the same mask for every channel
  const prepared_kernel& forward() const { return forward_; }
  const prepared_kernel& mask() const { return mask_; }
  const prepared_kernel& inverse() const { return inverse_; }

  /// Three launches. shape_error unless signal and result are signal_shape(), mask mask_shape().
  void capture(engine::graph& into, const engine::launch_input& signal,
               const engine::launch_input& mask, const engine::launch_output& result) const;

 private:
  prepared_kernel forward_, mask_, inverse_;
};

/// stft_kernel in parts: of channels where there are at least as many as cores, else of consecutive
/// segments, each core reading its stretch of the signal, which overlaps the next one's. Every
/// value has the bits that it has on one core. invalid_argument for cores < 1, and for segments of
/// a centred signal: what stands beyond its ends is part of the whole, so such a signal is padded
/// before. Else as stft_kernel.
PAPILIO_API group_split split_stft(const stft_problem& shape, int cores,
                                   const engine::machine_spec& machine);

}  // namespace papilio::kernels
