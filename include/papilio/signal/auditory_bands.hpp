#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/signal/mel.hpp"

namespace papilio {

/// Equivalent rectangular bandwidth (ERB) of the auditory filter at a frequency, 24.7 + f / 9.26449,
/// both in Hz; nothing is checked. Glasberg, B. R., Moore, B. C. J. (1990), Hear. Res. 47, 103, with
/// the decimals of Slaney, M. (1993), Apple TR 35, and of scipy.signal.gammatone.
PAPILIO_API double erb_hz(double hz);
/// Number of ERBs below a frequency in Hz, 9.26449 ln(1 + f / (24.7 * 9.26449)), and its inverse;
/// nothing is checked.
PAPILIO_API double hz_to_erb_number(double hz);
PAPILIO_API double erb_number_to_hz(double number);

/// Filters of auditory bands.
///   gammatone  powers |H(f)|^2 of gammatone filters with gain 1 at the centre
///   triangle   triangles from the centre of the band before to that of the band after, linear in Hz
enum class auditory_shape { gammatone, triangle };

/// Options of auditory bands.
struct auditory_options {
  std::size_t bands = 64;  ///< 1 ... 65536
  auditory_shape shape = auditory_shape::gammatone;
  double fmin_hz = 50;                 ///< lower edge of the lowest band, at least 0
  std::optional<double> fmax_hz = {};  ///< upper edge of the highest band; none: rate_hz / 2
  std::size_t order = 4;               ///< of gammatone filters, 1 ... 8
  double bandwidth_erb = 1.019;        ///< of gammatone filters, b / ERB, above 0
};

/// Filterbank of bands that are spaced equally in ERB number: with bands + 2 edges from fmin_hz to
/// fmax_hz, edge b + 1 is the centre of band b. Its weights take powers |X|^2 of a half spectrum to
/// powers of bands; weights at a centre are 1, so that a sine keeps its power.
///
/// A gammatone filter of centre f_c has the impulse response t^(order - 1) exp(-2 pi b t)
/// cos(2 pi f_c t), b = bandwidth_erb * ERB(f_c), sampled at the rate. Its transform is the closed
/// sum over all samples, with p = exp((-2 pi b +- 2 pi i f_c) / rate - 2 pi i f / rate) and
/// sum_n n^m p^n = p A_m(p) / (1 - p)^(m+1), A_m the Eulerian polynomial: no response is cut short.
/// It is that of scipy.signal.gammatone(f_c, "fir"), of as many taps as do not vanish.
/// No weight of it is 0: every band takes every bin.
///
/// T is float or double; weights are computed in double and rounded. Immutable and safe to use from
/// many threads at once.
///
/// Patterson, R. D. et al. (1992), Adv. Biosci. 83, 429; Slaney, M. (1993), as above.
template <class T>
class PAPILIO_API auditory_filterbank {
 public:
  /// Computes the weights. Throws invalid_argument naming the argument unless rate_hz is finite and
  /// above 0, n_fft 1 ... 2^24, 0 <= fmin_hz < fmax_hz <= rate_hz / 2, and the options are in range;
  /// resource_error if the weights cannot be allocated.
  auditory_filterbank(double rate_hz, std::size_t n_fft, const auditory_options& options = {});

  std::size_t bands() const { return bank_.bands(); }
  std::size_t bins() const { return bank_.bins(); }
  /// Edges of the bands in Hz, bands() + 2 of them; edge b + 1 is the centre of band b.
  std::span<const double> edges_hz() const { return bank_.edges_hz(); }
  /// Weights of all bands as a full matrix, [bands, bins].
  array<T, 2> dense() const { return bank_.dense(); }
  /// Triangles, ascending, so narrow that they contain no bin and are 0 for every signal.
  std::span<const std::size_t> empty_bands() const { return bank_.empty_bands(); }

  /// Computes out[s, b] = sum_k weight[b, k] power[s, k], [segments, bins] to [segments, bands];
  /// strides, threads, sides and errors are those of mel_filterbank::apply.
  void apply(view<const T, 2> power, view<T, 2> out, int threads = 1) const {
    bank_.apply(power, out, threads);
  }
  array<T, 2> apply(view<const T, 2> power, int threads = 1) const {
    return bank_.apply(power, threads);
  }
  void apply(view<const T, 2> power, view<T, 2> out, const execution& on) const {
    bank_.apply(power, out, on);
  }
  array<T, 2> apply(view<const T, 2> power, const execution& on) const {
    return bank_.apply(power, on);
  }

 private:
  mel_filterbank<T> bank_;
};

extern template class auditory_filterbank<float>;
extern template class auditory_filterbank<double>;

}  // namespace papilio
