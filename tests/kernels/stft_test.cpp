#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/design.hpp"
#include "kernels/runs.hpp"
#include "kernels/short_time/short_time.hpp"
#include "kernels/stft_oracle.hpp"
#include "papilio/signal.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

struct shape_case {
  std::size_t channels, samples, n_fft, hop;
  bool centre = true;
  edge_padding padding = edge_padding::zero;
};

void PrintTo(const shape_case& c, std::ostream* out) {
  *out << c.channels << " x " << c.samples << ", " << c.n_fft << " / " << c.hop
       << (c.centre ? "" : ", not centred");
}

stft_problem shape_of(const shape_case& c) {
  stft_problem s{.channels = c.channels, .samples = c.samples, .n_fft = c.n_fft, .hop = c.hop};
  s.centre = c.centre;
  s.padding = c.padding;
  s.window = uneven_window(c.n_fft);
  return s;
}

class stft_shapes : public testing::TestWithParam<shape_case> {};

void expect_the_definition(const stft_problem& s) {
  const array<float, 2> x = normal_signals(s.channels, s.samples, 7);
  const array<float, 4> got = device_spectra(s, x);
  const std::vector<test_exact> expected = exact_spectra(s, x);
  ASSERT_EQ(got.size(), 2 * expected.size());
  // Rounding of the input to fp32 is not among the errors: both sides read the same floats. Four
  // times the stated error allows for single shapes of few segments.
  const double stated = stft_kernel(s, trainium1()).expected_error;
  EXPECT_GT(stated, 0);
  EXPECT_LT(papilio::test::relative_error(joined(got), std::span<const test_exact>(expected)),
            4 * stated);
}

TEST_P(stft_shapes, are_those_of_the_definition) { expect_the_definition(shape_of(GetParam())); }

// Segments of a row have points in common, which stay where they are on chip if there are many.
TEST(stft, points_that_segments_share) {
  for (const auto& [samples, shared] : {std::pair{std::size_t(26460000), true}, {100000, false}}) {
    const sized_kernel sized = stft_kernel(shape_of({1, samples, 2048, 512}), trainium1());
    const auto* design =
        kernels_detail::design_as<kernels_detail::windowed<kernels_detail::short_time_design>>(
            sized.design);
    ASSERT_NE(design, nullptr);
    EXPECT_EQ(design->body.shares_points, shared) << sized.recipe();
  }
}

INSTANTIATE_TEST_SUITE_P(
    sizes, stft_shapes,
    testing::Values(
        shape_case{1, 700, 64, 16}, shape_case{3, 1000, 128, 32},
        shape_case{1, 3000, 256, 64, true, edge_padding::reflect},
        shape_case{2, 4000, 400, 160, true, edge_padding::reflect}, shape_case{1, 5000, 512, 256},
        shape_case{1, 9000, 2048, 512, true, edge_padding::edge}, shape_case{2, 2000, 257, 100},
        shape_case{1, 2000, 64, 100}, shape_case{2, 3000, 64, 1000, false},
        shape_case{1, 100, 256, 64, true, edge_padding::reflect},
        shape_case{3, 20, 512, 64, true, edge_padding::reflect},
        shape_case{1, 1, 64, 16, true, edge_padding::reflect}, shape_case{1, 1, 8, 3},
        shape_case{1, 512, 512, 512, false}, shape_case{1, 600, 512, 512, false},
        shape_case{2, 30, 1, 1}, shape_case{2, 30, 1, 7, false}, shape_case{1, 40, 2, 1},
        shape_case{1, 60, 3, 2}, shape_case{1, 90, 7, 3, true, edge_padding::reflect},
        shape_case{1, 1500, 127, 64}, shape_case{1, 5000, 1009, 500},
        shape_case{1, 3000, 96, 10, false}, shape_case{129, 40, 16, 8},
        shape_case{40, 300, 64, 16, true, edge_padding::reflect}, shape_case{1, 20000, 64, 16},
        shape_case{1, 30000, 1536, 1000}, shape_case{1, 9000, 8192, 3000}));

}  // namespace
}  // namespace papilio::kernels::test
