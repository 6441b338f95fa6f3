#pragma once

#include <cstddef>

#include "fft/pass.hpp"
#include "papilio/fft/options.hpp"

namespace papilio::fft_detail {

/// Twiddles of the last pass of a real transform of 2h points, which also unpacks (untangles) its
/// bins. With W = exp(-2 pi i / 2h), Z the transform of half length, and the scale s,
///   X[k] = s/2 (Z[k] + conj Z[h-k]) - i s/2 W^k (Z[k] - conj Z[h-k]).
/// Column k of the pass (outputs k + l j) is mirrored in column l - k. For every pair of blocks of
/// columns, from k and down from l - k, `twiddles` holds the pass's own of both blocks and -i s/2
/// W^{k + l j} for every j, in vectors re, im. `column` holds -i s/2 W^{l j} for 0 < j <= radix/2,
/// for the column 0, which is its own mirror. The ends, bins 0 and h, have a scale of their own in
/// place of s.
template <class T>
struct untangling {
  T half_scale = T(0.5), end_scale = 1;
  const T* twiddles = nullptr;
  const T* column = nullptr;
};

/// Twiddles of the first pass (l = 1) of an inverse real transform, which also packs (entangles)
/// the bins: Z[m] = s (X[m] + conj X[h-m]) + i s conj W^m (X[m] - conj X[h-m]). `twiddles` holds i
/// s conj W^m for every block of t and every r, m = t + count r, in vectors re, im. The bins 0 and
/// h count `ends` times.
template <class T>
struct entangling {
  T scale = 1, ends = 1;
  const T* twiddles = nullptr;
};

/// The first and last passes of real transforms, at the full width of the machine. The first take
/// count >= lanes, the last l > lanes.
template <class T>
struct real_pass_kernels {
  std::size_t lanes = 0;
  /// Takes 2h reals, (re, im) of h points, each times its weight, to split planes.
  void (*first_windowed)(const pass<T>& p, const T* in, const T* window, T* out_re,
                         T* out_im) = nullptr;
  /// Entangles bins 0 ... h and runs the first pass of the inverse transform, which is the forward
  /// one with re and im exchanged.
  void (*first_entangled)(const pass<T>& p, const entangling<T>& e, const T* bins, T* out_re,
                          T* out_im) = nullptr;
  /// Takes split planes to the bins 0 ... h, in every spectrum_form.
  void (*last_untangled[3])(const pass<T>& p, const untangling<T>& u, const T* in_re,
                            const T* in_im, T* out) = {};
};

/// Returns the kernels of a radix; null if it has none.
template <class T>
const real_pass_kernels<T>* find_real_pass_kernels(std::size_t radix);
template <>
const real_pass_kernels<float>* find_real_pass_kernels<float>(std::size_t radix);
template <>
const real_pass_kernels<double>* find_real_pass_kernels<double>(std::size_t radix);

}  // namespace papilio::fft_detail
