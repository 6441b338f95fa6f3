// Single real lines, and few of them: in three stages on chip, and of lengths that are odd or have
// large primes.
//
// Error model: expected_error, as real_fft_test.cpp. Of 40 sampled results of long lines between
// 0.4 and 1.5 times it are allowed.
#include <gtest/gtest.h>

#include <limits>

#include "kernels/fft_designs.hpp"
#include "kernels/real/long_line.hpp"
#include "kernels/real_fft_runs.hpp"
#include "kernels/transform/sweep.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

void expect_as_modelled(std::int64_t batch, std::int64_t n) {
  for (const bool inverse : {false, true}) {
    const fft_row shape = lines_of(batch, n);
    const double model = inverse ? irfft_kernel(shape, trainium1()).expected_error
                                 : rfft_kernel(shape, trainium1()).expected_error;
    const double ratio = sampled_error(batch, n, inverse) / model;
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

// Sizes of tests/times/times.txt, whose designs no other test of values has.
TEST(real_single, named_runs) {
  for (const auto& [batch, n] : {std::pair<std::int64_t, std::int64_t>{515, 256},
                                 {131, 4096},
                                 {70, 8192},
                                 {1, 16384},
                                 {1, 63567}})
    expect_as_modelled(batch, n);
}

TEST(real_single, large_primes) {
  for (const std::int64_t n : {131, 257, 1009, 2 * 1009, 3 * 1009, 63 * 1009, 4099, 8191, 2 * 4099,
                               10007, 3 * 10007, 10909, 99999})
    expect_as_modelled(1, n);
  for (const std::int64_t batch : {2, 3, 5, 9}) expect_as_modelled(batch, 4099);
}

// An odd number of rows of an even length; stages over b whose operands are two, of an odd length
// and of even ones, rows odd and even; tables that pass by.
TEST(real_single, three_stages_of_any_parity) {
  struct cut {
    std::int64_t n, a, b, s;
  };
  for (const cut& c : {cut{22050, 5, 45, 98}, cut{66150, 25, 21, 126}, cut{254016, 63, 32, 126},
                       cut{1323000, 125, 84, 126}}) {
    const auto lines =
        steps_like<kernels_detail::long_lines>(rfft_kernel(lines_of(1, c.n), trainium1()));
    ASSERT_EQ(lines.size(), 1u) << c.n;
    EXPECT_EQ(std::tie(lines[0].line.a, lines[0].line.b, lines[0].line.s), std::tie(c.a, c.b, c.s));
    expect_as_modelled(1, c.n);
  }
  for (const std::int64_t n : {22050, 254016}) expect_as_modelled(3, n);
  expect_as_modelled(2, 1000000);
}

// Lengths at the bounds of what fits: a line on chip, and two sweeps.
TEST(real_single, what_fills_the_chip) {
  for (const std::string size : {"n=1771561", "n=5455164"})
    for (const std::string kernel : {"rfft", "irfft"})
      EXPECT_LE(dry_profile(kernel, {size}).value("total_time"), 2e-3) << kernel << ' ' << size;
}

// In two sweeps: powers of a prime, whose last block of lanes is of another size, one run of lanes
// and several, stages of one factor and of two, even and odd factors, several lines.
TEST(real_single, two_sweeps) {
  for (const std::int64_t n : {6859, 28561, 83521, 352947, 531441, 663632, 2205225, 2621440}) {
    const auto has_bins = [](const sized_kernel& k) {
      return std::ranges::any_of(
          steps_like<kernels_detail::transform_sweep>(k),
          [](const auto& sweep) { return sweep.in.mirrored_from + sweep.out.mirrored_from > 0; });
    };
    EXPECT_TRUE(has_bins(rfft_kernel(lines_of(1, n), trainium1()))) << n;
    EXPECT_TRUE(has_bins(irfft_kernel(lines_of(1, n), trainium1()))) << n;
    expect_as_modelled(1, n);
  }
  for (const std::int64_t n : {2401, 28561, 83521}) expect_as_modelled(5, n);
}

// Imaginary parts of bins that are real: exactly 0, and not looked at.
TEST(real_single, bins_that_are_real) {
  for (const std::int64_t n : {131, 1009, 2018, 4099, 8198, 19683, 22050, 28561, 30021, 2205000}) {
    const fft_row shape = lines_of(1, n);
    const auto x = papilio::test::random_real<float>(std::size_t(n), 2);
    bins y = run_rfft(shape, x);
    EXPECT_EQ(y.front().imag(), 0) << n;
    EXPECT_EQ(n % 2 == 0 ? y.back().imag() : 0, 0) << n;
    const auto expected = run_irfft(shape, y);
    y.front().imag(std::numeric_limits<float>::quiet_NaN());
    if (n % 2 == 0) y.back().imag(std::numeric_limits<float>::quiet_NaN());
    EXPECT_EQ(run_irfft(shape, y), expected) << n;
    for (std::size_t j = 0; j < x.size(); ++j) ASSERT_NEAR(expected[j] / float(n), x[j], 1e-5);
  }
}

TEST(real_single, scaled_and_on_trainium2) {
  for (const std::int64_t n : {1009, 2187, 4099, 22050, 28561, 30021}) {
    const fft_row shape = lines_of(1, n, -0.25);
    const auto x = papilio::test::random_real<float>(std::size_t(n), 2);
    const bins one = run_rfft(shape, x), two = run_rfft(shape, x, trainium2());
    const bins plain = run_rfft(lines_of(1, n), x);
    for (std::size_t k = 0; k < plain.size(); ++k) {
      ASSERT_NEAR(std::abs(one[k] + 0.25F * plain[k]), 0, 1e-3) << n;
      ASSERT_NEAR(std::abs(two[k] + 0.25F * plain[k]), 0, 1e-3) << n;
    }
    const auto back = run_irfft(shape, plain, trainium2());
    for (std::size_t j = 0; j < x.size(); ++j)
      ASSERT_NEAR(back[j], -0.25F * float(n) * x[j], 1e-5F * float(n)) << n;
  }
}

}  // namespace
}  // namespace papilio::kernels::test
