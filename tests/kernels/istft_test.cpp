#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/design.hpp"
#include "kernels/short_time/inverse_short_time.hpp"
#include "kernels/short_time/stft_design.hpp"
#include "kernels/stft_oracle.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

struct overlap_case {
  std::size_t channels, segments, samples, n_fft, hop;
  bool centre = true;
  std::size_t first = 0;
};

void PrintTo(const overlap_case& c, std::ostream* out) {
  *out << c.channels << " x " << c.segments << " to " << c.samples << ", " << c.n_fft << " / "
       << c.hop << (c.centre ? "" : ", not centred");
}

istft_problem shape_of(const overlap_case& c) {
  istft_problem s{.channels = c.channels,
                  .segments = c.segments,
                  .samples = c.samples,
                  .n_fft = c.n_fft,
                  .hop = c.hop};
  s.centre = c.centre;
  s.first = c.first;
  s.window = uneven_window(c.n_fft);
  return s;
}

// Groups of stretches one by one, where the library has them by a formula.
TEST(istft, groups_of_stretches_are_those_that_are_counted) {
  using kernels_detail::stretch_group;
  for (int i = 0; i < 400; ++i) {
    const kernels_detail::stretches d{.hop = 1 + i % 13,
                                      .quotient = i % 4,
                                      .hops = 1 + i % 3,
                                      .first = -(i % 3),
                                      .count = 2 + i % 6,
                                      .samples = 1 + i * 7919 % 3001,
                                      .segments = 1 + i * 101 % 900,
                                      .batch = 1 + i * 31 % 40,
                                      .is_weighted = i % 5 != 4};
    std::vector<stretch_group> all;
    std::int64_t rows = 1;
    const auto add = [&](std::int64_t first, std::int64_t count, std::int64_t width) {
      const bool same =
          !d.is_weighted || (d.is_interior(first) && d.is_interior(first + count - 1));
      all.push_back({first, count, width, same ? 0 : rows});
      if (!same) rows += count;
    };
    const std::int64_t whole = d.whole(), rest = d.samples % d.width();
    for (std::int64_t h = 0; h < whole; h += d.batch)
      add(h, std::min(d.batch, whole - h), d.width());
    if (rest > 0) add(whole, 1, rest);
    const kernels_detail::stretch_groups groups(d);
    ASSERT_EQ(groups.count(), std::int64_t(all.size())) << i;
    for (std::size_t g = 0; g < all.size(); ++g) {
      const stretch_group got = groups[std::int64_t(g)];
      ASSERT_EQ(std::tie(got.first, got.count, got.width, got.weights),
                std::tie(all[g].first, all[g].count, all[g].width, all[g].weights))
          << i << ", group " << g;
    }
    EXPECT_EQ(groups.weight_rows(), rows) << i;
  }
}

// A design takes neither memory nor time for the length: its stretches alone would fill 8 GB.
TEST(istft, of_16_trillion_samples_is_designed) {
  const std::size_t samples = std::size_t{1} << 44;
  const istft_problem s{
      .segments = samples / 512 + 1, .samples = samples, .n_fft = 2048, .hop = 512};
  EXPECT_FALSE(istft_kernel(s, trainium1()).recipe().empty());
}

class istft_shapes : public testing::TestWithParam<overlap_case> {};

void expect_the_definition(const istft_problem& s, const machine_spec& machine = trainium1(),
                           bool thin = false) {
  array<float, 4> spectra = random_spectra(s, 3);
  if (thin) thin_out({spectra.data(), spectra.size()});
  const array<float, 2> got = device_signals(s, spectra, machine);
  const std::vector<test_exact> expected = exact_overlap_add(s, spectra);
  // Sums of up to `parts` segments in PSUM: as of the forward transform, four times.
  EXPECT_LT(papilio::test::relative_error(std::vector<float>(got.begin(), got.end()),
                                          std::span<const test_exact>(expected)),
            4 * istft_kernel(s, machine).expected_error);
}

TEST_P(istft_shapes, are_those_of_the_definition) { expect_the_definition(shape_of(GetParam())); }

// Stretches of several hops where products of one would leave the array idle: at least 128 of them,
// the last not whole, with segments missing at either end, and of hops that do not divide n_fft.
TEST(istft, stretches_of_several_hops) {
  for (const auto& [c, hops] : {std::pair{overlap_case{1, 300, 300 * 128 - 90, 512, 128}, 2},
                                {overlap_case{2, 270, 270 * 96 - 5, 384, 96, false, 48}, 2},
                                {overlap_case{1, 600, 600 * 32 - 70, 512, 32, true, 64}, 4}}) {
    const istft_problem s = shape_of(c);
    const sized_kernel sized = istft_kernel(s, trainium1());
    const auto* design = kernels_detail::design_as<
        kernels_detail::windowed<kernels_detail::inverse_short_time_design>>(sized.design);
    ASSERT_NE(design, nullptr);
    EXPECT_EQ(design->body.result.hops, hops) << testing::PrintToString(c);
    expect_the_definition(s, trainium1(), true);
  }
}

// Many segments, so that the vector engine transposes a share.
TEST(istft, points_that_the_vector_engine_transposes) {
  const istft_problem s = shape_of({1, 1030, 1030 * 512 - 300, 1024, 512});
  const sized_kernel sized = istft_kernel(s, trainium1());
  const auto* design = kernels_detail::design_as<
      kernels_detail::windowed<kernels_detail::inverse_short_time_design>>(sized.design);
  ASSERT_NE(design, nullptr);
  EXPECT_GT(design->body.depths.vector_turn, 0);
  expect_the_definition(s, trainium1(), true);
}

// Few tiles of each kind.
TEST(istft, on_a_chip_with_less_room) {
  machine_spec small = trainium1();
  small.sbuf.bytes_per_partition = 49152;
  for (const overlap_case& c :
       {overlap_case{1, 8, 1500, 1024, 256}, overlap_case{1, 5, 2200, 1200, 600},
        overlap_case{2, 60, 350, 400, 8}})
    expect_the_definition(shape_of(c), small);
}

// Segments that do not fit are lines in HBM: of a large prime, longer than a partition, apart.
TEST(istft, segments_that_do_not_fit) {
  for (const overlap_case& c :
       {overlap_case{1, 3, 3500, 3301, 1000}, overlap_case{2, 4, 21000, 20000, 8000},
        overlap_case{1, 2, 4000, 4999, 6000, false}}) {
    const istft_problem s = shape_of(c);
    const sized_kernel sized = istft_kernel(s, trainium1());
    const auto* design = kernels_detail::design_as<
        kernels_detail::windowed<kernels_detail::inverse_short_time_design>>(sized.design);
    ASSERT_NE(design, nullptr);
    EXPECT_TRUE(design->body.is_long) << c.n_fft;
    expect_the_definition(s);
  }
}

// Every bin once, by the definition: the transposed matrix of the forward transform.
std::vector<test_exact> exact_adjoint(const istft_problem& s, const array<float, 4>& g) {
  const std::size_t lead = (s.centre ? s.n_fft / 2 : 0) + s.first;
  std::vector<test_exact> all(std::size_t(s.channels * s.samples)), roots(std::size_t(s.n_fft));
  for (std::size_t k = 0; k < roots.size(); ++k)
    roots[k] = std::polar(1.0L, 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) /
                                    static_cast<long double>(s.n_fft));
  for (std::size_t c = 0; c < s.channels; ++c)
    for (std::size_t f = 0; f < s.segments; ++f)
      for (std::size_t j = 0; j < s.n_fft; ++j) {
        const std::size_t padded = f * s.hop + j;
        if (padded < lead || padded - lead >= s.samples) continue;
        const std::size_t t = padded - lead;
        long double sum = 0;
        for (std::size_t k = 0; k < s.bins(); ++k) {
          const auto at = [&](std::size_t plane) -> long double {
            return g(plane, std::size_t(c), std::size_t(f), std::size_t(k));
          };
          const test_exact& root = roots[std::size_t(j * k % s.n_fft)];
          sum += at(0) * root.real() - at(1) * root.imag();
        }
        all[std::size_t(c * s.samples + t)] += s.window[std::size_t(j)] * sum;
      }
  return all;
}

// <g, S x> = <S* g, x>, S by its definition in long double. Both sides are sums of independent
// terms, so that an error of e |S* g| in the signal moves one by about e |S* g| |x| /
// sqrt(samples).
void expect_adjoint(istft_problem s, const machine_spec& machine = trainium1()) {
  SCOPED_TRACE(testing::Message() << s.segments << " to " << s.samples << ", " << s.n_fft << " / "
                                  << s.hop << (s.centre ? "" : ", not centred"));
  s.adjoint = true;
  const array<float, 4> g = random_spectra(s, 5);
  const array<float, 2> got = device_signals(s, g, machine);
  const double error = 4 * istft_kernel(s, machine).expected_error;
  const std::vector<test_exact> exact = exact_adjoint(s, g);
  EXPECT_LT(papilio::test::relative_error(std::vector<float>(got.begin(), got.end()),
                                          std::span<const test_exact>(exact)),
            error);
  stft_problem forward{.channels = s.channels,
                       .samples = s.samples,
                       .n_fft = s.n_fft,
                       .hop = s.hop,
                       .window = s.window,
                       .centre = s.centre};
  if (s.first != 0 || forward.segments() != s.segments) return;
  const array<float, 2> x = normal_signals(s.channels, s.samples, 6);
  const std::vector<test_exact> y = exact_spectra(forward, x);
  const std::size_t plane = y.size();
  long double left = 0, right = 0, size_g = 0, size_x = 0;
  for (std::size_t i = 0; i < plane; ++i)
    left += g.data()[i] * y[i].real() + g.data()[plane + i] * y[i].imag();
  for (std::size_t i = 0; i < x.size(); ++i) {
    right += static_cast<long double>(got.data()[i]) * x.data()[i];
    size_g += static_cast<long double>(got.data()[i]) * got.data()[i];
    size_x += static_cast<long double>(x.data()[i]) * x.data()[i];
  }
  EXPECT_NEAR(double(left), double(right), error * std::sqrt(double(size_g * size_x)));
}

istft_problem adjoint_of(const stft_problem& forward) {
  return {.channels = forward.channels,
          .segments = forward.segments(),
          .samples = forward.samples,
          .n_fft = forward.n_fft,
          .hop = forward.hop,
          .window = forward.window,
          .centre = forward.centre};
}

TEST(cases, trnfft_209_gradient_of_stft) {
  expect_adjoint(
      adjoint_of({.samples = 2048, .n_fft = 256, .hop = 64, .window = hann_window(256)}));
}

TEST(istft, adjoint_of_the_forward_transform) {
  for (const bool centre : {true, false})
    for (const auto& [channels, samples, n_fft, hop] : {std::array<std::size_t, 4>{2, 640, 64, 16},
                                                        {1, 5000, 512, 128},
                                                        {3, 901, 257, 100},
                                                        {1, 9000, 2048, 512},
                                                        {1, 500, 64, 64},
                                                        {2, 700, 64, 100},
                                                        {1, 4000, 32, 1500},
                                                        {1, 30, 1, 1},
                                                        {1, 61, 7, 3},
                                                        {1, 2500, 1009, 500},
                                                        {1, 3333, 128, 96}})
      expect_adjoint(adjoint_of({.channels = channels,
                                 .samples = samples,
                                 .n_fft = n_fft,
                                 .hop = hop,
                                 .window = uneven_window(n_fft),
                                 .centre = centre}));
}

// Samples that no segment reaches have no influence; a part of the signal; windows with zeros.
TEST(istft, adjoint_where_the_inverse_is_refused) {
  for (const overlap_case& c :
       {overlap_case{1, 3, 5000, 64, 16}, overlap_case{2, 2, 700, 64, 300, false},
        overlap_case{1, 4, 100, 64, 16, true, 90}, overlap_case{1, 1, 50, 8, 4, false, 100}}) {
    EXPECT_ANY_THROW(istft_kernel(shape_of(c), trainium1())) << c.samples;
    expect_adjoint(shape_of(c));
  }
  istft_problem gaps = shape_of({1, 20, 500, 64, 32});
  std::fill(gaps.window.begin(), gaps.window.begin() + 40, 0.0F);
  EXPECT_THROW(istft_kernel(gaps, trainium1()), invalid_argument);
  expect_adjoint(gaps);
}

TEST(istft, adjoint_of_segments_that_do_not_fit) {
  for (const overlap_case& c :
       {overlap_case{1, 3, 3500, 3301, 1000}, overlap_case{1, 2, 9000, 300, 8000, false}})
    expect_adjoint(shape_of(c));
}

INSTANTIATE_TEST_SUITE_P(
    sizes, istft_shapes,
    testing::Values(overlap_case{1, 41, 640, 64, 16}, overlap_case{3, 32, 1000, 128, 32},
                    overlap_case{2, 26, 4000, 400, 160}, overlap_case{1, 20, 5000, 512, 256},
                    overlap_case{1, 18, 8999, 2048, 512}, overlap_case{2, 20, 1901, 257, 100},
                    overlap_case{1, 1, 32, 64, 100}, overlap_case{1, 3, 60, 64, 100, false},
                    overlap_case{2, 1, 1, 8, 3}, overlap_case{1, 2, 600, 512, 100, false},
                    overlap_case{2, 30, 30, 1, 1}, overlap_case{1, 40, 39, 2, 1},
                    overlap_case{1, 30, 60, 3, 2}, overlap_case{1, 60, 170, 7, 3},
                    overlap_case{1, 24, 1500, 127, 64}, overlap_case{1, 5, 2100, 1009, 500},
                    overlap_case{1, 150, 1400, 96, 10, false}, overlap_case{1, 700, 2796, 16, 4},
                    overlap_case{1, 300, 290, 80, 1}, overlap_case{1, 300, 1200, 512, 5, false},
                    overlap_case{1, 5, 5600, 3072, 1024}, overlap_case{2, 9, 300, 64, 50, false},
                    overlap_case{1, 20, 3000, 512, 256, true, 640},
                    overlap_case{2, 5, 40, 64, 100, false, 310},
                    overlap_case{1, 41, 500, 64, 16, true, 7}));

}  // namespace
}  // namespace papilio::kernels::test
