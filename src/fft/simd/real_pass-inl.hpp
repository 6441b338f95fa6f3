// First and last passes of real transforms (see real_pass.hpp). Compiled once per target.
#if defined(PAPILIO_FFT_REAL_PASS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PAPILIO_FFT_REAL_PASS_INL
#undef PAPILIO_FFT_REAL_PASS_INL
#else
#define PAPILIO_FFT_REAL_PASS_INL
#endif

#include <algorithm>

#include "fft/real_pass.hpp"
#include "fft/simd/spectrum-inl.hpp"
#include "fft/simd/stockham-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {

template <class D>
HWY_INLINE cvec<D> load_windowed(D d, const hn::TFromD<D>* p, const hn::TFromD<D>* window) {
  const cvec<D> x = load_interleaved<false>(d, p), w = load_interleaved<false>(d, window);
  return {hn::Mul(x.re, w.re), hn::Mul(x.im, w.im)};
}

/// Lanes run over t, l = 1; the last block overlaps its neighbour. `load` gives the input at an
/// index; it is called in the order of the twiddles.
template <class D, class Butterfly, class Load>
HWY_INLINE void first_loop(const pass<hn::TFromD<D>>& p, hn::TFromD<D>* out_re,
                           hn::TFromD<D>* out_im, const Load& load) {
  const D d;
  constexpr std::size_t lanes = lanes_of<D>;
  const std::size_t radix = radix_of<Butterfly>(p);
  for (std::size_t start = 0; start < p.count; start += lanes) {
    const std::size_t t = std::min(start, p.count - lanes);
    Butterfly b;
    PAPILIO_UNROLL
    for (std::size_t r = 0; r < radix; ++r) b.set(r, load(t + p.count * r));
    b.run(d, p);
    store_transposed(d, p, b, out_re + radix * t, real_part());
    store_transposed(d, p, b, out_im + radix * t, imaginary_part());
  }
}

template <class D, class Butterfly>
HWY_NOINLINE void first_windowed(const pass<hn::TFromD<D>>& p, const hn::TFromD<D>* in,
                                 const hn::TFromD<D>* window, hn::TFromD<D>* out_re,
                                 hn::TFromD<D>* out_im) {
  first_loop<D, Butterfly>(p, out_re, out_im, [&](std::size_t at) HWY_ATTR {
    return load_windowed(D(), in + 2 * at, window + 2 * at);
  });
}

template <class D, class Butterfly>
HWY_NOINLINE void first_entangled(const pass<hn::TFromD<D>>& p, const entangling<hn::TFromD<D>>& e,
                                  const hn::TFromD<D>* bins, hn::TFromD<D>* out_re,
                                  hn::TFromD<D>* out_im) {
  using T = hn::TFromD<D>;
  const std::size_t h = p.radix * p.count;
  const auto scale = hn::Set(D(), e.scale);
  const T* w = e.twiddles;
  first_loop<D, Butterfly>(p, out_re, out_im, [&](std::size_t at) HWY_ATTR {
    const cvec<D> z =
        load_entangled(D(), bins, at, h, scale, e.ends, load_split(D(), w, w + lanes_of<D>));
    w += 2 * lanes_of<D>;
    return cvec<D>{z.im, z.re};
  });
}

/// The outputs l j, j < radix, of the pass, each other's mirrors: one lane.
template <spectrum_form Form, template <class> class Butterfly, class T>
HWY_INLINE void untangle_column(const pass<T>& p, const untangling<T>& u, const T* in_re,
                                const T* in_im, T* out) {
  using D = hn::CappedTag<T, 1>;
  const D d;
  const std::size_t radix = radix_of<Butterfly<D>>(p), l = p.l;
  Butterfly<D> b;
  load_inputs<layout::split, false>(d, p, b, in_re, in_im, 0, l, in_re);
  b.run(d, p);
  const auto half = hn::Set(d, u.half_scale);
  const cvec<D> z = scaled(b.get(0), hn::Set(d, u.end_scale));
  store_spectrum<Form>(d, {hn::Add(z.re, z.im), hn::Zero(d)}, out, 0);
  store_spectrum<Form>(d, {hn::Sub(z.re, z.im), hn::Zero(d)}, out, l * radix);
  for (std::size_t j = 1; j <= radix / 2; ++j) {
    const T* const w = u.column + 2 * (j - 1);
    const auto x = untangled(b.get(j), b.get(radix - j), half, load_split(d, w, w + 1));
    store_spectrum<Form>(d, x.mirror, out, l * (radix - j));
    store_spectrum<Form>(d, x.direct, out, l * j);
  }
}

/// Blocks of columns from k = 1 on together with their mirrors; the last block overlaps its
/// neighbour.
template <class T, template <class> class Butterfly, spectrum_form Form>
HWY_NOINLINE void last_untangled(const pass<T>& p, const untangling<T>& u, const T* in_re,
                                 const T* in_im, T* out) {
  using D = hn::ScalableTag<T>;
  const D d;
  constexpr std::size_t lanes = lanes_of<D>;
  untangle_column<Form, Butterfly>(p, u, in_re, in_im, out);
  const std::size_t radix = radix_of<Butterfly<D>>(p), l = p.l;
  const std::size_t own = 2 * (radix - 1) * lanes;
  const auto half = hn::Set(d, u.half_scale);
  const T* w = u.twiddles;
  for (std::size_t start = 1; 2 * start <= l; start += lanes) {
    const std::size_t k = std::min(start, l - lanes), mirror = l - k - lanes + 1;
    Butterfly<D> a, b;
    load_inputs<layout::split, true>(d, p, a, in_re, in_im, k, l, w);
    a.run(d, p);
    load_inputs<layout::split, true>(d, p, b, in_re, in_im, mirror, l, w + own);
    b.run(d, p);
    w += 2 * own;
    PAPILIO_UNROLL
    for (std::size_t j = 0; j < radix; ++j, w += 2 * lanes) {
      const auto x =
          untangled(a.get(j), reversed(d, b.get(radix - 1 - j)), half, load_split(d, w, w + lanes));
      store_spectrum<Form>(d, x.direct, out, k + l * j);
      store_spectrum_reversed<Form>(d, x.mirror, out, mirror + l * (radix - 1 - j));
    }
  }
}

/// Null for the radices of the most code.
template <class T, template <class> class Butterfly>
const real_pass_kernels<T>* real_kernels_of() {
  using D = hn::ScalableTag<T>;
  if constexpr (Butterfly<D>::fixed_radix == 11 || Butterfly<D>::fixed_radix == 13) {
    return nullptr;
  } else {
    static constexpr real_pass_kernels<T> kernels = {
        lanes_of<D>,
        first_windowed<D, Butterfly<D>>,
        first_entangled<D, Butterfly<D>>,
        {last_untangled<T, Butterfly, spectrum_form::complex>,
         last_untangled<T, Butterfly, spectrum_form::magnitude>,
         last_untangled<T, Butterfly, spectrum_form::power>}};
    return &kernels;
  }
}

}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
