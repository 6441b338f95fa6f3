#pragma once

#include <cstddef>

#include "base/internal.hpp"

namespace papilio::fft_detail {

/// Elementwise loops around the transforms. Index [1] exchanges re and im on the interleaved side.
/// Outputs may be the inputs.
template <class T>
struct pointwise_kernels {
  /// Lanes of the widest register.
  std::size_t lanes;

  /// Compute out = a w for n complex numbers, in the layouts split to split, interleaved to split
  /// and back.
  void (*multiply)(std::size_t n, const T* a_re, const T* a_im, const T* w_re, const T* w_im,
                   T* out_re, T* out_im);
  void (*multiply_in[2])(std::size_t n, const T* a, const T* w_re, const T* w_im, T* out_re,
                         T* out_im);
  void (*multiply_out[2])(std::size_t n, const T* a_re, const T* a_im, const T* w_re, const T* w_im,
                          T* out);

  /// Copies n reals past the caches, for results that are not read again soon; other threads may
  /// read them after end_streams.
  void (*stream_copy)(std::size_t n, const T* from, T* to);
  void (*end_streams)();

  /// Turns Z, the DFT of the h points x[2j] + i x[2j+1], in place into the bins 0 ... h of the DFT
  /// of the 2h reals x; `data` holds h + 1 complex. With W = exp(-2 pi i / 2h),
  ///   X[k] = (Z[k] + conj Z[h-k]) / 2 + W^k (Z[k] - conj Z[h-k]) / (2i);
  /// w holds -i W^k / 2 for k = 0 ... h/2. Does the bins first <= k < last of [0, h/2] and their
  /// mirrors.
  void (*untangle)(std::size_t h, const T* w_re, const T* w_im, T* data, std::size_t first,
                   std::size_t last);

  /// Reverses untangle: from bins 0 ... h to 2 Z, the input of the inverse DFT of h points.
  void (*entangle)(std::size_t h, const T* w_re, const T* w_im, const T* bins, T* data);
};

/// Returns the kernels for the widest vectors of this machine; long double has scalar ones, of one
/// lane.
template <class T>
PAPILIO_INTERNAL const pointwise_kernels<T>& find_pointwise_kernels();
template <>
PAPILIO_INTERNAL const pointwise_kernels<float>& find_pointwise_kernels<float>();
template <>
PAPILIO_INTERNAL const pointwise_kernels<double>& find_pointwise_kernels<double>();
template <>
PAPILIO_INTERNAL const pointwise_kernels<long double>& find_pointwise_kernels<long double>();

}  // namespace papilio::fft_detail
