#include <string>

#include "fft/wisdom_store.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fft/simd/cpu_key.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"

#if HWY_ONCE && HWY_ARCH_X86
#include <cpuid.h>
#endif

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {

const char* target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace papilio::fft_detail {

HWY_EXPORT(target_name);

namespace {

#if HWY_ARCH_X86
// Vendor, family and model, as in /proc/cpuinfo.
std::string processor() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  __get_cpuid(0, &a, &b, &c, &d);
  std::string vendor;
  for (const unsigned part : {b, d, c})
    for (unsigned shift = 0; shift < 32; shift += 8) {
      const char letter = static_cast<char>(part >> shift & 255);
      if (letter > ' ' && letter <= '~') vendor += letter;
    }
  __get_cpuid(1, &a, &b, &c, &d);
  unsigned family = a >> 8 & 15, model = a >> 4 & 15;
  if (family == 6 || family == 15) model += (a >> 16 & 15) << 4;
  if (family == 15) family += a >> 20 & 255;
  return vendor + '-' + std::to_string(family) + '-' + std::to_string(model);
}
#elif HWY_ARCH_ARM
std::string processor() { return "arm"; }
#else
std::string processor() { return "other"; }
#endif

}  // namespace

std::string cpu_key() { return processor() + '-' + HWY_DYNAMIC_DISPATCH(target_name)(); }

}  // namespace papilio::fft_detail
#endif
