#include "fft/direct.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fft/simd/direct.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "fft/simd/direct-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {
namespace {

direct_function<float> direct_float() { return direct<float>; }
direct_function<double> direct_double() { return direct<double>; }

}  // namespace
}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace papilio::fft_detail {
namespace {
HWY_EXPORT(direct_float);
HWY_EXPORT(direct_double);
}  // namespace

template <>
direct_function<float> find_direct<float>() {
  return HWY_DYNAMIC_DISPATCH(direct_float)();
}
template <>
direct_function<double> find_direct<double>() {
  return HWY_DYNAMIC_DISPATCH(direct_double)();
}

}  // namespace papilio::fft_detail
#endif
