#pragma once

#include <cstddef>

namespace papilio::fft_detail {

/// Largest odd radix of the generic pass; a larger prime factor goes to Rader or Bluestein.
inline constexpr std::size_t max_odd_radix = 61;

/// One Stockham pass of decimation in time: of n = l * radix * count points, `count` groups of
/// transforms of length l, k fastest, become groups of length l * radix:
///
///   out[k + l (j + radix t)] = sum_r W_radix^{rj} W_{l radix}^{rk} in[k + l (t + count r)]
///   0 <= k < l, 0 <= j, r < radix, 0 <= t < count
///
/// `lanes` is the vector width chosen for it, and fixes the order in which `twiddles` are stored:
/// blocks of (radix - 1) pairs of vectors (re, im), in the order in which they are read.
template <class T>
struct pass {
  std::size_t radix = 0, l = 0, count = 0, lanes = 0;
  const T* twiddles = nullptr;
  const T* odd_roots = nullptr;  // generic radix: cos and sin of 2 pi j r / radix, by (j, r)
  T scale = 1;                   // of the last pass
};

/// Interleaved operands are given by their first element in `re`; `im` is then unused.
template <class T>
using pass_function = void (*)(const pass<T>& p, const T* in_re, const T* in_im, T* out_re,
                               T* out_im);

/// The forms of one (radix, lanes). Index [1] exchanges re and im on the interleaved side, which
/// turns the forward transform into the inverse.
template <class T>
struct pass_kernels {
  pass_function<T> first[2];      ///< interleaved to split, l = 1
  pass_function<T> narrow;        ///< split to split, lanes run over (k, t), any l
  pass_function<T> wide;          ///< split to split, lanes run over k, l >= lanes
  pass_function<T> last[2];       ///< split to interleaved, lanes run over k, l >= lanes
  pass_function<T> single[2];     ///< interleaved to interleaved, n = radix, lanes = 1
  pass_function<T> single_split;  ///< split to split, likewise
};

/// Widths at which kernels exist on this machine: 1, then the lanes of 16 bytes doubled up to the
/// register. The largest of them that is at most `limit`.
template <class T>
std::size_t lanes_at_most(std::size_t limit);

/// Whether there are kernels of this radix, for every element type.
bool has_pass(std::size_t radix);

/// Kernels of a radix that has_pass, at one width.
template <class T>
const pass_kernels<T>& find_pass_kernels(std::size_t radix, std::size_t lanes);
template <>
const pass_kernels<long double>& find_pass_kernels<long double>(std::size_t radix,
                                                                std::size_t lanes);

}  // namespace papilio::fft_detail
