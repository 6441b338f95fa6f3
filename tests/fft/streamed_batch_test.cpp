// Batches whose result is written past the caches: the bits are those of lines alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <utility>

#include "base/caches.hpp"
#include "papilio/fft.hpp"

namespace papilio::test {
namespace {

class streamed_batch : public testing::TestWithParam<std::size_t> {
 protected:
  streamed_batch() { base_detail::least_streamed_bytes() = 4096; }
  ~streamed_batch() override { base_detail::least_streamed_bytes() = before_; }

 private:
  std::size_t before_ = base_detail::least_streamed_bytes();
};

template <class T>
array<T, 2> made(std::size_t lines, std::size_t n) {
  array<T, 2> x({lines, n});
  std::uint32_t state = 1;
  for (T& v : x) v = static_cast<float>((state = state * 1664525 + 1013904223) >> 8) * 0x1p-24F;
  return x;
}

// Rows of the result that follow each other, and rows with room between.
TEST_P(streamed_batch, real_lines_have_the_bits_of_lines_alone) {
  const std::size_t n = GetParam(), lines = 40000 / n + 3, bins = n / 2 + 1;
  const array<float, 2> x = made<float>(lines, n);
  const rfft_plan<float> plan(n);
  array<std::complex<float>, 2> expected({lines, bins});
  for (std::size_t i = 0; i < lines; ++i)
    plan.forward({&x.view()[i][0], n}, {&expected.view()[i][0], bins});
  for (const std::size_t room : {std::size_t(0), std::size_t(5)})
    for (const int threads : {1, 2}) {
      array<std::complex<float>, 2> memory({lines, bins + room});
      const auto out = memory.view().slice(1, 0, bins);
      plan.forward_axis(x.view(), out, 1, threads);
      for (std::size_t i = 0; i < lines; ++i)
        ASSERT_TRUE(std::equal(&out[i][0], &out[i][0] + bins, &expected.view()[i][0])) << n << i;
    }
}

TEST_P(streamed_batch, complex_lines_have_the_bits_of_lines_alone) {
  using C = std::complex<double>;
  const std::size_t n = GetParam(), lines = 20000 / n + 3;
  const array<C, 2> x = made<C>(lines, n);
  const fft_plan<double> plan(n);
  array<C, 2> expected({lines, n}), out({lines, n});
  for (std::size_t i = 0; i < lines; ++i)
    plan.execute({&x.view()[i][0], n}, {&expected.view()[i][0], n});
  plan.execute_batch(x.view(), out.view(), 2);
  EXPECT_TRUE(std::ranges::equal(out, expected));
  array<C, 2> in_place = x;
  plan.execute_batch(std::as_const(in_place).view(), in_place.view(), 1);
  EXPECT_TRUE(std::ranges::equal(in_place, expected));
}

INSTANTIATE_TEST_SUITE_P(lengths, streamed_batch,
                         testing::Values(4, 16, 60, 100, 1009, 1024, 5000));

TEST(caches, are_between_what_processors_have) {
  EXPECT_EQ(base_detail::cache_bytes(1, 32768) % 1024, 0U);
  EXPECT_LE(base_detail::cache_bytes(1, 32768), base_detail::cache_bytes(2, 1 << 20));
  EXPECT_GE(base_detail::least_streamed_bytes(), std::size_t{16} << 20);
  EXPECT_LE(base_detail::least_streamed_bytes(), std::size_t{64} << 20);
}

}  // namespace
}  // namespace papilio::test
