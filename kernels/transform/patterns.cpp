#include "kernels/transform/patterns.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "kernels/ceil_div.hpp"

namespace papilio::kernels_detail {
namespace {

// The levels of exactly these addresses; empty where no nest of levels reaches them in order.
std::vector<engine::pattern_dim> levels_of(std::span<const std::int64_t> addresses) {
  const std::size_t count = addresses.size();
  std::vector<engine::pattern_dim> levels;
  std::size_t unit = 1;
  while (unit < count) {
    const std::int64_t step = addresses[unit] - addresses[0];
    std::size_t extent = 1;
    while ((extent + 1) * unit <= count &&
           addresses[extent * unit] - addresses[(extent - 1) * unit] == step)
      ++extent;
    if (count % (extent * unit) != 0) return {};
    levels.insert(levels.begin(), {std::int64_t(extent), step});
    unit *= extent;
  }
  if (levels.empty()) levels.push_back({1, 1});
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t at = addresses[0], left = std::int64_t(i);
    for (std::size_t l = levels.size(); l-- > 0; left /= levels[l].extent)
      at += left % levels[l].extent * levels[l].stride;
    if (at != addresses[i]) return {};
  }
  return levels;
}

}  // namespace

std::vector<address_run> runs_of(std::span<const std::int64_t> addresses, std::size_t count_max,
                                 std::size_t levels_max) {
  std::vector<address_run> runs;
  for (std::size_t at = 0; at < addresses.size();) {
    address_run run{.first = at, .count = std::min(count_max, addresses.size() - at)};
    for (; run.count > 0; --run.count) {
      run.levels = levels_of(addresses.subspan(at, run.count));
      if (!run.levels.empty() && run.levels.size() <= levels_max) break;
    }
    at += run.count;
    runs.push_back(std::move(run));
  }
  return runs;
}

std::vector<engine::pattern_dim> merged(const std::vector<engine::pattern_dim>& levels) {
  std::vector<engine::pattern_dim> result;
  for (const engine::pattern_dim& d : levels) {
    if (d.extent == 1) continue;
    if (!result.empty() && result.back().stride == d.stride * d.extent)
      result.back() = {result.back().extent * d.extent, d.stride};
    else
      result.push_back(d);
  }
  if (result.empty()) result.push_back({1, 1});
  return result;
}

bool are_nested(std::vector<engine::pattern_dim> levels) {
  std::ranges::sort(levels, {}, [](const engine::pattern_dim& d) { return std::abs(d.stride); });
  std::int64_t reach = 1;
  for (const engine::pattern_dim& d : levels) {
    if (d.extent == 1) continue;
    if (std::abs(d.stride) < reach) return false;
    reach += (d.extent - 1) * std::abs(d.stride);
  }
  return true;
}

// Short accesses may begin at more partitions than long ones.
std::int64_t start_grain(std::int64_t partitions, const engine::machine_spec& machine) {
  const std::int64_t step = machine.sbuf.start_partition_step;
  return partitions > 2 * step ? 4 * step : partitions > step ? 2 * step : step;
}

std::vector<partition_run> on_partitions(std::span<const std::int64_t> addresses,
                                         std::span<const std::size_t> parts, std::int64_t rows,
                                         bool is_dense, std::size_t levels_max,
                                         const engine::machine_spec& machine) {
  std::vector<partition_run> all;
  std::int64_t slot = 0, next = 0;
  for (std::size_t at = 0; at < addresses.size();) {
    const auto part = std::ranges::upper_bound(parts, at);
    const std::size_t end = part == parts.end() ? addresses.size() : *part;
    const auto run_within = [&](std::int64_t room) {
      const std::size_t most = std::min(std::size_t(room), end - at);
      address_run run = std::move(runs_of(addresses.subspan(at, most), most, levels_max).front());
      run.first += at;
      return run;
    };
    address_run run = run_within(rows);
    const std::int64_t count = std::int64_t(run.count), grain = start_grain(count, machine),
                       begin = ceil_div(next, grain) * grain;
    if (next > 0 && (begin + count > rows ||
                     (is_dense && (begin != next || std::ranges::binary_search(parts, at))))) {
      ++slot;
      next = 0;
      continue;
    }
    all.push_back({slot, begin, std::move(run)});
    next = begin + count;
    at += std::size_t(count);
  }
  return all;
}

}  // namespace papilio::kernels_detail
