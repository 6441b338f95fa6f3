// STFT split over the cores of a group: bit by bit what one core computes. The inverse transform of
// what they computed is the signal: errors of two transforms, each below its expected_error, of
// which single inputs have up to four times as much.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numbers>

#include "papilio/base/error.hpp"
#include "papilio/engine.hpp"
#include "papilio/kernels.hpp"
#include "support/oracle.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using values = std::vector<float>;

launch_input in_of(const values& x, const tensor_shape& shape) {
  return {std::as_bytes(std::span(x)), shape};
}
launch_output out_of(values& y, const tensor_shape& shape) {
  return {std::as_writable_bytes(std::span(y)), shape};
}

values on_one_core(const sized_kernel& kernel, const values& x) {
  device dev;
  values y(std::size_t(kernel.outputs[0].elements()));
  prepared_kernel(dev, kernel).launch({in_of(x, kernel.inputs[0])}, {out_of(y, kernel.outputs[0])});
  return y;
}

values on_cores(const stft_problem& shape, int cores, const values& x,
                const precision_options& how = {}) {
  device_group group(trainium1(), sdk_2_24(), cores);
  const prepared_split stft(group, split_stft(shape, cores, group.machine(), how));
  values y(std::size_t(stft.what().outputs[0].elements()));
  stft.run({in_of(x, stft.what().inputs[0])}, {out_of(y, stft.what().outputs[0])});
  return y;
}

std::vector<std::uint32_t> bits(const values& x) {
  std::vector<std::uint32_t> all;
  for (const float v : x) all.push_back(std::bit_cast<std::uint32_t>(v));
  return all;
}

values hann(std::int64_t n) {
  values w;
  for (std::int64_t j = 0; j < n; ++j)
    w.push_back(float(0.5 - 0.5 * std::cos(2 * std::numbers::pi * double(j) / double(n))));
  return w;
}

// The signal between its mirror images about the first and the last sample.
values mirrored(const values& x, std::int64_t lead) {
  values padded;
  for (std::int64_t i = lead; i > 0; --i) padded.push_back(x[std::size_t(i)]);
  padded.insert(padded.end(), x.begin(), x.end());
  for (std::int64_t i = 0; i < lead; ++i) padded.push_back(x[x.size() - 2 - std::size_t(i)]);
  return padded;
}

struct stft_case {
  const char* name;
  std::size_t samples, n_fft, hop;
  int cores;
};

class STFTMulticore : public testing::TestWithParam<stft_case> {};

TEST_P(STFTMulticore, has_the_bits_of_one_core_and_an_inverse) {
  const auto [name, samples, n_fft, hop, cores] = GetParam();
  stft_problem shape{.samples = samples,
                     .n_fft = n_fft,
                     .hop = hop,
                     .window = hann(n_fft),
                     .padding = edge_padding::reflect};
  const values x = papilio::test::random_real<float>(std::size_t(samples), 3);
  const sized_kernel whole = stft_kernel(shape, trainium1());
  const std::size_t segments = shape.segments();
  const values expected = on_one_core(whole, x);

  shape.samples += n_fft;
  shape.centre = false;
  const values y = on_cores(shape, cores, mirrored(x, n_fft / 2));
  EXPECT_EQ(bits(y), bits(expected));

  const sized_kernel inverse = istft_kernel({.segments = segments,
                                             .samples = samples,
                                             .n_fft = n_fft,
                                             .hop = hop,
                                             .window = shape.window},
                                            trainium1());
  const values back = on_one_core(inverse, y);
  EXPECT_LT(papilio::test::relative_error(back, papilio::test::widened(std::span<const float>(x))),
            4 * (whole.expected_error + inverse.expected_error));
}

INSTANTIATE_TEST_SUITE_P(cases, STFTMulticore,
                         testing::Values(stft_case{"trnfft_193", 4000, 256, 128, 2},
                                         stft_case{"trnfft_194", 4000, 512, 256, 2},
                                         stft_case{"trnfft_195", 4000, 256, 128, 3},
                                         stft_case{"trnfft_196", 4000, 512, 256, 5},
                                         stft_case{"trnfft_197", 2048, 256, 128, 1}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(split_stft, by_channels_and_by_segments) {
  for (const spectrum_form output : {spectrum_form::complex, spectrum_form::magnitude})
    for (const auto& [channels, cores, centre] : {std::tuple<std::size_t, int, bool>{5, 2, true},
                                                  {3, 3, true},
                                                  {2, 3, false},
                                                  {1, 9, false}}) {
      const stft_problem shape{.channels = channels,
                               .samples = 700,
                               .n_fft = 96,
                               .hop = 80,
                               .centre = centre,
                               .result = output};
      const values x = papilio::test::random_real<float>(std::size_t(channels * 700), 4);
      EXPECT_EQ(bits(on_cores(shape, cores, x)),
                bits(on_one_core(stft_kernel(shape, trainium1()), x)))
          << channels << " channels on " << cores;
    }
}

// Also where a target error is met: by the mode that is fastest for the whole.
TEST(split_stft, in_the_precision_of_the_whole) {
  const stft_problem shape{.channels = 3, .samples = 3000, .n_fft = 512, .hop = 128};
  const values x = papilio::test::random_real<float>(3 * 3000, 4);
  for (const precision_options& how : {precision_options{.mode = precision::split_bf16},
                                       precision_options{.target_error = 1e-2}}) {
    const values y = on_cores(shape, 2, x, how);
    EXPECT_EQ(bits(y), bits(on_one_core(stft_kernel(shape, trainium1(), how), x)));
    EXPECT_NE(bits(y), bits(on_one_core(stft_kernel(shape, trainium1()), x)));
  }
}

TEST(split_stft, bad_input) {
  const stft_problem shape{.samples = 700, .n_fft = 96, .hop = 80};
  try {
    split_stft(shape, 2, trainium1());
    FAIL();
  } catch (const invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("1 channels on 2 cores"), std::string::npos) << e.what();
  }
  EXPECT_THROW(split_stft(shape, 0, trainium1()), invalid_argument);
}

}  // namespace
}  // namespace papilio::kernels::test
