#include <string>

#include "base/processor_key.hpp"
#include "fft/wisdom_store.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fft/simd/cpu_key.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {

const char* target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace papilio::fft_detail {

HWY_EXPORT(target_name);

std::string cpu_key() {
  return base_detail::processor_key() + '-' + HWY_DYNAMIC_DISPATCH(target_name)();
}

}  // namespace papilio::fft_detail
#endif
