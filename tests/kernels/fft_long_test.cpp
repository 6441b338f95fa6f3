// fft_kernel of lines that the emulator takes seconds for, against the host's plans in double.
#include <gtest/gtest.h>

#include "kernels/device_fft.hpp"

namespace papilio::kernels::test {
namespace {

using papilio::test::exact;
using papilio::test::relative_error;

class fft_long : public testing::TestWithParam<std::int64_t> {};

// Within half as much again as expected, and three times the host's error in single precision.
TEST_P(fft_long, values) {
  const fft_row shape{.extents = {GetParam()}};
  engine::device dev(engine::trainium1(), engine::sdk_2_24(), {.threads = 2});
  const complex_values x = papilio::test::random_complex<float>(count_of(shape), 7);
  const std::vector<exact> expected = host_fft(shape, x);
  const double error = relative_error(device_fft(dev, shape, x), expected);
  const double model = fft_kernel(shape, dev.machine()).expected_error;
  EXPECT_LE(error, 1.5 * model);
  EXPECT_GE(error, 0.4 * model);
  EXPECT_LE(error, 3 * host_error(shape, x, expected));
}

// 3^12, whose second sweep has two blocks on chip that just do not fit with all its matrices; 7^7;
// three large primes.
INSTANTIATE_TEST_SUITE_P(lengths, fft_long,
                         testing::Values(1 << 17, 1 << 18, 1 << 19, 1 << 20, 1000000, 531441,
                                         823543, 67 * 71 * 73, 3 << 17, 5 << 16));

}  // namespace
}  // namespace papilio::kernels::test
