#include "fft/simd/families.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fft/simd/stockham_large_float.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "fft/simd/stockham-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {

template <class D>
using radix8 = butterfly<D, 8>;
template <class D>
using radix16 = butterfly<D, 16>;

const pass_kernels<float>* large_float(std::size_t radix, std::size_t lanes) {
  switch (radix) {
    case 8:
      return kernels_at<float, radix8>(lanes);
    case 16:
      return kernels_at<float, radix16>(lanes);
    default:
      return nullptr;
  }
}

}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace papilio::fft_detail {

HWY_EXPORT(large_float);

template <>
const pass_kernels<float>* large_kernels<float>(std::size_t radix, std::size_t lanes) {
  return HWY_DYNAMIC_DISPATCH(large_float)(radix, lanes);
}

}  // namespace papilio::fft_detail
#endif
