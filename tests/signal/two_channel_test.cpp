#include "papilio/signal/two_channel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "papilio/base/error.hpp"
#include "reference_data.hpp"

namespace papilio {
namespace {
namespace two_channel_tests {

using complexes = std::vector<std::complex<double>>;
constexpr double pi = std::numbers::pi, nan = std::numeric_limits<double>::quiet_NaN();
constexpr double rate = 8000;

std::vector<double> values(const std::string& name) {
  return test::reference("two_channel_" + name).values;
}

complexes complex_values(const std::string& name) {
  const std::vector<double> flat = values(name);
  complexes made;
  for (std::size_t i = 0; i < flat.size(); i += 2) made.emplace_back(flat[i], flat[i + 1]);
  return made;
}

struct two_signals {
  std::vector<double> x, y;
};

two_signals reference_pair() {
  const test::npy_data both = test::reference("two_channel_signals");
  return {test::row(both, 0), test::row(both, 1)};
}

std::vector<double> noise(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> x(n);
  for (double& v : x) v = normal(random);
  return x;
}

std::vector<welch_options> cases() {
  const test::npy_data rows = test::reference("two_channel_cases");
  const std::vector<window_kind> windows{window_kind::rectangular, window_kind::hann,
                                         window_kind::hamming, window_kind::blackman};
  std::vector<welch_options> made;
  for (std::size_t i = 0; i < rows.extents.at(0); ++i) {
    const std::vector<double> o = test::row(rows, i);
    made.push_back({.rate_hz = rate,
                    .segment_length = static_cast<std::size_t>(o[1]),
                    .overlap = static_cast<std::size_t>(o[2]),
                    .n_fft = static_cast<std::size_t>(o[3]),
                    .window = windows.at(static_cast<std::size_t>(o[0])),
                    .detrend = static_cast<detrending>(o[4]),
                    .scaling = static_cast<psd_scaling>(o[5]),
                    .average = static_cast<psd_average>(o[6]),
                    .one_sided = o[7] != 0});
  }
  return made;
}

/// All values are within 1e-12 of the largest magnitude: roundings of FFTs of at most 500 points.
template <class Made, class Expected>
void expect_equal(const Made& made, const Expected& expected, const std::string& name,
                  double tolerance = 1e-12) {
  ASSERT_EQ(made.size(), expected.size()) << name;
  double largest = 0;
  for (const auto& v : expected) largest = std::max(largest, std::abs(v));
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_LE(std::abs(made[i] - expected[i]), tolerance * largest) << name << ' ' << i;
}

template <class Error, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

/// Sum of cosines of random phases at 3 ... 97 % of half the rate, at the times n - delay.
std::vector<double> cosines(std::size_t n, double delay, std::size_t count = 300) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(0, 1);
  std::vector<double> x(n);
  for (std::size_t c = 0; c < count; ++c) {
    const double omega = pi * (0.03 + 0.94 * any(random)), start = 2 * pi * any(random);
    for (std::size_t j = 0; j < n; ++j)
      x[j] += std::cos(omega * (static_cast<double>(j) - delay) + start);
  }
  return x;
}

/// sum of x[j] exp(-2 pi i f j), f in cycles a sample.
std::complex<double> dft_at(std::span<const double> x, double f) {
  std::complex<double> sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j)
    sum += x[j] * std::polar(1.0, -2 * pi * f * static_cast<double>(j));
  return sum;
}

std::size_t place_of_largest(std::span<const double> x) {
  const auto by_size = [](double a, double b) { return std::abs(a) < std::abs(b); };
  return static_cast<std::size_t>(std::ranges::max_element(x, by_size) - x.begin());
}

}  // namespace two_channel_tests

using namespace two_channel_tests;

TEST(two_channel, equals_scipy) {
  const auto [x, y] = reference_pair();
  const complexes spectra = complex_values("csd"), transfers = complex_values("transfer");
  const std::vector<double> coherences = values("coherence");
  std::size_t spectrum = 0, coherent = 0, transfer = 0, index = 0;
  for (const welch_options& o : cases()) {
    const std::string name = "case " + std::to_string(index++);
    const auto made = csd<double>(x, y, o);
    expect_equal(made, std::span(spectra).subspan(spectrum, made.size()), name);
    spectrum += made.size();
    if (o.average == psd_average::median || !o.one_sided) continue;
    expect_equal(coherence<double>(x, y, o), std::span(coherences).subspan(coherent, made.size()),
                 name);
    coherent += made.size();
    const auto h1 = transfer_function<double>(x, y, o),
               h2 = transfer_function<double>(x, y, o, transfer_estimator::h2),
               hv = transfer_function<double>(x, y, o, transfer_estimator::hv);
    expect_equal(h1, std::span(transfers).subspan(transfer, made.size()), name + " h1");
    transfer += made.size();
    expect_equal(h2, std::span(transfers).subspan(transfer, made.size()), name + " h2");
    transfer += made.size();
    for (std::size_t k = 0; k < hv.size(); ++k)
      EXPECT_LE(std::abs(hv[k] * hv[k] - h1[k] * h2[k]), 1e-12 * std::abs(h1[k] * h2[k]));
  }
  EXPECT_EQ(spectrum, spectra.size());
  EXPECT_EQ(coherent, coherences.size());
  EXPECT_EQ(transfer, transfers.size());
}

TEST(two_channel, powers_are_those_of_welch) {
  const auto [x, y] = reference_pair();
  for (const welch_options& o : cases()) {
    if (o.average == psd_average::median) continue;
    cross_spectrum_stream<double> stream(o);
    stream.push(x, y);
    EXPECT_TRUE(std::ranges::equal(stream.x_power(), welch<double>(x, o)));
    EXPECT_TRUE(std::ranges::equal(stream.y_power(), welch<double>(y, o)));
    EXPECT_EQ(stream.frequency_hz(1), welch_stream<double>(o).frequency_hz(1));
  }
}

template <class T>
void expect_same_in_blocks() {
  const std::vector<double> made = noise(5000, 1), more = noise(5000, 2);
  const std::vector<T> x(made.begin(), made.end()), y(more.begin(), more.end());
  for (const psd_average average : {psd_average::mean, psd_average::median}) {
    const welch_options o{.segment_length = 300, .overlap = 170, .n_fft = 343, .average = average};
    const auto whole = csd<T>(x, y, o);
    cross_spectrum_stream<T> stream(o);
    for (const std::size_t block : {1, 7, 300, 1111, 5000}) {
      stream.reset();
      for (std::size_t i = 0; i < x.size(); i += block) {
        const std::size_t count = std::min(block, x.size() - i);
        stream.push(std::span(x).subspan(i, count), std::span(y).subspan(i, count));
      }
      EXPECT_TRUE(std::ranges::equal(stream.cross_spectrum(), whole)) << block;
    }
  }
}

TEST(two_channel, blocks_of_any_size_give_the_same_bits) {
  expect_same_in_blocks<float>();
  expect_same_in_blocks<double>();
}

// Powers of two commute with every rounding; products of the scaled floats leave what a float
// holds.
TEST(two_channel, levels_of_float_are_all_held) {
  const std::vector<double> made = noise(2000, 1), more = noise(2000, 2);
  const std::vector<float> x(made.begin(), made.end()), y(more.begin(), more.end());
  std::vector<float> small = x, large = y;
  for (float& v : small) v = std::ldexp(v, -110);
  for (float& v : large) v = std::ldexp(v, 110);
  const welch_options o{.segment_length = 200};
  EXPECT_TRUE(std::ranges::equal(csd<float>(small, large, o), csd<float>(x, y, o)));
  const auto scaled = transfer_function<float>(small, large, o),
             plain = transfer_function<float>(x, y, o);
  for (std::size_t k = 0; k < plain.size(); ++k)
    EXPECT_EQ(scaled[k], std::ldexp(1.0, 220) * plain[k]);
  EXPECT_TRUE(std::ranges::equal(coherence<float>(small, large, o), coherence<float>(x, y, o)));
}

TEST(two_channel, coherence_tells_what_is_related) {
  const std::vector<double> x = noise(64 * 400, 3), other = noise(64 * 400, 4);
  const welch_options o{.segment_length = 64, .overlap = 0};
  for (const double c : coherence<double>(x, x, o)) EXPECT_NEAR(c, 1, 1e-14);
  double mean = 0;
  const auto unrelated = coherence<double>(x, other, o);
  for (const double c : unrelated) mean += c / static_cast<double>(unrelated.size());
  // The mean over 33 bins of exponentially distributed values of mean 1/400, by five deviations.
  EXPECT_NEAR(mean, 1.0 / 400, 5.0 / 400 / std::sqrt(33));
  for (const double c : coherence<double>(std::span(x).first(64), std::span(other).first(64), o))
    EXPECT_NEAR(c, 1, 1e-14);
}

// Noise that is added to y leaves H1, noise that is added to x leaves H2: gain 2 within five
// deviations of an estimate of 1000 segments at noise-to-signal 1, and else lower or higher by that
// factor 2.
TEST(two_channel, estimators_ignore_noise_of_their_side) {
  const std::size_t n = 64 * 1000;
  const std::vector<double> x = noise(n, 5), added = noise(n, 6);
  std::vector<double> y(n), loud(n), x_loud(n);
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = 2 * x[i];
    loud[i] = y[i] + 2 * added[i];
    x_loud[i] = x[i] + added[i];
  }
  const welch_options o{.segment_length = 64, .overlap = 0};
  const auto gain = [&](std::span<const double> a, std::span<const double> b,
                        transfer_estimator by) {
    return std::abs(transfer_function<double>(a, b, o, by)[10]);
  };
  const double tolerance = 2 * 5 / std::sqrt(1000);
  EXPECT_NEAR(gain(x, loud, transfer_estimator::h1), 2, tolerance);
  EXPECT_NEAR(gain(x, loud, transfer_estimator::h2), 4, 2 * tolerance);
  EXPECT_NEAR(gain(x_loud, y, transfer_estimator::h1), 1, tolerance);
  EXPECT_NEAR(gain(x_loud, y, transfer_estimator::h2), 2, tolerance);
}

TEST(two_channel, phase_and_group_delay_equal_numpy) {
  const complexes all = complex_values("transfer"), response(all.begin(), all.begin() + 33);
  const test::npy_data phases = test::reference("two_channel_phase");
  expect_equal(phase(response), test::row(phases, 0), "phase");
  expect_equal(phase(response, true), test::row(phases, 1), "unwrapped");
  complexes late = response;
  for (std::size_t k = 0; k < late.size(); ++k)
    late[k] *= std::polar(1.0, -2 * pi * static_cast<double>(k) * 20.3 / 64);
  expect_equal(group_delay_seconds(late, rate / 64), values("group_delay"), "delay");

  const complexes holed{{1, 0}, {nan, nan}, {0, 1}};
  const auto unwrapped = phase(holed, true);
  EXPECT_TRUE(std::isnan(unwrapped[1]));
  EXPECT_NEAR(unwrapped[2], pi / 2, 1e-15);
  EXPECT_EQ(phase({}).size(), 0u);
  EXPECT_EQ(group_delay_seconds({}, 1).size(), 0u);
  EXPECT_EQ(group_delay_seconds(std::span(holed).first(1), 1)[0], 0);
  EXPECT_THROW(group_delay_seconds(holed, 0), invalid_argument);
  EXPECT_THROW(group_delay_seconds(holed, nan), invalid_argument);
}

TEST(two_channel, delay_is_that_of_scipy_correlate) {
  const auto [x, y] = reference_pair();
  const std::vector<double> expected = values("lag");
  const delay_estimate found = find_delay<double>(x, y);
  EXPECT_NEAR(found.samples, expected[0], 0.5);
  // The peak between samples is the higher one, by less than a white signal's sinc falls in half a
  // sample.
  EXPECT_GE(found.correlation, expected[1] * (1 - 1e-12));
  EXPECT_LE(found.correlation, expected[1] * pi / 2);
  EXPECT_NEAR(find_delay<double>(x, x).samples, 0, 1e-9);
  EXPECT_NEAR(find_delay<double>(x, x).correlation, 1, 1e-12);
}

// The oracle is the signal evaluated between its samples. Samples that one side sees and the other
// does not, |delay| of n, are noise of the amplitude sqrt(|delay| / n); the error is a fraction of
// that of a sample, divided by sqrt(n). Equal weights count the bins between the cosines, which are
// mostly that noise.
TEST(two_channel, delays_between_samples_are_found) {
  const std::size_t n = 4096;
  const std::vector<double> x = cosines(n, 0);
  for (const delay_weighting weighting : {delay_weighting::none, delay_weighting::phat})
    for (const double delay : {0.25, 3.5, -17.37, 120.01}) {
      std::vector<double> y = cosines(n, delay);
      for (double& v : y) v *= -3;
      const delay_options o{.weighting = weighting, .max_delay = 500};
      const double tolerance = weighting == delay_weighting::none ? 0.01 : 0.05;
      const delay_estimate found = find_delay<double>(x, y, o);
      EXPECT_NEAR(found.samples, delay, tolerance) << delay;
      EXPECT_LT(found.correlation, weighting == delay_weighting::none ? -0.9 : -0.1) << delay;
      const std::vector<float> fx(x.begin(), x.end()), fy(y.begin(), y.end());
      EXPECT_NEAR(find_delay<float>(fx, fy, o).samples, delay, tolerance);
    }
}

// A coloured signal with an echo: its correlation is broad, that of equal weights is a pulse.
TEST(two_channel, phat_finds_the_direct_sound) {
  const std::size_t n = 20000, delay = 41;
  const std::vector<double> white = noise(n, 9);
  std::vector<double> x(n), y(n);
  for (std::size_t i = 1; i < n; ++i) x[i] = 0.98 * x[i - 1] + white[i];
  for (std::size_t i = delay + 9; i < n; ++i) y[i] = x[i - delay] + 0.9 * x[i - delay - 9];
  EXPECT_NEAR(find_delay<double>(x, y, {.weighting = delay_weighting::phat}).samples, delay, 0.05);
  EXPECT_GT(find_delay<double>(x, y).samples, delay + 0.2);
}

TEST(two_channel, delay_of_streams_is_that_of_whole_signals) {
  const std::vector<double> x = noise(10007, 1);
  std::vector<double> y(x.size());
  for (std::size_t i = 30; i < x.size(); ++i) y[i] = x[i - 30];
  const welch_options o = delay_segments(x.size(), 3000);
  EXPECT_EQ(o.segment_length, 2501u);
  cross_spectrum_stream<double> stream(o);
  for (std::size_t i = 0; i < x.size(); i += 100) {
    const std::size_t count = std::min<std::size_t>(100, x.size() - i);
    stream.push(std::span(x).subspan(i, count), std::span(y).subspan(i, count));
  }
  EXPECT_EQ(stream.segments(), 4u);
  const delay_estimate found = find_delay(stream);
  EXPECT_NEAR(found.samples, 30, 1e-2);
  EXPECT_NEAR(found.correlation, 1 - 30.0 / 2501, 1e-2);
  EXPECT_EQ(delay_segments(1).n_fft, 2u);
}

TEST(two_channel, sweep_is_scipy_chirp) {
  const sweep_options o{.rate_hz = rate, .low_hz = 50, .high_hz = 3500, .samples = 400};
  // Roundings of 2 pi 50 cycles in scipy's phase.
  expect_equal(exponential_sweep(o), values("sweep"), "sweep", 1e-12);
  sweep_options faded = o;
  faded.fade_in = 100;
  faded.fade_out = 50;
  const auto plain = exponential_sweep(o), made = exponential_sweep(faded);
  EXPECT_EQ(made[0], 0);
  EXPECT_NEAR(made[50], plain[50] / 2, 1e-15);
  EXPECT_NEAR(made[374], plain[374] * std::pow(std::sin(pi / 4 * 25 / 25), 2), 1e-15);
  EXPECT_EQ(made[200], plain[200]);
  EXPECT_EQ(made[399], 0);
}

// Sweep and inverse filter multiply to a delay of samples - 1; Fresnel's ripples of faded ends are
// below 2 % two octaves from them.
TEST(two_channel, inverse_sweep_makes_an_impulse) {
  const sweep_options o{.rate_hz = rate,
                        .low_hz = 20,
                        .high_hz = 3900,
                        .samples = 24000,
                        .fade_in = 2000,
                        .fade_out = 200};
  const auto sweep = exponential_sweep(o), inverse = inverse_sweep(o);
  for (const double hz : {100.0, 333.0, 900.0}) {
    const std::complex<double> product = dft_at(sweep.flat(), hz / rate) *
                                         dft_at(inverse.flat(), hz / rate) *
                                         std::polar(1.0, 2 * pi * hz / rate * 23999);
    EXPECT_NEAR(product.real(), 1, 0.02) << hz;
    EXPECT_NEAR(product.imag(), 0, 0.02) << hz;
  }
}

// y = 0.8 u[n - 25] - 0.3 u[n - 40] of u = x + 0.2 x^2 + 0.1 x^3: the linear taps stand at their
// delays, the harmonics of order 2 and 3 before them by harmonic_lead. Leakage of a band of 20 Hz
// to 3900 Hz of 4000: sinc sidelobes of 3 %.
TEST(two_channel, impulse_response_has_linear_and_harmonic_parts) {
  const sweep_options o{.rate_hz = rate,
                        .low_hz = 20,
                        .high_hz = 3900,
                        .samples = 40000,
                        .fade_in = 500,
                        .fade_out = 50};
  const auto x = exponential_sweep(o);
  std::vector<double> y(45000);
  for (std::size_t i = 0; i < x.size(); ++i) {
    // Where harmonics are below half the rate; above they would alias.
    const double u =
        x[i] + (i < 30000 ? 0.2 * x[i] * x[i] : 0) + (i < 26000 ? 0.1 * std::pow(x[i], 3) : 0);
    y[i + 25] += 0.8 * u;
    y[i + 40] -= 0.3 * u;
  }
  const measured_impulse made = impulse_response<double>(y, x.flat());
  ASSERT_EQ(made.samples.size(), 84999u);
  EXPECT_EQ(made.origin, 39999u);
  EXPECT_EQ(place_of_largest(made.samples.flat()), made.origin + 25);
  EXPECT_NEAR(made.samples[made.origin + 25], 0.8, 0.06);
  EXPECT_NEAR(made.samples[made.origin + 40], -0.3, 0.06);
  EXPECT_EQ(harmonic_lead(o, 1), 0);
  for (const std::size_t order : {2, 3}) {
    const double lead = harmonic_lead(o, order);
    EXPECT_NEAR(lead, 40000 * std::log(static_cast<double>(order)) / std::log(195), 1e-9);
    const auto place =
        static_cast<std::size_t>(std::lround(static_cast<double>(made.origin + 25) - lead));
    const std::size_t from = place - 1500;
    const std::size_t found = from + place_of_largest(made.samples.flat().subspan(from, 3000));
    EXPECT_NEAR(static_cast<double>(found), static_cast<double>(place), 3) << order;
  }
  const std::vector<float> fx(x.begin(), x.end()), fy(y.begin(), y.end());
  EXPECT_NEAR(impulse_response<float>(fy, fx).samples[made.origin + 25],
              made.samples[made.origin + 25], 1e-5);
  // One sample of either.
  const std::vector<double> two{2}, eight{8};
  EXPECT_NEAR(impulse_response<double>(eight, two).samples[0], 4, 4 * 2e-6);
}

TEST(two_channel, nan_is_all_bins) {
  std::vector<double> x = noise(100, 1), y = noise(100, 2);
  y[50] = nan;
  const welch_options o{.segment_length = 50, .overlap = 0};
  for (const std::complex<double> v : csd<double>(x, y, o)) EXPECT_TRUE(std::isnan(v.real()));
  for (const double v : coherence<double>(x, y, o)) EXPECT_TRUE(std::isnan(v));
  for (const double v : coherence<double>(std::span(x).first(50), std::span(y).first(50), o))
    EXPECT_FALSE(std::isnan(v));
  EXPECT_THROW(find_delay<double>(x, y), invalid_argument);
  EXPECT_THROW(find_delay<double>(y, x), invalid_argument);
  EXPECT_EQ(message_of<invalid_argument>([&] { impulse_response<double>(y, x); }),
            "impulse_response: recorded must be finite, got nan at sample 50");
  EXPECT_THROW(impulse_response<double>(x, y), invalid_argument);
}

TEST(two_channel, silence_has_no_ratio) {
  const std::vector<double> x = noise(100, 1), silence(100);
  const welch_options o{.segment_length = 50};
  for (const std::complex<double> v : csd<double>(x, silence, o)) EXPECT_EQ(std::abs(v), 0);
  for (const double v : coherence<double>(x, silence, o)) EXPECT_TRUE(std::isnan(v));
  EXPECT_EQ(message_of<invalid_argument>([&] { find_delay<double>(x, silence); }),
            "find_delay: y must be finite and vary, got a power of 0");
  EXPECT_THROW(impulse_response<double>(x, silence), invalid_argument);
}

TEST(two_channel, refusals_name_the_argument) {
  const std::vector<double> x = noise(100, 1), none;
  const std::span<const double> shorter = std::span(x).first(99);
  const welch_options o{.segment_length = 64};
  EXPECT_EQ(message_of<shape_error>([&] { csd<double>(x, shorter, o); }),
            "cross_spectrum_stream: x and y must have equal lengths, got 100 and 99 samples");
  EXPECT_EQ(message_of<invalid_argument>([&] { coherence<double>(x, x); }),
            "cross_spectrum_stream: the signals must hold a segment of 256 samples, got 100");
  EXPECT_THROW(csd<double>(none, none, o), invalid_argument);
  EXPECT_THROW(csd<double>(std::span(x).first(1), std::span(x).first(1), o), invalid_argument);
  EXPECT_EQ(csd<double>(std::span(x).first(1), std::span(x).first(1), {.segment_length = 1}).size(),
            1u);
  EXPECT_THROW(csd<double>(x, x, {.segment_length = 0}), invalid_argument);
  EXPECT_THROW(csd<double>(x, x, {.rate_hz = nan}), invalid_argument);
  cross_spectrum_stream<double> median({.segment_length = 64, .average = psd_average::median});
  median.push(x, x);
  EXPECT_THROW(median.coherence(), invalid_argument);
  EXPECT_THROW(median.transfer_function(), invalid_argument);
  EXPECT_THROW(find_delay(median), invalid_argument);

  EXPECT_THROW(find_delay<double>(x, shorter), shape_error);
  EXPECT_THROW(find_delay<double>(none, none), shape_error);
  EXPECT_THROW(find_delay<double>(std::span(x).first(1), std::span(x).first(1)), invalid_argument);
  EXPECT_EQ(message_of<invalid_argument>([&] { find_delay<double>(x, x, {.max_delay = 101}); }),
            "find_delay: max_delay must be at most n_fft / 2, 100, got 101");
  EXPECT_THROW(delay_segments(0), invalid_argument);
  EXPECT_THROW(delay_segments(1, 0), invalid_argument);
  EXPECT_THROW(delay_segments(1, (1 << 23) + 1), invalid_argument);

  EXPECT_THROW(exponential_sweep({.high_hz = 24001}), invalid_argument);
  EXPECT_THROW(exponential_sweep({.low_hz = 0}), invalid_argument);
  EXPECT_THROW(exponential_sweep({.low_hz = 500, .high_hz = 500}), invalid_argument);
  EXPECT_THROW(exponential_sweep({.samples = 1}), invalid_argument);
  EXPECT_THROW(exponential_sweep({.samples = 10, .fade_in = 6, .fade_out = 5}), invalid_argument);
  EXPECT_THROW(inverse_sweep({.rate_hz = -1}), invalid_argument);
  EXPECT_THROW(harmonic_lead({}, 0), invalid_argument);
  EXPECT_THROW(impulse_response<double>(none, x), invalid_argument);
  EXPECT_THROW(impulse_response<double>(x, none), invalid_argument);
  EXPECT_THROW(impulse_response<double>(x, x, 0), invalid_argument);
  EXPECT_THROW(impulse_response<double>(x, x, nan), invalid_argument);
}

}  // namespace
}  // namespace papilio
