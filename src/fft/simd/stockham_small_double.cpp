#include "fft/simd/families.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fft/simd/stockham_small_double.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "fft/simd/stockham-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {

template <class D>
using radix2 = butterfly<D, 2>;
template <class D>
using radix3 = butterfly<D, 3>;
template <class D>
using radix4 = butterfly<D, 4>;
template <class D>
using radix5 = butterfly<D, 5>;

const pass_kernels<double>* small_double(std::size_t radix, std::size_t lanes) {
  switch (radix) {
    case 2:
      return kernels_at<double, radix2>(lanes);
    case 3:
      return kernels_at<double, radix3>(lanes);
    case 4:
      return kernels_at<double, radix4>(lanes);
    case 5:
      return kernels_at<double, radix5>(lanes);
    default:
      return nullptr;
  }
}

std::size_t max_lanes_double() { return max_lanes<double>; }

}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace papilio::fft_detail {

HWY_EXPORT(small_double);

template <>
const pass_kernels<double>* small_kernels<double>(std::size_t radix, std::size_t lanes) {
  return HWY_DYNAMIC_DISPATCH(small_double)(radix, lanes);
}

HWY_EXPORT(max_lanes_double);

template <>
std::size_t max_lanes<double>() {
  return HWY_DYNAMIC_DISPATCH(max_lanes_double)();
}

}  // namespace papilio::fft_detail
#endif
