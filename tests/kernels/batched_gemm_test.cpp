// Batches of products against sums in double. Error model: gamma_q of the sum of magnitudes,
// q = k + ceil(k / 128) + 1, as in gemm_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/planar.hpp"
#include "support/oracle.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

array<float, 3> normal(std::int64_t batch, std::int64_t rows, std::int64_t columns, unsigned seed) {
  array<float, 3> values({std::size_t(batch), std::size_t(rows), std::size_t(columns)});
  const auto numbers = papilio::test::random_real<float>(values.size(), seed);
  std::copy(numbers.begin(), numbers.end(), values.data());
  return values;
}

void expect_products(const gemm_problem& s, const machine_spec& machine = trainium1()) {
  SCOPED_TRACE(testing::Message() << s.batch << " of " << s.m << " x " << s.k << " x " << s.n
                                  << (s.shared_left ? ", A shared" : "")
                                  << (s.shared_right ? ", B shared" : ""));
  const auto batch = std::int64_t(s.batch), m = std::int64_t(s.m), k = std::int64_t(s.k),
             n = std::int64_t(s.n);
  const auto a = normal(s.shared_left ? 1 : batch, m, k, 1),
             b = normal(s.shared_right ? 1 : batch, k, n, 2);
  const auto c = run_once(batched_gemm_kernel(s, machine), {a, b}, machine);
  const double q = double(k + (k + 127) / 128 + 1) * 0x1p-24, gamma = q / (1 - q);
  for (std::int64_t x = 0; x < batch; ++x) {
    const float* const left = a.data() + (s.shared_left ? 0 : x * m * k);
    const float* const right = b.data() + (s.shared_right ? 0 : x * k * n);
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        double value = 0, size = 0;
        for (std::int64_t t = 0; t < k; ++t) {
          const double term = double(left[i * k + t]) * double(right[t * n + j]);
          value += term;
          size += std::fabs(term);
        }
        const double got = c.data()[(x * m + i) * n + j];
        ASSERT_LE(std::fabs(got - value), gamma * size) << x << ", " << i << ", " << j;
      }
  }
}

TEST(batched_gemm, values_at_awkward_sizes) {
  for (const bool left : {false, true})
    for (const bool right : {false, true})
      for (const gemm_problem& s : {gemm_problem{.batch = 1, .m = 1, .k = 1, .n = 1},
                                    {.batch = 5, .m = 1, .k = 7, .n = 3},
                                    {.batch = 3, .m = 129, .k = 40, .n = 2},
                                    {.batch = 2, .m = 30, .k = 130, .n = 514},
                                    {.batch = 7, .m = 33, .k = 150, .n = 65}}) {
        gemm_problem problem = s;
        problem.shared_left = left, problem.shared_right = right;
        expect_products(problem);
      }
}

TEST(batched_gemm, panels_and_blocks_of_a_small_memory) {
  machine_spec small = trainium1();
  small.name = "small";
  small.sbuf.bytes_per_partition = 49152;
  small.tensor.moving_columns_max = 64;
  for (const bool shared : {false, true})
    expect_products({.batch = 3, .m = 300, .k = 140, .n = 150, .shared_left = shared}, small);
}

// Where a row takes far less than a descriptor's time, matrices are loaded whole, one to a partition.
TEST(batched_gemm, matrices_with_short_rows_are_loaded_whole) {
  for (const gemm_problem& s : {gemm_problem{.batch = 130, .m = 16, .k = 24, .n = 20},
                                {.batch = 70, .m = 7, .k = 5, .n = 9},
                                {.batch = 33, .m = 40, .k = 130, .n = 12},
                                {.batch = 40, .m = 64, .k = 64, .n = 64}}) {
    expect_products(s, trainium2());
    expect_products(s, trainium3());
  }
  const auto seconds = [](double descriptor_ns) {
    machine_spec machine = trainium2();
    machine.dma.descriptor_ns = machine.dma.short_descriptor_ns = descriptor_ns;
    return dry_profile("batched_gemm", {"batch=1024", "m=64", "k=64", "n=64"}, machine)
        .value("total_time");
  };
  // A third of the rows, those of C, are as short as they were.
  const double rows = 1024 * 64 * 3, ns = 107, engines = trainium2().dma.engines;
  EXPECT_LT(seconds(ns), 0.5 * rows * ns * 1e-9 / engines);
}

TEST(batched_gemm, a_shared_left_operand_is_loaded_once) {
  const auto reads = [](const std::string& shared) {
    return dry_profile("batched_gemm", {"batch=8", "m=512", "k=512", "n=512", "shared=" + shared})
        .value("hbm_read_bytes");
  };
  const double one = 512.0 * 512 * 4;
  EXPECT_EQ(reads("none"), 16 * one);
  EXPECT_LE(reads("a"), 17 * one);  // A once, each B for half of its rows
  // In groups that pass over one block of B, or in a panel of all: not once for each product.
  EXPECT_LE(reads("b"), 16 * one);
}

// The first products of a batch, or rows where B is shared: the same bits.
TEST(batched_gemm, parts_compute_the_first_of_what_is_repeated) {
  for (const bool shared_left : {false, true})
    for (const bool shared_right : {false, true}) {
      SCOPED_TRACE(testing::Message() << shared_left << shared_right);
      const gemm_problem s{.batch = 5,
                           .m = 70,
                           .k = 130,
                           .n = 40,
                           .shared_left = shared_left,
                           .shared_right = shared_right};
      const sized_kernel whole = batched_gemm_kernel(s, trainium1());
      const bool tall = shared_right && !shared_left;
      EXPECT_EQ(whole.repeats.unit, tall ? "rows" : "products");
      EXPECT_EQ(whole.repeats.count, tall ? 5 * 70 : 5);
      const sized_kernel part = whole.repeats.part(tall ? 2 * 70 : 2);
      EXPECT_FALSE(part.repeats.part);
      const auto a = normal(shared_left ? 1 : 5, 70, 130, 1),
                 b = normal(shared_right ? 1 : 5, 130, 40, 2);
      const auto first_of = [](const array<float, 3>& all, const engine::tensor_shape& shape) {
        array<float, 3> some({std::size_t(shape.extents[0]), std::size_t(shape.extents[1]),
                              std::size_t(shape.extents[2])});
        std::copy_n(all.data(), some.size(), some.data());
        return some;
      };
      const auto c = run_once(whole, {a, b}, trainium1());
      const auto some =
          run_once(part, {first_of(a, part.inputs[0]), first_of(b, part.inputs[1])}, trainium1());
      ASSERT_EQ(some.size(), 2U * 70 * 40);
      EXPECT_TRUE(std::equal(some.data(), some.data() + some.size(), c.data()));
    }
}

TEST(batched_gemm, refusals) {
  const auto message_of = [](const gemm_problem& problem,
                             const batched_gemm_kernel_options& how = {}) {
    try {
      batched_gemm_kernel(problem, trainium1(), how);
    } catch (const invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message_of({.batch = 0}), "batched_gemm: batch must be at least 1, got 0");
  EXPECT_EQ(message_of({.m = 0}), "batched_gemm: m must be at least 1, got 0");
  EXPECT_EQ(message_of({.k = 0}), "batched_gemm: k must be at least 1, got 0");
  EXPECT_EQ(message_of({.n = 0}), "batched_gemm: n must be at least 1, got 0");
  EXPECT_EQ(message_of({.is_complex = true}),
            "batched_gemm: the problem must be real, got a complex one");
  EXPECT_EQ(message_of({.type = real_type::double_precision}),
            "batched_gemm: the problem must be in float, got double");
  EXPECT_EQ(message_of({}, {.type = dtype::int32}),
            "batched_gemm: type must be a floating-point type, got int32");
  const std::size_t large = std::size_t{1} << 40;
  EXPECT_THROW(batched_gemm_kernel({.batch = large, .m = large}, trainium1()), resource_error);
}

TEST(batched_gemm, the_array_does_not_wait_between_products) {
  const profile p = dry_profile("batched_gemm", {"batch=64", "m=1024", "k=1024", "n=1024"});
  EXPECT_EQ(p.verdict.bound_by, unit::tensor);
  EXPECT_GE(p.verdict.floor_fraction, 0.9);
  EXPECT_LE(p.verdict.floor_fraction, 1);
  EXPECT_GE(p.verdict.active_fraction, 0.99);
}

}  // namespace
}  // namespace papilio::kernels::test
