#include "fft/pointwise.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fft/simd/pointwise.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "fft/simd/pointwise-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {

template <class T>
constexpr pointwise_kernels<T> kernels = {lanes_of<full<T>>,
                                          multiply_split<T>,
                                          {multiply_in<false, T>, multiply_in<true, T>},
                                          {multiply_out<false, T>, multiply_out<true, T>},
                                          stream_copy<T>,
                                          end_streams,
                                          untangle<T>,
                                          entangle<T>};

const pointwise_kernels<float>* pointwise_float() { return &kernels<float>; }
const pointwise_kernels<double>* pointwise_double() { return &kernels<double>; }

}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace papilio::fft_detail {

HWY_EXPORT(pointwise_float);
HWY_EXPORT(pointwise_double);

template <>
const pointwise_kernels<float>& find_pointwise_kernels<float>() {
  return *HWY_DYNAMIC_DISPATCH(pointwise_float)();
}
template <>
const pointwise_kernels<double>& find_pointwise_kernels<double>() {
  return *HWY_DYNAMIC_DISPATCH(pointwise_double)();
}

}  // namespace papilio::fft_detail
#endif
