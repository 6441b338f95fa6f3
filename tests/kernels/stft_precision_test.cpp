// Modes of precision of stft_kernel and istft_kernel on the emulator.
//
// The error model is the kernels' own (sized_kernel::expected_error): roundings add up in
// quadrature; errors measured over a few segments agree with it within a factor of 1.5.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/design.hpp"
#include "kernels/precision_runs.hpp"
#include "kernels/short_time/inverse_short_time.hpp"
#include "kernels/short_time/short_time.hpp"
#include "kernels/short_time/stft_design.hpp"
#include "kernels/stft_oracle.hpp"
#include "papilio/engine/dtype.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

const std::vector<precision_options> product_modes{native, bf16, split_in_2, split_in_3};

struct spectra_case {
  std::size_t channels, samples, n_fft, hop;
};

stft_problem transform_of(const spectra_case& c, spectrum_form result = spectrum_form::complex) {
  return {.channels = c.channels,
          .samples = c.samples,
          .n_fft = c.n_fft,
          .hop = c.hop,
          .window = uneven_window(std::int64_t(c.n_fft)),
          .result = result};
}

istft_problem inverse_of(const spectra_case& c) {
  const stft_problem s = transform_of(c);
  return {.channels = s.channels,
          .segments = s.segments(),
          .samples = s.samples,
          .n_fft = s.n_fft,
          .hop = s.hop,
          .window = s.window};
}

array<float, 2> signals_of(const spectra_case& c) {
  return normal_signals(std::int64_t(c.channels), std::int64_t(c.samples), 7);
}

double error_of(const std::vector<test_exact>& got, const std::vector<test_exact>& expected) {
  return papilio::test::relative_error(got, std::span<const test_exact>(expected));
}
template <std::size_t Rank>
double error_of(const array<float, Rank>& got, const std::vector<test_exact>& expected) {
  return papilio::test::relative_error(std::vector<float>(got.begin(), got.end()),
                                       std::span<const test_exact>(expected));
}

template <class Design>
const Design& design_of(const sized_kernel& kernel) {
  return kernels_detail::design_as<kernels_detail::windowed<Design>>(kernel.design)->body;
}
const kernels_detail::short_time_design& forward_design(const sized_kernel& kernel) {
  return design_of<kernels_detail::short_time_design>(kernel);
}
const kernels_detail::inverse_short_time_design& inverse_design(const sized_kernel& kernel) {
  return design_of<kernels_detail::inverse_short_time_design>(kernel);
}

// As a relative error is expected, within a factor below and of 1.5 above.
void expect_about(double measured, const sized_kernel& kernel, double below,
                  const std::string& what) {
  EXPECT_GT(measured, kernel.expected_error / below) << what;
  EXPECT_LT(measured, 1.5 * kernel.expected_error) << what;
}

void expect_forward(const spectra_case& c, const machine_spec& machine,
                    const std::vector<precision_options>& modes, double below = 1.5) {
  const stft_problem s = transform_of(c);
  const array<float, 2> x = signals_of(c);
  const std::vector<test_exact> exact = exact_spectra(s, x);
  for (const precision_options& how : modes)
    expect_about(error_of(joined(device_spectra(s, x, machine, how)), exact),
                 stft_kernel(s, machine, how), below, std::to_string(c.n_fft) + " " + name_of(how));
}

void expect_inverse(const spectra_case& c, const machine_spec& machine,
                    const std::vector<precision_options>& modes, double below = 1.5) {
  const istft_problem s = inverse_of(c);
  const array<float, 4> spectra = random_spectra(s, 5);
  const std::vector<test_exact> exact = exact_overlap_add(s, spectra);
  for (const precision_options& how : modes)
    expect_about(error_of(device_signals(s, spectra, machine, how), exact),
                 istft_kernel(s, machine, how), below,
                 "inverse " + std::to_string(c.n_fft) + " " + name_of(how));
}

void expect_expected_errors(const spectra_case& c, const machine_spec& machine = trainium1()) {
  expect_forward(c, machine, product_modes);
  expect_inverse(c, machine, product_modes);
}

// Two stages and one, primes, tails of segments.
TEST(stft_precision, measured_errors_are_those_expected) {
  for (const spectra_case& c : {spectra_case{1, 9000, 2048, 512}, spectra_case{2, 3000, 400, 160},
                                spectra_case{1, 3000, 509, 250}, spectra_case{1, 4000, 512, 128},
                                spectra_case{3, 900, 64, 16}})
    expect_expected_errors(c);
  for (const engine::machine_spec& machine : {trainium2(), trainium3()})
    expect_expected_errors({1, 5000, 1024, 256}, machine);
}

// One tile for all stages where no more fits; then segments are lines in HBM.
TEST(stft_precision, on_chips_with_less_room) {
  struct room {
    precision_options how;
    spectra_case forward, inverse;
    std::int64_t of_forward, of_inverse;
    bool is_long;
  };
  const spectra_case two_stages{1, 1500, 1024, 512}, one{1, 1000, 3301, 1000};
  // The model counts an addition to a sum in PSUM for each tile of points and product of parts; of
  // sums over thousands of points in three parts, errors are down to half of that.
  constexpr double below = 2.2;
  const std::int64_t whole = trainium1().sbuf.bytes_per_partition;
  for (const room& r :
       {room{bf16, two_stages, two_stages, 22528, 22528, false},
        room{split_in_2, two_stages, two_stages, 30720, 28672, false},
        room{bf16, one, one, whole, whole, true}, room{split_in_3, one, one, whole, whole, true}}) {
    machine_spec small = trainium1();
    small.sbuf.bytes_per_partition = r.of_forward;
    const auto& forward = forward_design(stft_kernel(transform_of(r.forward), small, r.how));
    EXPECT_EQ(forward.is_long, r.is_long) << name_of(r.how);
    expect_forward(r.forward, small, {r.how}, below);
    small.sbuf.bytes_per_partition = r.of_inverse;
    const auto& inverse = inverse_design(istft_kernel(inverse_of(r.inverse), small, r.how));
    EXPECT_EQ(inverse.is_long, r.is_long) << name_of(r.how);
    expect_inverse(r.inverse, small, {r.how}, below);
  }
}

// Whatever SBUF is too small for, in every mode.
TEST(stft_precision, any_room_for_buffers) {
  for (std::int64_t bytes = 16384; bytes <= 49152; bytes += 1024) {
    machine_spec small = trainium1();
    small.sbuf.bytes_per_partition = bytes;
    device dev(small);
    const auto expect_room = [&](const sized_kernel& k) {
      EXPECT_NO_THROW(
          prepared_kernel(dev, k, run_mode::dry_run).launch({k.inputs[0]}, {k.outputs[0]}))
          << bytes << " " << k.recipe();
    };
    for (const precision_options& how : {bf16, split_in_2, split_in_3}) {
      stft_problem s{.samples = 60000, .n_fft = 256, .hop = 128};
      expect_room(stft_kernel(s, small, how));
      s.result = spectrum_form::mel;
      s.mel.assign(2 * s.bins(), 0.25F);
      expect_room(stft_kernel(s, small, how));
      if (bytes >= 24576) expect_room(istft_kernel(inverse_of({1, 60000, 256, 128}), small, how));
    }
  }
}

// Errors of powers are twice those of amplitudes, where amplitudes are evenly spread as errors are
// half of it; of magnitudes one of two quadratures remains; bands are means over bins.
TEST(stft_precision, of_powers_magnitudes_bands_and_decibel) {
  for (const spectra_case& c : {spectra_case{1, 9000, 2048, 512}, spectra_case{2, 3000, 400, 160}})
    for (const precision_options& how : {bf16, split_in_2}) {
      const auto form = [&](spectrum_form result) { return transform_of(c, result); };
      const array<float, 2> x = signals_of(c);
      const double stated =
          stft_kernel(form(spectrum_form::power), trainium1(), how).expected_error;
      std::vector<test_exact> powers = exact_powers(form(spectrum_form::power), x);
      const auto features = [&](const stft_problem& s) {
        return device_features(s, x, trainium1(), how);
      };
      const std::string what = std::to_string(c.n_fft) + " " + name_of(how);
      expect_agreement(error_of(features(form(spectrum_form::power)), powers), stated, what);
      stft_problem mel = form(spectrum_form::mel);
      constexpr std::size_t bands = 20;
      for (std::size_t band = 0; band < bands; ++band)
        for (std::size_t k = 0; k < mel.bins(); ++k)
          mel.mel.push_back(k * bands / mel.bins() == band ? float(1 + k % 3) / 3.0F : 0.0F);
      const double of_bands = error_of(features(mel), exact_mel(mel, powers));
      EXPECT_LT(of_bands, stated) << what;
      EXPECT_GT(of_bands, stated / 5) << what;
      stft_problem decibel = form(spectrum_form::decibel);
      decibel.floor = 100;
      std::vector<test_exact> floored = powers, got;
      for (test_exact& v : floored) v = std::max(100.0L, v.real());
      for (const float level : features(decibel)) got.emplace_back(std::pow(10.0L, level / 10.0L));
      // A logarithm of 40 dB is rounded to 4e-6 dB, 1e-6 of the power.
      EXPECT_LT(error_of(got, floored), 1.5 * stated + 1e-6) << what;
      EXPECT_GT(error_of(got, floored), stated / 2) << what;
      for (test_exact& v : powers) v = std::sqrt(v.real());
      expect_agreement(error_of(features(form(spectrum_form::magnitude)), powers),
                       stated / std::sqrt(2), what);
    }
}

// The definition with operands rounded as the array gets them, of one matrix with the window
// inside; what is left is the sums' rounding.
TEST(stft_precision, operands_are_rounded_and_split_as_documented) {
  stft_problem s = transform_of({1, 2000, 96, 40});
  s.centre = false;
  const array<float, 2> x = signals_of({1, 2000, 96, 40});
  const auto split = [](float value, int parts) {
    std::vector<long double> all;
    for (int p = 0; p < parts; ++p) {
      all.push_back(round_to(dtype::bf16, value));
      value -= float(all.back());
    }
    return all;
  };
  for (const auto& [how, parts] : {std::pair{bf16, 1}, {split_in_2, 2}, {split_in_3, 3}}) {
    std::vector<test_exact> expected;
    for (std::size_t f = 0; f < s.segments(); ++f)
      for (std::size_t k = 0; k < s.bins(); ++k) {
        test_exact sum = 0;
        for (std::size_t j = 0; j < s.n_fft; ++j) {
          const test_exact root = std::polar(
              1.0L, -2 * std::numbers::pi_v<long double> * (long double)(j * k % 96) / 96);
          const long double w = s.window[j];
          const auto tidy = [&](long double v) {
            return split(float(std::abs(v) < 1e-15L ? 0 : v * w), parts);
          };
          const auto sample = split(x(0, f * s.hop + j), parts), re = tidy(root.real()),
                     im = tidy(root.imag());
          for (std::size_t a = 0; a < std::size_t(parts); ++a)
            for (std::size_t b = 0; a + b < std::size_t(parts); ++b)
              sum += sample[a] * test_exact(re[b], im[b]);
        }
        expected.push_back(sum);
      }
    EXPECT_LT(error_of(joined(device_spectra(s, x, trainium1(), how)), expected),
              3 * std::sqrt(0.18 * 96) * 0x1p-24)
        << name_of(how);
  }
}

precision_options chosen(const stft_problem& s, double target) {
  return kernels_detail::mode_of(
      forward_design(stft_kernel(s, trainium1(), {.target_error = target})).operands);
}

TEST(stft_precision, a_target_error_takes_the_fastest_mode_that_meets_it) {
  const stft_problem s{.samples = 1000000, .n_fft = 2048, .hop = 512};
  EXPECT_EQ(chosen(s, 1e-2), bf16);
  EXPECT_EQ(chosen(s, 1e-3), split_in_2);
  EXPECT_EQ(chosen(s, 1e-6), native);
  EXPECT_EQ(chosen(s, 1e-7), split_in_3);
  EXPECT_NE(stft_kernel(s, trainium1(), {.target_error = 1e-2}).recipe().find("split_bf16 in 3"),
            std::string::npos);
  const istft_problem back{.segments = 1000, .samples = 500000, .n_fft = 2048, .hop = 512};
  EXPECT_EQ(kernels_detail::mode_of(
                inverse_design(istft_kernel(back, trainium1(), {.target_error = 1e-5})).operands),
            split_in_2);
}

template <class Make>
void expect_message(const Make& make, const std::string& message) {
  try {
    make();
    ADD_FAILURE() << "accepted: " << message;
  } catch (const invalid_argument& e) {
    EXPECT_EQ(std::string(e.what()), message);
  }
}

TEST(stft_precision, refusals) {
  const spectra_case c{1, 4000, 256, 64};
  const auto stft = [&](const precision_options& how) {
    return [=] { stft_kernel(transform_of(c), trainium1(), how); };
  };
  const auto istft = [&](const precision_options& how) {
    return [=] { istft_kernel(inverse_of(c), trainium1(), how); };
  };
  const std::string modes =
                        "its kernel computes in native, bf16, split_bf16 in 2 parts, split_bf16 in "
                        "3 parts; not in ",
                    why =
                        ": refinements by the inverse would miss errors of spectra that no signal "
                        "has";
  expect_message(stft(refined_once), "stft: " + modes + "bf16_refined, 1 refinement" + why);
  expect_message(istft(refined_twice), "istft: " + modes + "bf16_refined, 2 refinements" + why);
  expect_message(istft(compensated), "istft: " + modes + "compensated" + why);
  expect_message(stft({.mode = precision::split_bf16, .parts = 4}),
                 "stft: precision.parts must be 2 or 3, got 4");
  expect_message(stft({.mode = precision(7)}), "stft: precision.mode must be at most 4, got 7");
  expect_message(istft({.mode = precision::bf16, .target_error = 1}),
                 "istft: target_error chooses precision, refinements and parts: not with bf16");
  expect_message(stft({.target_error = -1}),
                 "stft: precision.target_error must be at least 0, got -1");
  try {
    stft({.target_error = 1e-12})();
    ADD_FAILURE();
  } catch (const invalid_argument& e) {
    const std::string said = e.what();
    EXPECT_EQ(said.find("stft: precision.target_error must be at least "), 0u) << said;
    EXPECT_NE(said.find("which split_bf16 in 3 parts is expected to reach, got 1e-12"),
              std::string::npos)
        << said;
  }
}

TEST(stft_precision, through_the_catalog) {
  const auto mode = [](const std::vector<std::string>& settings) {
    return kernels_detail::mode_of(
        forward_design(size_kernel(find_kernel("stft"), settings, trainium1())).operands);
  };
  EXPECT_EQ(mode({}), native);
  EXPECT_EQ(mode({"precision=bf16"}), bf16);
  EXPECT_EQ(mode({"precision=split_bf16", "parts=3"}), split_in_3);
  EXPECT_EQ(mode({"samples=500000", "target_error=1e-2"}), bf16);
  const std::string settings[] = {"precision=bf16"};
  EXPECT_EQ(kernels_detail::mode_of(
                inverse_design(size_kernel(find_kernel("istft"), settings, trainium1())).operands),
            bf16);
  for (const char* bad : {"precision=compensated", "parts=5", "refinements=1", "target_error=-1"}) {
    const std::string all[] = {bad};
    EXPECT_THROW(size_kernel(find_kernel("istft"), all, trainium1()), invalid_argument) << bad;
  }
}

}  // namespace
}  // namespace papilio::kernels::test
