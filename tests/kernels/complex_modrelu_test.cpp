// Against hypot and division in double. Error model: magnitude and phase have about ten roundings
// of fp32 each at most, so that a result is within 2^-20 of the larger of |z| and |b|.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/planar.hpp"
#include "support/oracle.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

std::complex<double> modrelu(std::complex<double> z, double b) {
  const double magnitude = std::hypot(z.real(), z.imag());
  return magnitude == 0 ? 0.0 : z / magnitude * std::max(magnitude + b, 0.0);
}

sized_kernel modrelu_of(std::size_t rows, std::size_t features,
                        const machine_spec& machine = trainium1()) {
  return layer_kernel({.function = layer_function::modrelu, .rows = rows, .features = features},
                      machine);
}

array<float, 1> bias_of(std::int64_t features, unsigned seed) {
  array<float, 1> bias({std::size_t(features)});
  const auto values = papilio::test::random_real<float>(bias.size(), seed);
  std::copy(values.begin(), values.end(), bias.data());
  return bias;
}

void expect_modrelu(const array<float, 3>& z, const array<float, 1>& bias,
                    const machine_spec& machine = trainium1()) {
  const auto rows = std::int64_t(z.extent(1)), features = std::int64_t(z.extent(2));
  const auto out = run_once(modrelu_of(z.extent(1), z.extent(2), machine), {z, bias}, machine);
  double squares = 0, errors = 0;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < features; ++j) {
      const double b = bias.data()[j];
      const auto exact = modrelu(element(z, i, j), b), error = element(out, i, j) - exact;
      ASSERT_LE(std::abs(error), 0x1p-20 * std::max(std::abs(element(z, i, j)), std::fabs(b)))
          << i << ", " << j << " of " << rows << " x " << features;
      squares += std::norm(exact);
      errors += std::norm(error);
    }
  if (rows * features >= 1000) {
    EXPECT_LE(std::sqrt(errors / squares),
              3 * modrelu_of(z.extent(1), z.extent(2), machine).expected_error);
  }
}

TEST(cases, trnfft_208_modrelu_of_4_8) { expect_modrelu(normal_planar(4, 8, 1), bias_of(8, 2)); }

TEST(complex_modrelu, values_at_any_size) {
  for (const auto& [rows, features] : {std::pair<std::int64_t, std::int64_t>{1, 1},
                                       {1, 3},
                                       {3, 1},
                                       {5000, 3},
                                       {129, 67},
                                       {130, 1},
                                       {2, 9001},
                                       {1, 140000},
                                       {300, 1024},
                                       {77, 1025},
                                       {1027, 100}})
    expect_modrelu(normal_planar(rows, features, 1), bias_of(features, 2));
  expect_modrelu(normal_planar(129, 67, 1), bias_of(67, 2), trainium2());
  machine_spec small = trainium1();
  small.name = "small";
  small.sbuf.bytes_per_partition = 4096;
  expect_modrelu(normal_planar(300, 40, 1), bias_of(40, 2), small);
}

TEST(complex_modrelu, zeros_and_the_ends_of_the_range) {
  constexpr std::size_t n = 9;
  const float large = 1.5e38F, small = 0x1p-120F, least = std::numeric_limits<float>::min();
  const float re[n] = {0, 0, 0, large, -large, small, 0, least, 3};
  const float im[n] = {0, 0, 0, -large, 1, -small, small, -least, -4};
  const float b[n] = {0, 1000, -1, -1e38F, 1, 0, 1, 0, -5};
  array<float, 3> z({2, 1, n});
  array<float, 1> bias({n});
  for (std::size_t i = 0; i < n; ++i) {
    z.data()[i] = re[i], z.data()[n + i] = im[i];
    bias.data()[i] = b[i];
  }
  expect_modrelu(z, bias);
  const auto out = run_once(modrelu_of(1, n), {z, bias});
  for (const std::int64_t i : {0, 1, 2}) EXPECT_EQ(element(out, 0, i), 0.0) << i;
}

TEST(complex_modrelu, values_that_are_not_finite) {
  const float infinity = std::numeric_limits<float>::infinity();
  array<float, 3> z({2, 1, 3});
  const float values[6] = {infinity, std::nanf(""), 1, 0, 0, 0};
  std::copy(values, values + 6, z.data());
  const auto out = run_once(modrelu_of(1, 3), {z, bias_of(3, 1)});
  EXPECT_TRUE(std::isnan(out.data()[0]) && std::isnan(out.data()[1]));
  EXPECT_TRUE(std::isfinite(out.data()[2]));
}

TEST(complex_modrelu, refusals) {
  const auto message_of = [](std::size_t rows, std::size_t features) {
    try {
      modrelu_of(rows, features);
    } catch (const invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message_of(0, 1), "layer_kernel: rows must be at least 1, got 0");
  EXPECT_EQ(message_of(1, 0), "layer_kernel: features must be at least 1, got 0");
  const std::size_t large = std::size_t{1} << 40;
  EXPECT_THROW(modrelu_of(large, large), resource_error);
}

TEST(complex_modrelu, is_bound_by_the_vector_engine) {
  const profile p = dry_profile("complex_modrelu", {"rows=8192", "features=1024"});
  EXPECT_EQ(p.verdict.bound_by, unit::vector);
  EXPECT_GE(p.verdict.active_fraction, 0.85);
  EXPECT_NEAR(p.verdict.floor_seconds, 16.0 * 8192 * 1024 / 272e9, 1e-6);
}

}  // namespace
}  // namespace papilio::kernels::test
