#include "cli/candidate_answer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <string_view>
#include <vector>

#include "cli/host_timing.hpp"
#include "cli/plan_operation.hpp"
#include "papilio/base/error.hpp"

namespace papilio::cli {
namespace {

/// Larger problems are not measured, and plans of longer axes are built for measuring only: the
/// tables of a convolution take minutes and gigabytes.
constexpr double most_measured_points = 1 << 26;
constexpr std::size_t longest_built = std::size_t{1} << 17;

double points_of(const fft_problem& problem) {
  double points = 1;
  for (const std::size_t n : problem.extents) points *= static_cast<double>(n);
  return points;
}

bool is_built(const fft_problem& problem) {
  return points_of(problem) <= most_measured_points &&
         (problem.measured || std::ranges::max(problem.extents) <= longest_built);
}

/// Lines are divided among threads, whole ones.
double busiest_share(const fft_problem& problem, std::size_t count, int threads) {
  const double longest = static_cast<double>(std::ranges::max(problem.extents));
  const double lines = static_cast<double>(count) * points_of(problem) / longest;
  return std::ceil(lines / threads) / lines;
}

void plan_and_time(candidate_answer& a, const fft_problem& problem, std::size_t lines,
                   int threads) {
  const auto start = std::chrono::steady_clock::now();
  const auto executor = a.candidate->build(problem);
  const std::chrono::duration<double> planning = std::chrono::steady_clock::now() - start;
  a.plan = {executor->recipe(), executor->table_bytes(), executor->scratch_bytes(),
            planning.count(), std::nullopt};
  if (problem.measured)
    a.plan->measured_seconds = measured_seconds(*executor, problem, lines, threads);
}

// papilio's own candidate is estimated by estimate_on_host(), whose number is the one that policy
// `automatic` compares with an accelerator's.
bool is_own(const fft_candidate& candidate) { return std::string_view(candidate.name) == "host"; }
execution own_on(int threads) { return {.where = policy::host, .threads = threads}; }

}  // namespace

candidate_answer ask(const fft_candidate& candidate, const fft_problem& problem, std::size_t lines,
                     int threads) {
  candidate_answer a{.candidate = &candidate, .refusal = candidate.refusal(problem)};
  if (!a.refusal.empty()) return a;
  try {
    a.estimate = candidate.estimate(problem, lines);
    a.seconds =
        is_own(candidate)
            ? estimate_on_host(array_of(problem, lines), own_on(threads), host_transforms()).seconds
            : a.estimate.seconds * busiest_share(problem, lines, threads);
    if (is_built(problem)) plan_and_time(a, problem, lines, threads);
  } catch (const resource_error& e) {
    a.refusal = e.what();
  } catch (const std::bad_alloc&) {
    a.refusal = "out of memory";
  }
  return a;
}

}  // namespace papilio::cli
