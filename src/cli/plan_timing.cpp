#include "cli/plan_timing.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "papilio/base.hpp"

namespace papilio::cli {
namespace {

constexpr double most_bytes = 1 << 30;
constexpr double enough_seconds = 0.1;
constexpr int least_runs = 3;           // of those that take longer
constexpr double block_seconds = 1e-4;  // long beside what it takes to ask the time

using base_detail::thread_seconds;
using base_detail::wall_seconds;

/// Row-major extents and strides of an operand.
struct shape {
  std::vector<std::size_t> extents;
  std::vector<std::ptrdiff_t> strides;

  explicit shape(std::vector<std::size_t> sizes)
      : extents(std::move(sizes)), strides(extents.size()) {
    std::ptrdiff_t stride = 1;
    for (std::size_t i = extents.size(); i-- > 0;) {
      strides[i] = stride;
      stride *= static_cast<std::ptrdiff_t>(extents[i]);
    }
  }
};

/// One operand of an execution: all lines, or one array.
shape operand(const planned_transform& t, bool is_half_spectrum) {
  std::vector<std::size_t> extents = t.problem.extents;
  if (is_half_spectrum) extents.back() = extents.back() / 2 + 1;
  if (t.problem.is_line()) extents.insert(extents.begin(), t.lines);
  return shape(std::move(extents));
}

}  // namespace

bool is_measurable(const planned_transform& t) { return t.bytes_in + t.bytes_out <= most_bytes; }

double shortest_seconds(const std::function<void()>& run, bool alone) {
  double (*const now)() = alone ? thread_seconds : wall_seconds;
  const double end = wall_seconds() + enough_seconds;
  const double start = now();
  run();
  double best = now() - start;
  for (int repeats = 1, blocks = 1; blocks < least_runs || wall_seconds() < end; ++blocks) {
    const double before = now();
    for (int i = 0; i < repeats; ++i) run();
    const double taken = now() - before;
    best = std::min(best, taken / repeats);
    if (taken < block_seconds) repeats *= 2;
  }
  return best;
}

double waited_share(int cores, double seconds) {
  std::vector<double> walls(static_cast<std::size_t>(cores)), loops = walls;
  parallel_for(walls.size(), cores, [&](std::size_t i) {
    const double wall = wall_seconds(), start = thread_seconds();
    while (loops[i] < seconds) loops[i] = thread_seconds() - start;
    walls[i] = wall_seconds() - wall;
  });
  const double wall = std::accumulate(walls.begin(), walls.end(), 0.0);
  return std::max(0.0, 1 - std::accumulate(loops.begin(), loops.end(), 0.0) / wall);
}

std::optional<double> measured_seconds(const fft_executor& executor, const planned_transform& t,
                                       int threads) {
  if (!is_measurable(t)) return std::nullopt;
  const bool real_in = t.problem.is_real(direction::forward);
  const bool real_out = t.problem.is_real(direction::inverse);
  array<unsigned char, 1> in(static_cast<std::size_t>(t.bytes_in));
  array<unsigned char, 1> out(static_cast<std::size_t>(t.bytes_out));
  const shape from = operand(t, real_out), to = operand(t, real_in);
  const std::size_t runs_in_one = t.problem.is_line() ? 1 : t.lines;
  const auto run = [&] {
    for (std::size_t i = 0; i < runs_in_one; ++i)
      executor.execute({in.data() + i * (in.size() / runs_in_one), from.extents, from.strides},
                       {out.data() + i * (out.size() / runs_in_one), to.extents, to.strides},
                       t.problem.is_line() ? 1 : 0, threads);
  };
  return shortest_seconds(run, threads == 1);
}

}  // namespace papilio::cli
