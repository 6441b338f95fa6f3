#include <algorithm>

#include "papilio/dispatch/device_program.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/catalog.hpp"

namespace papilio::kernels {

std::optional<double> asynchronous_seconds(const device_estimate& e, bool has_device_arrays,
                                           const accelerator* on) {
  const auto* const device = dynamic_cast<const engine::device*>(on);
  if (device == nullptr || !device->runtime().is_asynchronous()) return std::nullopt;
  const double submit_seconds = device->runtime().submit_us * 1e-6;
  if (has_device_arrays) return std::max(submit_seconds, e.with_device_arrays().device_seconds);
  return std::max(
      {submit_seconds, e.upload_seconds, e.device_seconds + e.link_seconds, e.fetch_seconds});
}

}  // namespace papilio::kernels
