// Values of librosa, scipy and torch, made by tests/signal/reference/make_stft_reference.py.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "papilio/base.hpp"
#include "papilio/signal.hpp"
#include "support/npy_data.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

// The libraries and papilio each round a windowed transform of up to 2048 points in double.
constexpr double tolerance = 2e-15;

test::npy_data read(const std::string& name) {
  return test::read_npy_data(std::string(PAPILIO_SIGNAL_DATA) + "/stft_" + name + ".npy");
}

std::vector<double> signal(std::size_t samples) {
  auto x = read("signal").values;
  x.resize(samples);
  return x;
}

// [bins, segments, 2] to [segments, bins].
array<std::complex<double>, 2> spectra(const std::string& name) {
  const auto data = read(name);
  array<std::complex<double>, 2> out({data.extents.at(1), data.extents.at(0)});
  for (std::size_t k = 0; k < data.extents[0]; ++k)
    for (std::size_t s = 0; s < data.extents[1]; ++s) {
      const double* const value = &data.values[2 * (k * data.extents[1] + s)];
      out(s, k) = {value[0], value[1]};
    }
  return out;
}

template <class Got>
double error(const Got& got, const std::vector<test::exact>& expected) {
  return test::relative_error(got, std::span<const test::exact>(expected));
}

struct forward_reference {
  const char* name;
  stft_options options;
  std::size_t samples = 300;
};

void PrintTo(const forward_reference& r, std::ostream* out) { *out << r.name; }

class stft_of : public testing::TestWithParam<forward_reference> {};

TEST_P(stft_of, equals_the_library) {
  const auto& [name, options, samples] = GetParam();
  const auto expected = spectra(name);
  const stft_plan<double> plan(options);
  ASSERT_EQ(plan.segments(samples), expected.extent(0));
  ASSERT_EQ(plan.bins(), expected.extent(1));
  array<std::complex<double>, 2> got(expected.extents());
  plan.execute(signal(samples), got);
  EXPECT_LT(error(got.flat(), test::widened(expected.flat())), tolerance);
}

stft_options with(stft_options options, auto... change) {
  (change(options), ...);
  return options;
}
const auto uncentred = [](stft_options& o) { o.centre = false; };
const auto two_sided = [](stft_options& o) { o.sides = stft_sides::two; };
const auto not_padded = [](stft_options& o) { o.pad_end = false; };
auto hop(std::size_t samples) {
  return [=](stft_options& o) { o.hop = samples; };
}
auto window(window_spec w) {
  return [=](stft_options& o) { o.window = w; };
}
auto length(std::size_t samples) {
  return [=](stft_options& o) { o.window_length = samples; };
}
auto padded(edge_padding padding) {
  return [=](stft_options& o) { o.padding = padding; };
}
auto scaled(stft_scaling scaling, double rate_hz = 1) {
  return [=](stft_options& o) {
    o.scaling = scaling;
    o.rate_hz = rate_hz;
  };
}

const stft_options librosa = librosa_stft(64, 16), scipy = scipy_stft(64, 48),
                   torch = torch_stft(64, 16, window_kind::hann);

INSTANTIATE_TEST_SUITE_P(
    librosa, stft_of,
    testing::Values(forward_reference{"librosa_default", librosa_stft(), 1000},
                    forward_reference{"librosa_small", librosa},
                    forward_reference{"librosa_reflect",
                                      with(librosa, padded(edge_padding::reflect))},
                    forward_reference{"librosa_edge", with(librosa, padded(edge_padding::edge))},
                    forward_reference{"librosa_uncentred", with(librosa, uncentred, hop(24))},
                    forward_reference{"librosa_short_window", with(librosa, length(41))},
                    forward_reference{"librosa_odd", with(librosa_stft(63, 20),
                                                          window(window_kind::blackman_harris))}));

INSTANTIATE_TEST_SUITE_P(
    scipy, stft_of,
    testing::Values(
        forward_reference{"scipy_default", scipy_stft(), 1000},
        forward_reference{"scipy_small", scipy, 307},
        forward_reference{"scipy_psd", with(scipy, scaled(stft_scaling::psd, 8000)), 307},
        forward_reference{"scipy_two_sided", with(scipy, two_sided), 307},
        forward_reference{"scipy_even", with(scipy, padded(edge_padding::reflect)), 307},
        forward_reference{"scipy_constant", with(scipy, padded(edge_padding::edge)), 307},
        forward_reference{"scipy_no_boundary", with(scipy, uncentred), 307},
        forward_reference{"scipy_not_padded", with(scipy, uncentred, not_padded), 307},
        forward_reference{"scipy_odd", with(scipy_stft(45, 13), window({window_kind::kaiser, 8.6})),
                          307}));

INSTANTIATE_TEST_SUITE_P(
    torch, stft_of,
    testing::Values(forward_reference{"torch_default", torch_stft(256), 1000},
                    forward_reference{"torch_hann", torch},
                    forward_reference{"torch_short_window", with(torch, length(40))},
                    forward_reference{"torch_uncentred", with(torch, uncentred, hop(20))},
                    forward_reference{"torch_two_sided", with(torch, two_sided)},
                    forward_reference{"torchaudio_window",
                                      with(torch, scaled(stft_scaling::orthonormal))}));

struct inverse_reference {
  const char* name;
  const char* spectra;
  stft_options options;
};

void PrintTo(const inverse_reference& r, std::ostream* out) { *out << r.name; }

class istft_of : public testing::TestWithParam<inverse_reference> {};

// Of spectra that no signal has, so that the least squares are told from other inverses.
TEST_P(istft_of, equals_the_library) {
  const auto& [name, from, options] = GetParam();
  const auto expected = read(name);
  const auto given = spectra(from);
  const istft_plan<double> plan(options);
  std::vector<double> got(expected.values.size());
  plan.execute(given, got);
  EXPECT_LT(error(got, test::widened(std::span<const double>(expected.values))), tolerance);
  if (name != std::string("librosa_istft_length") && name != std::string("torch_istft")) {
    EXPECT_EQ(plan.samples(given.extent(0)), got.size());
  }
}

INSTANTIATE_TEST_SUITE_P(
    libraries, istft_of,
    testing::Values(inverse_reference{"librosa_istft", "librosa_masked", librosa},
                    inverse_reference{"librosa_istft_length", "librosa_masked", librosa},
                    inverse_reference{"scipy_istft", "scipy_masked", scipy},
                    inverse_reference{"scipy_two_sided_istft", "scipy_two_sided_masked",
                                      with(scipy, two_sided)},
                    inverse_reference{"torch_istft", "torch_masked", torch}));

}  // namespace
}  // namespace papilio
