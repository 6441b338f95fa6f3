#pragma once

#include <cstddef>
#include <optional>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/signal/constant_q.hpp"
#include "papilio/signal/window.hpp"

namespace papilio {

// Chroma: what a spectrum has in each pitch class, whatever the octave, by the definitions and defaults
// of librosa.feature and librosa.filters. Chroma are [segments, classes]; class 0 is C. T is float or
// double. All are safe to call from many threads.
//
// Ellis, D.P.W. (2007), Chroma feature analysis and synthesis; Mueller, M., Ewert, S. (2011), ISMIR
// (CENS); Harte, C., Sandler, M., Gasser, M. (2006), AMCMM (tonal centroids).

/// Norm that the classes of a segment have together: the sum, the root of the sum of squares, the
/// largest, or as they are.
enum class chroma_norm { none, l1, l2, peak };

/// Options of pitch classes of an STFT.
struct chroma_options {
  std::size_t classes = 12;  ///< of an octave, 1 ... 1024
  double tuning = 0;         ///< of A4 above 440 Hz, in classes
  double centre_octave = 5;  ///< octaves above 27.5 Hz at which bins count most
  /// Width, in octaves, of the Gaussian about it; none: all octaves count the same.
  std::optional<double> octave_width = 2.0;
};

/// Weights from bins to pitch classes, [classes, bins]. Immutable.
template <class T>
class PAPILIO_API chroma_filterbank {
 public:
  /// Weights of the n_fft / 2 + 1 powers of an STFT: each bin adds to the classes by a Gaussian about its
  /// pitch, as wide as the bin or a class, of l2 norm 1, times that of its octave.
  /// Throws invalid_argument naming the argument unless rate_hz is positive and finite, n_fft 2 ... 2^24,
  /// classes 1 ... 1024, tuning and centre_octave finite, octave_width finite and positive.
  chroma_filterbank(double rate_hz, std::size_t n_fft, const chroma_options& options = {});

  /// Weights of the magnitudes of a constant-Q transform: each bin adds to the nearest class.
  /// Throws invalid_argument unless bins_per_octave is a multiple of classes, 1 at least, and
  /// fmin_hz positive and finite.
  explicit chroma_filterbank(const constant_q_options& transform, std::size_t classes = 12);

  std::size_t classes() const { return weights_.extent(0); }
  std::size_t bins() const { return weights_.extent(1); }
  view<const T, 2> weights() const { return weights_.view(); }

  /// Computes the classes of values [segments, bins], divided by their norm; a silent segment is 0. The
  /// result does not depend on `threads`. O(segments bins classes).
  /// Throws shape_error for other bins.
  array<T, 2> apply(view<const T, 2> values, chroma_norm norm = chroma_norm::peak,
                    int threads = 1) const;

 private:
  array<T, 2> weights_;
};

extern template class chroma_filterbank<float>;
extern template class chroma_filterbank<double>;

/// Estimates the tuning, in fractions of a bin of an octave's `bins_per_octave`, -0.5 to 0.49, from the
/// values |X| or |X|^2, [segments, n_fft / 2 + 1], of an STFT. The local maxima from 150 Hz to 4 kHz that
/// are above a tenth of their segment's largest are found between bins by parabolas; of the stronger half
/// of them the most frequent deviation counts, in steps of 0.01. 0 where there is no maximum.
/// Throws invalid_argument unless rate_hz is positive and finite, bins_per_octave 1 ... 1024, and the
/// values finite; shape_error for other bins.
template <class T>
PAPILIO_API double estimate_tuning(view<const T, 2> values, double rate_hz, std::size_t n_fft,
                                   std::size_t bins_per_octave = 12);

/// Options of chroma_cens.
struct chroma_cens_options {
  std::size_t smoothing = 41;  ///< segments that are averaged; 0: none
  window_spec window = window_kind::hann;
  chroma_norm norm = chroma_norm::l2;
};

/// Computes energy-normalised chroma: chroma [segments, classes], divided by their sum, become 0, 1/4, 2/4,
/// 3/4 or 1 by the thresholds 0.05, 0.1, 0.2 and 0.4, are smoothed along time by a window, and divided by
/// their norm.
/// Throws invalid_argument for a window's parameter out of its range.
template <class T>
PAPILIO_API array<T, 2> chroma_cens(view<const T, 2> chroma,
                                    const chroma_cens_options& options = {});

/// Computes the tonal centroid of chroma [segments, classes]: [segments, 6], the coordinates (sine, cosine)
/// on the circles of fifths, of minor and of major thirds, of radius 1, 1 and 1/2.
/// Throws shape_error if there are no classes.
template <class T>
PAPILIO_API array<T, 2> tonnetz(view<const T, 2> chroma);

}  // namespace papilio
