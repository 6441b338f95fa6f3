#include "base/processor_key.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace papilio::base_detail {

#if defined(__x86_64__) || defined(__i386__)
// Vendor, family and model, as in /proc/cpuinfo.
std::string processor_key() {
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
#elif defined(__arm__) || defined(__aarch64__)
std::string processor_key() { return "arm"; }
#else
std::string processor_key() { return "other"; }
#endif

}  // namespace papilio::base_detail
