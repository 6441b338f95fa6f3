#include <algorithm>
#include <iterator>
#include <numeric>

#include "papilio/dispatch/device_program.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/catalog.hpp"

namespace papilio::kernels {

std::optional<double> asynchronous_seconds(const device_estimate& e, bool has_device_arrays,
                                           const accelerator* on) {
  const auto* const device = dynamic_cast<const engine::device*>(on);
  if (device == nullptr || !device->runtime().is_asynchronous()) return std::nullopt;
  const device_estimate& calls = has_device_arrays ? e.with_device_arrays() : e;
  const auto copying = [&](double seconds) { return has_device_arrays ? 0 : seconds; };
  const double stages[] = {
      double(calls.launches) * device->runtime().submit_us * 1e-6, copying(calls.upload_seconds),
      calls.device_seconds + copying(calls.link_seconds), copying(calls.fetch_seconds)};
  // A call's stages follow one another, and so many calls may be under way.
  const double one_by_one = std::accumulate(std::begin(stages), std::end(stages), 0.0);
  return std::max(std::ranges::max(stages), one_by_one / device->runtime().inflight_max);
}

}  // namespace papilio::kernels
