#include "dispatch/host_model.hpp"
#include "papilio/base/error.hpp"

namespace papilio {

using dispatch_detail::require_some;

namespace {

double real_bytes(real_type type) { return static_cast<double>(size_of(type)); }

}  // namespace

// The condition is negated so that NaN is refused, too.
void dispatch_detail::require_some(const char* function, const char* size, double value) {
  if (!(value > 0))
    throw invalid_argument(
        base_detail::message(function, ": ", size, " must be above 0, got ", value));
}

host_work gemm_work(double m, double k, double n, double batch, bool is_complex, real_type type) {
  require_some("gemm_work", "m", m);
  require_some("gemm_work", "k", k);
  require_some("gemm_work", "n", n);
  require_some("gemm_work", "batch", batch);
  const double bytes = batch * (m * k + k * n + m * n) * (is_complex ? 2 : 1) * real_bytes(type);
  return {.kind = host_work_kind::gemm,
          .flops = (is_complex ? 8 : 2) * batch * m * n * k,
          .bytes_moved = bytes,
          .working_bytes = bytes,
          .calls = batch};
}

host_work complex_mask_work(double points, real_type type) {
  require_some("complex_mask_work", "points", points);
  const double bytes = 3 * points * 2 * real_bytes(type);
  return {.kind = host_work_kind::elementwise,
          .flops = 6 * points,
          .bytes_moved = bytes,
          .working_bytes = bytes};
}

host_work copy_work(double elements, double element_bytes, bool is_rearranged) {
  require_some("copy_work", "elements", elements);
  require_some("copy_work", "element_bytes", element_bytes);
  const double bytes = 2 * elements * element_bytes;
  return {.kind = is_rearranged ? host_work_kind::rearrangement : host_work_kind::elementwise,
          .bytes_moved = bytes,
          .working_bytes = bytes};
}

}  // namespace papilio
