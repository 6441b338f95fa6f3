#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>

#include "naive.hpp"
#include "support/child_process.hpp"

namespace papilio::test {
namespace {

template <class T>
class gemm_threads_test : public testing::Test {};
using element_types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(gemm_threads_test, element_types);

struct shape {
  std::size_t m, n, k;
};
// Rows to cut and few of them; several panels of rows; wide; a long sum; and just above and below
// what is worth a thread.
constexpr shape shapes[] = {{301, 290, 257}, {97, 211, 223},  {193, 17, 1301}, {4701, 19, 53},
                            {7, 3001, 811},  {11, 13, 60007}, {128, 128, 129}, {128, 160, 208},
                            {1700, 16, 301}, {50, 3000, 120}};

template <class T>
array<T, 2> made(std::size_t rows, std::size_t columns, unsigned seed) {
  array<T, 2> x({rows, columns}, uninitialized);
  std::uint64_t state = seed;
  for (T& v : x) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto re = static_cast<real_of<T>>(static_cast<double>(state >> 40) * 0x1p-24 - 0.5);
    if constexpr (std::is_floating_point_v<T>)
      v = re;
    else
      v = T(re, static_cast<real_of<T>>(static_cast<double>(state >> 20 & 0xffff) * 0x1p-16));
  }
  return x;
}

template <class T>
view<T, 2> turned(view<T, 2> x) {
  return {x.data(), {x.extent(1), x.extent(0)}, {x.stride(1), x.stride(0)}};
}

// C row-major and column-major, by gemm on any number of threads, as an item of a batch, with an
// epilogue and as blocks: always the same bits.
TYPED_TEST(gemm_threads_test, the_same_bits_in_every_way) {
  using T = TypeParam;
  for (const auto& [m, n, k] : shapes)
    for (const bool by_columns : {false, true}) {
      const auto left = made<T>(m, k, 1), right = made<T>(k, n, 2);
      const view<const T, 2> a = by_columns ? turned(right.view()) : left.view();
      const view<const T, 2> b = by_columns ? turned(left.view()) : right.view();
      const T alpha = T(real_of<T>(0.7)), beta = T(real_of<T>(-0.3));
      const auto before = made<T>(m, n, 3);
      auto expected = before;
      const auto out = [&](array<T, 2>& c) { return by_columns ? turned(c.view()) : c.view(); };
      gemm(alpha, a, b, beta, out(expected), {.threads = 1});
      const auto is_expected = [&](const array<T, 2>& c) {
        return std::memcmp(c.data(), expected.data(), c.size() * sizeof(T)) == 0;
      };
      for (const int threads : {2, 3}) {
        auto c = before;
        gemm(alpha, a, b, beta, out(c), {.threads = threads});
        ASSERT_TRUE(is_expected(c)) << m << ' ' << n << ' ' << k << ' ' << threads;
      }
      auto c = before;
      const auto o = out(c);
      gemm_batched(
          alpha, view<const T, 3>(a.data(), {1, a.extent(0), k}, {0, a.stride(0), a.stride(1)}),
          view<const T, 3>(b.data(), {1, k, b.extent(1)}, {0, b.stride(0), b.stride(1)}), beta,
          view<T, 3>(o.data(), {1, o.extent(0), o.extent(1)}, {0, o.stride(0), o.stride(1)}),
          {.threads = 2});
      ASSERT_TRUE(is_expected(c)) << m << ' ' << n << ' ' << k;
      c = before;
      gemm_epilogue(alpha, a, b, beta, out(c), [](T x, std::size_t, std::size_t) { return x; },
                    {.threads = 2});
      ASSERT_TRUE(is_expected(c)) << m << ' ' << n << ' ' << k;
    }
}

TYPED_TEST(gemm_threads_test, items_of_a_batch_have_the_bits_of_their_own) {
  using T = TypeParam;
  for (const auto& [m, n, k] : {shape{101, 160, 200}, shape{9, 11, 70001}}) {
    const auto a = made<T>(3 * m, k, 1), b = made<T>(k, n, 2);
    array<T, 3> c({3, m, n});
    const view<const T, 3> items(a.data(), {3, m, k});
    const view<const T, 3> shared(b.data(), {3, k, n}, {0, static_cast<std::ptrdiff_t>(n), 1});
    gemm_batched(T(1), items, shared, T(0), c, {.threads = 2});
    for (std::size_t i = 0; i < 3; ++i) {
      array<T, 2> own({m, n});
      gemm(T(1), items[i], b, T(0), own, {.threads = 1});
      EXPECT_EQ(0, std::memcmp(own.data(), c[i].data(), own.size() * sizeof(T)));
    }
  }
}

// A long sum in parts is no less exact, and beta is applied once.
TYPED_TEST(gemm_threads_test, long_sums) {
  using T = TypeParam;
  const std::size_t m = 3, n = 2, k = 400009;
  bounded total;
  const auto a = made<T>(m, k, 4), b = made<T>(k, n, 5);
  auto c = made<T>(m, n, 6);
  const auto before = c;
  gemm(T(2), a, b, T(3), c);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      auto sum =
          product_element<T>(T(2), a.view(), matrix_op::none, b.view(), matrix_op::none, k, i, j);
      sum.value += exact(3) * exact_of(before(i, j));
      EXPECT_TRUE(is_within(c(i, j), sum, k / 16));
      total.value += sum.value - exact(3) * exact_of(before(i, j));
      total.magnitude += sum.magnitude;
    }
  const auto all = gemm_reduce(
      T(2), a, b, T(0), [](T x, std::size_t, std::size_t) { return x; }, std::plus<>());
  EXPECT_TRUE(is_within(all, total, k / 16));
}

#if defined(__x86_64__)
// Each set of kernels that OpenBLAS may choose on some processor and that this one can run.
TEST(gemm_threads, the_same_bits_with_all_kernels) {
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) return;  // one of the children
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
  const std::pair<const char*, bool> kernels[] = {
      {"Prescott", true},
      {"Sandybridge", static_cast<bool>(__builtin_cpu_supports("avx"))},
      {"Haswell", has_avx2},
      {"Zen", has_avx2},
      {"SkylakeX", has_avx512}};
  for (const auto& [name, can_run] : kernels) {
    if (!can_run) continue;
    std::string variable = "OPENBLAS_CORETYPE=";
    variable.append(name);
    const auto result =
        run_child({"/usr/bin/env", variable, std::filesystem::read_symlink("/proc/self/exe"),
                   "--gtest_filter=*in_every_way"});
    EXPECT_EQ(result.exit_code, 0) << name << '\n' << result.output;
  }
}
#endif

}  // namespace
}  // namespace papilio::test
