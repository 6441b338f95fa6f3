// Magnitudes, powers, mel bands and decibel; refusals; times.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "kernels/design.hpp"
#include "kernels/short_time/short_time.hpp"
#include "kernels/stft_oracle.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

stft_problem shape_of(std::size_t n_fft, spectrum_form output) {
  stft_problem s{.channels = 2, .samples = 3 * n_fft + 17, .n_fft = n_fft, .hop = n_fft / 3 + 1};
  s.window = uneven_window(n_fft);
  s.result = output;
  return s;
}

std::vector<float> flat(const array<float, 3>& values) { return {values.begin(), values.end()}; }

// Direct (even and odd), one stage of 1, and two stages of several factors.
const std::size_t sizes[] = {1, 2, 3, 64, 127, 400, 512, 2048};

TEST(spectrum_form, magnitude_and_power) {
  for (const std::size_t n : sizes) {
    stft_problem s = shape_of(n, spectrum_form::power);
    const array<float, 2> x = normal_signals(2, s.samples, 3);
    std::vector<test_exact> expected = exact_powers(s, x);
    const double stated = stft_kernel(s, trainium1()).expected_error;
    // A square has twice the relative error, and is larger where the error is not: four times more
    // than the spectra's bound.
    EXPECT_LT(papilio::test::relative_error(flat(device_features(s, x)),
                                            std::span<const test_exact>(expected)),
              16 * stated)
        << n;
    for (test_exact& v : expected) v = std::sqrt(v.real());
    s.result = spectrum_form::magnitude;
    EXPECT_LT(papilio::test::relative_error(flat(device_features(s, x)),
                                            std::span<const test_exact>(expected)),
              4 * stated)
        << n;
  }
}

TEST(spectrum_form, magnitudes_of_small_and_large_signals) {
  for (const float factor : {1e-15F, 1e15F}) {
    const stft_problem s = shape_of(512, spectrum_form::magnitude);
    array<float, 2> x = normal_signals(2, s.samples, 3);
    for (float& v : x) v *= factor;
    std::vector<test_exact> expected = exact_powers(s, x);
    for (test_exact& v : expected) v = std::sqrt(v.real());
    EXPECT_LT(papilio::test::relative_error(flat(device_features(s, x)),
                                            std::span<const test_exact>(expected)),
              1e-6);
  }
}

TEST(spectrum_form, mel_bands_and_decibel) {
  for (const std::size_t n : {64, 127, 512})
    for (const std::size_t mels : {1, 40, 700}) {
      stft_problem s = shape_of(n, spectrum_form::mel);
      for (std::size_t i = 0; i < mels * s.bins(); ++i)
        s.mel.push_back(i % 7 == 0 ? 0.5F : float(i % 5) * 0.25F);
      const array<float, 2> x = normal_signals(2, s.samples, 3);
      const std::vector<test_exact> expected = exact_mel(s, exact_powers(s, x));
      EXPECT_LT(papilio::test::relative_error(flat(device_features(s, x)),
                                              std::span<const test_exact>(expected)),
                2e-6)
          << n << " " << mels;
      s.result = spectrum_form::decibel;
      s.floor = 1;
      const std::vector<float> got = flat(device_features(s, x));
      ASSERT_EQ(got.size(), expected.size());
      // Relative errors of 2e-5 in a power (small sums beside large ones) are 1e-4 dB.
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got[i], 10 * std::log10(std::max(1.0, double(expected[i].real()))), 1e-4) << i;
    }
}

// Segments that do not fit are lines in HBM.
TEST(spectrum_form, segments_that_do_not_fit) {
  for (const std::size_t n : {3301, 20000}) {
    std::vector<test_exact> spectra;
    for (const spectrum_form output : {spectrum_form::complex, spectrum_form::magnitude,
                                       spectrum_form::mel, spectrum_form::decibel}) {
      stft_problem s{.channels = 2, .samples = 700, .n_fft = n, .hop = 600};
      s.result = output;
      s.floor = 1;
      s.window = uneven_window(n);
      const bool mel = output == spectrum_form::mel;
      if (mel) s.mel.assign(3 * s.bins(), 0.25F);
      const array<float, 2> x = normal_signals(2, s.samples, 3);
      device dev(trainium1());
      const prepared_kernel stft(dev, stft_kernel(s, trainium1()));
      const auto* design =
          kernels_detail::design_as<kernels_detail::windowed<kernels_detail::short_time_design>>(
              stft.what().design);
      ASSERT_NE(design, nullptr);
      EXPECT_TRUE(design->body.is_long);
      const std::size_t planes = output == spectrum_form::complex ? 2 : 1;
      const auto rows = 2 * s.segments();
      std::vector<float> got(planes * rows * (mel ? s.bands() : s.bins()));
      stft.launch({x},
                  {launch_output(std::as_writable_bytes(std::span(got)), stft.what().outputs[0])});
      if (spectra.empty()) spectra = exact_spectra(s, x);
      std::vector<test_exact> expected = spectra;
      if (planes == 2) {
        std::vector<test_exact> joined(expected.size());
        for (std::size_t i = 0; i < joined.size(); ++i)
          joined[i] = {got[i], got[joined.size() + i]};
        EXPECT_LT(papilio::test::relative_error(joined, std::span<const test_exact>(expected)),
                  1.5e-6);
        continue;
      }
      for (test_exact& v : expected) v = std::norm(v);
      if (mel) expected = exact_mel(s, expected);
      for (test_exact& v : expected) {
        if (output == spectrum_form::magnitude) v = std::sqrt(v.real());
        if (output == spectrum_form::decibel) v = 10 * std::log10(std::max(1.0L, v.real()));
      }
      EXPECT_LT(papilio::test::relative_error(got, std::span<const test_exact>(expected)), 3e-6);
    }
  }
}

// How many buffers there are between the stages follows from the room; powers of a segment are
// finished a segment later, and must not find their buffer given on.
TEST(spectrum_form, any_room_for_buffers) {
  for (std::int64_t bytes = 10240; bytes <= 40960; bytes += 1024) {
    machine_spec small = trainium1();
    small.sbuf.bytes_per_partition = bytes;
    stft_problem s{.samples = 100000, .n_fft = 256, .hop = 128};
    for (const spectrum_form output : {spectrum_form::magnitude, spectrum_form::mel}) {
      s.result = output;
      if (output == spectrum_form::mel) s.mel.assign(2 * s.bins(), 0.25F);
      device dev(small);
      const prepared_kernel stft(dev, stft_kernel(s, small), run_mode::dry_run);
      EXPECT_NO_THROW(stft.launch({stft.what().inputs[0]}, {stft.what().outputs[0]})) << bytes;
    }
  }
}

TEST(spectrum_form, decibel_of_silence_is_the_floor) {
  stft_problem s = shape_of(256, spectrum_form::decibel);
  array<float, 2> x({2, std::size_t(s.samples)});
  std::fill(x.begin(), x.end(), 0.0F);
  for (const float v : flat(device_features(s, x))) ASSERT_NEAR(v, -100, 1e-4);
  s.floor = 0x1p-126F;
  for (const float v : flat(device_features(s, x))) ASSERT_NEAR(v, 10 * std::log10(0x1p-126), 1e-3);
}

TEST(spectrum_form, a_value_that_is_no_number_stays_in_its_segments) {
  stft_problem s{.samples = 4000, .n_fft = 256, .hop = 256};
  s.centre = false;
  s.result = spectrum_form::magnitude;
  array<float, 2> x = normal_signals(1, 4000, 1);
  x.data()[1000] = std::numeric_limits<float>::quiet_NaN();
  const array<float, 3> got = device_features(s, x);
  for (std::size_t f = 0; f < got.extent(1); ++f) EXPECT_EQ(std::isnan(got(0, f, 5)), f == 3) << f;
}

template <class Error, class Shape, class Make>
void expect_refused(const Shape& shape, const Make& make, const std::string& part) {
  try {
    make(shape);
    ADD_FAILURE() << part;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

TEST(stft, refusals) {
  const auto make = [](const stft_problem& s) { stft_kernel(s, trainium1()); };
  const stft_problem good{.samples = 16000};
  const auto refused = [&](auto change, const std::string& part) {
    stft_problem s = good;
    change(s);
    expect_refused<invalid_argument>(s, make, part);
  };
  refused([](stft_problem& s) { s.channels = 0; }, "channels must be at least 1, got 0");
  refused([](stft_problem& s) { s.samples = 0; }, "samples must be at least 1, got 0");
  refused(
      [](stft_problem& s) {
        s.window.assign(s.n_fft, 1.0F);
        s.window[3] = std::numeric_limits<float>::quiet_NaN();
      },
      "window must be finite, got nan at 3");
  refused([](stft_problem& s) { s.n_fft = 0; }, "n_fft must be at least 1, got 0");
  refused([](stft_problem& s) { s.hop = 0; }, "hop must be at least 1, got 0");
  refused([](stft_problem& s) { s.window.resize(5); }, "must have 2048 weights, got 5");
  refused([](stft_problem& s) { s.result = spectrum_form::mel; }, "at least one band of 1025 bins");
  refused([](stft_problem& s) { s.mel.resize(1025); }, "mel must be empty but for mel bands");
  refused(
      [](stft_problem& s) {
        s.result = spectrum_form::mel;
        s.mel.resize(7);
      },
      "whole bands of 1025 bins, got 7");
  refused([](stft_problem& s) { s.type = real_type::double_precision; }, "it computes in float");
  refused([](stft_problem& s) { s.two_sided = true; }, "no kernel of two-sided spectra");
  refused([](stft_problem& s) { s.pad_end = true; }, "no kernel with zeros after the signal");
  refused(
      [](stft_problem& s) {
        s.result = spectrum_form::decibel;
        s.floor = 0;
      },
      "floor must be 2^-126 ... 2^126, got 0");
  stft_problem s = good;
  s.samples = 2047;
  s.centre = false;
  expect_refused<shape_error>(s, make, "at least n_fft = 2048 for one segment");
  s.n_fft = std::size_t{1} << 50;
  expect_refused<resource_error>(s, make, "n_fft must be at most 281474976710656");
  s.n_fft = std::size_t{1} << 33;
  s.centre = true;
  expect_refused<resource_error>(s, make, "n_fft = 8589934592 does not fit on chip");
}

TEST(istft, refusals) {
  const auto make = [](const istft_problem& s) { istft_kernel(s, trainium1()); };
  istft_problem good{.segments = 10, .samples = 1000, .n_fft = 256, .hop = 128};
  good.window = hann_window(256);
  const auto refused = [&](auto change, const std::string& part) {
    istft_problem s = good;
    change(s);
    expect_refused<invalid_argument>(s, make, part);
  };
  refused([](istft_problem& s) { s.channels = 0; }, "channels must be at least 1, got 0");
  refused([](istft_problem& s) { s.segments = 0; }, "segments must be at least 1, got 0");
  refused([](istft_problem& s) { s.samples = 0; }, "samples must be at least 1, got 0");
  refused([](istft_problem& s) { s.window.pop_back(); }, "must have 256 weights, got 255");
  refused([](istft_problem& s) { s.centre = false; }, "sample 0 is not covered");
  refused([](istft_problem& s) { s.hop = 256; }, "sample 128 is not covered");
  refused([](istft_problem& s) { s.hop = 300, s.window.clear(); }, "sample 128 is not covered");
  istft_problem s = good;
  s.samples = 1281;
  expect_refused<shape_error>(s, make, "10 segments reach 1280 samples");
  s = good;
  s.segments = std::size_t{1} << 46;
  expect_refused<resource_error>(s, make, "70368744177664 x 128");
  s = good;
  s.n_fft = 1 << 30, s.hop = 1 << 28, s.window.clear();
  expect_refused<resource_error>(s, make, "bytes of HBM");
}

TEST(stft_profile, ten_minutes) {
  const std::vector<std::string> sizes_of = {"samples=26460000", "n_fft=2048", "hop=512"};
  const auto run = [&](const char* output) {
    std::vector<std::string> settings = sizes_of;
    settings.push_back(std::string("output=") + output);
    return dry_profile("stft", settings);
  };
  // The signal once and 51680 segments of 1025 numbers once, at 272 bytes a ns.
  const profile magnitudes = run("magnitude"), spectra = run("complex");
  EXPECT_NEAR(magnitudes.verdict.floor_seconds, (26460000 + 51680.0 * 1025) * 4 / 272e9, 1e-6);
  // The kernel is not tuned to the array's loads: what it reaches, so that it gets no slower.
  EXPECT_GE(spectra.verdict.floor_fraction, 0.38);
  EXPECT_GE(magnitudes.verdict.floor_fraction, 0.23);
}

TEST(stft_profile, bands_by_name) {
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{"output=mel", "mels=80"},
        std::vector<std::string>{"output=db", "mels=40"}, std::vector<std::string>{"output=db"}})
    EXPECT_GT(dry_profile("stft", settings).verdict.floor_seconds, 0);
  EXPECT_THROW(dry_profile("stft", {"output=mel"}), invalid_argument);
  EXPECT_THROW(dry_profile("stft", {"mels=3"}), invalid_argument);
  EXPECT_THROW(dry_profile("stft", {"n_fft=1000000000000"}), resource_error);
  EXPECT_THROW(dry_profile("istft", {"n_fft=1000000000000", "hop=300000000000"}), resource_error);
}

TEST(stft_profile, a_second_at_16_khz_end_to_end) {
  device dev(trainium1(), sdk_2_24());
  stft_problem s{.samples = 16000, .n_fft = 512, .hop = 256};
  s.result = spectrum_form::magnitude;
  const prepared_kernel stft(dev, stft_kernel(s, dev.machine()), run_mode::dry_run);
  const launch_result run = stft.launch({stft.what().inputs[0]}, {stft.what().outputs[0]});
  EXPECT_LE(run.total_seconds(), 1.2e-3);
  EXPECT_LE(run.device_seconds, 20e-6);
}

}  // namespace
}  // namespace papilio::kernels::test
