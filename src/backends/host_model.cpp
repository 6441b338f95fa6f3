#include "backends/host_model.hpp"

#include <algorithm>
#include <limits>

namespace papilio::backends_detail {
namespace {

std::size_t vector_bytes() {
#if defined(__x86_64__)
#if !defined(HWY_COMPILE_ONLY_STATIC) || defined(__AVX512F__)
  if (__builtin_cpu_supports("avx512f")) return 64;
#endif
  if (__builtin_cpu_supports("avx2")) return 32;
#endif
  return 16;
}

host_model model_of(std::size_t width_bytes) {
  const double flops = width_bytes == 64 ? 8e10 : width_bytes == 32 ? 5e10 : 2.5e10;
  return {flops,
          1.5e9,
          {{32768, 1.5e11},
           {1048576, 6e10},
           {33554432, 2.5e10},
           {std::numeric_limits<double>::infinity(), 1e10}},
          2e-8};
}

}  // namespace

const host_model& this_host() {
  static const host_model host = model_of(vector_bytes());
  return host;
}

double modelled_seconds(const host_model& host, real_type type, double flops, double bytes,
                        double working_bytes) {
  const double rate = type == real_type::single_precision   ? host.flops_per_second
                      : type == real_type::double_precision ? host.flops_per_second / 2
                                                            : host.extended_per_second;
  const auto* const level = std::ranges::find_if(
      host.levels, [&](const host_model::level& l) { return working_bytes <= l.bytes; });
  return std::max(flops / rate, bytes / level->bytes_per_second);
}

std::size_t bytes_of(real_type type) {
  return type == real_type::single_precision   ? sizeof(float)
         : type == real_type::double_precision ? sizeof(double)
                                               : sizeof(long double);
}

double epsilon_of(real_type type) {
  return type == real_type::single_precision ? std::numeric_limits<float>::epsilon()
         : type == real_type::double_precision
             ? std::numeric_limits<double>::epsilon()
             : static_cast<double>(std::numeric_limits<long double>::epsilon());
}

}  // namespace papilio::backends_detail
