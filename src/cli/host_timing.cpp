#include "cli/host_timing.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "papilio/base.hpp"

namespace papilio::cli {
namespace {

constexpr double most_bytes = 1 << 30;
constexpr double enough_seconds = 0.1;
constexpr int least_runs = 3;                 // of those that take longer
constexpr double timed_block_seconds = 1e-4;  // long beside what it takes to ask the time

using base_detail::thread_seconds;
using base_detail::wall_seconds;

double element_bytes(const fft_problem& problem, const operand_shape& shape) {
  return static_cast<double>(size_of(problem.type)) * (shape.is_complex ? 2 : 1);
}

/// All lines, or one array, row-major; zeros of all arrays.
struct operand {
  std::vector<std::size_t> extents;
  std::vector<std::ptrdiff_t> strides;
  array<unsigned char, 1> bytes;

  operand(const fft_problem& problem, const operand_shape& shape, std::size_t lines)
      : extents(shape.extents),
        bytes(static_cast<std::size_t>(static_cast<double>(lines * shape.count()) *
                                       element_bytes(problem, shape))) {
    if (problem.is_line()) extents.insert(extents.begin(), lines);
    strides.resize(extents.size());
    base_detail::set_row_major(extents, strides);
  }
};

}  // namespace

double shortest_seconds(const std::function<void()>& run, bool alone) {
  double (*const now)() = alone ? thread_seconds : wall_seconds;
  const double end = wall_seconds() + enough_seconds;
  double best = std::numeric_limits<double>::infinity();
  // A clock of coarse ticks may say that no time has passed: such blocks grow and do not count.
  for (int repeats = 1, blocks = 0; blocks < least_runs || wall_seconds() < end;) {
    const double before = now();
    for (int i = 0; i < repeats; ++i) run();
    const double taken = now() - before;
    if (taken < timed_block_seconds) {
      repeats *= 2;
      continue;
    }
    best = std::min(best, taken / repeats);
    ++blocks;
  }
  return best;
}

bool is_measurable(const fft_problem& problem, std::size_t lines) {
  const operand_shapes shapes = problem.shapes();
  double bytes = 0;
  for (const auto* side : {&shapes.in, &shapes.out})
    for (const operand_shape& shape : *side)
      bytes += static_cast<double>(lines) * static_cast<double>(shape.count()) *
               element_bytes(problem, shape);
  return bytes <= most_bytes;
}

std::optional<double> measured_seconds(const fft_executor& executor, const fft_problem& problem,
                                       std::size_t lines, int threads) {
  if (!is_measurable(problem, lines)) return std::nullopt;
  const operand_shapes shapes = problem.shapes();
  const operand in(problem, shapes.in[0], lines);
  operand out(problem, shapes.out[0], lines);
  const std::size_t runs = problem.is_line() ? 1 : lines;
  const auto run = [&] {
    for (std::size_t i = 0; i < runs; ++i)
      executor.execute({in.bytes.data() + i * (in.bytes.size() / runs), in.extents, in.strides},
                       {out.bytes.data() + i * (out.bytes.size() / runs), out.extents, out.strides},
                       problem.is_line() ? 1 : 0, threads);
  };
  return shortest_seconds(run, threads == 1);
}

}  // namespace papilio::cli
