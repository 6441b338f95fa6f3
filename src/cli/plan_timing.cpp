#include "cli/plan_timing.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "papilio/base.hpp"

namespace papilio::cli {
namespace {

constexpr double most_bytes = 1 << 30;
constexpr double enough_seconds = 0.1;
constexpr int most_runs = 1000;

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

std::optional<double> measured_seconds(const fft_executor& executor, const planned_transform& t,
                                       int threads) {
  if (t.bytes_in + t.bytes_out > most_bytes) return std::nullopt;
  const bool real_in = t.problem.kind == fft_kind::real_forward;
  const bool real_out = t.problem.kind == fft_kind::real_inverse;
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
  using clock = std::chrono::steady_clock;
  const clock::time_point start = clock::now();
  double best = -1;
  for (int i = 0; i < most_runs; ++i) {
    const clock::time_point before = clock::now();
    run();
    const clock::time_point after = clock::now();
    const double seconds = std::chrono::duration<double>(after - before).count();
    if (best < 0 || seconds < best) best = seconds;
    if (std::chrono::duration<double>(after - start).count() > enough_seconds) break;
  }
  return best;
}

}  // namespace papilio::cli
