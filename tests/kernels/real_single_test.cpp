// Single real lines, and few of them, of lengths that are odd or have large primes: odd ones in
// three stages on chip, and convolutions on chip.
//
// Error model: expected_error, as real_fft_test.cpp. Of 40 sampled results of long lines between
// 0.4 and 1.5 times it are allowed.
#include <gtest/gtest.h>

#include <limits>

#include "kernels/real_fft_runs.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

void expect_as_modelled(std::int64_t batch, std::int64_t n) {
  for (const bool inverse : {false, true}) {
    const fft_shape shape = lines_of(batch, n);
    const double model = inverse ? irfft_kernel(shape, trainium1()).expected_error
                                 : rfft_kernel(shape, trainium1()).expected_error;
    const double ratio = sampled_error(batch, n, inverse) / model;
    if (std::getenv("SHOW"))
      std::printf("%ld x %ld %d: %.3g of %.3g = %.2f\n", batch, n, inverse, ratio * model, model,
                  ratio);
    EXPECT_LE(ratio, 1.5) << batch << " x " << n << ' ' << inverse;
    EXPECT_GE(ratio, 0.4) << batch << " x " << n << ' ' << inverse;
  }
}

TEST(real_single, odd_lengths_in_three_stages) {
  for (const std::int64_t n : {16807, 19683, 33075, 127 * 127 * 3, 59049, 99225, 177147})
    expect_as_modelled(1, n);
  // Lines that take turns.
  for (const std::int64_t n : {33075, 59049}) expect_as_modelled(3, n);
}

TEST(real_single, large_primes) {
  for (const std::int64_t n :
       {131, 257, 1009, 2 * 1009, 3 * 1009, 4099, 8191, 2 * 4099, 10007, 10909})
    expect_as_modelled(1, n);
  for (const std::int64_t batch : {2, 3, 5, 9}) expect_as_modelled(batch, 4099);
}

}  // namespace
}  // namespace papilio::kernels::test
