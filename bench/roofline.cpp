#include "roofline.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace papilio::bench {

double least_seconds(const host_model& host, const bench_case& c) {
  const auto n = static_cast<double>(c.points());
  const double peak =
      c.is_double ? host.double_peak_flops_per_second : host.float_peak_flops_per_second;
  const double passes = std::max(1.0, std::ceil(std::log2(n) / 4));
  double seconds = 0.8 * c.flop() / peak;
  seconds = std::max(seconds, passes * c.bytes() / host.l1.core_bytes_per_second);
  const struct {
    double above_bytes, bytes_per_second, traffic;
  } levels[] = {{host.l1.capacity_bytes, host.l2.core_bytes_per_second, 1},
                {host.l2.capacity_bytes, host.l3.core_bytes_per_second, 1},
                {host.l3.capacity_bytes, host.memory.core_bytes_per_second, 1.5}};
  for (const auto& level : levels) {
    if (c.bytes() <= level.above_bytes) continue;
    const double sweeps = c.transform_bytes() <= level.above_bytes ? 1 : 2;
    seconds = std::max(seconds, sweeps * level.traffic * c.bytes() / level.bytes_per_second);
  }
  return seconds;
}

std::string roofline_text(const host_model& host) {
  char text[512];
  std::snprintf(text, sizeof text,
                "%s, caches %.0f KiB, %.0f KiB\n"
                "roofline, one core: %.0f GFLOP/s float, %.0f double; copying, GB/s: L1 %.0f, "
                "L2 %.0f, L3 %.0f (up to %.0f MiB), memory %.0f\n",
                host.processor.c_str(), host.l1.capacity_bytes / 1024,
                host.l2.capacity_bytes / 1024, host.float_peak_flops_per_second * 1e-9,
                host.double_peak_flops_per_second * 1e-9, host.l1.core_bytes_per_second * 1e-9,
                host.l2.core_bytes_per_second * 1e-9, host.l3.core_bytes_per_second * 1e-9,
                host.l3.capacity_bytes / 1048576, host.memory.core_bytes_per_second * 1e-9);
  return text;
}

}  // namespace papilio::bench
