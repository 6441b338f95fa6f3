#pragma once

#include <cstddef>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/fft/dct_plan.hpp"
#include "papilio/signal/decibel.hpp"
#include "papilio/signal/mel.hpp"
#include "papilio/signal/stft.hpp"

namespace papilio {

struct mfcc_options {
  std::size_t coefficients = 20;  ///< 1 ... bands
  decibel_options decibel = {};   ///< of the bands' powers
  double lifter = 0;  ///< L > 0: coefficient i times 1 + (L/2) sin(pi (i+1) / L); 0: as they are
};

/// Mel-frequency cepstral coefficients: the first coefficients of the orthonormal DCT-II of the
/// bands' levels in dB. As librosa.feature.mfcc(S=...) and torchaudio.transforms.MFCC.
///
/// Davis, S., Mermelstein, P. (1980), IEEE Trans. ASSP-28, 357. T is float or double. Immutable and
/// safe to use from many threads at once.
template <class T>
class PAPILIO_API mfcc_plan {
 public:
  /// invalid_argument unless coefficients is 1 ... bands and lifter finite and at least 0.
  explicit mfcc_plan(std::size_t bands, const mfcc_options& options = {});

  std::size_t bands() const { return transform_.size(); }
  std::size_t coefficients() const { return options_.coefficients; }

  /// Powers of a mel_filterbank, [segments, bands], to [segments, coefficients]; any strides with
  /// which an axis of out steps over the whole of the other. The result does not depend on
  /// `threads`. O(bands log bands) a segment. shape_error if the extents do not fit,
  /// invalid_argument if out overlaps mel or for bad decibel options.
  void execute(view<const T, 2> mel, view<T, 2> out, int threads = 1) const;
  array<T, 2> execute(view<const T, 2> mel, int threads = 1) const;

  /// The same under a policy. Accelerators have no kernel: device is a device_error, automatic the
  /// host.
  void execute(view<const T, 2> mel, view<T, 2> out, const execution& on) const {
    signal_detail::require_host("mfcc_plan", "mfcc", "it has no kernel of cepstra", on);
    execute(mel, out, on.threads);
  }
  array<T, 2> execute(view<const T, 2> mel, const execution& on) const {
    signal_detail::require_host("mfcc_plan", "mfcc", "it has no kernel of cepstra", on);
    return execute(mel, on.threads);
  }

 private:
  mfcc_options options_;
  dct_plan<T> transform_;
  array<T, 1> lift_;
};

extern template class mfcc_plan<float>;
extern template class mfcc_plan<double>;

/// Everything between samples and coefficients: an stft_plan's execute_power, a mel_filterbank, an
/// mfcc_plan.
struct mfcc_settings {
  stft_options stft = {};
  mel_options mel = {};
  mfcc_options mfcc = {};
};

/// librosa.feature.mfcc(y, sr): n_fft 2048, hop 512, Hann, zeros at the ends; 128 Slaney bands of
/// unit area; 80 dB below the highest; 20 coefficients.
PAPILIO_API mfcc_settings librosa_mfcc();

/// torchaudio.transforms.MFCC(sample_rate): n_fft 400, hop 200, Hann, mirrored at the ends; 128 HTK
/// bands of unit height; 80 dB below the highest; 40 coefficients.
PAPILIO_API mfcc_settings torchaudio_mfcc();

}  // namespace papilio
