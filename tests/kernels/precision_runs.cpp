#include "kernels/precision_runs.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace papilio::kernels::test {

using namespace engine;
using papilio::test::exact;

std::string name_of(const precision_options& p) {
  const char* const names[] = {"native", "bf16", "bf16_refined", "split_bf16", "compensated"};
  std::string name = names[int(p.mode)];
  if (p.mode == precision::bf16_refined) name += p.refinements == 1 ? " 1" : " 2";
  if (p.mode == precision::split_bf16) name += p.parts == 2 ? " 2" : " 3";
  return name;
}

planes random_planes(std::size_t lines, std::size_t n, unsigned seed) {
  const auto values = papilio::test::random_real<float>(2 * lines * n, seed);
  planes x({2, lines, n});
  std::copy(values.begin(), values.end(), x.data());
  return x;
}

planes transformed(const planes& x, const precision_options& how, bool inverse, double scale,
                   const machine_spec& machine) {
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
double error_of(const planes& x, const planes& y, int sign, long double scale) {
  constexpr std::size_t looked_at = 16;
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

double max_norm_error(const planes& x, const planes& y, bool real_only) {
  double worst = 0;
  for (std::size_t b = 0; b < x.extent(1); ++b) {
    const auto expected = papilio::test::dft(line(x, b), -1);
    const auto got = line(y, b);
    long double error = 0, norm = 0;
    for (std::size_t k = 0; k < got.size(); ++k) {
      const exact d = got[k] - expected[k];
      error = std::max(error, real_only ? std::abs(d.real()) : std::abs(d));
      norm = std::max(norm, real_only ? std::abs(expected[k].real()) : std::abs(expected[k]));
    }
    worst = std::max(worst, double(error / norm));
  }
  return worst;
}

double model(std::int64_t lines, std::int64_t n, const precision_options& how) {
  return fft_kernel({.extents = {lines, n}, .axes = {-1}, .precision = how}, trainium1())
      .expected_error;
}

void expect_agreement(double measured, double expected, const std::string& what) {
  EXPECT_LT(measured, 1.5 * expected) << what;
  EXPECT_GT(measured, expected / 1.5) << what;
}

std::string bits(const planes& y) {
  return {reinterpret_cast<const char*>(y.data()), y.size() * sizeof(float)};
}

}  // namespace papilio::kernels::test
