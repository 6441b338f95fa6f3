// Prints what papilio's transforms take beside FFTW's and MKL's, and holds them to their floors.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "cases.hpp"
#include "fftw_peer.hpp"
#include "options.hpp"
#include "report.hpp"
#include "roofline.hpp"
#include "run_case.hpp"

namespace papilio::bench {
namespace {

budget budget_of(const options& o) {
  if (!o.is_quick) return {};
  return {.blocks = 9, .least_blocks = 3, .seconds = 0.3};
}

std::filesystem::path wisdom_path(const options& o) {
  return o.wisdom.empty() ? cache_folder() / "fftw_wisdom.txt" : std::filesystem::path(o.wisdom);
}

bool run_plan_only(const options& o) {
  wisdom_file wisdom(wisdom_path(o));
  for (const bench_case& c : chosen_cases(o)) {
    const double start = wall_seconds();
    const bool is_measured = plan_peer(c, o.plan_seconds, wisdom);
    std::printf("%-8s %-12s %7.2f s %s\n", c.group.c_str(), c.size.c_str(), wall_seconds() - start,
                is_measured ? "" : "too short");
    std::fflush(stdout);
  }
  return true;
}

bool run_rows(const options& o) {
  wisdom_file wisdom(wisdom_path(o));
  const host_model limits = host_from_features();
  report to(o.json, roofline_text(limits));
  for (const bench_case& c : chosen_cases(o)) {
    const result r = run_case(c, budget_of(o), o.plan_seconds, wisdom);
    to.add(c, r, least_seconds(limits, c) / r.our_seconds);
  }
  return to.finish();
}

bool run_planning_rows() {
  std::printf("%10s %12s %12s %12s\n", "n", "first ms", "median ms", "limit ms");
  const std::vector<planning_limit> limits = planning_limits();
  bool is_good = true;
  for (std::size_t n = 16; n <= limits.back().n; n *= 2) {
    const auto limit =
        std::ranges::find_if(limits, [&](const planning_limit& l) { return n <= l.n; });
    const planning_result r = run_planning(n);
    const bool is_above = r.median_milliseconds > limit->milliseconds;
    is_good = is_good && !is_above;
    std::printf("%10zu %12.4f %12.4f %12.0f%s\n", n, r.first_milliseconds, r.median_milliseconds,
                limit->milliseconds, is_above ? " ABOVE" : "");
  }
  std::printf("\nWall time to make fft_plan<float>(n) with effort::estimate.\n");
  return is_good;
}

// Loads that wait for a store whose address agrees in its last 12 bits, and rows that share the sets
// of the first cache, would make the time depend on where the operands lie.
bool run_offset_rows() {
  constexpr double limit = 1.1;
  std::printf("%-7s %8s %10s %10s %10s %7s\n", "type", "n", "best us", "median us", "worst us",
              "ratio");
  bool is_good = true;
  for (std::size_t n = 64; n <= 8192; n *= 2)
    for (const bool is_double : {false, true}) {
      const offsets_result r = run_offsets(n, is_double);
      const double ratio = r.worst_seconds / r.best_seconds;
      is_good = is_good && ratio <= limit;
      std::printf("%-7s %8zu %10.4f %10.4f %10.4f %7.2f%s\n", is_double ? "double" : "float", n,
                  1e6 * r.best_seconds, 1e6 * r.median_seconds, 1e6 * r.worst_seconds, ratio,
                  ratio <= limit ? "" : " ABOVE");
    }
  std::printf("\nThe output begins 0, 64 ... 4032 bytes behind the input's place in its page.\n");
  return is_good;
}

bool run(const options& o) {
  switch (o.what) {
    case task::plan_only:
      return run_plan_only(o);
    case task::planning:
      return run_planning_rows();
    case task::offsets:
      return run_offset_rows();
    default:
      return run_rows(o);
  }
}

}  // namespace
}  // namespace papilio::bench

int main(int argc, char** argv) {
  using namespace papilio::bench;
  options o;
  try {
    o = parse(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "papilio_bench_fft: %s\n%s", e.what(), usage);
    return 2;
  }
  if (o.help) {
    std::fputs(usage, stdout);
    return 0;
  }
  try {
    return run(o) || !o.check ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "papilio_bench_fft: %s\n", e.what());
    return 1;
  }
}
