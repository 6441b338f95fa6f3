// papilio psd: against papilio::welch, in its outputs and its report.
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.hpp"
#include "papilio/audio.hpp"
#include "papilio/signal.hpp"
#include "support/npy_data.hpp"

namespace papilio::test {
namespace {

class psd_verb : public program_test {
 protected:
  /// Noise, another on the right, and a sine on both.
  void write_noise(const std::string& name, std::size_t frames) const {
    std::vector<std::int32_t> samples;
    std::uint32_t state = 1;
    for (std::size_t i = 0; i < frames; ++i)
      for (const int channel : {0, 1}) {
        state = state * 1664525u + 1013904223u;
        samples.push_back(
            static_cast<std::int32_t>(state >> 19) / (1 + channel) +
            static_cast<std::int32_t>(std::lround(8000 * std::sin(0.3 * static_cast<double>(i)))));
      }
    write(name, wav_bytes{.channels = 2, .data = pcm_bytes(samples, 16)}.file());
  }

  std::vector<double> expected_of(const std::string& name, std::size_t channel,
                                  welch_options options) const {
    const sound s = read_sound(path(name));
    std::vector<double> samples;
    for (std::size_t i = 0; i < s.samples.extent(0); ++i) samples.push_back(s.samples(i, channel));
    options.rate_hz = 8000;
    const array<double, 1> p = welch<double>(std::span<const double>(samples), options);
    return {p.begin(), p.end()};
  }

  void expect_usage(std::vector<std::string> flags, const std::string& named) const {
    flags.insert(flags.begin(), {"psd", "a.wav"});
    const child_result result = run(flags);
    EXPECT_EQ(result.exit_code, 2) << result.output << result.errors;
    EXPECT_EQ(result.output, "");
    EXPECT_NE(result.errors.find(named), std::string::npos) << result.errors;
  }
};

TEST_F(psd_verb, is_welch_of_every_channel) {
  write_noise("a.wav", 30000);
  const std::pair<std::vector<std::string>, welch_options> cases[] = {
      {{}, {.segment_length = 4096}},
      {{"--segment-length", "500", "--overlap", "123", "--n-fft", "600", "--window", "hamming",
        "--detrend", "linear"},
       {.segment_length = 500,
        .overlap = 123,
        .n_fft = 600,
        .window = window_kind::hamming,
        .detrend = detrending::linear}},
      {{"--segment-length", "256", "--scaling", "spectrum", "--detrend", "none"},
       {.segment_length = 256, .detrend = detrending::none, .scaling = psd_scaling::spectrum}},
      // Odd and even numbers of segments.
      {{"--segment-length", "512", "--average", "median"},
       {.segment_length = 512, .average = psd_average::median}},
      {{"--segment-length", "1000", "--average", "median", "--duration", "2.5"},
       {.segment_length = 1000, .average = psd_average::median}}};
  for (const auto& [flags, options] : cases) {
    SCOPED_TRACE(flags.empty() ? "" : flags.back());
    const bool cut = !flags.empty() && flags[flags.size() - 2] == "--duration";
    if (cut) write_noise("a.wav", 20000);
    std::vector<std::string> arguments = {"psd", "a.wav", "--out", "a.npy", "--per-channel"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const child_result result = run(arguments);
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    const npy_data npy = read_npy_data(path("a.npy"));
    for (std::size_t c = 0; c < 2; ++c) {
      const std::vector<double> expected = expected_of("a.wav", c, options);
      ASSERT_EQ(npy.extents, (std::vector<std::size_t>{2, expected.size()}));
      // A float's precision where the median is found.
      for (std::size_t k = 0; k < expected.size(); ++k)
        EXPECT_NEAR(npy.values[c * expected.size() + k], expected[k], 2e-7 * expected[k] + 1e-22);
    }
  }
}

TEST_F(psd_verb, outputs_and_report) {
  write_noise("a.wav", 30000);
  const child_result result =
      run({"psd", "a.wav", "--out", "a.csv", "--out", "a.npy", "-o", "a.svg", "-o", "a.png", "-o",
           "a.pdf", "--log-frequency", "--title", "Noise", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(listing(),
            (std::vector<std::string>{"a.csv", "a.npy", "a.pdf", "a.png", "a.svg", "a.wav"}));
  const npy_data npy = read_npy_data(path("a.npy"));
  ASSERT_EQ(npy.extents, (std::vector<std::size_t>{2049}));
  std::istringstream csv(read_bytes(path("a.csv")));
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line, "frequency_hz,density_per_hz,level_dbfs_per_hz");
  double sum = 0;
  for (std::size_t k = 0; k < 2049; ++k) {
    double frequency = 0, density = 0, level = 0;
    char comma = 0;
    ASSERT_TRUE(csv >> frequency >> comma >> density >> comma >> level);
    EXPECT_EQ(density, npy.values[k]);
    const bool is_end = k == 0 || k == 2048;  // beside a constant, or an alternating sign
    EXPECT_NEAR(level, 10 * std::log10(is_end ? density : 2 * density), 1e-9);
    sum += density * 8000 / 4096;
  }
  ASSERT_EQ(run({"psd", "a.wav", "-o", "b.svg", "--title", "Other"}).exit_code, 0);
  EXPECT_FALSE(read_bytes(path("a.svg")) == read_bytes(path("b.svg")));
  const auto json = nlohmann::json::parse(result.output);
  EXPECT_NEAR(json["mean_square"], sum, 1e-12);
  EXPECT_EQ(json["segments"], 1 + (30000 - 4096) / 2048);
  EXPECT_NEAR(json["noise_bandwidth_hz"], 1.5 * 8000 / 4096, 1e-9);
  EXPECT_NEAR(json["peaks"][0]["frequency_hz"], 0.3 * 8000 / (2 * 3.14159265358979), 0.05);
  EXPECT_NEAR(json["peaks"][0]["level_dbfs"], 20 * std::log10(8000 / 32768.0), 0.1);
}

TEST_F(psd_verb, a_sine_reads_its_level) {
  write_sine("a.wav", 40000);
  const child_result result = run({"psd", "a.wav", "--scaling", "spectrum", "--out", "a.csv"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("level     -6.0 dBFS\npeaks        1000.0 Hz    -6.0 dBFS\n"),
            std::string::npos)
      << result.output;
  EXPECT_NE(read_bytes(path("a.csv")).find("\n1000,0.12"), std::string::npos);
}

TEST_F(psd_verb, silence_and_short_sounds) {
  write("a.wav", wav_bytes{.data = std::string(20000, '\0')}.file());
  const child_result silent = run({"psd", "a.wav", "--out", "a.png"});
  EXPECT_EQ(silent.exit_code, 0) << silent.errors;
  EXPECT_NE(silent.output.find("digital silence"), std::string::npos) << silent.output;
  for (const std::size_t frames : {1, 2, 100}) {
    write_sine("b.wav", frames);
    const child_result result = run({"psd", "b.wav"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_NE(result.errors.find("nothing to average"), std::string::npos) << result.errors;
  }
  const child_result refused = run({"psd", "b.wav", "--segment-length", "101"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.errors.find("100 frames"), std::string::npos) << refused.errors;
}

TEST_F(psd_verb, an_output_that_cannot_be_written_leaves_no_other) {
  write_sine("a.wav", 5000);
  std::filesystem::create_symlink("/dev/full", path("full.png"));
  const auto before = listing();
  const child_result result = run({"psd", "a.wav", "-o", "a.csv", "-o", "a.npy", "-o", "full.png"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("full.png"), std::string::npos) << result.errors;
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(listing(), before);
}

TEST_F(psd_verb, several_files_and_standard_output) {
  write_sine("a.wav", 5000);
  write_sine("b.wav", 6000);
  const child_result both =
      run({"psd", "a.wav", "b.wav", "-o", "new/", "--format", "csv,npy", "--json"});
  ASSERT_EQ(both.exit_code, 0) << both.errors;
  const auto json = nlohmann::json::parse(both.output);
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[1]["outputs"], nlohmann::json({"new/b.csv", "new/b.npy"}));
  const child_result stream = run({"psd", "a.wav", "-o", "-"});
  EXPECT_EQ(stream.output, read_bytes(path("new/a.csv")));
  EXPECT_EQ(run({"psd", "a.wav", "b.wav", "-o", "-"}).exit_code, 2);
}

TEST_F(psd_verb, pictures_are_logarithmic_with_labels) {
  write_noise("a.wav", 30000);
  const auto picture = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"psd", "a.wav", "-o", "out.svg"});
    const child_result result = run(flags);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return read_bytes(path("out.svg"));
  };
  const std::string plain = picture({});
  EXPECT_EQ(picture({"--frequency-axis", "log"}), plain);
  EXPECT_EQ(picture({"--label-peaks", "5"}), plain);
  const std::string linear = picture({"--frequency-axis", "linear"});
  const std::string bare = picture({"--label-peaks", "0"});
  EXPECT_FALSE(linear == plain);
  EXPECT_LT(bare.size(), picture({"--label-peaks", "1"}).size());
  EXPECT_LT(picture({"--label-peaks", "1"}).size(), plain.size());
  EXPECT_LT(picture({"--per-channel", "--label-peaks", "0"}).size(),
            picture({"--per-channel", "--label-peaks", "1"}).size());
  EXPECT_FALSE(picture({"--full-scale", "94dB"}) == plain);
  // An excerpt of which 0 Hz is the only bin has no logarithmic axis.
  EXPECT_EQ(picture({"--n-fft", "1"}), picture({"--n-fft", "1", "--frequency-axis", "linear"}));
}

TEST_F(psd_verb, full_scale_has_a_sound_pressure_level) {
  write_sine("a.wav", 40000);
  const child_result result = run(
      {"psd", "a.wav", "--scaling", "spectrum", "--full-scale", "94 dB", "-o", "a.csv", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  EXPECT_EQ(json["full_scale_db"], 94);
  EXPECT_NEAR(json["level_dbfs"], -6.02, 0.01);
  EXPECT_NEAR(json["level_db_spl"], 87.98, 0.01);
  EXPECT_NEAR(json["peaks"][0]["level_db_spl"], 87.98, 0.01);
  std::istringstream csv(read_bytes(path("a.csv")));
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line, "frequency_hz,power,level_dbfs,level_db_spl");
  std::getline(csv, line);  // 0 Hz, of which no level is left
  double frequency = 0, power = 0, dbfs = 0, spl = 0;
  char comma = 0;
  ASSERT_TRUE(csv >> frequency >> comma >> power >> comma >> dbfs >> comma >> spl);
  EXPECT_NEAR(spl, dbfs + 94, 1e-9);
  const child_result text = run({"psd", "a.wav", "--full-scale", "94"});
  EXPECT_NE(text.output.find("level     88.0 dB SPL\npeaks        1000.0 Hz    88.0 dB SPL\n"),
            std::string::npos)
      << text.output;
}

TEST_F(psd_verb, usage) {
  write_sine("a.wav", 5000);
  const auto before = listing();
  expect_usage({"--segment-length", "0"}, "--segment-length");
  expect_usage({"--segment-length", "100", "--n-fft", "99"}, "--n-fft");
  expect_usage({"--segment-length", "100", "--overlap", "100"}, "--overlap");
  expect_usage({"--window", "square"}, "--window");
  expect_usage({"--detrend", "cubic"}, "--detrend");
  expect_usage({"--scaling", "loud"}, "--scaling");
  expect_usage({"--average", "mode"}, "--average");
  expect_usage({"--out", "a.txt"}, "--out");
  expect_usage({"--out", "-", "--format", "npy"}, "--format");
  expect_usage({"--out", "-", "--json"}, "--json");
  expect_usage({"--out", "a.wav"}, "--out");
  expect_usage({"--out", "a.csv", "--out", "./a.csv"}, "--out");
  expect_usage({"--title", "A"}, "--title");
  expect_usage({"--label-peaks", "3"}, "--label-peaks");
  expect_usage({"--frequency-axis", "log"}, "--frequency-axis");
  expect_usage({"--label-peaks", "101", "-o", "a.png"}, "--label-peaks");
  expect_usage({"--full-scale", "loud"}, "must be a level in dB in [-300, 300], as 94dB, got loud");
  expect_usage({"--min-db", "0", "-o", "a.png"},
               "--min-db: must be below a full-scale sine's 0 dBFS");
  expect_usage({"--full-scale", "94dB", "--min-db", "95", "-o", "a.png"}, "94 dB SPL, got 95");
  expect_usage({"--width", "500", "--out", "a.csv"}, "--width");
  EXPECT_EQ(listing(), before);
}

TEST_F(psd_verb, several_files_share_a_picture) {
  write_sine("a.wav", 20000);
  write("b.wav",
        wav_bytes{.rate_hz = 48000, .data = pcm_bytes(std::vector<std::int32_t>(9000, 40), 16)}
            .file());
  write("bad.wav", "no sound");
  const child_result result =
      run({"psd", "a.wav", "b.wav", "bad.wav", "-o", "both.svg", "-o", "both.png"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("bad.wav"), std::string::npos) << result.errors;
  EXPECT_EQ(listing(),
            (std::vector<std::string>{"a.wav", "b.wav", "bad.wav", "both.png", "both.svg"}));
  // It is not the picture of either.
  for (const char* name : {"a", "b"}) {
    ASSERT_EQ(run({"psd", std::string(name) + ".wav", "-o", std::string(name) + ".svg"}).exit_code,
              0);
    EXPECT_LT(read_bytes(path(std::string(name) + ".svg")).size(),
              read_bytes(path("both.svg")).size());
  }
  EXPECT_EQ(run({"psd", "a.wav", "b.wav", "-o", "both.csv"}).exit_code, 2);
  EXPECT_EQ(run({"psd", "bad.wav", "bad.wav", "-o", "none.png"}).exit_code, 1);
  EXPECT_FALSE(std::filesystem::exists(path("none.png")));
}

}  // namespace
}  // namespace papilio::test
