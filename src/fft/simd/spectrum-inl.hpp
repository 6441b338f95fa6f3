// Half spectra of reals: untangling and its reverse, and what is stored of a bin. Compiled once per
// target.
#if defined(PAPILIO_FFT_SPECTRUM_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PAPILIO_FFT_SPECTRUM_INL
#undef PAPILIO_FFT_SPECTRUM_INL
#else
#define PAPILIO_FFT_SPECTRUM_INL
#endif

#include "fft/simd/vector-inl.hpp"
#include "papilio/fft/options.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {

template <class D>
struct bin_pair {
  cvec<D> direct, mirror;
};

/// half (a + conj b) + w (a - conj b), and the conjugate of the same with a minus between.
template <class D>
HWY_INLINE bin_pair<D> untangled(cvec<D> a, cvec<D> b, hn::Vec<D> half, cvec<D> w) {
  const cvec<D> even = {hn::Add(a.re, b.re), hn::Sub(a.im, b.im)};
  const cvec<D> odd = cvec<D>{hn::Sub(a.re, b.re), hn::Add(a.im, b.im)} * w;
  return {{hn::MulAdd(even.re, half, odd.re), hn::MulAdd(even.im, half, odd.im)},
          {hn::MulSub(even.re, half, odd.re), hn::NegMulAdd(even.im, half, odd.im)}};
}

/// Returns scale (X[at] + conj X[h-at]) + w (X[at] - conj X[h-at]) of bins 0 ... h, for `lanes`
/// indices. The imaginary parts of bins 0 and h count as 0, their real parts `ends` times.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE cvec<D> load_entangled(D d, const T* bins, std::size_t at, std::size_t h,
                                  hn::Vec<D> scale, T ends, cvec<D> w) {
  cvec<D> a = load_interleaved<false>(d, bins + 2 * at);
  cvec<D> b = load_interleaved_reversed(d, bins + 2 * (h - at - lanes_of<D> + 1));
  if (HWY_UNLIKELY(at == 0)) {
    const auto first = hn::FirstN(d, 1);
    const auto times = hn::IfThenElse(first, hn::Set(d, ends), hn::Set(d, T(1)));
    a = {hn::Mul(a.re, times), hn::IfThenZeroElse(first, a.im)};
    b = {hn::Mul(b.re, times), hn::IfThenZeroElse(first, b.im)};
  }
  const cvec<D> even = {hn::Add(a.re, b.re), hn::Sub(a.im, b.im)};
  const cvec<D> odd = cvec<D>{hn::Sub(a.re, b.re), hn::Add(a.im, b.im)} * w;
  return {hn::MulAdd(even.re, scale, odd.re), hn::MulAdd(even.im, scale, odd.im)};
}

template <spectrum_form Form, class D>
HWY_INLINE hn::Vec<D> real_form(cvec<D> x) {
  const auto power = hn::MulAdd(x.re, x.re, hn::Mul(x.im, x.im));
  return Form == spectrum_form::power ? power : hn::Sqrt(power);
}

/// Bins `at`, `at` + 1, ...
template <spectrum_form Form, class D, class T = hn::TFromD<D>>
HWY_INLINE void store_spectrum(D d, cvec<D> x, T* out, std::size_t at) {
  if constexpr (Form == spectrum_form::complex) {
    store_interleaved<false>(d, x, out + 2 * at);
  } else {
    hn::StoreU(real_form<Form>(x), d, out + at);
  }
}

/// The last lane first.
template <spectrum_form Form, class D, class T = hn::TFromD<D>>
HWY_INLINE void store_spectrum_reversed(D d, cvec<D> x, T* out, std::size_t at) {
  if constexpr (Form == spectrum_form::complex) {
    store_interleaved_reversed(d, x, out + 2 * at);
  } else {
    hn::StoreU(reversed(d, real_form<Form>(x)), d, out + at);
  }
}

}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
