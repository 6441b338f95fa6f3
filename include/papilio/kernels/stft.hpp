#pragma once

#include <cstdint>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/kernels/group_split.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

/// Computes the short-time Fourier transform in one launch:
///   X[c, s, k] = sum over j of w[j] x[c, first(s) + j] exp(-2 pi i j k / n_fft),
/// first(s) = s hop (less n_fft / 2 if centred), k = 0 ... n_fft / 2. Imaginary values of bin 0 and
/// of bin n_fft / 2 of an even n_fft are 0. Magnitudes are accurate where squares neither overflow
/// nor underflow in fp32. The window is folded into the matrices, which are kept on the device.
/// Only the padded ends of the signal go through HBM in between; of segments that do not fit on chip
/// these go, too. Aliasing: as sized_kernel says.
///
/// `precision` is that of the tensor engine's products, by the transform's matrices and by bands:
///   native       fp32
///   bf16         data and matrices rounded to bf16 once for each product, sums in fp32
///   split_bf16   data and matrices as sums of two or three bf16 numbers
///   target_error the fastest of these that is expected to meet it; recipe() lists all
/// Everything else is fp32. `expected_error` is that of complex spectra for random input: of powers
/// it is the same, of magnitudes 0.7 of it, of bands at most it, of decibel that of the power.
///
/// With `adjoint`, computes the adjoint of istft_kernel's inverse, one program of a division, a
/// transform and, for more segments than the samples alone have, zeros around them:
///   G[c, s, k] = m / n_fft sum over j of w[j] u[c, first(s) + j] exp(-2 pi i j k / n_fft),
///   u[c, t] = g[c, t] / sum over s of w[t - first(s)]^2,
/// m = 2, of the bins that are their own mirror images 1; it throws as istft_kernel where samples
/// are not covered.
///
/// Input: [channels, samples] fp32. Output, fp32, as the problem's result says: complex [2,
/// channels, segments, bins], the planes re and im; magnitude and power [channels, segments, bins];
/// mel and decibel of mel [channels, segments, bands].
/// Throws invalid_argument for sizes below 1, a malformed problem, a floor beyond 2^-126 ... 2^126,
/// a window that is not finite, members of precision out of range, a target error that no mode
/// meets, and what the kernel lacks: double precision, two-sided spectra, zeros behind the signal
/// (pad_end), bf16_refined and compensated; shape_error if there is no segment;
/// resource_error for sizes above 2^48, and for segments that do not fit on chip (above some 16384
/// points, or 2500 of a prime factor above 128), which are lines in HBM, beyond a core's HBM.
PAPILIO_API sized_kernel stft_kernel(const stft_problem& problem,
                                     const engine::machine_spec& machine,
                                     const precision_options& precision = {});

/// Computes the inverse short-time Fourier transform by overlap-add in one launch: the signal whose
/// segments have the least squared difference from the given ones,
///   x[t] = sum over s of w[t - first(s)] y_s[t - first(s)] / sum over s of w[t - first(s)]^2,
/// y_s the inverse transform of segment s, first(s) = s hop (less n_fft / 2 if centred).
///
/// With `adjoint`, computes the adjoint S* of stft_kernel's complex transform S, which makes the
/// gradient with respect to the spectra one with respect to the signal: <g, S x> = <S* g, x> for
/// every signal x, <,> the sum over all real and imaginary values. S has zeros beyond the ends (for
/// other padding: not centred, and folded as the signal was). There is no division by the sum of
/// squares, and every bin counts once:
///   x[t] = sum over s and k = 0 ... n_fft / 2 of
///          w[j] (re g[s, k] cos(2 pi j k / n_fft) - im g[s, k] sin(2 pi j k / n_fft)),
///   j = t - first(s);
/// where no segment reaches, it is 0.
///
/// Input: [2, channels, segments, n_fft / 2 + 1] fp32, the planes re and im. Output: [channels,
/// samples] fp32. Imaginary values of bin 0 and of bin n_fft / 2 of an even n_fft are ignored.
/// Nothing intermediate goes through HBM, but segments that do not fit on chip. `precision` and `expected_error` as of stft_kernel.
/// Aliasing: as sized_kernel says.
/// Throws invalid_argument for sizes below 1 (first: below 0), a window of another length, a
/// precision that stft_kernel refuses and, for the inverse, a sum of w^2 that is not above 1e-10 of
/// the largest w^2, naming the first such sample; shape_error if, for the inverse, the segments end
/// before the samples; resource_error for sizes above 2^48, and for segments
/// that do not fit on chip, as stft_kernel.
PAPILIO_API sized_kernel istft_kernel(const istft_problem& problem,
                                      const engine::machine_spec& machine,
                                      const precision_options& precision = {});

/// Transforms signals, multiplies by a mask and transforms back, as one graph. Spectra and tables
/// are kept on the device.
///
///   const masked_stft denoise(dev, {.samples = 16000, ...});
///   graph g(dev);
///   denoise.capture(g, x, mask, y);
///   g.submit();
class PAPILIO_API masked_stft {
 public:
  /// The inverse has the same window and length. A mask is [segments, bins], or planes [2,
  /// segments, bins] if complex. The device must outlive it. `mode` as in prepared_kernel.
  /// `precision` is that of both transforms, each of which meets a target error; the mask's
  /// products are fp32.
  /// Throws as stft_kernel and istft_kernel, and invalid_argument for a result other than complex.
  masked_stft(engine::device& on, const stft_problem& transform, bool complex_mask = false,
              engine::run_mode mode = engine::run_mode::execute,
              const precision_options& precision = {});

  engine::tensor_shape signal_shape() const;  ///< [channels, samples]; the result's too
  engine::tensor_shape mask_shape() const;    ///< the same mask for every channel
  const prepared_kernel& forward() const { return forward_; }
  const prepared_kernel& mask() const { return mask_; }
  const prepared_kernel& inverse() const { return inverse_; }

  /// Captures three launches. Throws shape_error unless signal and result are signal_shape() and
  /// mask is mask_shape().
  void capture(engine::graph& into, const engine::launch_input& signal,
               const engine::launch_input& mask, const engine::launch_output& result) const;

 private:
  prepared_kernel forward_, mask_, inverse_;
};

/// Splits stft_kernel over cores: by channels if there are at least as many as cores, else by
/// consecutive segments, each core reading its overlapping stretch of the signal. Values have the
/// error of one core, and its bits where the cores' kernels are designed as the whole's: from 1024
/// segments on, points that segments share are summed in another order. A target error chooses the
/// mode for the whole.
/// Throws as stft_kernel, and invalid_argument for cores < 1 and for splitting segments of a
/// centred signal, which depends on padding of the whole: pad it before.
PAPILIO_API group_split split_stft(const stft_problem& shape, int cores,
                                   const engine::machine_spec& machine,
                                   const precision_options& precision = {});

}  // namespace papilio::kernels
