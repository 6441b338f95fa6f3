#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "papilio/base.hpp"
#include "papilio/signal.hpp"
#include "support/npy_data.hpp"

namespace papilio {
namespace {

struct reference_window {
  const char* file;
  const char* text;
  double tolerance;  // of one weight
};

// What scipy loses in sums of cosines, I0 and exp, and in exp of about 60. Its DPSS comes from an
// eigensolver, whose vector is off by epsilon times the matrix's norm (n^2 / 4, n = 64) over the
// distance of the eigenvalues.
constexpr double plain = 2e-15, large_exponent = 60 * 2.3e-16, eigenvector = 2e-12;

class window_of : public testing::TestWithParam<reference_window> {};

TEST_P(window_of, equals_scipy) {
  const auto [file, text, tolerance] = GetParam();
  const auto expected =
      test::read_npy_data(std::string(PAPILIO_SIGNAL_DATA) + "/windows_" + file + ".npy");
  ASSERT_EQ(expected.values.size(), 2u * (16 + 33 + 64));
  std::size_t at = 0;
  for (const std::size_t n : {16, 33, 64})
    for (const auto symmetry : {window_symmetry::periodic, window_symmetry::symmetric}) {
      const auto w = make_window(parse_window(text), n, symmetry);
      const auto rounded = make_window<float>(parse_window(text), n, symmetry);
      for (std::size_t k = 0; k < n; ++k) {
        EXPECT_NEAR(w[k], expected.values[at], tolerance) << n << ' ' << k;
        EXPECT_EQ(rounded[k], static_cast<float>(w[k]));
        ++at;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(
    scipy, window_of,
    testing::Values(reference_window{"rectangular", "rectangular", plain},
                    reference_window{"hann", "hann", plain},
                    reference_window{"hamming", "hamming", plain},
                    reference_window{"blackman", "blackman", plain},
                    reference_window{"nuttall", "nuttall", plain},
                    reference_window{"blackman_harris", "blackman_harris", plain},
                    reference_window{"flat_top", "flat_top", plain},
                    reference_window{"kaiser", "kaiser:8.6", plain},
                    reference_window{"kaiser_wide", "kaiser:60", large_exponent},
                    reference_window{"gaussian", "gaussian:7.5", plain},
                    reference_window{"tukey", "tukey:0.3", plain},
                    reference_window{"dpss", "dpss:2.5", eigenvector},
                    reference_window{"dpss_wide", "dpss:7.25", eigenvector}),
    [](const auto& test) { return std::string(test.param.file); });

const window_kind every_kind[] = {
    window_kind::rectangular, window_kind::hann,    window_kind::hamming,
    window_kind::blackman,    window_kind::nuttall, window_kind::blackman_harris,
    window_kind::flat_top,    window_kind::kaiser,  window_kind::gaussian,
    window_kind::tukey,       window_kind::dpss};

TEST(window, halves_are_equal_to_the_bit) {
  for (const window_kind kind : every_kind)
    for (const std::size_t n : {2, 3, 8, 9, 400, 1025})
      for (const auto symmetry : {window_symmetry::periodic, window_symmetry::symmetric}) {
        const auto w = make_window(kind, n, symmetry);
        const std::size_t period = symmetry == window_symmetry::periodic ? n : n - 1;
        for (std::size_t k = period - n + 1; k < n; ++k)
          EXPECT_EQ(w[k], w[period - k]) << to_string(kind) << ' ' << n << ' ' << k;
      }
}

TEST(window, hann_is_its_definition) {
  for (const std::size_t n : {2, 3, 8, 9, 400, 2048})
    for (const auto symmetry : {window_symmetry::periodic, window_symmetry::symmetric}) {
      const auto w = make_window(window_kind::hann, n, symmetry);
      const long double period =
          static_cast<long double>(symmetry == window_symmetry::periodic ? n : n - 1);
      for (std::size_t k = 0; k < n; ++k) {
        const long double expected =
            0.5L - 0.5L * std::cos(2 * std::numbers::pi_v<long double> * k / period);
        // sin(x)^2: twice the relative error of x and of sin, each within two units.
        EXPECT_NEAR(w[k], static_cast<double>(expected), 8e-16);
      }
    }
}

// The tapers are eigenvectors of the kernel sin(2 pi W (i-j)) / (pi (i-j)): an independent
// definition, in which the concentration of energy in the band is the eigenvalue.
TEST(window, dpss_is_the_sequence_of_greatest_concentration) {
  for (const std::size_t n : {31, 100, 501})
    for (const double nw : {0.5, 2.0, 4.0}) {
      const auto w = make_window({window_kind::dpss, nw}, n, window_symmetry::symmetric);
      const double band = nw / static_cast<double>(n);
      std::vector<double> image(n);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          const double d = static_cast<double>(i) - static_cast<double>(j);
          image[i] +=
              w[j] * (d == 0 ? 2 * band
                             : std::sin(2 * std::numbers::pi * band * d) / (std::numbers::pi * d));
        }
      const double eigenvalue = image[n / 2] / w[n / 2];
      EXPECT_GT(eigenvalue, nw >= 2 ? 0.9999 : 0.7);
      EXPECT_LT(eigenvalue, 1 + 1e-12);
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_GT(w[i], 0);
        EXPECT_NEAR(image[i], eigenvalue * w[i], 1e-13) << n << ' ' << nw << ' ' << i;
      }
    }
}

TEST(window, long_dpss_is_that_of_the_continuum) {
  const std::size_t n = 1 << 18;
  const auto w = make_window({window_kind::dpss, 4.0}, n, window_symmetry::symmetric);
  const auto coarse = make_window({window_kind::dpss, 4.0}, 2048, window_symmetry::symmetric);
  // Two samplings of one curve, whose values differ by (pi NW / 2048)^2 at most.
  for (std::size_t k = 0; k < 2048; ++k) {
    const double position = (static_cast<double>(k) + 0.5) * 128 - 0.5;
    const auto low = static_cast<std::size_t>(position);
    EXPECT_NEAR((w[low] + w[low + 1]) / 2, coarse[k], 4e-5) << k;
  }
}

// Table 1 of Harris (1978), and the constants of the sums of cosines: sum a^2 about a0.
TEST(window, gain_bandwidth_and_scalloping) {
  const auto hann = make_window(window_kind::hann, 1000);
  EXPECT_NEAR(coherent_gain<double>(hann.flat()), 0.5, 1e-14);
  EXPECT_NEAR(equivalent_noise_bandwidth<double>(hann.flat()), 1.5, 1e-13);
  EXPECT_NEAR(scalloping_loss_db<double>(hann.flat()), 1.42, 0.005);
  const auto flat = make_window<float>(window_kind::flat_top, 4096);
  EXPECT_NEAR(coherent_gain<float>(flat.flat()), 0.21557895, 1e-7);
  EXPECT_NEAR(equivalent_noise_bandwidth<float>(flat.flat()), 3.7702, 1e-4);
  EXPECT_NEAR(scalloping_loss_db<float>(flat.flat()), 0, 0.02);
  const auto ones = make_window(window_kind::rectangular, 64);
  EXPECT_EQ(coherent_gain<double>(ones.flat()), 1);
  EXPECT_EQ(equivalent_noise_bandwidth<double>(ones.flat()), 1);
  EXPECT_NEAR(scalloping_loss_db<double>(ones.flat()), 3.92, 0.005);
  const auto hamming = make_window(window_kind::hamming, 512);
  EXPECT_NEAR(equivalent_noise_bandwidth<double>(hamming.flat()), 1.36, 0.005);
  EXPECT_NEAR(scalloping_loss_db<double>(hamming.flat()), 1.78, 0.03);
}

TEST(window, periodic_hann_overlaps_to_a_constant) {
  const auto w = make_window<float>(window_kind::hann, 8);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(w[k] + w[k + 4], 1.0f, 1e-6f);
  EXPECT_DOUBLE_EQ(window_sum(std::span<const double>(make_window(window_kind::hann, 64).flat())),
                   32.0);
}

TEST(window, edge_cases) {
  for (const window_kind kind : every_kind) {
    EXPECT_THROW(make_window(kind, 0), invalid_argument);
    EXPECT_EQ(make_window(kind, 1)[0], 1);
    EXPECT_EQ(make_window(kind, 1, window_symmetry::symmetric)[0], 1);
    for (const double w : make_window(kind, 3)) EXPECT_TRUE(w >= -0.43 && w <= 1) << w;
  }
  for (const double w : make_window(window_kind::rectangular, 5)) EXPECT_EQ(w, 1);
  for (const double w : make_window({window_kind::tukey, 0.0}, 5)) EXPECT_EQ(w, 1);
  for (const double w : make_window({window_kind::kaiser, 0.0}, 5)) EXPECT_EQ(w, 1);
  for (const double w : make_window({window_kind::dpss, 1e-300}, 5)) EXPECT_NEAR(w, 1, 1e-15);
  const auto tukey = make_window({window_kind::tukey, 1.0}, 33), hann = make_window({}, 33);
  for (std::size_t k = 0; k < 33; ++k) EXPECT_NEAR(tukey[k], hann[k], 1e-15);
  // A beta whose I0 no double holds.
  const auto narrow = make_window({window_kind::kaiser, 5000.0}, 64);
  EXPECT_EQ(narrow[32], 1);
  EXPECT_NEAR(narrow[31], std::exp(-2.5 * 1.0 / (1024 / 1000.0)), 1e-3);
  EXPECT_EQ(narrow[0], 0);
  const auto narrowest = make_window({window_kind::kaiser, 1e308}, 4);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(narrowest[k], k == 2 ? 1 : 0) << k;
}

TEST(window, measures_refuse_what_has_no_gain) {
  const std::vector<double> none, zeros(8);
  EXPECT_THROW(coherent_gain<double>(none), invalid_argument);
  EXPECT_THROW(equivalent_noise_bandwidth<double>(zeros), invalid_argument);
  EXPECT_THROW(scalloping_loss_db<double>(zeros), invalid_argument);
}

TEST(window, of_an_stft) {
  const stft_plan<float> plan({.n_fft = 64, .window = {window_kind::kaiser, 6.0}});
  const auto w = make_window<float>({window_kind::kaiser, 6.0}, 64);
  for (std::size_t k = 0; k < 64; ++k) EXPECT_EQ(plan.window()[k], w[k]);
  EXPECT_THROW(stft_plan<float>({.n_fft = 64, .window = {window_kind::dpss, 32.5}}),
               invalid_argument);
}

}  // namespace
}  // namespace papilio
