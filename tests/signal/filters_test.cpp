#include "papilio/signal/filters.hpp"

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
namespace filter_tests {

using sections = std::vector<sos_section>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> values(const std::string& name) { return test::reference(name).values; }

/// Rows of six, scipy's, as sections.
sections sections_of(std::span<const double> rows) {
  sections made;
  for (std::size_t i = 0; i < rows.size(); i += 6)
    made.push_back({rows[i], rows[i + 1], rows[i + 2], rows[i + 4], rows[i + 5]});
  return made;
}

sections elliptic() { return sections_of(values("filter_elliptic")); }
sections odd() { return sections_of(values("filter_odd")); }

template <class A, class B>
void expect_near(const A& made, const B& expected, double tolerance, const std::string& name) {
  ASSERT_EQ(made.size(), expected.size()) << name;
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(made[i], expected[i], tolerance) << name << ' ' << i;
}

/// Message of the error of that type that the call throws.
template <class Error, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

std::vector<double> noise(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> x(n);
  for (double& v : x) v = normal(random);
  return x;
}

}  // namespace filter_tests

using namespace filter_tests;

// Each numerator and denominator is within 1e-12 of its largest coefficient.
TEST(filters, designs_equal_scipy) {
  const test::npy_data options = test::reference("filter_designs");
  const std::vector<double> rows = values("filter_sections");
  std::size_t at = 0;
  for (std::size_t d = 0; d < options.extents.at(0); ++d) {
    const std::vector<double> o = test::row(options, d);
    const iir_options design{.family = static_cast<filter_family>(o[0]),
                             .order = static_cast<std::size_t>(o[1]),
                             .band = {static_cast<band_kind>(o[2]), o[3], o[4]},
                             .ripple_db = o[5],
                             .attenuation_db = o[6],
                             .norm = static_cast<bessel_norm>(o[7])};
    const auto count = static_cast<std::size_t>(o[8]);
    const sections made = iir_sections(design, 2),
                   expected = sections_of(std::span(rows).subspan(6 * at, 6 * count));
    at += count;
    ASSERT_EQ(made.size(), count) << d;
    for (std::size_t i = 0; i < count; ++i) {
      const sos_section &m = made[i], &e = expected[i];
      const double b = 1e-12 * std::max({std::abs(e.b0), std::abs(e.b1), std::abs(e.b2)}),
                   a = 1e-12 * std::max({1.0, std::abs(e.a1), std::abs(e.a2)});
      EXPECT_NEAR(m.b0, e.b0, b) << d << ' ' << i;
      EXPECT_NEAR(m.b1, e.b1, b) << d << ' ' << i;
      EXPECT_NEAR(m.b2, e.b2, b) << d << ' ' << i;
      EXPECT_NEAR(m.a1, e.a1, a) << d << ' ' << i;
      EXPECT_NEAR(m.a2, e.a2, a) << d << ' ' << i;
    }
  }
  EXPECT_EQ(6 * at, rows.size());
}

// The definitions of the families by their responses; roundings of poles near the circle, times 1e3.
TEST(filters, responses_have_their_edges) {
  const double rate = 48000, low = 700, high = 9000;
  for (const band_kind kind :
       {band_kind::low_pass, band_kind::high_pass, band_kind::band_pass, band_kind::band_stop})
    for (const std::size_t order : {1, 4, 7}) {
      const bool is_band = kind == band_kind::band_pass || kind == band_kind::band_stop;
      const filter_band band{kind, low, is_band ? high : 0};
      const auto level_db = [&](filter_family family, double hz) {
        const sections made = iir_sections({.family = family,
                                            .order = order,
                                            .band = band,
                                            .ripple_db = 0.5,
                                            .attenuation_db = 60},
                                           rate);
        return 20 * std::log10(std::abs(frequency_response(made, hz, rate)));
      };
      for (const double edge : is_band ? std::vector{low, high} : std::vector{low}) {
        EXPECT_NEAR(level_db(filter_family::butterworth, edge), -10 * std::log10(2), 1e-9);
        EXPECT_NEAR(level_db(filter_family::chebyshev1, edge), -0.5, 1e-9);
        EXPECT_NEAR(level_db(filter_family::chebyshev2, edge), -60, 1e-6);
        EXPECT_NEAR(level_db(filter_family::elliptic, edge), -0.5, 1e-9);
      }
    }
}

// An elliptic filter's ripples: 0 ... -0.5 dB where it passes, at most -60 dB where it stops, which
// begins within an octave at order 7.
TEST(filters, elliptic_ripples_are_within_their_bounds) {
  const sections made = iir_sections({.family = filter_family::elliptic,
                                      .order = 7,
                                      .band = filter_band::low_pass(1000),
                                      .ripple_db = 0.5,
                                      .attenuation_db = 60},
                                     8000);
  for (double hz = 0; hz <= 4000; hz += 5) {
    const double db = 20 * std::log10(std::abs(frequency_response(made, hz, 8000)) + 1e-300);
    if (hz <= 1000) {
      EXPECT_GE(db, -0.5 - 1e-9) << hz;
      EXPECT_LE(db, 1e-9) << hz;
    } else if (hz >= 1300) {
      EXPECT_LE(db, -60 + 1e-9) << hz;
    }
  }
}

TEST(filters, bessel_norms_hold) {
  const double rate = 1e6, edge = 1000;  // so high that the bilinear transform bends little
  const auto made = [&](bessel_norm norm) {
    return iir_sections({.family = filter_family::bessel,
                         .order = 5,
                         .band = filter_band::low_pass(edge),
                         .norm = norm},
                        rate);
  };
  EXPECT_NEAR(std::norm(frequency_response(made(bessel_norm::magnitude), edge, rate)), 0.5, 1e-10);
  // Far above the edge the magnitude is w^-5, in prewarped frequencies; the next term is (w / 100)^2.
  const double w =
      std::tan(std::numbers::pi * 1e5 / rate) / std::tan(std::numbers::pi * edge / rate);
  EXPECT_NEAR(std::abs(frequency_response(made(bessel_norm::phase), 1e5, rate)) * std::pow(w, 5), 1,
              1e-3);
  const sections delay = made(bessel_norm::delay);
  EXPECT_NEAR(-std::arg(frequency_response(delay, 1, rate)), 1 / edge, 1e-8);
}

TEST(filters, highest_orders_are_stable) {
  for (const filter_family family :
       {filter_family::butterworth, filter_family::chebyshev1, filter_family::chebyshev2,
        filter_family::elliptic, filter_family::bessel}) {
    const std::size_t order = family == filter_family::bessel     ? 25
                              : family == filter_family::elliptic ? 16
                                                                  : 64;
    const sections made = iir_sections(
        {.family = family, .order = order, .band = filter_band::low_pass(9000)}, 48000);
    EXPECT_EQ(made.size(), (order + 1) / 2);
    for (const sos_section& s : made) {
      EXPECT_LT(std::abs(s.a2), 1);
      EXPECT_LT(std::abs(s.a1), 1 + s.a2);
    }
  }
}

// scipy minimizes a band_stop's order to edges within 1e-5, prewarped, where it is flat; other edges
// are formulas.
TEST(filters, lowest_orders_equal_scipy) {
  const test::npy_data rows = test::reference("filter_orders");
  for (std::size_t i = 0; i < rows.extents.at(0); ++i) {
    const std::vector<double> r = test::row(rows, i);
    const auto kind = static_cast<band_kind>(r[1]);
    const iir_options found = lowest_order(static_cast<filter_family>(r[0]), {kind, r[2], r[3]},
                                           {kind, r[4], r[5]}, r[6], r[7], 2);
    const double tolerance = kind == band_kind::band_stop ? 2e-5 : 1e-12;
    EXPECT_EQ(found.order, static_cast<std::size_t>(r[8])) << i;
    EXPECT_NEAR(found.band.edge_hz, r[9], tolerance) << i;
    EXPECT_NEAR(found.band.upper_edge_hz, r[10], tolerance) << i;
    const sections made = iir_sections(found, 2);
    const auto db = [&](double hz) {
      return 20 * std::log10(std::abs(frequency_response(made, hz, 2)));
    };
    for (const double passed : {r[2], r[3]})
      EXPECT_TRUE(passed == 0 || db(passed) >= -r[6] - 1e-9) << i;
    for (const double stopped : {r[4], r[5]})
      EXPECT_TRUE(stopped == 0 || db(stopped) <= -r[7] + 1e-9) << i;
  }
  const auto refused = [](const filter_band& pass, const filter_band& stop, double ripple = 1) {
    return message_of<invalid_argument>(
        [&] { lowest_order(filter_family::butterworth, pass, stop, ripple, 40, 2); });
  };
  EXPECT_EQ(refused(filter_band::low_pass(0.3), filter_band::low_pass(0.2)),
            "lowest_order: stop must have its edge above that of pass, 0.3 Hz, got 0.2");
  EXPECT_EQ(refused(filter_band::low_pass(0.3), filter_band::low_pass(0.301)),
            "lowest_order: order must be 1 ... 64, which pass and stop are too near for, got 1362");
  EXPECT_EQ(refused(filter_band::low_pass(0.3), filter_band::low_pass(0.4), 50),
            "lowest_order: attenuation_db must be finite and above ripple_db, got 40");
}

TEST(filters, fir_taps_equal_scipy) {
  std::vector<double> made;
  const auto add = [&](const array<double, 1>& taps) {
    made.insert(made.end(), taps.begin(), taps.end());
  };
  add(firwin(31, filter_band::low_pass(0.3), 2));
  add(firwin(32, filter_band::low_pass(0.3), 2, window_kind::hann));
  add(firwin(31, filter_band::high_pass(0.3), 2));
  add(firwin(45, filter_band::band_pass(0.2, 0.43), 2));
  add(firwin(45, filter_band::band_stop(0.2, 0.43), 2, {window_kind::kaiser, 6.0}));
  add(firwin(20, filter_band::band_pass(0.2, 0.43), 2, window_kind::hamming, false));
  expect_near(made, values("filter_fir"), 1e-15, "taps");
  EXPECT_EQ(firwin(1, filter_band::low_pass(0.3), 2)[0], 1);
}

// The arithmetic is scipy's, operation by operation, so that the bits are.
TEST(filters, runs_have_the_bits_of_scipy) {
  const std::vector<double> x = values("filter_signal");
  const array<double, 1> made = sosfilt<double>(elliptic(), x);
  const std::vector<double> expected = values("filter_run");
  ASSERT_EQ(made.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(made[i], expected[i]) << i;
}

TEST(filters, floats_are_rounded_once) {
  const std::vector<double> x = values("filter_signal");
  std::vector<float> narrow(x.begin(), x.end());
  const std::vector<double> wide(narrow.begin(), narrow.end());
  const array<float, 1> made = sosfilt<float>(elliptic(), narrow);
  const array<double, 1> expected = sosfilt<double>(elliptic(), wide);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(made[i], static_cast<float>(expected[i])) << i;
}

template <class T>
void expect_streams_equal_whole(std::size_t channels, std::size_t count) {
  const std::size_t samples = 700;
  const std::vector<double> random = noise(samples * channels, 3);
  const std::vector<T> x(random.begin(), random.end());
  const sections design = iir_sections({.order = 2 * count, .band = filter_band::low_pass(0.3)}, 2);
  ASSERT_EQ(design.size(), count);
  const view<const T, 2> in(x.data(), {samples, channels});
  array<T, 2> streamed({samples, channels});
  for (const std::size_t block : {1, 2, 7, 256, 257, 700}) {
    sos_filter<T> filter(design, channels);
    for (std::size_t first = 0; first < samples; first += block) {
      const std::size_t some = std::min(block, samples - first);
      filter.push(in.slice(0, first, some), streamed.view().slice(0, first, some));
    }
    for (std::size_t c = 0; c < channels; ++c) {
      std::vector<T> line(samples);
      for (std::size_t i = 0; i < samples; ++i) line[i] = in(i, c);
      const array<T, 1> whole = sosfilt<T>(design, line);
      for (std::size_t i = 0; i < samples; ++i)
        ASSERT_EQ(streamed(i, c), whole[i]) << block << ' ' << c << ' ' << i;
    }
  }
}

TEST(filters, streams_have_the_bits_of_whole_channels) {
  for (const std::size_t channels : {1, 2, 3, 4, 7})
    for (const std::size_t count : {1, 2, 3, 4, 5, 9}) {
      expect_streams_equal_whole<float>(channels, count);
      expect_streams_equal_whole<double>(channels, count);
    }
}

TEST(filters, strides_and_places_do_not_matter) {
  const std::size_t samples = 300, channels = 3;
  const std::vector<double> x = noise(samples * channels, 4);
  const view<const double, 2> rows(x.data(), {samples, channels});
  array<double, 2> expected({samples, channels});
  sos_filter<double>(odd(), channels).push(rows, expected.view());
  std::vector<double> lines(samples * channels);
  const view<double, 2> columns(lines.data(), {samples, channels},
                                {1, static_cast<std::ptrdiff_t>(samples)});
  for (std::size_t i = 0; i < samples; ++i)
    for (std::size_t c = 0; c < channels; ++c) columns(i, c) = rows(i, c);
  sos_filter<double>(odd(), channels).push(columns, columns);
  for (std::size_t i = 0; i < samples; ++i)
    for (std::size_t c = 0; c < channels; ++c) EXPECT_EQ(columns(i, c), expected(i, c));
}

TEST(filters, copies_and_states_go_on) {
  const std::vector<double> x = noise(200, 5);
  sos_filter<double> filter(odd());
  std::vector<double> first(100), rest(100), again(100);
  filter.push(std::span(x).first(100), std::span(first));
  sos_filter<double> copy = filter, other(odd());
  other.set_state(filter.state());
  filter.push(std::span(x).last(100), std::span(rest));
  copy.push(std::span(x).last(100), std::span(again));
  EXPECT_EQ(again, rest);
  other.push(std::span(x).last(100), std::span(again));
  EXPECT_EQ(again, rest);
  filter.reset();
  filter.push(std::span(x).first(100), std::span(again));
  EXPECT_EQ(again, first);
}

TEST(filters, settled_filters_pass_constants_without_a_transient) {
  const array<double, 2> zi = sosfilt_zi(odd());
  expect_near(zi.flat(), values("filter_zi"), 1e-14, "zi");
  sos_filter<double> filter(odd(), 2);
  filter.settle(std::vector{3.0, -1.0});
  array<double, 2> block({50, 2}), out({50, 2});
  for (std::size_t i = 0; i < 50; ++i) {
    block(i, 0u) = 3;
    block(i, 1u) = -1;
  }
  filter.push(block.view(), out.view());
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_NEAR(out(i, 0u), 3, 1e-13);
    EXPECT_NEAR(out(i, 1u), -1, 1e-13);
  }
}

// Two passes over 338 samples of size 1 with gains of about 1 round by 1e-15 each.
TEST(filters, both_ways_equal_scipy) {
  const std::vector<double> x = values("filter_signal");
  const test::npy_data expected = test::reference("filter_both_ways");
  using p = filter_padding;
  expect_near(sosfiltfilt<double>(odd(), x), test::row(expected, 0), 1e-13, "odd");
  expect_near(sosfiltfilt<double>(odd(), x, p::even, 40), test::row(expected, 1), 1e-13, "even");
  expect_near(sosfiltfilt<double>(odd(), x, p::constant), test::row(expected, 2), 1e-13,
              "constant");
  expect_near(sosfiltfilt<double>(odd(), x, p::none), test::row(expected, 3), 1e-13, "none");
  expect_near(sosfiltfilt<double>(elliptic(), x), test::row(expected, 4), 1e-13, "elliptic");
}

TEST(filters, savitzky_golay_equals_scipy) {
  using edge = savgol_options::edge;
  const std::vector<double> x = values("filter_signal");
  for (const auto& [window, name] :
       {std::pair<std::size_t, const char*>{11, "filter_smoothed"}, {12, "filter_smoothed_even"}}) {
    SCOPED_TRACE(name);
    const test::npy_data expected = test::reference(name);
    const auto run = [&](savgol_options o) {
      o.window = window;
      o.degree = 3;
      return savgol_filter<double>(x, o);
    };
    expect_near(run({}), test::row(expected, 0), 1e-13, "interpolate");
    expect_near(run({.derivative = 1, .step = 0.5}), test::row(expected, 1), 1e-13, "slope");
    expect_near(run({.derivative = 2, .edges = edge::mirror}), test::row(expected, 2), 1e-13,
                "mirror");
    expect_near(run({.edges = edge::nearest}), test::row(expected, 3), 1e-13, "nearest");
    expect_near(run({.edges = edge::wrap}), test::row(expected, 4), 1e-13, "wrap");
    expect_near(run({.edges = edge::constant, .outside = 0.25}), test::row(expected, 5), 1e-13,
                "constant");
  }
  std::vector<double> weights;
  for (const array<double, 1>& w :
       {savgol_weights({.window = 7}), savgol_weights({.window = 7}, 1),
        savgol_weights({.window = 9, .degree = 4, .derivative = 2, .step = 0.1}),
        savgol_weights({.window = 8, .degree = 3, .derivative = 1}),
        savgol_weights({.window = 8, .degree = 3}, 7)})
    weights.insert(weights.end(), w.begin(), w.end());
  expect_near(weights, values("filter_savgol_weights"), 1e-12, "weights");
}

// A polynomial of the order is its own fit, so that all of its derivatives are found, ends included.
TEST(filters, savitzky_golay_restores_polynomials) {
  const auto cubic = [](double t) { return 1 + t * (0.5 + t * (-0.25 + t / 8)); };
  std::vector<double> x(60);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = cubic(0.1 * static_cast<double>(i));
  const auto smooth = savgol_filter<double>(x, {.window = 31, .degree = 3});
  const auto slope =
      savgol_filter<double>(x, {.window = 31, .degree = 3, .derivative = 1, .step = 0.1});
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double t = 0.1 * static_cast<double>(i);
    EXPECT_NEAR(smooth[i], x[i], 1e-12) << i;
    EXPECT_NEAR(slope[i], 0.5 - 0.5 * t + 3 * t * t / 8, 1e-11) << i;
  }
  for (const double w : savgol_weights({.window = 9, .degree = 2, .derivative = 3}))
    EXPECT_EQ(w, 0);
}

TEST(filters, hilbert_equals_scipy) {
  const std::vector<double> x = values("filter_signal");
  const test::npy_data expected = test::reference("filter_hilbert");
  for (const std::size_t n : {300, 299}) {
    const std::span<const double> signal = std::span(x).first(n);
    const auto made = hilbert(signal);
    const auto envelope = hilbert_envelope(signal);
    ASSERT_EQ(made.size(), n);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(made[i].real(), x[i]);
      EXPECT_NEAR(made[i].imag(), expected.values[300 - n == 0 ? i : 300 + i], 1e-14) << i;
      EXPECT_NEAR(envelope[i], std::abs(made[i]), 1e-15) << i;
    }
  }
}

// The sum of at most 40 products of size 1 rounds by 1e-15; streams by nothing.
TEST(filters, fir_streams_are_convolutions) {
  const std::size_t samples = 700, channels = 3;
  const std::vector<double> x = noise(samples * channels, 6);
  const view<const double, 2> in(x.data(), {samples, channels});
  for (const std::size_t count : {1, 2, 7, 40}) {
    const std::vector<double> taps = noise(count, 8);
    array<double, 2> whole({samples, channels}), streamed({samples, channels});
    fir_filter<double> filter(taps, channels);
    filter.push(in, whole.view());
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t n = 0; n < samples; ++n) {
        long double sum = 0;
        for (std::size_t k = 0; k <= std::min(n, count - 1); ++k)
          sum += static_cast<long double>(taps[k]) * in(n - k, c);
        ASSERT_NEAR(whole(n, c), static_cast<double>(sum), 1e-13) << count << ' ' << n;
      }
    for (const std::size_t block : {1, 3, 255, 256, 300}) {
      filter.reset();
      for (std::size_t first = 0; first < samples; first += block) {
        const std::size_t some = std::min(block, samples - first);
        filter.push(in.slice(0, first, some), streamed.view().slice(0, first, some));
      }
      EXPECT_TRUE(std::equal(whole.begin(), whole.end(), streamed.begin()))
          << count << ' ' << block;
    }
  }
  EXPECT_EQ(message_of<invalid_argument>([] { fir_filter<float> none(std::span<const double>{}); }),
            "fir_filter: taps must be 1 ... 16777216, got 0");
  EXPECT_EQ(message_of<invalid_argument>([] {
              fir_filter<float> none(std::vector{1.0, nan});
            }),
            "fir_filter: taps must be finite, got nan at 1");
}

TEST(filters, signals_of_no_and_of_one_sample) {
  const std::vector<double> none, one{2.0};
  EXPECT_EQ(sosfilt<double>(odd(), none).size(), 0u);
  EXPECT_EQ(sosfilt<double>(odd(), one)[0], 2 * odd()[0].b0 * odd()[1].b0);
  EXPECT_EQ(sosfiltfilt<double>(odd(), none, filter_padding::none).size(), 0u);
  EXPECT_NEAR(sosfiltfilt<double>(odd(), one, filter_padding::none)[0], 2, 1e-14);
  EXPECT_EQ(hilbert<double>(none).size(), 0u);
  EXPECT_EQ(hilbert<double>(one)[0], std::complex<double>(2, 0));
  const savgol_options mirrored{.edges = savgol_options::edge::mirror};
  EXPECT_EQ(savgol_filter<double>(none, mirrored).size(), 0u);
  EXPECT_NEAR(savgol_filter<double>(one, mirrored)[0], 2, 1e-15);
  EXPECT_EQ(savgol_filter<double>(one, {.window = 1, .degree = 0})[0], 2);
  EXPECT_EQ(message_of<invalid_argument>([&] { sosfiltfilt<double>(odd(), one); }),
            "sosfiltfilt: signal must be longer than the padding of 12 samples, got 1");
}

// NaN stays in its channel, and there for ever.
// Filters that ring out end at 0 and not among the subnormal numbers, which are slow, in each kind of
// loop; the caller's own arithmetic has them before and after.
TEST(filters, silence_comes_to_zero) {
  const sections low = iir_sections({.order = 3, .band = filter_band::low_pass(50)}, 48000);
  for (const std::size_t channels : {1, 2, 3, 4}) {
    sos_filter<double> filter(low, channels);
    array<double, 2> x({1000, channels});
    std::ranges::fill(x, 1.0);
    for (int i = 0; i < 400; ++i) {
      filter.push(x.view(), x.view());
      for (const double y : x)
        ASSERT_TRUE(y == 0 || std::abs(y) >= std::numeric_limits<double>::min());
      if (std::ranges::all_of(x, [](double y) { return y == 0; })) break;
      std::ranges::fill(x, 0.0);
    }
    for (const double y : x) ASSERT_EQ(y, 0) << channels;
    volatile double least = std::numeric_limits<double>::min();
    EXPECT_GT(least / 2, 0);
  }
}

TEST(filters, nan_stays_in_its_channel) {
  array<double, 2> x({20, 2});
  std::ranges::fill(x, 1.0);
  x(5, 1u) = nan;
  array<double, 2> out({20, 2});
  sos_filter<double> filter(odd(), 2);
  filter.push(x.view(), out.view());
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_FALSE(std::isnan(out(i, 0u)));
    EXPECT_EQ(std::isnan(out(i, 1u)), i >= 5) << i;
  }
  std::vector<double> line(20, 1.0);
  line[8] = nan;
  const auto smooth = savgol_filter<double>(line, {.window = 5});
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(std::isnan(smooth[i]), i >= 6 && i <= 10) << i;
}

TEST(filters, errors_name_argument_bound_and_value) {
  const auto design = [](iir_options o, double rate = 8000) {
    return message_of<invalid_argument>([&] { iir_sections(o, rate); });
  };
  const filter_band low = filter_band::low_pass(100);
  EXPECT_EQ(design({.order = 0, .band = low}), "iir_zeros_poles: order must be 1 ... 64, got 0");
  EXPECT_EQ(design({.family = filter_family::bessel, .order = 26, .band = low}),
            "iir_zeros_poles: order must be 1 ... 25, got 26");
  EXPECT_EQ(design({.band = filter_band::low_pass(4000)}),
            "iir_zeros_poles: edge_hz must be above 0 and below half the rate, 4000 Hz, got 4000");
  EXPECT_EQ(design({.band = filter_band::low_pass(nan)}),
            "iir_zeros_poles: edge_hz must be above 0 and below half the rate, 4000 Hz, got nan");
  EXPECT_EQ(design({.band = filter_band::band_pass(300, 300)}),
            "iir_zeros_poles: upper_edge_hz must be above edge_hz, 300, got 300");
  EXPECT_EQ(design({.band = {band_kind::low_pass, 100, 200}}),
            "iir_zeros_poles: upper_edge_hz must be 0 of low_pass and high_pass, got 200");
  EXPECT_EQ(design({.band = low}, 0),
            "iir_zeros_poles: rate_hz must be positive and finite, got 0");
  EXPECT_EQ(design({.family = filter_family::chebyshev1, .band = low, .ripple_db = 0}),
            "iir_zeros_poles: ripple_db must be positive and finite, got 0");
  EXPECT_EQ(
      design({.family = filter_family::elliptic, .band = low, .ripple_db = 3, .attenuation_db = 2}),
      "iir_zeros_poles: attenuation_db must be above ripple_db, got 2");
  EXPECT_EQ(
      message_of<invalid_argument>([] { firwin(32, filter_band::high_pass(100), 8000); }),
      "firwin: taps must be odd where half the rate is passed, since its response is 0 there, "
      "got 32");
  EXPECT_EQ(message_of<invalid_argument>([] { savgol_weights({.window = 0}); }),
            "savgol: window must be 1 ... 65535, got 0");
  EXPECT_EQ(message_of<invalid_argument>([] { savgol_weights({.window = 5, .degree = 5}); }),
            "savgol: degree must be below window, 5, got 5");
  EXPECT_EQ(message_of<invalid_argument>([] { sos_filter<float> none(sections{}); }),
            "sos_filter: sections must be at least 1, got 0");
  EXPECT_EQ(message_of<invalid_argument>([] {
              sosfilt_zi(sections{{1, 0, 0, -1, 0}});
            }),
            "sosfilt_zi: sections must have no pole at 0 Hz, but section 0 has");
  EXPECT_EQ(message_of<invalid_argument>([] { sos_filter<float> wrong(sections{{nan}}); }),
            "sos_filter: coefficients must be finite, got nan in section 0");
  EXPECT_THROW(to_sections({.zeros = {}, .poles = {{0.5, 0.5}, {0.5, 0.1}}}), invalid_argument);
  EXPECT_THROW(to_sections({.zeros = {1.0}, .poles = {}}), invalid_argument);
  array<double, 2> x({8, 2});
  sos_filter<double> filter(odd(), 2);
  EXPECT_THROW(filter.push(x.view().slice(1, 0, 1), x.view()), shape_error);
  EXPECT_THROW(filter.push(x.view().slice(0, 0, 4), x.view().slice(0, 1, 4)), invalid_argument);
}

}  // namespace
}  // namespace papilio
