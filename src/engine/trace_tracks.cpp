#include "engine/trace_tracks.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "papilio/base/error.hpp"

namespace papilio::engine_detail {

using engine::traced_slice;
using engine::unit;

namespace {

std::string name_of(unit on, int lane) {
  if (on == unit::dma) return base_detail::message("dma ", lane);
  if (on == unit::tensor && lane == traced_slice::stationary) return "tensor LoadStationary";
  return to_string(on);
}

// Puts each slice of a group on the first track of the group that is free, and returns the number
// of tracks.
std::size_t deal(std::vector<std::size_t>& group, std::span<const traced_slice> slices,
                 std::vector<int>& track_of) {
  std::ranges::stable_sort(group, {}, [&](std::size_t i) { return slices[i].start_ns; });
  std::vector<std::int64_t> free_ns(1, 0);
  for (const std::size_t i : group) {
    const std::int64_t start = whole_ns(slices[i].start_ns), end = whole_ns(slices[i].end_ns);
    std::size_t t = 0;
    if (slices[i].end_ns > slices[i].start_ns) {  // instructions without duration overlap nothing
      while (t < free_ns.size() && free_ns[t] > start) ++t;
      if (t == free_ns.size()) free_ns.push_back(0);
      free_ns[t] = end;
    }
    track_of[i] = int(t);
  }
  return free_ns.size();
}

}  // namespace

std::int64_t whole_ns(double ns) { return std::llround(ns); }

track_plan plan_tracks(const engine::trace& trace) {
  const auto slices = trace.slices();
  std::map<std::pair<unit, int>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const unit on = trace.instructions()[slices[i].instruction].on;
    const bool descriptors = on == unit::dma && slices[i].lane == traced_slice::descriptors;
    const auto track = descriptors ? std::pair(unit::gpsimd, 0) : std::pair(on, slices[i].lane);
    groups[track].push_back(i);
  }
  track_plan plan;
  plan.of_slice.resize(slices.size());
  for (auto& [key, group] : groups) {
    const int first_id = int(plan.tracks.size()) + 1;
    const std::size_t count = deal(group, slices, plan.of_slice);
    for (const std::size_t i : group) plan.of_slice[i] += first_id;
    const std::string name = name_of(key.first, key.second);
    for (std::size_t t = 0; t < count; ++t)
      plan.tracks.push_back(
          {first_id + int(t), t == 0 ? name : base_detail::message(name, " (", t + 1, ")")});
  }
  return plan;
}

}  // namespace papilio::engine_detail
