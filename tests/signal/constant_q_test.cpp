#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <numeric>

#include "papilio/signal.hpp"
#include "reference_data.hpp"

namespace papilio {
namespace {
namespace constant_q_tests {

constexpr double pi = std::numbers::pi;

template <class T>
std::vector<T> tone(double hz, double rate_hz, std::size_t samples, double amplitude = 1) {
  std::vector<T> x(samples);
  for (std::size_t i = 0; i < samples; ++i)
    x[i] = static_cast<T>(amplitude * std::cos(2 * pi * hz * static_cast<double>(i) / rate_hz));
  return x;
}

/// Deterministic noise in [-1, 1).
template <class T>
std::vector<T> noise(std::size_t samples) {
  std::vector<T> x(samples);
  std::uint32_t state = 1;
  for (T& v : x) {
    state = state * 1664525 + 1013904223;
    v = static_cast<T>(static_cast<double>(state) / 2147483648.0 - 1);
  }
  return x;
}

/// Value of one bin of a Hann window by the sum of the definition, over the samples themselves.
std::complex<double> by_sum(const std::vector<double>& x, const constant_q_options& o, double hz,
                            double length, std::size_t centre) {
  std::complex<double> sum = 0;
  const auto half = static_cast<std::ptrdiff_t>(length / 2);
  for (std::ptrdiff_t m = -half; m <= half; ++m) {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(centre) + m;
    if (at < 0 || at >= std::ssize(x)) continue;
    const double offset = static_cast<double>(m), u = offset / length;
    const double weight = 0.5 + 0.5 * std::cos(2 * pi * u);
    sum += x[static_cast<std::size_t>(at)] * weight *
           std::polar(1.0, -2 * pi * hz * offset / o.rate_hz);
  }
  return sum * 2.0 / length * std::sqrt(length);
}

double largest(const array<std::complex<double>, 2>& values) {
  double most = 0;
  for (const std::complex<double> v : values) most = std::max(most, std::abs(v));
  return most;
}

template <class T>
double relative_difference(std::span<const T> a, std::span<const T> b) {
  double difference = 0, power = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(double(a[i]) - double(b[i]), 2);
    power += std::pow(double(a[i]), 2);
  }
  return std::sqrt(difference / power);
}

}  // namespace constant_q_tests

using namespace constant_q_tests;

// The sum has negative frequencies too, and side lobes below the cut: an atom passes
// |W(Q)| = 1 / (pi 16.8^3) = 7e-5 of what lies at 0 Hz, less of the rest.
TEST(constant_q, equals_the_sum_of_its_definition) {
  const auto x = test::reference_signal<double>();
  const constant_q_options o{.bins = 72};
  const constant_q_plan<double> plan(o);
  const auto values = plan.execute(x);
  ASSERT_EQ(values.extent(0), 1 + x.size() / o.hop);
  const double tolerance = 1e-4 * largest(values);
  for (std::size_t s = 0; s < values.extent(0); ++s)
    for (std::size_t k = 0; k < o.bins; ++k) {
      const auto expected = by_sum(x, o, plan.frequencies_hz()[k], plan.lengths()[k], s * o.hop);
      EXPECT_LE(std::abs(values(s, k) - expected), tolerance) << s << ' ' << k;
    }
}

/// Largest difference between the transform and librosa's, [2, segments, bins], over librosa's largest value.
double difference_from(const std::string& name, const constant_q_options& o) {
  const test::npy_data expected = test::reference(name);
  const auto values = constant_q_plan<double>(o).execute(test::reference_signal<double>());
  const std::size_t size = values.size();
  EXPECT_EQ(expected.extents, (std::vector<std::size_t>{2, values.extent(0), o.bins})) << name;
  double most = 0, difference = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::complex<double> theirs(expected.values[i], expected.values[size + i]);
    most = std::max(most, std::abs(theirs));
    difference = std::max(difference, std::abs(theirs - values.flat()[i]));
  }
  return difference / most;
}

// librosa halves no rate at an odd hop, and rounds a length L to an odd number of samples, with the
// window's middle half a sample beside the segment's: that is 1 / (2 L), 0.005 of the shortest atom here.
TEST(constant_q, equals_librosa_where_it_halves_no_rate) {
  EXPECT_LT(difference_from("constant_q_odd_hop", {.hop = 441}), 1e-2);
  EXPECT_LT(difference_from("variable_q_odd_hop", {.hop = 441, .gamma_hz = {}}), 1e-2);
  EXPECT_LT(difference_from("constant_q_unscaled", {.hop = 441,
                                                    .fmin_hz = 110,
                                                    .bins = 60,
                                                    .bins_per_octave = 24,
                                                    .filter_scale = 0.8,
                                                    .window = window_kind::blackman_harris,
                                                    .norm = constant_q_norm::l2,
                                                    .scale = false}),
            1e-2);
}

// Where it does, every octave has lengths as short as the highest one's, and it leaves out 1 %.
TEST(constant_q, is_near_librosa_where_it_halves_the_rate) {
  EXPECT_LT(difference_from("constant_q_default", {}), 0.03);
}

// A tone that the whole atom sees has W((f - f[k]) length[k]) / 2 of its amplitude, in its phase at the
// segment's middle. The ends of the tone leak by less than W at the distance of an atom.
TEST(constant_q, tones_read_the_transform_of_the_window) {
  const constant_q_options o{
      .rate_hz = 8000, .hop = 100, .fmin_hz = 220, .bins = 36, .scale = false};
  const constant_q_plan<double> plan(o);
  const double hz = plan.frequencies_hz()[17] * 1.01;
  const auto values = plan.execute(tone<double>(hz, o.rate_hz, 40000));
  const std::size_t s = 200;
  for (std::size_t k = 14; k < 21; ++k) {
    const double length = plan.lengths()[k],
                 u = (hz - plan.frequencies_hz()[k]) * length / o.rate_hz;
    const double w = std::sin(pi * u) / (pi * u * (1 - u * u));
    const auto expected = std::polar(length * w / 2, 2 * pi * hz * double(s * o.hop) / o.rate_hz);
    EXPECT_LE(std::abs(values(s, k) - expected), 1e-4 * length) << k;
  }
}

TEST(constant_q, norms_and_scaling_are_factors) {
  const auto x = test::reference_signal<double>();
  const constant_q_options o{.bins = 48};
  const auto values = constant_q_plan<double>(o).execute(x);
  const auto with = [&](constant_q_norm norm, bool scale) {
    constant_q_options other = o;
    other.norm = norm;
    other.scale = scale;
    return constant_q_plan<double>(other).execute(x);
  };
  const constant_q_plan<double> plan(o);
  const auto unscaled = with(constant_q_norm::l1, false), l2 = with(constant_q_norm::l2, true),
             peak = with(constant_q_norm::peak, true);
  for (std::size_t k = 0; k < o.bins; ++k) {
    const double length = plan.lengths()[k];
    // A Hann window has mean 1/2 and mean square 3/8.
    EXPECT_LE(std::abs(unscaled(3, k) - values(3, k) * std::sqrt(length)), 1e-11 * length);
    EXPECT_LE(std::abs(l2(3, k) - values(3, k) * std::sqrt(length / 1.5)), 1e-11 * length);
    EXPECT_LE(std::abs(peak(3, k) - values(3, k) * length / 2.0), 1e-11 * length);
  }
}

TEST(constant_q, floats_are_doubles_rounded) {
  const auto x = test::reference_signal<double>();
  const auto exact = constant_q_plan<double>().execute(x);
  const auto values = constant_q_plan<float>().execute(test::reference_signal<float>());
  // An FFT of 2^16 points adds about 16 roundings to each value.
  const double tolerance = 16 * 6e-8 * largest(exact);
  for (std::size_t i = 0; i < exact.size(); ++i)
    EXPECT_LE(std::abs(std::complex<double>(values.flat()[i]) - exact.flat()[i]), tolerance);
}

TEST(constant_q, threads_and_strides_change_no_bit) {
  const auto x = noise<float>(200000);
  const constant_q_plan<float> plan({.hop = 300, .bins = 40});
  const auto expected = plan.execute(x);
  for (const int threads : {2, 5}) {
    const auto values = plan.execute(x, threads);
    EXPECT_TRUE(std::ranges::equal(values, expected)) << threads;
  }
  array<std::complex<float>, 2> columns({plan.bins(), expected.extent(0)});
  const auto step = static_cast<std::ptrdiff_t>(expected.extent(0));
  plan.execute(x, view<std::complex<float>, 2>(columns.data(), expected.extents(), {1, step}));
  array<float, 2> magnitudes(expected.extents());
  plan.execute_magnitude(x, magnitudes.view());
  for (std::size_t s = 0; s < expected.extent(0); ++s)
    for (std::size_t k = 0; k < plan.bins(); ++k) {
      EXPECT_EQ(columns(k, s), expected(s, k));
      EXPECT_NEAR(magnitudes(s, k), std::abs(expected(s, k)), 1e-6f * std::abs(expected(s, k)));
    }
}

TEST(constant_q, streams_have_the_bits_of_the_whole) {
  const constant_q_plan<float> plan({.rate_hz = 8000, .hop = 77, .fmin_hz = 100, .bins = 30});
  for (const std::size_t samples : {0, 1, 76, 77, 5000, 70000, 131072}) {
    const auto x = noise<float>(samples);
    const auto expected = plan.execute(x);
    for (const std::size_t block : {std::size_t{997}, std::size_t{65536}}) {
      constant_q_stream<float> stream(plan, 2);
      std::uint64_t next[2] = {0, 0};
      const auto sink = [&](std::uint64_t first, std::size_t channel,
                            view<std::complex<float>, 2> values) {
        EXPECT_EQ(first, next[channel]);
        next[channel] += values.extent(0);
        for (std::size_t s = 0; s < values.extent(0); ++s)
          for (std::size_t k = 0; k < plan.bins(); ++k)
            EXPECT_EQ(values(s, k), expected(first + s, k));
      };
      for (std::size_t i = 0; i < samples; i += block) {
        const std::size_t count = std::min(block, samples - i);
        stream.push(view<const float, 2>(x.data() + i, {count, 2}, {1, 0}), sink);
      }
      stream.finish(sink);
      stream.finish(sink);
      EXPECT_EQ(next[0], expected.extent(0)) << samples;
      EXPECT_EQ(next[1], expected.extent(0)) << samples;
      EXPECT_EQ(stream.received(), samples);
    }
  }
}

TEST(constant_q, low_strings_are_narrower_than_a_semitone) {
  // Levels of a tone an eighth of a semitone apart, about the guitar's low E.
  const double hz = 82.4068892282175;
  const constant_q_plan<double> plan({.fmin_hz = hz / 2, .bins = 36 * 3, .bins_per_octave = 36});
  const auto at = [&](double cents) {
    const auto x = tone<double>(hz * std::exp2(cents / 1200), 22050, 132300);
    return std::abs(plan.execute(x)(129, 36));
  };
  const double centre = at(0);
  EXPECT_LT(at(50), centre * std::sqrt(0.5));
  EXPECT_LT(at(-50), centre * std::sqrt(0.5));
}

TEST(constant_q, bins_of_variable_q_are_shorter) {
  const constant_q_plan<float> constant, variable({.gamma_hz = {}});
  EXPECT_NEAR(constant.lengths()[0], 1 / std::tanh(std::log(2) / 12) * 22050 / c1_hz, 1e-6);
  EXPECT_NEAR(variable.lengths()[0] / constant.lengths()[0], c1_hz / (c1_hz + 24.7 / 0.108), 1e-9);
}

// With a hop below a quarter of the shortest atom the bins determine what lies between them.
TEST(constant_q, inverse_restores_tones_between_its_bins) {
  const constant_q_options o{.rate_hz = 8000, .hop = 16, .fmin_hz = 110, .bins = 48};
  const constant_q_plan<double> plan(o);
  std::vector<double> x(12000);
  for (const double hz : {220.0, 391.0, 987.0}) {
    const auto one = tone<double>(hz, o.rate_hz, x.size(), 0.3);
    // Within the signal, so that nothing lies at other frequencies.
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] += one[i] *
              std::pow(std::sin(pi * static_cast<double>(i) / static_cast<double>(x.size())), 2);
  }
  const auto values = plan.execute(x);
  std::vector<double> y(x.size()), threaded(x.size());
  double before = 1;
  for (const std::size_t iterations : {1, 4, 16}) {
    plan.inverse(values.view(), y, iterations);
    const double error = relative_difference<double>(x, y);
    EXPECT_LT(error, before);
    before = error;
  }
  EXPECT_LT(before, 2e-3);
  plan.inverse(values.view(), threaded, 16, 3);
  EXPECT_EQ(y, threaded);
}

TEST(constant_q, inverse_of_zeros_is_zero) {
  const constant_q_plan<float> plan({.bins = 12});
  const array<std::complex<float>, 2> values({3, 12});
  std::vector<float> y(1100, 5.0f);
  plan.inverse(values.view(), y);
  EXPECT_TRUE(std::ranges::all_of(y, [](float v) { return v == 0; }));
}

TEST(constant_q, silence_one_sample_and_none) {
  const constant_q_plan<float> plan;
  EXPECT_EQ(plan.segments(0), 0u);
  EXPECT_EQ(plan.execute(std::vector<float>{}).extent(0), 0u);
  const auto one = plan.execute(std::vector<float>{1.0f});
  ASSERT_EQ(one.extent(0), 1u);
  // An atom's middle is 1 / (length mean), times the root of its length.
  for (std::size_t k = 0; k < plan.bins(); ++k)
    EXPECT_NEAR(std::abs(one(0, k)), 2 / std::sqrt(plan.lengths()[k]), 1e-3);
  const auto silence = plan.execute(std::vector<float>(5000));
  EXPECT_TRUE(std::ranges::all_of(silence, [](auto v) { return v == std::complex<float>(); }));
}

// From telephone to studio, the octaves below half the rate.
TEST(constant_q, takes_any_rate) {
  for (const double rate : {7400.0, 8000.0, 44100.0, 192000.0}) {
    const constant_q_plan<double> plan(
        {.rate_hz = rate, .hop = 441, .fmin_hz = 110, .bins = 48, .scale = false});
    const auto values = plan.execute(tone<double>(440, rate, static_cast<std::size_t>(rate)));
    const std::size_t middle = values.extent(0) / 2;
    EXPECT_NEAR(std::abs(values(middle, 24)) / plan.lengths()[24], 0.5, 1e-4) << rate;
  }
}

template <class Exception, class Call>
void expect_message(const Call& call, const std::string& part) {
  try {
    call();
    ADD_FAILURE() << "nothing thrown for " << part;
  } catch (const Exception& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

TEST(constant_q, refuses_options_by_name) {
  const auto refuses = [](const constant_q_options& o, const std::string& part) {
    expect_message<invalid_argument>([&] { constant_q_plan<float> plan(o); }, part);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refuses({.rate_hz = nan}, "rate_hz must be positive and finite, got nan");
  refuses({.rate_hz = 0}, "rate_hz must be");
  refuses({.hop = 0}, "hop must be 1 ... 1048576, got 0");
  refuses({.fmin_hz = -1}, "fmin_hz must be positive and finite, got -1");
  refuses({.bins = 0}, "bins must be 1 ... 16384, got 0");
  refuses({.bins_per_octave = 0}, "bins_per_octave must be 1 ... 1024, got 0");
  refuses({.gamma_hz = -1.0}, "gamma_hz must be finite and at least 0, got -1");
  refuses({.filter_scale = 0}, "filter_scale must be positive and finite, got 0");
  refuses({.window = {window_kind::tukey}}, "transform in closed form");
  refuses({.tolerance = 1}, "tolerance must be 1e-9 ... 0.1, got 1");
  refuses({.bins = 120}, "the highest bin, 120 of 12 an octave from fmin_hz on, must lie at 10567");
  refuses({.fmin_hz = 0.01}, "2097152 samples at most");
}

TEST(constant_q, refuses_what_is_not_finite_or_does_not_fit) {
  const constant_q_plan<float> plan({.bins = 12});
  std::vector<float> x(3000);
  x[1234] = std::numeric_limits<float>::quiet_NaN();
  expect_message<invalid_argument>([&] { plan.execute(x); }, "got nan at sample 1234");
  x[1234] = std::numeric_limits<float>::infinity();
  expect_message<invalid_argument>([&] { plan.execute(x); }, "got inf at sample 1234");
  x[1234] = 0;
  array<std::complex<float>, 2> out({5, 12});
  expect_message<shape_error>([&] { plan.execute(x, out.view()); }, "6 segments x 12 bins");
  std::vector<float> y(2048);
  expect_message<invalid_argument>([&] { plan.inverse(out.view(), y, 0); }, "iterations");
  out(2, 3) = {0, std::numeric_limits<float>::quiet_NaN()};
  expect_message<invalid_argument>([&] { plan.inverse(out.view(), y); }, "segment 2, bin 3");
  expect_message<invalid_argument>([&] { constant_q_stream<float> s(plan, 0); }, "channels");
  constant_q_stream<float> stream(plan);
  const auto sink = [](std::uint64_t, std::size_t, view<std::complex<float>, 2>) {};
  stream.finish(sink);
  expect_message<invalid_argument>(
      [&] {
        stream.push(view<const float, 2>(x.data(), {10, 1}), sink);
      },
      "reset()");
  expect_message<shape_error>(
      [&] {
        stream.push(view<const float, 2>(x.data(), {10, 2}), sink);
      },
      "2 channels");
}

// Every window whose transform has a closed form, by the sum over samples of the window itself.
TEST(constant_q, windows_are_their_own) {
  using enum window_kind;
  const double rate = 8000, hz = 1000;
  for (const window_spec& window :
       {window_spec(rectangular), window_spec(hann), window_spec(hamming), window_spec(blackman),
        window_spec(nuttall), window_spec(blackman_harris), window_spec(flat_top),
        window_spec(kaiser, 3.0), window_spec(kaiser, 14.0)}) {
    const constant_q_plan<double> plan(
        {.rate_hz = rate, .hop = 500, .fmin_hz = hz, .bins = 1, .window = window, .scale = false});
    const double length = plan.lengths()[0];
    // A tone beside the bin, a cycle and a half away: below 10 % of its amplitude, by the window.
    const double other = hz + 1.3 * rate / length;
    const auto x = tone<double>(other, rate, 8000);
    const auto weights = make_window<double>(window, 8192);
    std::complex<double> sum = 0;
    double total = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double u = (static_cast<double>(i) - 4096) / 8192;
      sum += weights[i] * std::polar(1.0, 2 * pi * 1.3 * u);
      total += weights[i];
    }
    const auto value = plan.execute(x)(8, 0);
    EXPECT_NEAR(std::abs(value) / length, std::abs(sum) / total / 2, 2e-3) << to_string(window);
  }
}

}  // namespace
}  // namespace papilio
