// Real lines beside each other, against sums in long double for some of the results. Error model:
// sized_kernel::expected_error in the Euclidean norm; for 40 results 1.5 times as much is allowed.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "kernels/fft_designs.hpp"
#include "kernels/real_fft_runs.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using papilio::test::random_real;
using papilio::test::relative_error;

std::vector<exact> roots_of(std::int64_t n, int sign) {
  std::vector<exact> root(static_cast<std::size_t>(n));
  for (std::size_t k = 0; k < root.size(); ++k)
    root[k] = std::polar(1.0L, sign * 2 * std::numbers::pi_v<long double> *
                                   static_cast<long double>(k) / static_cast<long double>(n));
  return root;
}

// Results of [outer, n, inner] that are looked at: of the first line, the last one, and others.
struct sample {
  std::size_t outer, k, lane;
};
std::vector<sample> samples(const fft_row& shape, std::int64_t results) {
  const auto outer = std::size_t(shape.extents[0]), inner = std::size_t(shape.extents[2]),
             last = std::size_t(results - 1);
  std::vector<sample> all{{0, 0, 0}, {outer - 1, last, inner - 1}, {outer - 1, 0, inner / 2}};
  std::mt19937 generator(1);
  while (all.size() < 40)
    all.push_back({generator() % outer, generator() % (last + 1), generator() % inner});
  return all;
}

double forward_error(const fft_row& shape) {
  const auto n = std::size_t(shape.extents[1]), inner = std::size_t(shape.extents[2]),
             h = n / 2 + 1;
  const std::vector<float> x = random_real<float>(std::size_t(count_of(shape.extents)), 3);
  const bins y = run_rfft(shape, x);
  const std::vector<exact> root = roots_of(std::int64_t(n), -1);
  std::vector<exact> got, expected;
  for (const sample& s : samples(shape, std::int64_t(h))) {
    exact sum = 0;
    for (std::size_t j = 0; j < n; ++j)
      sum += static_cast<long double>(x[(s.outer * n + j) * inner + s.lane]) * root[j * s.k % n];
    expected.push_back(sum * static_cast<long double>(shape.scale));
    got.push_back(exact(y[(s.outer * h + s.k) * inner + s.lane]));
  }
  return relative_error(got, expected);
}

// Imaginary parts that are not to be looked at are not there.
double backward_error(const fft_row& shape) {
  const auto n = std::size_t(shape.extents[1]), inner = std::size_t(shape.extents[2]),
             h = n / 2 + 1;
  bins spectrum = random_bins(shape.extents[0] * std::int64_t(h * inner), 4);
  for (std::size_t i = 0; i < spectrum.size(); ++i) {
    const std::size_t k = i / inner % h;
    if (k == 0 || 2 * k == n) spectrum[i].imag(std::numeric_limits<float>::quiet_NaN());
  }
  const std::vector<float> x = run_irfft(shape, spectrum);
  const std::vector<exact> root = roots_of(std::int64_t(n), 1);
  std::vector<exact> got, expected;
  for (const sample& s : samples(shape, std::int64_t(n))) {
    long double sum = 0;
    for (std::size_t k = 0; k < h; ++k) {
      const exact v(spectrum[(s.outer * h + k) * inner + s.lane]), w = root[k * s.k % n];
      sum += k == 0 || 2 * k == n ? v.real() * w.real() : 2 * (v * w).real();
    }
    expected.push_back(sum * static_cast<long double>(shape.scale));
    got.push_back(exact(x[(s.outer * n + s.k) * inner + s.lane]));
  }
  return relative_error(got, expected);
}

// Lines that take two sweeps: of one array and of several.
TEST(real_columns, long_lines) {
  for (const fft_row& shape : {fft_row{.extents = {2, 16335, 64}, .axes = {1}, .scale = 0.3},
                               fft_row{.extents = {4, 9000, 70}, .axes = {1}},
                               fft_row{.extents = {1, 17424, 200}, .axes = {1}, .scale = -1},
                               fft_row{.extents = {1, 16335, 258}, .axes = {1}},
                               fft_row{.extents = {2, 8450, 530}, .axes = {1}}}) {
    const sized_kernel forward = rfft_kernel(shape, trainium1()),
                       backward = irfft_kernel(shape, trainium1());
    EXPECT_LE(forward_error(shape), 1.5 * forward.expected_error) << shape.extents[1];
    EXPECT_LE(backward_error(shape), 1.5 * backward.expected_error) << shape.extents[1];
  }
}

// Sizes of tests/times/times.txt: as many lines beside each other as stay on chip.
TEST(real_columns, named_runs) {
  for (const fft_row& shape : {fft_row{.extents = {1, 7, 520}, .axes = {1}},
                               fft_row{.extents = {1, 1000, 520}, .axes = {1}},
                               fft_row{.extents = {1, 1024, 600}, .axes = {1}, .scale = 0.3}}) {
    EXPECT_LE(forward_error(shape), 1.5 * rfft_kernel(shape, trainium1()).expected_error);
    EXPECT_LE(backward_error(shape), 1.5 * irfft_kernel(shape, trainium1()).expected_error);
  }
}

TEST(real_columns, bins_that_are_real_are_so) {
  const fft_row shape{.extents = {1, 8450, 200}, .axes = {1}};
  const bins y = run_rfft(shape, random_real<float>(8450 * 200, 8));
  for (std::size_t lane = 0; lane < 200; ++lane) {
    EXPECT_EQ(y[lane].imag(), 0);
    EXPECT_EQ(y[4225 * 200 + lane].imag(), 0);
  }
}

TEST(real_columns, less_time_than_the_complex_transform) {
  struct limit {
    std::vector<std::string> size;
    double most;
  };
  for (const limit& l : {limit{{"n=19683", "inner=256", "batch=2"}, 0.66},
                         {{"n=19683", "inner=1024"}, 0.7},
                         {{"n=16384", "inner=1024"}, 0.77},
                         {{"n=20000", "inner=512"}, 0.92}}) {
    const profile complex = dry_profile("fft", l.size);
    for (const std::string kernel : {"rfft", "irfft"})
      EXPECT_LE(dry_profile(kernel, l.size).value("total_time"),
                l.most * complex.value("total_time"))
          << kernel << ' ' << l.size.front();
  }
}

}  // namespace
}  // namespace papilio::kernels::test
