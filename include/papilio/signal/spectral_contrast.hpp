#pragma once

#include <cstddef>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/signal/mel.hpp"

namespace papilio {

/// Options of spectral contrast, with the defaults of librosa.feature.spectral_contrast.
struct contrast_options {
  std::size_t octaves = 6;  ///< bands above fmin_hz, 1 ... 32
  double fmin_hz = 200;     ///< upper edge of the lowest band, above 0
  double quantile = 0.02;   ///< share of a band's bins in a peak and in a valley, above 0, below 1
  bool is_linear = false;   ///< peaks less valleys; else levels of peaks less levels of valleys, dB
  decibel_options levels = {};  ///< how levels are made
};

/// Spectral contrast: peaks over valleys of the magnitudes in octaves. Band 0 has the bins from 0 to
/// fmin_hz, band b those from 2^(b-1) fmin_hz to 2^b fmin_hz, both included, and the bin before;
/// the last band reaches to the highest bin, and the others leave out their last bin. The valley is
/// the mean of the `quantile` of the smallest magnitudes of a band, the peak that of the largest, of
/// at least one each. Levels are 10 log10, also of magnitudes, and cut `top_db` below the highest
/// peak or valley of all, as librosa has both.
///
/// T is float or double; means are in double. NaN in a band makes its contrast NaN. Immutable and
/// safe to use from many threads at once.
///
/// Jiang, D.-N., Lu, L., Zhang, H.-J., Tao, J.-H., Cai, L.-H. (2002), Proc. ICME 1, 113.
template <class T>
class PAPILIO_API contrast_plan {
 public:
  /// Plans for magnitudes of n_fft / 2 + 1 bins k rate_hz / n_fft. Throws invalid_argument unless
  /// rate_hz is finite and above 0, n_fft 1 ... 2^24, the options are in their ranges,
  /// fmin_hz 2^(octaves - 1) is below rate_hz / 2, and every band has a bin.
  contrast_plan(double rate_hz, std::size_t n_fft, const contrast_options& options = {});

  const contrast_options& options() const { return options_; }
  std::size_t bands() const { return bands_.size(); }  ///< octaves + 1
  std::size_t bins() const { return bins_; }

  /// Computes contrasts [segments, bands] of magnitudes [segments, bins], with any strides with
  /// which an axis of out steps over the whole of the other. The bits do not depend on `threads`.
  /// O(segments * bins).
  /// Throws shape_error for other extents, invalid_argument if out overlaps magnitude.
  void execute(view<const T, 2> magnitude, view<T, 2> out, int threads = 1) const;
  array<T, 2> execute(view<const T, 2> magnitude, int threads = 1) const;

  /// Computes the peaks and the valleys, each [segments, bands], with errors as above. They depend
  /// on their own segments alone, as no level does that is cut below the highest.
  void peaks_and_valleys(view<const T, 2> magnitude, view<double, 2> peaks, view<double, 2> valleys,
                         int threads = 1) const;

 private:
  struct band {
    std::size_t first_bin, bins, share;  // `share` of the bins are averaged
  };

  contrast_options options_;
  std::size_t bins_;
  std::vector<band> bands_;
};

extern template class contrast_plan<float>;
extern template class contrast_plan<double>;

}  // namespace papilio
