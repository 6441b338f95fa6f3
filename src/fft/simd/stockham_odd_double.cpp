#include "fft/simd/families.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fft/simd/stockham_odd_double.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "fft/simd/stockham-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {

const pass_kernels<double>* odd_double(std::size_t radix, std::size_t lanes) {
  return radix % 2 == 1 ? kernels_at<double, odd_butterfly>(lanes) : nullptr;
}

}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace papilio::fft_detail {

HWY_EXPORT(odd_double);

template <>
const pass_kernels<double>* odd_kernels<double>(std::size_t radix, std::size_t lanes) {
  return HWY_DYNAMIC_DISPATCH(odd_double)(radix, lanes);
}

}  // namespace papilio::fft_detail
#endif
