#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "kernels/operations/device_runs.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/engine/device_group.hpp"
#include "papilio/kernels/catalog.hpp"

namespace papilio::kernels {
namespace {

// Stages of a call follow one another, each takes one call at a time, and inflight_max calls may be
// under way.
double seconds_of_stages(const device_estimate& calls, bool has_copies,
                         const engine::runtime_spec& runtime) {
  const auto copying = [&](double seconds) { return has_copies ? seconds : 0; };
  const double stages[] = {
      double(calls.launches) * runtime.submit_us * 1e-6, copying(calls.upload_seconds),
      calls.device_seconds + copying(calls.link_seconds), copying(calls.fetch_seconds)};
  const double one_by_one = std::accumulate(std::begin(stages), std::end(stages), 0.0);
  return std::max(std::ranges::max(stages), one_by_one / runtime.inflight_max);
}

}  // namespace

std::optional<double> asynchronous_seconds(const device_estimate& e, bool has_device_arrays,
                                           const accelerator* on) {
  const auto* const device = dynamic_cast<const engine::device*>(on);
  const auto* const group = dynamic_cast<const engine::device_group*>(on);
  if (device == nullptr && group == nullptr) return std::nullopt;
  const engine::runtime_spec& runtime = device != nullptr ? device->runtime() : group->runtime();
  if (!runtime.is_asynchronous()) return std::nullopt;
  const bool is_divided = e.of_device_arrays != nullptr && !has_device_arrays;
  const double seconds = is_divided
                             ? e.asynchronous_seconds
                             : seconds_of_stages(has_device_arrays ? e.with_device_arrays() : e,
                                                 !has_device_arrays, runtime);
  return seconds > 0 && std::isfinite(seconds) ? std::optional(seconds) : std::nullopt;
}

}  // namespace papilio::kernels
