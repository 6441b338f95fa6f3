#include "dispatch/host_model.hpp"

#include <algorithm>
#include <limits>

#include "papilio/base/error.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio {
namespace {

// The first level that holds the bytes, which the cores share evenly; each core has its own L1 and
// L2.
const host_level& level_for(const host_model& host, double bytes, double cores) {
  if (bytes / cores <= host.l1.capacity_bytes) return host.l1;
  if (bytes / cores <= host.l2.capacity_bytes) return host.l2;
  return bytes <= host.l3.capacity_bytes ? host.l3 : host.memory;
}

double flops_per_second(const host_model& host, real_type type, const host_work& work) {
  if (type == real_type::extended_precision) return host.extended_flops_per_second;
  const bool is_float = type == real_type::single_precision;
  if (work.kind == host_work_kind::fft) {
    const host_level& level = level_for(host, work.line_bytes, 1);
    return is_float ? level.float_fft_flops_per_second : level.double_fft_flops_per_second;
  }
  const double peak =
      is_float ? host.float_peak_flops_per_second : host.double_peak_flops_per_second;
  return peak *
         (work.kind == host_work_kind::gemm ? host.gemm_peak_share : host.elementwise_peak_share);
}

double bandwidth_share(const host_model& host, host_work_kind kind) {
  switch (kind) {
    case host_work_kind::elementwise:
      return host.elementwise_bandwidth_share;
    case host_work_kind::rearrangement:
      return host.rearrangement_bandwidth_share;
    case host_work_kind::fft:
    case host_work_kind::gemm:
      break;
  }
  return 1;
}

}  // namespace

std::string to_string(const host_model& host) { return "from " + host.source; }

double modelled_seconds(const host_model& host, real_type type, const host_work& work,
                        int threads) {
  if (threads < 0)
    throw invalid_argument(
        base_detail::message("modelled_seconds: threads must be at least 0, got ", threads));
  double cores = threads == 0 ? host.cores : std::min(threads, host.cores);
  if (work.kind == host_work_kind::fft) cores = std::max(1.0, std::min(cores, work.lines));
  const host_level& level = level_for(host, work.working_bytes, cores);
  const double bandwidth =
      std::min(cores * level.core_bytes_per_second, level.machine_bytes_per_second) *
      bandwidth_share(host, work.kind);
  const double computing = work.flops / (flops_per_second(host, type, work) * cores);
  const double moving = work.bytes_moved / bandwidth;
  const double lines = work.kind == host_work_kind::fft ? work.lines : 0;
  return std::max(computing, moving) + work.calls * host.call_seconds +
         lines * host.line_seconds / cores + (cores > 1 ? host.thread_start_seconds : 0);
}

namespace dispatch_detail {

double epsilon_of(real_type type) {
  return type == real_type::single_precision ? std::numeric_limits<float>::epsilon()
         : type == real_type::double_precision
             ? std::numeric_limits<double>::epsilon()
             : static_cast<double>(std::numeric_limits<long double>::epsilon());
}

}  // namespace dispatch_detail
}  // namespace papilio
