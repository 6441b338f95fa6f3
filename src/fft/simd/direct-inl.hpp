// Direct sums of a short odd length, lanes over the outputs. Compiled once per target.
#if defined(PAPILIO_FFT_DIRECT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PAPILIO_FFT_DIRECT_INL
#undef PAPILIO_FFT_DIRECT_INL
#else
#define PAPILIO_FFT_DIRECT_INL
#endif

#include "fft/direct.hpp"
#include "fft/simd/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {

/// Sums over r of (a register of cosines) sum_r and (of sines) difference_r.
template <class D>
struct direct_sums {
  cvec<D> even, odd;

  HWY_INLINE void add(D d, const hn::TFromD<D>* cosine, const hn::TFromD<D>* sine,
                      const hn::TFromD<D>* pair) {
    const auto c = hn::LoadU(d, cosine), s = hn::LoadU(d, sine);
    even.re = hn::MulAdd(c, hn::Set(d, pair[0]), even.re);
    even.im = hn::MulAdd(c, hn::Set(d, pair[1]), even.im);
    odd.re = hn::MulAdd(s, hn::Set(d, pair[2]), odd.re);
    odd.im = hn::MulAdd(s, hn::Set(d, pair[3]), odd.im);
  }
};

/// y_j, y_{n-j} = x_0 + sum_r cos(2 pi j r / n) (x_r + x_{n-r}) -+ i sum_r sin(...) (x_r -
/// x_{n-r}), in two interleaved chains, which round less than one and overlap.
template <class T>
HWY_NOINLINE void direct(const direct_tables<T>& tables, const T* in_re, const T* in_im,
                         std::size_t in_step, T* out_re, T* out_im, std::size_t out_step) {
  const hn::ScalableTag<T> d;
  using D = decltype(hn::ScalableTag<T>());
  constexpr std::size_t lanes = lanes_of<D>, most = max_direct / 2;
  const std::size_t n = tables.n, half = n / 2;
  HWY_ALIGN T pairs[4 * most];
  const T x0_re = in_re[0], x0_im = in_im[0];
  T total_re = 0, total_im = 0;
  for (std::size_t r = 1; r <= half; ++r) {
    const T a_re = in_re[r * in_step], a_im = in_im[r * in_step];
    const T b_re = in_re[(n - r) * in_step], b_im = in_im[(n - r) * in_step];
    T* const pair = pairs + 4 * (r - 1);
    pair[0] = a_re + b_re;
    pair[1] = a_im + b_im;
    pair[2] = a_re - b_re;
    pair[3] = a_im - b_im;
    total_re += pair[0];
    total_im += pair[1];
  }
  const T scale = tables.scale;
  HWY_ALIGN T y[4][most + lanes];
  const std::size_t row = 2 * tables.width;
  for (std::size_t j = 0; j < half; j += lanes) {
    const auto zero = hn::Zero(d);
    direct_sums<D> a = {{hn::Set(d, x0_re), hn::Set(d, x0_im)}, {zero, zero}};
    direct_sums<D> b = {{zero, zero}, {zero, zero}};
    const T* roots = tables.roots + j;
    std::size_t r = 0;
    for (; r + 2 <= half; r += 2, roots += 2 * row) {
      a.add(d, roots, roots + tables.width, pairs + 4 * r);
      b.add(d, roots + row, roots + row + tables.width, pairs + 4 * r + 4);
    }
    if (r < half) a.add(d, roots, roots + tables.width, pairs + 4 * r);
    const auto factor = hn::Set(d, scale);
    const cvec<D> even = scaled(a.even + b.even, factor), odd = scaled(a.odd + b.odd, factor);
    store_split(d, minus_i(even, odd), y[0] + j, y[1] + j);
    store_split(d, plus_i(even, odd), y[2] + j, y[3] + j);
  }
  out_re[0] = (x0_re + total_re) * scale;
  out_im[0] = (x0_im + total_im) * scale;
  for (std::size_t j = 1; j <= half; ++j) {
    out_re[j * out_step] = y[0][j - 1];
    out_im[j * out_step] = y[1][j - 1];
    out_re[(n - j) * out_step] = y[2][j - 1];
    out_im[(n - j) * out_step] = y[3][j - 1];
  }
}

}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
