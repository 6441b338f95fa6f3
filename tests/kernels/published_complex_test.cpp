// The published complex products on the emulated device, against sums in long double.
//
// Error model: a part of C is a sum of 2 k products, in array order by 128 and then over the tiles.
// Each of its roundings is at most u = 2^-24 of a partial sum, and for random signs partial sums
// grow with sqrt(k), so that the relative error in the Euclidean norm is about u sqrt(128 / 2 +
// k / 128), below 8.2 u here: 2^-20 = 16 u. A mask has two products and a sum: 2^-22.
#include <gtest/gtest.h>

#include <limits>

#include "kernels/published_lines.hpp"
#include "papilio/engine/dtype.hpp"

namespace papilio::kernels::test {
namespace {

using namespace published;
using engine::dtype;
using papilio::test::relative_error;

exact at(const planar& x, std::size_t i, std::size_t j) { return {x(0, i, j), x(1, i, j)}; }

std::vector<exact> product(const planar& a, const planar& b, bool transposed = false) {
  const std::size_t m = a.extent(1), k = a.extent(2), n = b.extent(transposed ? 1 : 2);
  std::vector<exact> c(m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t l = 0; l < k; ++l)
      for (std::size_t j = 0; j < n; ++j)
        c[i * n + j] += at(a, i, l) * (transposed ? at(b, j, l) : at(b, l, j));
  return c;
}

planar gemm_of(const planar& a, const planar& b, dtype type = dtype::fp32) {
  device on;
  planar c({2, a.extent(1), b.extent(2)});
  complex_gemm(on, a, b, c, type);
  return c;
}
planar mask_of(const planar& mask, const planar& spectrum) {
  device on;
  planar out(mask.extents());
  complex_mask_apply(on, mask, spectrum, out);
  return out;
}
std::vector<exact> elementwise(const planar& a, const planar& b) {
  std::vector<exact> x = values_of(a);
  const std::vector<exact> y = values_of(b);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] *= y[i];
  return x;
}

TEST(published_cases, trnfft_236_complex_gemm_128) {
  const planar a = random_lines(128, 128, 1), b = random_lines(128, 128, 2);
  expect_elements(values_of(gemm_of(a, b)), product(a, b), 1e-4, 1e-3);
}

TEST(published_cases, trnfft_237_complex_mask_128_4) {
  const planar a = random_lines(128, 4, 1), b = random_lines(128, 4, 2);
  expect_elements(values_of(mask_of(a, b)), elementwise(a, b), 1e-4, 1e-4);
}

TEST(published_cases, trnfft_248_complex_gemm_bf16) {
  planar a = random_lines(128, 64, 1), b = random_lines(64, 64, 2);
  const planar c = gemm_of(a, b, dtype::bf16);
  for (planar* x : {&a, &b})
    for (float& v : x->flat()) v = engine::round_to(dtype::bf16, v);
  expect_elements(values_of(c), product(a, b), 0.1, 0.1);
  // fp32 sums of exact products of bf16 numbers.
  EXPECT_LE(relative_error(values_of(c), product(a, b)), 0x1p-22);
}

TEST(published_products, gemm_of_any_size) {
  struct size {
    std::size_t m, k, n;
  };
  for (const size& s : {size{1, 1, 1}, size{1, 7, 3}, size{129, 5, 2}, size{3, 131, 513},
                        size{200, 200, 600}, size{64, 257, 17}}) {
    const planar a = random_lines(s.m, s.k, 3), b = random_lines(s.k, s.n, 4);
    EXPECT_LE(relative_error(values_of(gemm_of(a, b)), product(a, b)), 0x1p-20)
        << s.m << " " << s.k << " " << s.n;
  }
}

TEST(published_products, linear_of_any_size) {
  struct size {
    std::size_t m, k, n;
  };
  for (const size& s : {size{1, 1, 1}, size{5, 131, 3}, size{130, 4, 129}, size{2, 40, 700}}) {
    const planar x = random_lines(s.m, s.k, 3), w = random_lines(s.n, s.k, 4);
    planar y({2, s.m, s.n});
    device on;
    complex_linear(on, x, w, y);
    EXPECT_LE(relative_error(values_of(y), product(x, w, true)), 0x1p-20)
        << s.m << " " << s.k << " " << s.n;
  }
}

TEST(published_products, mask_of_any_size) {
  for (const auto& [rows, columns] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {1, 127}, {3, 43}, {64, 32}, {513, 131}}) {
    const planar a = random_lines(rows, columns, 3), b = random_lines(rows, columns, 4);
    EXPECT_LE(relative_error(values_of(mask_of(a, b)), elementwise(a, b)), 0x1p-22) << columns;
  }
}

// There the transposing loads are the DMA's.
TEST(published_products, on_a_machine_whose_dma_transposes) {
  const planar a = random_lines(70, 130, 3), b = random_lines(130, 40, 4),
               w = random_lines(40, 130, 5);
  planar c({2, 70, 40}), y({2, 70, 40});
  device on(engine::trainium2());
  complex_gemm(on, a, b, c);
  complex_linear(on, a, w, y);
  EXPECT_EQ(values_of(c), values_of(gemm_of(a, b)));
  EXPECT_LE(relative_error(values_of(y), product(a, w, true)), 0x1p-20);
}

gemm_problem complex_problem(std::size_t m, std::size_t k, std::size_t n) {
  return {.m = m, .k = k, .n = n, .is_complex = true};
}
fft_problem lines_of(std::size_t batch, std::size_t n) {
  return {.type = real_type::single_precision, .extents = {batch, n}, .axes = {1}};
}

TEST(published_products, sizes_that_overflow) {
  device on;
  constexpr std::size_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(complex_gemm(on, complex_problem(most, 2, 1)), resource_error);
  EXPECT_THROW(complex_mask_apply(on, {.count = most}), resource_error);
  EXPECT_THROW(butterfly_fft(on, lines_of(most, 2)), resource_error);
  EXPECT_THROW(butterfly_fft(on, lines_of(3, std::size_t(1) << 61)), resource_error);
  EXPECT_THROW(stockham_fft(on, lines_of(most, 4)), resource_error);
  EXPECT_EQ(on.record().upload.tensors, 0u);
}

TEST(published_products, refusals) {
  device on;
  planar a({2, 3, 4}), b({2, 5, 6}), c({2, 3, 6}), one({1, 3, 4});
  expect_refusal<shape_error>([&] { complex_gemm(on, a, b, c); },
                              {"complex_gemm", "[2, 3, 4]", "[2, 5, 6]"});
  expect_refusal<shape_error>([&] { complex_linear(on, a, b, c); }, {"complex_linear"});
  expect_refusal<shape_error>([&] { complex_mask_apply(on, one, one, one); },
                              {"complex_mask_apply", "[1, 3, 4]"});
  expect_refusal<invalid_argument>([&] { complex_gemm(on, complex_problem(1, 0, 1)); },
                                   {"complex_gemm: k must be at least 1, got 0"});
  expect_refusal<invalid_argument>([&] { complex_gemm(on, complex_problem(1, 1, 1), dtype::fp16); },
                                   {"type must be fp32 or bf16, got fp16"});
  expect_refusal<invalid_argument>([&] { complex_linear(on, {}); },
                                   {"complex_linear: the problem must be complex, got a real one"});
  expect_refusal<invalid_argument>([&] { complex_mask_apply(on, {.count = 0}); },
                                   {"count must be at least 1, got 0"});
  expect_refusal<invalid_argument>([&] { complex_mask_apply(on, {.factors = {1}}); },
                                   {"takes two operands, no factors"});
  EXPECT_EQ(on.record().launches, 0u);
}

// Copies as the published system makes them, the same with values and without.
TEST(published_products, a_dry_run_costs_the_same) {
  const planar a = random_lines(33, 64, 1), b = random_lines(64, 70, 2),
               w = random_lines(70, 64, 2);
  planar c({2, 33, 70}), y({2, 33, 64});
  device on, dry;
  const auto expect_same = [](const published_run& x, const published_run& z,
                              std::uint64_t launches, std::uint64_t uploads) {
    EXPECT_EQ(x.launches, launches);
    EXPECT_EQ(x.upload.tensors, uploads);
    EXPECT_EQ(x.fetch.tensors, 2u);
    EXPECT_EQ(z.launches, launches);
    EXPECT_EQ(x.upload.bytes, z.upload.bytes);
    EXPECT_EQ(x.fetch.bytes, z.fetch.bytes);
    EXPECT_DOUBLE_EQ(x.total_seconds(), z.total_seconds());
    EXPECT_GT(x.device_seconds, 0);
  };
  const gemm_problem product = complex_problem(33, 64, 70);
  const fft_problem lines = lines_of(33, 64);
  expect_same(complex_gemm(on, a, b, c), complex_gemm(dry, product), 1, 4);
  expect_same(complex_linear(on, a, w, c), complex_linear(dry, product), 1, 4);
  expect_same(complex_mask_apply(on, a, a, y), complex_mask_apply(dry, {.count = 33 * 64}), 1, 4);
  expect_same(dft_gemm(on, a, y), dft_gemm(dry, lines), 1, 4);
  expect_same(butterfly_fft(on, a, y), butterfly_fft(dry, lines), 6, 2 + 2 * 6);
  expect_same(stockham_fft(on, a, y), stockham_fft(dry, lines), 2, 2 + 2 * 2 + 2);
  expect_same(stockham_fft(on, a, y, direction::forward, stockham_plan::radix_4),
              stockham_fft(dry, lines, stockham_plan::radix_4), 3, 2 + 2 * 3);
}

}  // namespace
}  // namespace papilio::kernels::test
