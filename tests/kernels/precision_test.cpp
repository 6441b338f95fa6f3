// Modes of precision of fft_kernel on the emulator.
//
// Error models are the kernels' own (sized_kernel::expected_error): roundings add up in quadrature;
// measured errors over 64 lines agree with them within a factor of 1.5, which is also the width
// that they are held to here.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <limits>

#include "kernels/runs.hpp"
#include "papilio/engine/rounding.hpp"
#include "support/oracle.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using papilio::test::exact;

constexpr precision_options native{.mode = precision::native};
constexpr precision_options bf16{.mode = precision::bf16};
constexpr precision_options refined_once{.mode = precision::bf16_refined, .refinements = 1};
constexpr precision_options refined_twice{.mode = precision::bf16_refined, .refinements = 2};
constexpr precision_options split_in_2{.mode = precision::split_bf16, .parts = 2};
constexpr precision_options split_in_3{.mode = precision::split_bf16, .parts = 3};
constexpr precision_options compensated{.mode = precision::compensated};
const std::vector<precision_options> all_modes{native,     bf16,       refined_once, refined_twice,
                                               split_in_2, split_in_3, compensated};

std::string name_of(const precision_options& p) {
  const char* const names[] = {"native", "bf16", "bf16_refined", "split_bf16", "compensated"};
  return std::string(names[int(p.mode)]) +
         (p.mode == precision::bf16_refined ? " " + std::to_string(p.refinements)
          : p.mode == precision::split_bf16 ? " " + std::to_string(p.parts)
                                            : "");
}

using planes = array<float, 3>;

planes random_planes(std::size_t lines, std::size_t n, unsigned seed) {
  const auto values = papilio::test::random_real<float>(2 * lines * n, seed);
  planes x({2, lines, n});
  std::copy(values.begin(), values.end(), x.data());
  return x;
}

// Lines of n along the last axis.
planes transformed(const planes& x, const precision_options& how, bool inverse = false,
                   double scale = 1, const machine_spec& machine = trainium1()) {
  device dev(machine);
  planes y(x.extents());
  prepared_kernel(dev,
                  fft_kernel({.extents = {std::int64_t(x.extent(1)), std::int64_t(x.extent(2))},
                              .axes = {-1},
                              .inverse = inverse,
                              .scale = scale,
                              .precision = how},
                             machine))
      .launch({x}, {y});
  return y;
}

std::vector<exact> line(const planes& x, std::size_t b) {
  const std::size_t n = x.extent(2), plane = x.extent(1) * n;
  std::vector<exact> z(n);
  for (std::size_t i = 0; i < n; ++i) z[i] = {x.data()[b * n + i], x.data()[plane + b * n + i]};
  return z;
}

// In the Euclidean norm, over some lines, the first and the last among them.
double error_of(const planes& x, const planes& y, int sign = -1, long double scale = 1,
                std::size_t looked_at = 16) {
  double sum = 0;
  const std::size_t lines = x.extent(1), count = std::min(lines, looked_at);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t b = count == lines ? i : i * (lines - 1) / (count - 1);
    auto expected = papilio::test::dft(line(x, b), sign);
    for (exact& v : expected) v *= scale;
    const double e = papilio::test::relative_error(line(y, b), expected);
    sum += e * e;
  }
  return std::sqrt(sum / double(count));
}

double model(std::int64_t lines, std::int64_t n, const precision_options& how) {
  return fft_kernel({.extents = {lines, n}, .axes = {-1}, .precision = how}, trainium1())
      .expected_error;
}

TEST(precision, measured_errors_are_those_expected) {
  for (const std::int64_t n : {30, 32, 64, 100, 128, 256, 1000, 1024}) {
    const planes x = random_planes(64, std::size_t(n), unsigned(n));
    for (const precision_options& how : all_modes) {
      const double measured = error_of(x, transformed(x, how)), expected = model(64, n, how);
      std::cout << n << " " << name_of(how) << " measured " << measured << " expected " << expected
                << "  " << measured / expected << std::endl;
      EXPECT_LT(measured, 1.5 * expected) << n << " " << name_of(how);
      EXPECT_GT(measured, expected / 1.5) << n << " " << name_of(how);
    }
  }
}

}  // namespace
}  // namespace papilio::kernels::test
