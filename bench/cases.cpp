// The classes and their sizes.
#include "cases.hpp"

#include <cmath>
#include <utility>

namespace papilio::bench {
namespace {

bench_case line(const char* group, std::size_t n, shape kind, bool is_double = false) {
  return {.group = group,
          .size = std::to_string(n),
          .kind = kind,
          .is_double = is_double,
          .extents = {n}};
}

void add_powers(std::vector<bench_case>& cases, const char* group, int first, int step, shape kind,
                bool is_double = false) {
  for (int e = first; e <= 22; e += step)
    cases.push_back(line(group, std::size_t{1} << e, kind, is_double));
}

// Without prime factors beyond 7.
bool is_smooth(std::size_t n) {
  for (const std::size_t factor : {2, 3, 5, 7})
    while (n % factor == 0) n /= factor;
  return n == 1;
}

bench_case nd(const char* group, std::vector<std::size_t> extents) {
  bench_case c{.group = group, .kind = shape::nd, .extents = std::move(extents)};
  for (const std::size_t extent : c.extents)
    c.size.append(c.size.empty() ? "" : "x").append(std::to_string(extent));
  return c;
}

bench_case batch(const char* group, std::size_t count, std::size_t n) {
  return {.group = group,
          .size = std::to_string(count) + " of " + std::to_string(n),
          .kind = shape::batch,
          .batch = count,
          .extents = {n}};
}

}  // namespace

std::vector<bench_case> all_cases() {
  std::vector<bench_case> cases;
  add_powers(cases, "c2c", 4, 1, shape::c2c);
  add_powers(cases, "r2c", 5, 1, shape::r2c);
  add_powers(cases, "c2r", 5, 1, shape::c2r);
  add_powers(cases, "double", 4, 2, shape::c2c, true);
  for (const std::size_t n :
       {60, 100, 360, 1000, 1920, 2187, 3125, 4410, 11025, 44100, 48000, 96000, 100000, 1000000})
    cases.push_back(line("mixed", n, shape::c2c));
  for (const std::size_t n : {17, 31, 61, 127, 251, 509, 997, 1009, 4099, 10007, 65537, 1000003})
    cases.push_back(line("primes", n, shape::c2c));
  for (const auto& [count, n] : {std::pair<std::size_t, std::size_t>{10000, 16},
                                 {10000, 64},
                                 {1000, 256},
                                 {128, 1024},
                                 {1000, 1000},
                                 {64, 4096},
                                 {16, 65536}})
    cases.push_back(batch("batches", count, n));
  for (const std::size_t n : {64, 128, 256, 480, 512, 1000, 1024, 2048, 4096})
    cases.push_back(nd("2d", {n, n}));
  for (const std::size_t n : {16, 32, 64, 100, 128, 256}) cases.push_back(nd("3d", {n, n, n}));
  for (std::size_t n = 1024; n <= 16384; n *= 2) cases.push_back(line("pffft", n, shape::c2c));
  for (std::size_t n = 2; n <= 2000; ++n)
    if (is_smooth(n)) cases.push_back(line("smooth", n, shape::c2c));
  return cases;
}

std::vector<bench_case> scaling_cases() {
  std::vector<bench_case> cases;
  for (int e = 14; e <= 24; e += 2)
    cases.push_back(line("threads", std::size_t{1} << e, shape::c2c));
  for (const std::size_t n : {512, 2048, 4096}) cases.push_back(nd("threads", {n, n}));
  for (const std::size_t n : {128, 256, 512}) cases.push_back(nd("threads", {n, n, n}));
  for (const auto& [count, n] :
       {std::pair<std::size_t, std::size_t>{4096, 1024}, {65536, 256}, {1000, 4410}})
    cases.push_back(batch("threads", count, n));
  return cases;
}

bench_case other_case(std::size_t n) { return line("other", n, shape::c2c); }

std::size_t bench_case::points() const {
  std::size_t product = 1;
  for (const std::size_t extent : extents) product *= extent;
  return product;
}

double bench_case::flop() const {
  const auto n = static_cast<double>(points());
  const double half = kind == shape::r2c || kind == shape::c2r ? 0.5 : 1;
  return half * 5 * n * std::log2(n) * static_cast<double>(batch);
}

}  // namespace papilio::bench
