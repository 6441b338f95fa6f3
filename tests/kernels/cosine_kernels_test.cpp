// Cosine and sine transforms as kernels, against sums of the definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "papilio/engine.hpp"
#include "papilio/kernels.hpp"
#include "support/oracle.hpp"

namespace papilio::kernels::test {
namespace {

struct one_case {
  std::size_t outer = 1, n = 1, inner = 1;
  int type = 2;
  bool cosine = true, orthonormal = false, inverse = false;

  fft_problem problem() const {
    return {.kind = cosine ? fft_kind::cosine : fft_kind::sine,
            .dir = inverse ? direction::inverse : direction::forward,
            .type = real_type::single_precision,
            .norm = orthonormal ? normalization::orthonormal : normalization::none,
            .extents = {outer, n, inner},
            .axes = {1},
            .trigonometric_type = type};
  }
  // The type whose matrix is applied: an inverse without its factor is the other type's.
  int matrix_type() const { return inverse && (type == 2 || type == 3) ? 5 - type : type; }
};

// Row k, column j of the matrix; an orthogonal one has ends divided by a root of 2.
long double entry(const one_case& c, std::size_t k, std::size_t j) {
  const long double n = static_cast<long double>(c.n), pi = std::numbers::pi_v<long double>;
  const int type = c.matrix_type();
  // Type 3 is the transpose of type 2 but for the end, which is halved.
  const std::size_t row = type == 2 ? k : j, column = type == 2 ? j : k;
  const auto wave =
      static_cast<long double>((2 * column + 1) * (c.cosine ? row : row + 1) % (4 * c.n));
  long double value =
      2 * (c.cosine ? std::cos(pi * wave / (2 * n)) : std::sin(pi * wave / (2 * n)));
  if (row == (c.cosine ? 0 : c.n - 1)) {
    if (c.orthonormal) value /= std::numbers::sqrt2_v<long double>;
    if (!c.orthonormal && type == 3) value /= 2;
  }
  return c.orthonormal ? value / std::sqrt(2 * n) : value;
}

void expect_values(const one_case& c, const engine::machine_spec& machine = engine::trainium1()) {
  const std::size_t count = c.outer * c.n * c.inner;
  const auto x = papilio::test::random_real<float>(count, 7);
  std::vector<float> y(count);
  const sized_kernel sized = fft_kernel(c.problem(), machine);
  engine::device device(machine);
  prepared_kernel(device, sized)
      .launch({engine::launch_input(std::as_bytes(std::span(x)), sized.inputs[0])},
              {engine::launch_output(std::as_writable_bytes(std::span(y)), sized.outputs[0])});
  long double error = 0, norm = 0;
  const std::size_t step = std::max<std::size_t>(1, c.n / 37);
  for (const std::size_t line : {std::size_t(0), c.outer * c.inner - 1}) {
    const std::size_t base = line / c.inner * c.n * c.inner + line % c.inner;
    for (std::size_t i = 0; i < c.n; i += step)
      for (const std::size_t k : {i, c.n - 1 - i}) {
        long double sum = 0;
        for (std::size_t j = 0; j < c.n; ++j) sum += entry(c, k, j) * x[base + j * c.inner];
        error += std::pow(sum - y[base + k * c.inner], 2);
        norm += sum * sum;
      }
  }
  EXPECT_LE(double(std::sqrt(error / norm)), 4 * sized.expected_error)
      << (c.cosine ? "dct " : "dst ") << c.type << " of " << c.outer << " x " << c.n << " x "
      << c.inner << sized.recipe();
}

TEST(cosine_kernels, types_2_and_3_of_many_lengths) {
  for (const bool cosine : {true, false})
    for (const int type : {2, 3})
      for (const std::size_t n : {1, 2, 3, 9, 37, 64, 100, 127, 131, 256, 1000, 1001, 2048, 4096})
        expect_values({.outer = n % 2 == 0 ? 140u : 3u, .n = n, .type = type, .cosine = cosine});
}

TEST(cosine_kernels, norms_directions_and_axes) {
  for (const bool cosine : {true, false})
    for (const int type : {2, 3})
      for (const bool inverse : {false, true}) {
        const one_case c{.outer = 2,
                         .n = 600,
                         .inner = 70,
                         .type = type,
                         .cosine = cosine,
                         .orthonormal = true,
                         .inverse = inverse};
        expect_values(c);
        expect_values(c, engine::trainium2());
      }
}

// Longer than a matrix may be.
TEST(cosine_kernels, long_lines) {
  for (const std::size_t n : {6000, 8191 - 1, 8192})
    for (const int type : {2, 3}) expect_values({.outer = 2, .n = n, .type = type});
  const one_case prime{.n = 8191}, first{.n = 6000, .type = 1};
  EXPECT_THROW(fft_kernel(prime.problem(), engine::trainium1()), invalid_argument);
  EXPECT_THROW(fft_kernel(first.problem(), engine::trainium1()), invalid_argument);
}

TEST(cosine_kernels, many_lines_are_no_matrix) {
  for (const int type : {2, 3}) {
    const sized_kernel k =
        fft_kernel(one_case{.outer = 4096, .n = 1024, .type = type}.problem(), engine::trainium1());
    EXPECT_NE(k.recipe().find("cosine transforms of 1024 ="), std::string::npos) << k.recipe();
  }
}

}  // namespace
}  // namespace papilio::kernels::test
