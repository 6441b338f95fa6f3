// Direct sums of one element type, PAPILIO_FFT_REAL. Included once for each target.
#include "fft/simd/direct-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {
namespace {

direct_function<PAPILIO_FFT_REAL> look_up_direct() { return direct<PAPILIO_FFT_REAL>; }

}  // namespace
}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace papilio::fft_detail {
namespace {
HWY_EXPORT(look_up_direct);
}

template <>
direct_function<PAPILIO_FFT_REAL> find_direct<PAPILIO_FFT_REAL>() {
  return HWY_DYNAMIC_DISPATCH(look_up_direct)();
}

}  // namespace papilio::fft_detail
#endif
