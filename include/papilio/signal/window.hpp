#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"

namespace papilio {

/// Window weights of a segment, by the definitions (and the decimals) of scipy.signal.windows. With
/// the period N = n (periodic) or n - 1 (symmetric), x = 2 pi k / N and r = 2 k / N - 1:
///
///   rectangular      1
///   hann             0.5 - 0.5 cos x
///   hamming          0.54 - 0.46 cos x
///   blackman         0.42 - 0.5 cos x + 0.08 cos 2x
///   nuttall          0.3635819 - 0.4891775 cos x + 0.1365995 cos 2x - 0.0106411 cos 3x
///   blackman_harris  0.35875 - 0.48829 cos x + 0.14128 cos 2x - 0.01168 cos 3x
///   flat_top         0.21557895 - 0.41663158 cos x + 0.277263158 cos 2x - 0.083578947 cos 3x
///                    + 0.006947368 cos 4x
///   kaiser           I0(beta sqrt(1 - r^2)) / I0(beta)
///   gaussian         exp(-(k - N/2)^2 / (2 sigma^2)), sigma in samples
///   tukey            0.5 - 0.5 cos(x / alpha) up to floor(alpha N / 2) samples from either end,
///                    where alpha N is the two tapers together; 1 between
///   dpss             the first discrete prolate spheroidal sequence of N + 1 points and
///                    half bandwidth NW / (N + 1) cycles a sample, its largest weight 1, times
///                    (N+1)^2 / ((N+1)^2 + NW) where N is odd and no weight is at the centre
///
/// Harris, F. J. (1978), Proc. IEEE 66, 51; Nuttall, A. H. (1981), IEEE Trans. ASSP-29, 84
/// (nuttall: "minimum four-term"); D'Antona, G., Ferrero, A. (2006), Digital Signal Processing for
/// Measurement Systems (flat_top); Slepian, D. (1978), Bell Syst. Tech. J. 57, 1371.
enum class window_kind {
  rectangular,
  hann,
  hamming,
  blackman,
  nuttall,
  blackman_harris,
  flat_top,
  kaiser,
  gaussian,
  tukey,
  dpss
};

/// Symmetry of a window. periodic: one period of length n, for spectral analysis (w[n] would equal
/// w[0]); symmetric: w[n-1] equals w[0], for filter design.
enum class window_symmetry { periodic, symmetric };

/// Window kind with its parameter, or none for the kind's default. The other kinds take none.
/// - kaiser: beta, finite and at least 0; default 8.6
/// - gaussian: sigma in samples, above 0; default N / 5
/// - tukey: alpha, 0 (rectangular) ... 1 (hann); default 0.5
/// - dpss: NW, above 0 and below half of its N + 1 points; default 4, or a quarter of the points
///   where those are fewer than 16
struct window_spec {
  window_kind kind = window_kind::hann;
  std::optional<double> parameter = {};

  /// Converts a kind implicitly.
  window_spec(window_kind k = window_kind::hann, std::optional<double> p = {})
      : kind(k), parameter(p) {}
  bool operator==(const window_spec&) const = default;
};

/// Computes n >= 1 window weights, in double within 1e-15 of the largest (dpss: 1e-16 sqrt n), and
/// rounds them to T, float or double. A single weight is 1. The halves are equal to the bit. O(n),
/// dpss about 25 passes over as many elements.
/// Throws invalid_argument if n is 0, or the parameter is out of range, or the kind takes none.
template <class T = double>
PAPILIO_API array<T, 1> make_window(window_spec window, std::size_t n,
                                    window_symmetry symmetry = window_symmetry::periodic);

/// Returns the sum of the weights: the magnitude of a unit complex exponential at its bin.
template <class T>
PAPILIO_API double window_sum(std::span<const T> window);

/// Returns the coherent gain, the sum of the weights / n: the gain of a tone at a bin's centre,
/// relative to the rectangular window's. Throws, as the two measures below, invalid_argument for no
/// weights, or if the weights sum to 0.
template <class T>
PAPILIO_API double coherent_gain(std::span<const T> window);

/// Returns the noise bandwidth n sum w^2 / (sum w)^2: the width in bins (of rate / n Hz) of the
/// rectangular filter that passes as much white noise at the same peak gain.
template <class T>
PAPILIO_API double equivalent_noise_bandwidth(std::span<const T> window);

/// Returns the loss in dB of a tone half a bin of 1 / n from the nearest.
template <class T>
PAPILIO_API double scalloping_loss_db(std::span<const T> window);

/// Return an enumerator's name, and the enumerator of a name; boxcar, hanning, blackmanharris and
/// flattop, SciPy's and NumPy's names, are known too.
/// Throws invalid_argument for any other name, listing the names.
PAPILIO_API std::string_view to_string(window_kind kind);
PAPILIO_API window_kind parse_window_kind(std::string_view name);

/// Return a window's text, "hann", or "kaiser:8.6" with a parameter in the fewest digits that
/// restore it, and the window of a text.
/// Throws invalid_argument for any other kind, and if the text after the colon is no number or out
/// of the kind's range, or the kind takes none.
PAPILIO_API std::string to_string(const window_spec& window);
PAPILIO_API window_spec parse_window(std::string_view text);

}  // namespace papilio
