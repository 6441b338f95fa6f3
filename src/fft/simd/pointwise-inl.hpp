// Elementwise complex products and the real transforms' untangling. Compiled once per target.
#if defined(PAPILIO_FFT_POINTWISE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PAPILIO_FFT_POINTWISE_INL
#undef PAPILIO_FFT_POINTWISE_INL
#else
#define PAPILIO_FFT_POINTWISE_INL
#endif

#include <algorithm>
#include <cstdint>

#include "fft/simd/spectrum-inl.hpp"
#include "hwy/cache_control.h"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {

template <class T>
using full = hn::ScalableTag<T>;
template <class T>
using one = hn::CappedTag<T, 1>;

template <class D, class T>
HWY_INLINE std::size_t split_run(D d, std::size_t k, std::size_t n, const T* a_re, const T* a_im,
                                 const T* w_re, const T* w_im, T* out_re, T* out_im) {
  for (; k + lanes_of<D> <= n; k += lanes_of<D>)
    store_split(d, load_split(d, a_re + k, a_im + k) * load_split(d, w_re + k, w_im + k),
                out_re + k, out_im + k);
  return k;
}
template <class T>
void multiply_split(std::size_t n, const T* a_re, const T* a_im, const T* w_re, const T* w_im,
                    T* out_re, T* out_im) {
  const std::size_t k = split_run(full<T>(), 0, n, a_re, a_im, w_re, w_im, out_re, out_im);
  split_run(one<T>(), k, n, a_re, a_im, w_re, w_im, out_re, out_im);
}

template <bool Swap, class D, class T>
HWY_INLINE std::size_t in_run(D d, std::size_t k, std::size_t n, const T* a, const T* w_re,
                              const T* w_im, T* out_re, T* out_im) {
  for (; k + lanes_of<D> <= n; k += lanes_of<D>)
    store_split(d, load_interleaved<Swap>(d, a + 2 * k) * load_split(d, w_re + k, w_im + k),
                out_re + k, out_im + k);
  return k;
}
template <bool Swap, class T>
void multiply_in(std::size_t n, const T* a, const T* w_re, const T* w_im, T* out_re, T* out_im) {
  const std::size_t k = in_run<Swap>(full<T>(), 0, n, a, w_re, w_im, out_re, out_im);
  in_run<Swap>(one<T>(), k, n, a, w_re, w_im, out_re, out_im);
}

template <bool Swap, class D, class T>
HWY_INLINE std::size_t out_run(D d, std::size_t k, std::size_t n, const T* a_re, const T* a_im,
                               const T* w_re, const T* w_im, T* out) {
  for (; k + lanes_of<D> <= n; k += lanes_of<D>)
    store_interleaved<Swap>(
        d, load_split(d, a_re + k, a_im + k) * load_split(d, w_re + k, w_im + k), out + 2 * k);
  return k;
}
template <bool Swap, class T>
void multiply_out(std::size_t n, const T* a_re, const T* a_im, const T* w_re, const T* w_im,
                  T* out) {
  const std::size_t k = out_run<Swap>(full<T>(), 0, n, a_re, a_im, w_re, w_im, out);
  out_run<Swap>(one<T>(), k, n, a_re, a_im, w_re, w_im, out);
}

template <class T>
void stream_copy(std::size_t n, const T* from, T* to) {
  const full<T> d;
  constexpr std::size_t lanes = lanes_of<full<T>>;
  const auto beyond = reinterpret_cast<std::uintptr_t>(to) / sizeof(T) % lanes;
  const std::size_t head = std::min(n, beyond == 0 ? 0 : lanes - beyond);
  std::size_t i = 0;
  for (; i < head; ++i) to[i] = from[i];
  for (; i + lanes <= n; i += lanes) hn::Stream(hn::LoadU(d, from + i), d, to + i);
  for (; i < n; ++i) to[i] = from[i];
}
inline void end_streams() { hwy::FlushStream(); }

template <class D>
HWY_INLINE cvec<D> conjugate(cvec<D> v) {
  return {v.re, hn::Neg(v.im)};
}

/// Bins k ... k + lanes - 1 and their mirrors, for k + lanes <= end.
template <class D, class T>
HWY_INLINE std::size_t untangle_run(D d, std::size_t k, std::size_t end, std::size_t h,
                                    const T* w_re, const T* w_im, T* data) {
  constexpr std::size_t lanes = lanes_of<D>;
  const auto half = hn::Set(d, T(0.5));
  for (; k + lanes <= end; k += lanes) {
    T* const mirror = data + 2 * (h - k - lanes + 1);
    const cvec<D> a = load_interleaved<false>(d, data + 2 * k);
    const cvec<D> b = load_interleaved_reversed(d, mirror);
    const auto x = untangled(a, b, half, load_split(d, w_re + k, w_im + k));
    store_interleaved<false>(d, x.direct, data + 2 * k);
    store_interleaved_reversed(d, x.mirror, mirror);
  }
  return k;
}
template <class T>
void untangle(std::size_t h, const T* w_re, const T* w_im, T* data, std::size_t first,
              std::size_t last) {
  if (first == 0) {
    const T re = data[0], im = data[1];
    data[0] = re + im;
    data[1] = 0;
    data[2 * h] = re - im;
    data[2 * h + 1] = 0;
    first = 1;
  }
  // The bin h/2 is its own mirror: X = conj Z.
  if (h % 2 == 0 && last > h / 2) data[h + 1] = -data[h + 1];
  const std::size_t end = std::min(last, (h + 1) / 2);
  const std::size_t k = untangle_run(full<T>(), first, end, h, w_re, w_im, data);
  untangle_run(one<T>(), k, end, h, w_re, w_im, data);
}

template <class D, class T>
HWY_INLINE std::size_t entangle_run(D d, std::size_t k, std::size_t h, const T* w_re, const T* w_im,
                                    const T* bins, T* data) {
  constexpr std::size_t lanes = lanes_of<D>;
  const auto two = hn::Set(d, T(2));
  for (; 2 * (k + lanes) <= h + 1; k += lanes) {
    const std::size_t mirror = h - k - lanes + 1;
    const cvec<D> a = load_interleaved<false>(d, bins + 2 * k);
    const cvec<D> b = conjugate(load_interleaved_reversed(d, bins + 2 * mirror));
    const cvec<D> w = scaled(conjugate(load_split(d, w_re + k, w_im + k)), two);
    const cvec<D> even = a + b, odd = (a - b) * w;
    store_interleaved<false>(d, even + odd, data + 2 * k);
    store_interleaved_reversed(d, conjugate(even - odd), data + 2 * mirror);
  }
  return k;
}
template <class T>
void entangle(std::size_t h, const T* w_re, const T* w_im, const T* bins, T* data) {
  const T first = bins[0], last = bins[2 * h];
  data[0] = first + last;
  data[1] = first - last;
  const std::size_t k = entangle_run(full<T>(), 1, h, w_re, w_im, bins, data);
  entangle_run(one<T>(), k, h, w_re, w_im, bins, data);
  if (h % 2 == 0) {
    data[h] = 2 * bins[h];
    data[h + 1] = -2 * bins[h + 1];
  }
}

}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
