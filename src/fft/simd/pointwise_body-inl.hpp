// Elementwise loops of one element type, PAPILIO_FFT_REAL. Included once for each target.
#include "fft/pointwise.hpp"
#include "fft/simd/pointwise-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {
namespace {

const pointwise_kernels<PAPILIO_FFT_REAL>* look_up_pointwise() {
  using T = PAPILIO_FFT_REAL;
  static constexpr pointwise_kernels<T> kernels = {lanes_of<full<T>>,
                                                   multiply_split<T>,
                                                   {multiply_in<false, T>, multiply_in<true, T>},
                                                   {multiply_out<false, T>, multiply_out<true, T>},
                                                   stream_copy<T>,
                                                   end_streams,
                                                   untangle<T>,
                                                   entangle<T>};
  return &kernels;
}

}  // namespace
}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace papilio::fft_detail {
namespace {
HWY_EXPORT(look_up_pointwise);
}

template <>
const pointwise_kernels<PAPILIO_FFT_REAL>& find_pointwise_kernels<PAPILIO_FFT_REAL>() {
  return *HWY_DYNAMIC_DISPATCH(look_up_pointwise)();
}

}  // namespace papilio::fft_detail
#endif
