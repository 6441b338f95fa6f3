// One family of radices for one element type: the body of the stockham_FAMILY_TYPE.cpp files, which
// define PAPILIO_FFT_FAMILY and PAPILIO_FFT_REAL. Included once for each target.
#include "fft/simd/families.hpp"
#include "fft/simd/stockham-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {
namespace {

template <class D>
using radix2 = butterfly<D, 2>;
template <class D>
using radix3 = butterfly<D, 3>;
template <class D>
using radix4 = butterfly<D, 4>;
template <class D>
using radix5 = butterfly<D, 5>;
template <class D>
using radix8 = butterfly<D, 8>;
template <class D>
using radix16 = butterfly<D, 16>;

template <family Family, class T>
const pass_kernels<T>* kernels_in(std::size_t radix, std::size_t lanes) {
  if constexpr (Family == family::small) {
    if (radix == 2) return kernels_at<T, radix2>(lanes);
    if (radix == 3) return kernels_at<T, radix3>(lanes);
    if (radix == 4) return kernels_at<T, radix4>(lanes);
    if (radix == 5) return kernels_at<T, radix5>(lanes);
  } else if constexpr (Family == family::large) {
    if (radix == 8) return kernels_at<T, radix8>(lanes);
    if (radix == 16) return kernels_at<T, radix16>(lanes);
  } else {
    if (radix % 2 == 1) return kernels_at<T, odd_butterfly>(lanes);
  }
  return nullptr;
}

const pass_kernels<PAPILIO_FFT_REAL>* lookup(std::size_t radix, std::size_t lanes) {
  return kernels_in<family::PAPILIO_FFT_FAMILY, PAPILIO_FFT_REAL>(radix, lanes);
}

}  // namespace
}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace papilio::fft_detail {
namespace {
HWY_EXPORT(lookup);
}

template <>
const pass_kernels<PAPILIO_FFT_REAL>* family_kernels<family::PAPILIO_FFT_FAMILY>(
    std::size_t radix, std::size_t lanes) {
  return HWY_DYNAMIC_DISPATCH(lookup)(radix, lanes);
}

}  // namespace papilio::fft_detail
#endif
