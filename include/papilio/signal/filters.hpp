#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/array_like.hpp"
#include "papilio/base/export.hpp"
#include "papilio/signal/window.hpp"

namespace papilio {

/// Second-order section of a recursive filter, a row of scipy's `sos` whose a0 is 1:
///   H(z) = (b0 + b1 / z + b2 / z^2) / (1 + a1 / z + a2 / z^2).
struct sos_section {
  double b0 = 1, b1 = 0, b2 = 0, a1 = 0, a2 = 0;
  bool operator==(const sos_section&) const = default;
};

/// Kind of band that a filter passes or stops.
enum class band_kind { low_pass, high_pass, band_pass, band_stop };

/// Band of a filter by its edges in Hz; the upper one is 0 of low_pass and high_pass.
struct filter_band {
  band_kind kind = band_kind::low_pass;
  double edge_hz = 0, upper_edge_hz = 0;

  static filter_band low_pass(double hz) { return {band_kind::low_pass, hz, 0}; }
  static filter_band high_pass(double hz) { return {band_kind::high_pass, hz, 0}; }
  static filter_band band_pass(double low_hz, double high_hz) {
    return {band_kind::band_pass, low_hz, high_hz};
  }
  static filter_band band_stop(double low_hz, double high_hz) {
    return {band_kind::band_stop, low_hz, high_hz};
  }
};

/// Families of recursive filters.
/// - butterworth: flattest magnitude; an edge is at -3.01 dB
/// - chebyshev1: ripple_db in the pass band; an edge is at -ripple_db
/// - chebyshev2: ripple in the stop band; an edge is at -attenuation_db
/// - elliptic: ripple in both, the steepest; an edge is at -ripple_db
/// - bessel: nearly constant group delay, of the analog prototype
enum class filter_family { butterworth, chebyshev1, chebyshev2, elliptic, bessel };

/// Normalization of a Bessel filter, as scipy's `norm`.
/// - phase: far from the edge the magnitude is that of a Butterworth filter
/// - delay: the prototype's group delay at 0 Hz is 1 / edge, in radians a second
/// - magnitude: an edge is at -3.01 dB; scipy's "mag"
enum class bessel_norm { phase, delay, magnitude };

/// Options of a recursive filter. A band_pass and a band_stop have twice the order.
struct iir_options {
  filter_family family = filter_family::butterworth;
  std::size_t order = 4;  ///< of the prototype, 1 ... 64; bessel 1 ... 25
  filter_band band = {};
  double ripple_db = 1;        ///< chebyshev1 and elliptic, above 0
  double attenuation_db = 40;  ///< chebyshev2 and elliptic (there above ripple_db), above 0
  bessel_norm norm = bessel_norm::phase;
};

/// Transfer function gain prod(z - zeros) / prod(z - poles).
struct zeros_poles_gain {
  std::vector<std::complex<double>> zeros, poles;
  double gain = 1;
};

/// Designs a recursive filter: the analog prototype, moved to the band with its edges prewarped, and
/// transformed by z = (4 + s) / (4 - s). Results are those of scipy.signal.iirfilter to a few
/// roundings times the conditioning of the formulas.
/// Throws invalid_argument naming the option unless each is in its range, edges ascend and lie above 0
/// and below rate_hz / 2, and all poles of the result lie inside the unit circle: of bands so narrow
/// for their order that they do not in double.
///
/// Parks, T.W., Burrus, C.S. (1987), Digital Filter Design; Orfanidis, S.J. (2007), Lecture Notes on
/// Elliptic Filter Design; Thomson, W.E. (1949), Proc. IEE 96, 487 (bessel).
PAPILIO_API zeros_poles_gain iir_zeros_poles(const iir_options& options, double rate_hz);

/// Designs the same filter as second-order sections, with the order and the pairing of scipy's
/// output="sos". Throws as iir_zeros_poles.
PAPILIO_API std::vector<sos_section> iir_sections(const iir_options& options, double rate_hz);

/// Returns the lowest order, and the edges, with which at most ripple_db are lost within the edges of
/// `pass` and at least attenuation_db beyond those of `stop`: scipy.signal.buttord, cheb1ord, cheb2ord and
/// ellipord. Pass edges of a band_stop move inwards to where the order is least, found to 1e-5.
/// Throws invalid_argument naming the argument unless both bands are of one kind and apart, levels are
/// ascending and positive, and the order is 64 at most; and for bessel.
PAPILIO_API iir_options lowest_order(filter_family family, const filter_band& pass,
                                     const filter_band& stop, double ripple_db,
                                     double attenuation_db, double rate_hz);

/// Pairs poles and zeros to sections, as scipy.signal.zpk2sos with pairing "nearest": the pole that is
/// nearest to the unit circle takes the zeros nearest to it and becomes the last section, and so on;
/// the gain goes to the first. O(n^2).
/// Throws invalid_argument if a complex number comes without its conjugate (within 1e-13 or so), one
/// is not finite, or there are more zeros than poles.
PAPILIO_API std::vector<sos_section> to_sections(const zeros_poles_gain& filter);

/// Computes the response of sections at a frequency, their product at z = exp(2 pi i hz / rate_hz).
PAPILIO_API std::complex<double> frequency_response(std::span<const sos_section> sections,
                                                    double hz, double rate_hz);

/// Designs a linear-phase FIR filter by a window, as scipy.signal.firwin: the ideal response
/// of the band, shifted by (taps - 1) / 2 samples, times the symmetric window. With `scale` the gain at
/// the centre of the first band passed (0 Hz, or rate_hz / 2 for high_pass) is 1.
/// Throws invalid_argument unless taps is 1 ... 2^24, odd where rate_hz / 2 is passed, and edges are as
/// in iir_zeros_poles; and if the window has no such parameter.
PAPILIO_API array<double, 1> firwin(std::size_t taps, const filter_band& band, double rate_hz,
                                    window_spec window = window_kind::hamming, bool scale = true);

/// Recursive filter as a cascade of second-order sections, of signals that come in blocks of any sizes
/// from 1 sample on. Each section, with its state (z0, z1), computes (direct form II transposed)
///
///   y = b0 x + z0,  z0 = b1 x - a1 y + z1,  z1 = b2 x - a2 y,
///
/// as scipy.signal.sosfilt in double: of equal sections the values have scipy's bits. T is the samples'
/// type, float or double; states and sums are double, and a float is rounded once.
///
/// Results have the same bits however a signal is cut into blocks, and whatever the other channels are.
/// A sample that is NaN or infinite makes its channel NaN or infinite from there on, as in scipy, until
/// reset(). A copy goes on from the state of its original. Not thread-safe.
template <class T>
class PAPILIO_API sos_filter {
 public:
  /// Makes a filter at rest. Throws invalid_argument unless there is a section, all coefficients are
  /// finite, and channels is at least 1.
  explicit sos_filter(std::span<const sos_section> sections, std::size_t channels = 1);

  std::span<const sos_section> sections() const { return sections_; }
  std::size_t channels() const { return state_.extent(1); }

  /// State (z0, z1) of each section and channel, [sections, channels, 2]: scipy's `zi` and `zf`.
  view<const double, 3> state() const { return state_.view(); }
  /// Sets the state. Throws shape_error for other extents.
  void set_state(view<const double, 3> state);
  /// Sets the state to that of a signal that has always been `first`, one value a channel, so that no
  /// transient begins with it. Throws shape_error for another number of them, invalid_argument if a
  /// section has a pole at 0 Hz.
  void settle(std::span<const T> first);
  /// Resets the filter to rest.
  void reset();

  /// Filters the next block, [samples, channels], any strides and any number of samples, into out,
  /// which may be the block itself. Nothing is allocated. O(samples channels sections).
  /// Throws shape_error unless both are [samples, channels()], invalid_argument if they overlap
  /// otherwise.
  void push(view<const T, 2> block, view<T, 2> out);
  /// Filters the next samples of one channel.
  template <flat_array Block>
  void push(const Block& samples, std::span<T> out) {
    const std::span<const T> flat(samples);
    push(view<const T, 2>(flat.data(), {flat.size(), 1}), view<T, 2>(out.data(), {out.size(), 1}));
  }

 private:
  std::vector<sos_section> sections_;
  array<double, 3> state_;
};

extern template class sos_filter<float>;
extern template class sos_filter<double>;

/// Computes the state (z0, z1) of each section, [sections, 2], under an input that has always been 1:
/// scipy.signal.sosfilt_zi. Throws as sos_filter, and invalid_argument for a pole at 0 Hz.
PAPILIO_API array<double, 2> sosfilt_zi(std::span<const sos_section> sections);

/// Filters a whole signal from rest: sos_filter of one block. An empty signal gives an empty one.
template <class T>
PAPILIO_API array<T, 1> sosfilt(std::span<const sos_section> sections, std::span<const T> signal);

/// Extension of a signal x of n samples beyond its ends by which sosfiltfilt begins and ends.
/// - odd: 2 x[0] - x[k] before, 2 x[n-1] - x[n-1-k] behind
/// - even: x[k] before, x[n-1-k] behind
/// - constant: x[0] and x[n-1]
/// - none: no samples
enum class filter_padding { odd, even, constant, none };

/// Filters forward, then backward, from the settled states of the first and the last value: no phase
/// shift, and the magnitude squared. Equals scipy.signal.sosfiltfilt. `padding` is the number of
/// samples on each side; none: scipy's, 3 (2 sections + 1 - the lesser number of sections whose b2 is
/// 0 and whose a2 is 0). Sums are double between both passes. Memory: one padded signal.
/// Throws as sosfilt_zi, and invalid_argument unless the signal is longer than the padding or both
/// are empty.
template <class T>
PAPILIO_API array<T, 1> sosfiltfilt(std::span<const sos_section> sections,
                                    std::span<const T> signal,
                                    filter_padding kind = filter_padding::odd,
                                    std::optional<std::size_t> padding = {});

/// FIR filter y[n] = sum over k of taps[k] x[n - k] of signals that come in blocks of any sizes from 1
/// sample on, x 0 before the first; bits, types, NaN (within the taps) and copies as of sos_filter.
/// O(samples channels taps), sums in order: for whole signals and more than about 100 taps oaconvolve
/// (papilio/transform.hpp) is quicker.
template <class T>
class PAPILIO_API fir_filter {
 public:
  /// Makes a filter at rest. Throws invalid_argument unless there are 1 ... 2^24 taps, all are finite,
  /// and channels is at least 1.
  explicit fir_filter(std::span<const double> taps, std::size_t channels = 1);

  std::size_t taps() const { return reversed_.size(); }
  std::size_t channels() const { return held_.extent(0); }
  /// Resets the filter to rest.
  void reset();

  /// Filters the next block as sos_filter::push, and with its errors. Nothing is allocated.
  void push(view<const T, 2> block, view<T, 2> out);
  template <flat_array Block>
  void push(const Block& samples, std::span<T> out) {
    const std::span<const T> flat(samples);
    push(view<const T, 2>(flat.data(), {flat.size(), 1}), view<T, 2>(out.data(), {out.size(), 1}));
  }

 private:
  std::vector<double> reversed_;
  array<double, 2> held_;  // [channels, taps - 1 + rows], the last samples and room for the next
};

extern template class fir_filter<float>;
extern template class fir_filter<double>;

/// Options of a Savitzky-Golay filter.
struct savgol_options {
  std::size_t window = 5;      ///< samples of a fit, 1 ... 65535
  std::size_t degree = 2;      ///< of the polynomial, below `window`
  std::size_t derivative = 0;  ///< of the polynomial; above its degree the result is 0
  double step = 1;             ///< distance of samples, by which derivatives are scaled
  /// Signal beyond its ends. interpolate: none, where the first and the last window's polynomials give
  /// the values; mirror: x[1], x[2] ...; nearest: x[0]; wrap: x[n-1], x[n-2] ...; constant: `outside`.
  enum class edge { interpolate, mirror, nearest, wrap, constant } edges = edge::interpolate;
  double outside = 0;
};

/// Computes the weights w whose sum over i of w[i] x[i] is the derivative at `position` (0 ... window -
/// 1, fractions too; where it is not given the middle, (window - 1) / 2) of the polynomial fitted to a
/// window: those of scipy.signal.savgol_coeffs with use="dot". By orthogonal polynomials, O(window
/// degree).
/// Throws invalid_argument naming the option unless each is in its range and `step` finite and not 0.
PAPILIO_API array<double, 1> savgol_weights(const savgol_options& options,
                                            std::optional<double> position = {});

/// Smooths a signal by polynomials fitted to the window about each sample, or differentiates it so:
/// scipy.signal.savgol_filter. O(samples window). NaN reaches the samples whose windows hold it. An even
/// window has its middle between two samples: value i holds for i + 1/2, as in scipy, but where edges
/// are interpolated.
/// Throws as savgol_weights, and invalid_argument if `interpolate` has fewer samples than the window.
///
/// Savitzky, A., Golay, M.J.E. (1964), Anal. Chem. 36, 1627; Gorry, P.A. (1990), Anal. Chem. 62, 570.
template <class T>
PAPILIO_API array<T, 1> savgol_filter(std::span<const T> signal, const savgol_options& options);

/// Computes the analytic signal x + i H(x), the spectrum of which is 0 below 0 Hz, as
/// scipy.signal.hilbert; the real part is x to the bit. Its magnitude is the envelope of a narrow band.
/// The signal is taken for one period: ends that differ ring. O(n log n), by one real FFT and back. NaN
/// spreads over the signal. An empty signal gives an empty one.
template <class T>
PAPILIO_API array<std::complex<T>, 1> hilbert(std::span<const T> signal);

/// Computes the envelope |x + i H(x)|. As hilbert().
template <class T>
PAPILIO_API array<T, 1> hilbert_envelope(std::span<const T> signal);

}  // namespace papilio
