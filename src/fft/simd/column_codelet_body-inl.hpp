// The column codelets of one element type, PAPILIO_FFT_REAL. Included once for each target.
#include "fft/simd/column_codelet-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {
namespace {

const column_codelet_code<PAPILIO_FFT_REAL>* look_up_column_codelet(std::size_t n) {
  return column_codelet_for<PAPILIO_FFT_REAL>(n);
}

}  // namespace
}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace papilio::fft_detail {
namespace {
HWY_EXPORT(look_up_column_codelet);
}

template <>
const column_codelet_code<PAPILIO_FFT_REAL>* find_column_codelet<PAPILIO_FFT_REAL>(std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(look_up_column_codelet)(n);
}

}  // namespace papilio::fft_detail
#endif
