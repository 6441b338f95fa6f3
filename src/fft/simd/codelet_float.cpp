#include "fft/codelet.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fft/simd/codelet_float.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "fft/simd/codelet-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {
namespace {

const codelet_code<float>* lookup(std::size_t n) { return codelet_for<float>(n); }

}  // namespace
}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace papilio::fft_detail {
namespace {
HWY_EXPORT(lookup);
}

template <>
const codelet_code<float>* find_codelet<float>(std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(lookup)(n);
}

}  // namespace papilio::fft_detail
#endif
