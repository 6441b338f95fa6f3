// papilio transfer: a known filter and delay are found again, and files that do not fit are named.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>

#include "cli/program.hpp"
#include "papilio/audio.hpp"
#include "papilio/io.hpp"
#include "papilio/signal.hpp"

namespace papilio::test {
namespace {

class transfer_verb : public program_test {
 protected:
  static constexpr int rate_hz = 8000;

  static std::vector<double> noise(std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, 0.1);
    std::vector<double> x(n);
    for (double& v : x) v = normal(random);
    return x;
  }

  /// x / 2 by a delay.
  static std::vector<double> half_and_late(const std::vector<double>& x, std::size_t delay) {
    std::vector<double> y(x.size());
    for (std::size_t i = delay; i < y.size(); ++i) y[i] = 0.5 * x[i - delay];
    return y;
  }

  void write_sound(const std::string& name, const std::vector<std::vector<double>>& channels,
                   int rate = rate_hz) const {
    array<double, 2> samples({channels[0].size(), channels.size()});
    for (std::size_t c = 0; c < channels.size(); ++c)
      for (std::size_t i = 0; i < channels[c].size(); ++i) samples(i, c) = channels[c][i];
    sound_writer writer(path(name), {.rate_hz = rate,
                                     .channels = static_cast<int>(channels.size()),
                                     .encoding = sample_encoding::f32});
    writer.write(view<const double, 2>(samples.view()));
    writer.commit();
  }

  nlohmann::json told(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    const child_result result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return nlohmann::json::parse(result.output);
  }
};

TEST_F(transfer_verb, finds_gain_and_delay_of_two_files) {
  const std::vector<double> x = noise(40000, 1), y = half_and_late(x, 200);
  write_sound("x.wav", {x});
  write_sound("y.wav", {y});
  const auto plain = told({"transfer", "x.wav", "y.wav"});
  EXPECT_NEAR(plain["delay_samples"].get<double>(), 200, 0.01);
  EXPECT_EQ(plain["segments"], 18);
  // Without the delay both segments hold the same samples: no leakage is left.
  const auto aligned =
      told({"transfer", "x.wav", "y.wav", "--align", "-o", "h.npy", "-o", "h.csv"});
  EXPECT_NEAR(aligned["gain_1khz_db"].get<double>(), 20 * std::log10(0.5), 1e-3);
  EXPECT_GT(aligned["mean_coherence"].get<double>(), 0.99999);
  EXPECT_LT(plain["mean_coherence"].get<double>(), aligned["mean_coherence"].get<double>());
  const npy_reader h(path("h.npy"));
  ASSERT_EQ(h.size(), 2049u);
  std::vector<std::complex<double>> bins(h.size());
  h.read<std::complex<double>>(0, bins);
  for (std::size_t k = 1; k < bins.size(); ++k) EXPECT_LT(std::abs(bins[k] - 0.5), 1e-3) << k;
  const std::string table = read_bytes(path("h.csv"));
  EXPECT_TRUE(
      table.starts_with("frequency_hz,magnitude_db,phase_degrees,group_delay_seconds,coherence\n"))
      << table.substr(0, 100);
  EXPECT_EQ(std::ranges::count(table, '\n'), 2050);
}

// The program reads in blocks; the library's numbers of the whole are the oracle.
TEST_F(transfer_verb, channels_of_one_file_have_the_librarys_numbers) {
  const std::vector<double> x = noise(20000, 1), other = noise(20000, 2);
  std::vector<double> y = half_and_late(x, 3);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += other[i];
  write_sound("three.wav", {other, y, x});
  ASSERT_EQ(told({"transfer", "three.wav", "--channels", "3,2", "--h2", "--segment-length", "512",
                  "--overlap", "100", "--window", "hamming", "-o", "h.npy"})["estimator"],
            "h2");
  std::vector<float> fx(x.begin(), x.end()), fy(y.begin(), y.end());
  const std::vector<double> rx(fx.begin(), fx.end()), ry(fy.begin(), fy.end());
  const auto expected = transfer_function<double>(
      rx, ry,
      {.rate_hz = rate_hz, .segment_length = 512, .overlap = 100, .window = window_kind::hamming},
      transfer_estimator::h2);
  const npy_reader h(path("h.npy"));
  std::vector<std::complex<double>> bins(h.size());
  h.read<std::complex<double>>(0, bins);
  EXPECT_TRUE(std::ranges::equal(bins, expected));
}

TEST_F(transfer_verb, draws_pages) {
  const std::vector<double> x = noise(20000, 1);
  write_sound("x.wav", {x, half_and_late(x, 20)});
  ASSERT_EQ(run({"transfer", "x.wav", "-o", "p.png", "-o", "p.svg"}).exit_code, 0);
  EXPECT_TRUE(read_bytes(path("p.png")).starts_with("\x89PNG"));
  EXPECT_NE(read_bytes(path("p.svg")).find("<svg"), std::string::npos);
  EXPECT_EQ(
      run({"transfer", "x.wav", "-o", "p.pdf", "--frequency-axis", "linear", "--theme", "dark"})
          .exit_code,
      0);
}

TEST_F(transfer_verb, sweeps_give_impulse_responses) {
  const array<double, 1> sweep = exponential_sweep({.rate_hz = rate_hz,
                                                    .low_hz = 20,
                                                    .high_hz = 3900,
                                                    .samples = 16000,
                                                    .fade_in = 400,
                                                    .fade_out = 40});
  std::vector<double> x(sweep.begin(), sweep.end()), y(20000);
  for (std::size_t i = 0; i < x.size(); ++i) y[i + 100] += 0.5 * x[i];
  write_sound("sweep.wav", {x});
  write_sound("heard.wav", {y});
  const auto found = told({"transfer", "sweep.wav", "heard.wav", "--sweep", "20:3900", "--impulse",
                           "h.wav", "-o", "h.csv", "-o", "h.png"});
  EXPECT_EQ(found["delay_samples"], 100);
  // The band ends at 3900 of 4000 Hz: 2.5 %, and the fades count less.
  EXPECT_NEAR(found["gain_1khz_db"].get<double>(), 20 * std::log10(0.5), 0.1);
  EXPECT_NEAR(found["harmonics"][0]["lead_samples"].get<double>(),
              15999 * std::log(2) / std::log(195), 5);
  EXPECT_TRUE(read_bytes(path("h.csv"))
                  .starts_with("frequency_hz,magnitude_db,phase_degrees,"
                               "group_delay_seconds\n"));
  const sound impulse = read_sound(path("h.wav"));
  ASSERT_EQ(impulse.samples.extent(0), 20000u);
  EXPECT_NEAR(impulse.samples(100, 0u), 0.5, 0.03);
}

TEST_F(transfer_verb, files_that_do_not_fit_are_named) {
  const std::vector<double> x = noise(9000, 1);
  write_sound("x.wav", {x});
  write_sound("fast.wav", {x}, 16000);
  write_sound("short.wav", {std::vector<double>(x.begin(), x.begin() + 8000)});
  write_sound("silent.wav", {std::vector<double>(9000)});
  expect_refused({"transfer", "x.wav", "fast.wav"}, 2,
                 "both files must have one rate, got 8000 Hz of x.wav and 16000 Hz of fast.wav");
  expect_refused({"transfer", "x.wav", "short.wav"}, 2,
                 "got 9000 frames of x.wav and 8000 frames of short.wav; --shortest");
  EXPECT_EQ(run({"transfer", "x.wav", "short.wav", "--shortest"}).exit_code, 0);
  EXPECT_EQ(run({"transfer", "x.wav", "short.wav", "--duration", "0.9"}).exit_code, 0);
  expect_refused({"transfer", "x.wav", "silent.wav"}, 1,
                 "silent.wav: channel 1 is digital silence");
  expect_refused({"transfer", "silent.wav", "x.wav"}, 1,
                 "silent.wav: channel 1 is digital silence");
  expect_refused({"transfer", "x.wav"}, 1, "x.wav: it has 1 channel");
  expect_refused({"transfer", "x.wav", "x.wav", "--channels", "1,2"}, 1, "it has only 1");
  expect_refused({"transfer", "x.wav", "none.wav"}, 1, "none.wav");
  expect_refused({"transfer", "x.wav", "x.wav", "x.wav"}, 2, "one file or two, got 3");
  expect_refused({"transfer", "-", "-"}, 2, "only once");
  expect_refused({"transfer", "x.wav", "x.wav", "--segment-length", "9001"}, 1,
                 "fewer than a segment of 9001");
  expect_refused({"transfer", "x.wav", "x.wav", "--overlap", "4096"}, 2, "--overlap");
  expect_refused({"transfer", "x.wav", "x.wav", "--channels", "1"}, 2, "--channels");
  expect_refused({"transfer", "x.wav", "x.wav", "--h1", "--h2"}, 2, "--h");
  expect_refused({"transfer", "x.wav", "x.wav", "--impulse", "h.wav"}, 2, "--sweep");
  expect_refused({"transfer", "x.wav", "x.wav", "--sweep", "20:5000"}, 2,
                 "must end at half the rate of 8000 Hz at most, got 5000");
  expect_refused({"transfer", "x.wav", "x.wav", "--sweep", "20"}, 2, "LOW:HIGH");
  expect_refused({"transfer", "x.wav", "x.wav", "--sweep", "20:3000", "--impulse", "h.flac"}, 2,
                 "must end in .wav");
  expect_refused({"transfer", "x.wav", "x.wav", "--sweep", "20:3000", "--impulse", "x.wav"}, 2,
                 "--impulse");
  expect_refused({"transfer", "x.wav", "x.wav", "--title", "t"}, 2, "--title");
}

TEST_F(transfer_verb, few_samples_are_one_segment) {
  const std::vector<double> x = noise(100, 1);
  write_sound("x.wav", {x, half_and_late(x, 2)});
  const child_result result = run({"transfer", "x.wav"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.errors.find("coherence is 1 whatever is there"), std::string::npos)
      << result.errors;
}

}  // namespace
}  // namespace papilio::test
