// The classes, their sizes, and every floor that --check holds them to.
#include "cases.hpp"

#include <cmath>
#include <map>

namespace papilio::bench {
namespace {

// c2c float: ratio to FFTW MEASURE, by log2 n from 4 on.
constexpr double c2c_floors[] = {4.0, 2.0,  1.4,  1.2, 1.1,  1.15, 1.05, 1.1, 1.1, 1.35,
                                 1.4, 1.55, 1.55, 1.5, 1.45, 2.6,  2.6,  3.2, 3.6};

constexpr double threads_floor = 1.6;

bench_case line(const char* group, std::size_t n, shape kind, bool is_double = false) {
  return {.group = group,
          .size = std::to_string(n),
          .kind = kind,
          .is_double = is_double,
          .extents = {n}};
}

void add_powers(std::vector<bench_case>& cases, const char* group, int first, shape kind,
                bool is_double = false) {
  for (int e = first; e <= 22; ++e)
    cases.push_back(line(group, std::size_t{1} << e, kind, is_double));
}

bench_case nd(const char* group, std::vector<std::size_t> extents) {
  bench_case c{.group = group, .kind = shape::nd, .extents = std::move(extents)};
  for (const std::size_t extent : c.extents)
    c.size.append(c.size.empty() ? "" : "x").append(std::to_string(extent));
  return c;
}

void add_batches(std::vector<bench_case>& cases) {
  const std::size_t batches[][2] = {{32, 1024}, {128, 1024}, {4096, 256}, {1000, 512}, {10000, 64}};
  for (const auto& [count, n] : batches)
    cases.push_back({.group = "batches",
                     .size = std::to_string(count) + '*' + std::to_string(n),
                     .kind = shape::batch,
                     .batch = count,
                     .extents = {n}});
}

}  // namespace

std::vector<bench_case> all_cases() {
  std::vector<bench_case> cases;
  add_powers(cases, "c2c", 4, shape::c2c);
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].floor = c2c_floors[i];
  add_powers(cases, "r2c", 6, shape::r2c);
  add_powers(cases, "c2r", 6, shape::c2r);
  add_powers(cases, "double", 4, shape::c2c, true);
  for (const std::size_t n :
       {60, 120, 480, 1000, 1536, 1920, 3072, 4410, 10000, 44100, 48000, 96000, 100000})
    cases.push_back(line("mixed", n, shape::c2c));
  for (const std::size_t n : {17, 127, 997, 4097, 4099, 10007, 65537, 1000003})
    cases.push_back(line("primes", n, shape::c2c));
  add_batches(cases);
  for (std::size_t n = 64; n <= 4096; n *= 2) cases.push_back(nd("2d", {n, n}));
  cases.push_back(nd("3d", {32, 64, 64}));
  cases.push_back(nd("3d", {128, 128, 128}));
  cases.push_back(nd("3d", {256, 256, 256}));
  return cases;
}

bench_case other_case(std::size_t n) { return line("other", n, shape::c2c); }

std::vector<bench_case> thread_cases() {
  std::vector<bench_case> cases;
  for (int e = 18; e <= 22; ++e) cases.push_back(line("c2c", std::size_t{1} << e, shape::c2c));
  for (std::size_t n = 64; n <= 4096; n *= 2) cases.push_back(nd("2d", {n, n}));
  add_batches(cases);
  // Transforms of a few microseconds are over before a second thread has begun.
  for (bench_case& c : cases) c.floor = c.bytes() >= 1 << 20 ? threads_floor : 0;
  return cases;
}

double mean_floor(const std::string& group) {
  static const std::map<std::string, double> floors{
      {"r2c", 1.6},    {"c2r", 1.6},      {"double", 1.3}, {"mixed", 1.2},
      {"primes", 2.5}, {"batches", 1.35}, {"2d", 2.2},     {"3d", 1.8},
  };
  const auto found = floors.find(group);
  return found == floors.end() ? 0 : found->second;
}

std::vector<planning_limit> planning_limits() {
  return {{std::size_t{1} << 16, 1}, {std::size_t{1} << 22, 50}};
}

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

double bench_case::transform_bytes() const {
  const auto n = static_cast<double>(points());
  const double real = is_double ? 8 : 4;
  const bool is_real = kind == shape::r2c || kind == shape::c2r;
  return real * (is_real ? 2 * n + 2 : 4 * n);
}

double bench_case::bytes() const { return transform_bytes() * static_cast<double>(batch); }

}  // namespace papilio::bench
