// Work counted and times reckoned by hand, on a computer of round numbers.
#include <gtest/gtest.h>

#include <cmath>

#include "dispatch/made_up_host.hpp"
#include "papilio/signal/host_signals.hpp"
#include "papilio/transform/candidate.hpp"

namespace papilio {
namespace {

using test::made_up_host;

constexpr real_type single = real_type::single_precision;
constexpr real_type twice = real_type::double_precision;

TEST(host_work, of_products_of_matrices) {
  const host_work real = gemm_work(2, 3, 5, 7, false, single);
  EXPECT_EQ(real.kind, host_work_kind::gemm);
  EXPECT_EQ(real.flops, 2 * 2 * 3 * 5 * 7);
  EXPECT_EQ(real.bytes_moved, (6 + 15 + 10) * 7 * 4);
  EXPECT_EQ(real.working_bytes, real.bytes_moved);
  EXPECT_EQ(real.calls, 7);
  const host_work complex = gemm_work(2, 3, 5, 7, true, twice);
  EXPECT_EQ(complex.flops, 8 * 2 * 3 * 5 * 7);
  EXPECT_EQ(complex.bytes_moved, (6 + 15 + 10) * 7 * 16);
}

TEST(host_work, of_elements) {
  const host_work mask = complex_mask_work(100, single);
  EXPECT_EQ(mask.kind, host_work_kind::elementwise);
  EXPECT_EQ(mask.flops, 600);
  EXPECT_EQ(mask.bytes_moved, 300 * 8);
  const host_work copy = copy_work(100, 16, false), turned = copy_work(100, 16, true);
  EXPECT_EQ(copy.kind, host_work_kind::elementwise);
  EXPECT_EQ(turned.kind, host_work_kind::rearrangement);
  for (const host_work& w : {copy, turned}) {
    EXPECT_EQ(w.flops, 0);
    EXPECT_EQ(w.bytes_moved, 3200);
  }
}

// A real transform of 4 points: a butterfly of radix 2 (4 operations) and 4 * 4 to untangle it.
TEST(host_work, of_short_time_transforms) {
  const double segments = 2 * (1 + 8 / 2), window = 4, transform = 4 + 16;
  const host_work w = stft_work(8, 2, 4, 2, spectrum_form::complex, single);
  EXPECT_EQ(w.kind, host_work_kind::fft);
  EXPECT_EQ(w.flops, segments * (window + transform));
  EXPECT_EQ(w.bytes_moved, (2 * 8 + segments * 3 * 2) * 4);
  EXPECT_EQ(w.lines, segments);
  EXPECT_EQ(w.line_bytes, 2 * (4 + 6) * 4);
  EXPECT_EQ(w.calls, 1);
  const host_work powers = stft_work(8, 2, 4, 2, spectrum_form::power, single);
  EXPECT_EQ(powers.flops, w.flops + 3 * segments * 3);
  EXPECT_EQ(powers.bytes_moved, (2 * 8 + segments * 3) * 4);
  const host_work magnitudes = stft_work(8, 2, 4, 2, spectrum_form::magnitude, single);
  EXPECT_EQ(magnitudes.flops, w.flops + 4 * segments * 3);
  const host_work back = istft_work(8, 2, 4, 2, twice);
  EXPECT_EQ(back.flops, w.flops + segments * 4 + 2 * 8);
  EXPECT_EQ(back.bytes_moved, 2 * w.bytes_moved);
}

TEST(host_work, refuses_nothing_and_nan) {
  EXPECT_THROW(gemm_work(0, 1, 1, 1, false, single), invalid_argument);
  EXPECT_THROW(gemm_work(1, 1, 1, std::nan(""), false, single), invalid_argument);
  EXPECT_THROW(complex_mask_work(-1, single), invalid_argument);
  EXPECT_THROW(copy_work(1, 0, false), invalid_argument);
  EXPECT_THROW(istft_work(8, 2, 4, 0, single), invalid_argument);
  try {
    stft_work(8, 2, 0, 2, spectrum_form::power, single);
    ADD_FAILURE();
  } catch (const invalid_argument& e) {
    EXPECT_STREQ(e.what(), "stft_work: n_fft must be above 0, got 0");
  }
}

TEST(modelled_seconds, is_the_larger_of_computing_and_moving) {
  const host_model h = made_up_host();
  const host_work computes{.kind = host_work_kind::gemm, .flops = 4e9, .working_bytes = 1};
  EXPECT_DOUBLE_EQ(modelled_seconds(h, single, computes), 1 + 1e-6);
  EXPECT_DOUBLE_EQ(modelled_seconds(h, twice, computes), 2 + 1e-6);
  EXPECT_DOUBLE_EQ(modelled_seconds(h, real_type::extended_precision, computes), 40 + 1e-6);
  const host_work moves{
      .kind = host_work_kind::gemm, .flops = 4e9, .bytes_moved = 3e9, .working_bytes = 2e6};
  EXPECT_DOUBLE_EQ(modelled_seconds(h, single, moves), 3 + 1e-6);
  EXPECT_DOUBLE_EQ(modelled_seconds(h, twice, moves), 3 + 1e-6);
  host_work elements = moves;
  elements.kind = host_work_kind::elementwise;
  EXPECT_DOUBLE_EQ(modelled_seconds(h, single, elements), 6 + 1e-6);
  elements.kind = host_work_kind::rearrangement;
  EXPECT_DOUBLE_EQ(modelled_seconds(h, single, elements), 30 + 1e-6);
}

TEST(modelled_seconds, the_first_level_that_holds_the_bytes_counts) {
  const host_model h = made_up_host();
  const struct {
    double working_bytes, bytes_per_second;
  } levels[] = {{1e3, 1e10}, {1001, 5e9}, {1e4, 5e9},  {10001, 2e9},
                {1e6, 2e9},  {1e7, 1e9},  {1e300, 1e9}};
  for (const auto& l : levels) {
    const host_work w{.kind = host_work_kind::gemm,
                      .bytes_moved = 1e10,
                      .working_bytes = l.working_bytes,
                      .calls = 0};
    EXPECT_DOUBLE_EQ(modelled_seconds(h, single, w), 1e10 / l.bytes_per_second) << l.working_bytes;
  }
}

TEST(modelled_seconds, transforms_go_by_the_level_of_their_lines) {
  const host_model h = made_up_host();
  host_work w{.kind = host_work_kind::fft, .flops = 4e9, .line_bytes = 500, .calls = 0};
  EXPECT_DOUBLE_EQ(modelled_seconds(h, single, w), 1 + 1e-8);
  EXPECT_DOUBLE_EQ(modelled_seconds(h, twice, w), 2 + 1e-8);
  w.line_bytes = 5e3;
  EXPECT_DOUBLE_EQ(modelled_seconds(h, single, w), 2 + 1e-8);
  w.line_bytes = 5e5;
  EXPECT_DOUBLE_EQ(modelled_seconds(h, twice, w), 8 + 1e-8);
  w.line_bytes = 5e7;
  EXPECT_DOUBLE_EQ(modelled_seconds(h, single, w), 8 + 1e-8);
}

TEST(modelled_seconds, threads_multiply_cores_and_share_memory) {
  const host_model h = made_up_host();
  const host_work computes{.kind = host_work_kind::gemm, .flops = 12e9, .calls = 0};
  EXPECT_DOUBLE_EQ(modelled_seconds(h, single, computes, 1), 3);
  EXPECT_DOUBLE_EQ(modelled_seconds(h, single, computes, 3), 1 + 1e-5);
  EXPECT_DOUBLE_EQ(modelled_seconds(h, single, computes, 4), 0.75 + 1e-5);
  EXPECT_DOUBLE_EQ(modelled_seconds(h, single, computes, 100), 0.75 + 1e-5);
  EXPECT_DOUBLE_EQ(modelled_seconds(h, single, computes, 0), 0.75 + 1e-5);
  const host_work moves{
      .kind = host_work_kind::gemm, .bytes_moved = 6e9, .working_bytes = 1e8, .calls = 0};
  EXPECT_DOUBLE_EQ(modelled_seconds(h, single, moves, 1), 6);
  EXPECT_DOUBLE_EQ(modelled_seconds(h, single, moves, 2), 3 + 1e-5);
  EXPECT_DOUBLE_EQ(modelled_seconds(h, single, moves, 4), 3 + 1e-5);
  // What does not fit one core's L2 fits those of four; L3 is one.
  const host_work shared{
      .kind = host_work_kind::gemm, .bytes_moved = 2e10, .working_bytes = 4e4, .calls = 0};
  EXPECT_DOUBLE_EQ(modelled_seconds(h, single, shared, 1), 10);
  EXPECT_DOUBLE_EQ(modelled_seconds(h, single, shared, 4), 1 + 1e-5);
  const host_work two_lines{
      .kind = host_work_kind::fft, .flops = 8e9, .line_bytes = 1, .lines = 2, .calls = 0};
  EXPECT_DOUBLE_EQ(modelled_seconds(h, single, two_lines, 4), 1 + 1e-8 + 1e-5);
  EXPECT_THROW(modelled_seconds(h, single, moves, -1), invalid_argument);
}

TEST(host_fft_estimate, follows_from_its_own_counts) {
  const host_model h = made_up_host();
  const fft_problem line{.type = twice, .extents = {16}};
  const fft_estimate e = host_fft_estimate(h, line, 10);
  // 10 lines of 16 points in and out are 5120 bytes: L2. A line with its scratch is 1024: L2.
  EXPECT_DOUBLE_EQ(e.seconds, std::max(e.flops / 1e9, 5120 / 5e9) + 1e-6 + 10 * 1e-8);
  // The convention's 5 n log2 n is of radix 2; radix 4 and 16 save up to two fifths of it.
  EXPECT_GT(e.flops, 10 * 0.5 * 5 * 16 * 4);
  EXPECT_LE(e.flops, 10 * 1.0 * 5 * 16 * 4);
}

TEST(host_fft_estimate, grows_with_length_lines_and_type) {
  for (const host_model& h : {made_up_host(), host_from_features()})
    for (const fft_kind kind : {fft_kind::complex, fft_kind::real}) {
      double before = 0;
      for (std::size_t n = 4; n <= std::size_t{1} << 24; n *= 2) {
        const auto seconds = [&](real_type type, std::size_t lines) {
          return host_fft_estimate(
                     h, {.kind = kind, .dir = direction::inverse, .type = type, .extents = {n}},
                     lines)
              .seconds;
        };
        const double one = seconds(single, 1);
        EXPECT_GT(one, before) << n;
        EXPECT_GT(seconds(single, 2), one) << n;
        EXPECT_GE(seconds(single, 200), seconds(single, 100) * 1.5) << n;
        EXPECT_GE(seconds(twice, 1), one) << n;
        EXPECT_GT(seconds(real_type::extended_precision, 1), seconds(twice, 1)) << n;
        before = one;
      }
    }
}

TEST(host_fft_estimate, refuses_what_no_plan_can_do) {
  EXPECT_THROW(host_fft_estimate(made_up_host(), {.extents = {0}}), invalid_argument);
  EXPECT_THROW(
      host_fft_estimate(made_up_host(),
                        {.kind = fft_kind::cosine, .extents = {1}, .trigonometric_type = 1}),
      invalid_argument);
}

TEST(host_from_features, is_a_computer) {
  const host_model h = host_from_features();
  EXPECT_EQ(h, host_from_features());
  EXPECT_EQ(to_string(h), "from CPU features");
  EXPECT_GE(h.cores, 1);
  EXPECT_LE(h.l1.capacity_bytes, h.l2.capacity_bytes);
  EXPECT_LE(h.l2.capacity_bytes, h.l3.capacity_bytes);
  EXPECT_GE(h.l1.core_bytes_per_second, h.l3.core_bytes_per_second);
  EXPECT_EQ(h.float_peak_flops_per_second, 2 * h.double_peak_flops_per_second);
  EXPECT_NO_THROW(use_host(h));
}

TEST(use_host, is_what_estimates_rest_on) {
  use_host(made_up_host());
  EXPECT_EQ(current_host(), made_up_host());
  EXPECT_EQ(to_string(current_host()), "from made.json");
  const fft_problem line{.extents = {1000}};
  EXPECT_EQ(fft_candidates()[0].estimate(line, 3).seconds,
            host_fft_estimate(made_up_host(), line, 3).seconds);
  host_model bad = made_up_host();
  bad.l2.core_bytes_per_second = std::nan("");
  try {
    use_host(bad);
    ADD_FAILURE();
  } catch (const invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("use_host: l2.core_bytes_per_second: must be"),
              std::string::npos)
        << e.what();
  }
  EXPECT_EQ(current_host(), made_up_host());
  use_host(host_from_features());
}

}  // namespace
}  // namespace papilio
