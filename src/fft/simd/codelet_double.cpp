#include "fft/codelet.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fft/simd/codelet_double.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "fft/simd/codelet-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {
namespace {

const codelet_code<double>* lookup(std::size_t n) { return codelet_for<double>(n); }

}  // namespace
}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace papilio::fft_detail {
namespace {
HWY_EXPORT(lookup);
}

template <>
const codelet_code<double>* find_codelet<double>(std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(lookup)(n);
}

}  // namespace papilio::fft_detail
#endif
