#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>
#include <sstream>

#include "cli/program.hpp"
#include "papilio/audio.hpp"
#include "papilio/signal.hpp"
#include "support/npy_data.hpp"

namespace papilio::test {
namespace {

struct table {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;

  std::vector<double> column(const std::string& name) const {
    const auto at = std::find(columns.begin(), columns.end(), name);
    EXPECT_NE(at, columns.end()) << name;
    std::vector<double> values;
    for (const auto& row : rows) values.push_back(row[std::size_t(at - columns.begin())]);
    return values;
  }
};

table parse_csv(const std::string& text) {
  table t;
  std::istringstream lines(text);
  std::string line, field;
  std::getline(lines, line);
  for (std::istringstream fields(line); std::getline(fields, field, ',');)
    t.columns.push_back(field);
  while (std::getline(lines, line)) {
    t.rows.emplace_back();
    for (std::istringstream fields(line); std::getline(fields, field, ',');)
      t.rows.back().push_back(std::stod(field));
    EXPECT_EQ(t.rows.back().size(), t.columns.size());
  }
  return t;
}

class features_verb : public program_test {
 protected:
  table features(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "features");
    arguments.insert(arguments.end(), {"--out", "out.csv"});
    const child_result result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return parse_csv(read_bytes(path("out.csv")));
  }

  // Noise that falls silent in the middle, with a tone that rises.
  void write_noise(const std::string& name, std::size_t frames, std::uint16_t channels = 1) {
    std::mt19937 random(7);
    std::uniform_int_distribution<std::int32_t> noise(-9000, 9000);
    std::vector<std::int32_t> samples;
    for (std::size_t i = 0; i < frames; ++i)
      for (std::uint16_t c = 0; c < channels; ++c) {
        const double t = static_cast<double>(i) / static_cast<double>(frames);
        const bool silent = t > 0.45 && t < 0.6;
        const double tone = 12000 * std::sin(900 * t * t * (c + 1));
        samples.push_back(silent ? 0 : noise(random) + static_cast<std::int32_t>(tone));
      }
    write(name, wav_bytes{.channels = channels, .data = pcm_bytes(samples, 16)}.file());
  }
};

void expect_near_all(const std::vector<double>& got, std::span<const float> expected,
                     double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t s = 0; s < got.size(); ++s)
    EXPECT_NEAR(static_cast<float>(got[s]), expected[s], tolerance) << s;
}

TEST_F(features_verb, streamed_numbers_are_those_of_the_whole_sound) {
  write_noise("in.wav", 30011);
  const table t = features({"in.wav", "--n-fft", "1024", "--hop", "300"});
  EXPECT_EQ(t.columns,
            (std::vector<std::string>{"time_seconds", "rms", "centroid_hz", "bandwidth_hz",
                                      "rolloff_hz", "flatness", "zero_crossing_rate"}));
  const sound s = read_sound(path("in.wav"));
  const std::span<const float> signal = s.samples.flat();
  const stft_plan<float> plan({.n_fft = 1024, .hop = 300});
  array<float, 2> m({plan.segments(signal.size()), plan.bins()});
  plan.execute_magnitude(signal, m);
  const view<const float, 2> magnitude = m.view();
  const double bin_hz = 8000.0 / 1024;
  // Magnitudes here are floats, there doubles.
  expect_near_all(t.column("centroid_hz"), spectral_centroid(magnitude, bin_hz).flat(), 4e-3);
  expect_near_all(t.column("bandwidth_hz"), spectral_bandwidth(magnitude, bin_hz).flat(), 4e-3);
  expect_near_all(t.column("rolloff_hz"), spectral_rolloff(magnitude, bin_hz).flat(), bin_hz / 2);
  expect_near_all(t.column("flatness"), spectral_flatness(magnitude).flat(), 1e-6);
  expect_near_all(t.column("zero_crossing_rate"),
                  segment_zero_crossing_rate(signal, {.length = 1024, .hop = 300}).flat(), 0);
  for (std::size_t row = 0; row < t.rows.size(); ++row)
    EXPECT_DOUBLE_EQ(t.rows[row][0], static_cast<double>(row) * 300 / 8000);
}

TEST_F(features_verb, zero_crossings_without_centring_and_over_gaps) {
  write_noise("in.wav", 9001);
  const auto s = read_sound(path("in.wav"));
  const table t = features({"in.wav", "--zero-crossings", "--n-fft", "64", "--window-length", "60",
                            "--hop", "100", "--no-centre"});
  EXPECT_EQ(t.columns.size(), 2u);
  expect_near_all(t.column("zero_crossing_rate"),
                  segment_zero_crossing_rate(std::span<const float>(s.samples.flat()),
                                             {.length = 64, .hop = 100, .centre = false})
                      .flat(),
                  0);
  EXPECT_DOUBLE_EQ(t.rows[3][0], (300 + 32) / 8000.0);
}

TEST_F(features_verb, rms_is_that_of_the_samples_whatever_the_window) {
  write_noise("in.wav", 20000);
  const auto s = read_sound(path("in.wav"));
  const std::span<const float> signal = s.samples.flat();
  for (const char* window : {"hann", "rectangular", "kaiser:12"}) {
    const table t = features({"in.wav", "--rms", "--window", window, "--window-length", "1500"});
    expect_near_all(t.column("rms"), segment_rms(signal).flat(), 1e-7);
  }
  expect_near_all(features({"in.wav", "--rms", "--no-centre"}).column("rms"),
                  segment_rms(signal, {.centre = false}).flat(), 1e-7);
  // Samples 0 ... 1023, and before them 1024 ... 1.
  double sum = 0;
  for (std::size_t i = 0; i < 1024; ++i) sum += std::pow(signal[i], 2) + std::pow(signal[i + 1], 2);
  EXPECT_NEAR(features({"in.wav", "--rms", "--padding", "reflect"}).column("rms")[0],
              std::sqrt(sum / 2048), 1e-6);
}

TEST_F(features_verb, mel_and_mfcc_as_the_library_has_them) {
  write_noise("in.wav", 20000);
  const std::vector<std::string> flags = {
      "in.wav",     "--n-fft", "512",    "--bands", "40",     "--mel-scale", "htk",
      "--mel-norm", "none",    "--fmin", "50",      "--fmax", "3800"};
  auto mel_flags = flags, mfcc_flags = flags, both_flags = flags;
  mel_flags.insert(mel_flags.end(), {"--mel"});
  mfcc_flags.insert(mfcc_flags.end(), {"--mfcc", "--coefficients", "13", "--lifter", "22"});
  both_flags.insert(both_flags.end(),
                    {"--mel", "--mel-db", "--mfcc", "--coefficients", "13", "--lifter", "22"});
  const table mel = features(mel_flags), mfcc = features(mfcc_flags), both = features(both_flags);
  ASSERT_EQ(mel.columns.size(), 41u);
  EXPECT_EQ(mel.columns[40], "mel_39");
  ASSERT_EQ(mfcc.columns.size(), 14u);
  ASSERT_EQ(both.columns.size(), 54u);

  const sound s = read_sound(path("in.wav"));
  const stft_plan<double> plan({.n_fft = 512, .hop = 128});
  const std::vector<double> samples(s.samples.begin(), s.samples.end());
  array<double, 2> power({plan.segments(20000), plan.bins()});
  plan.execute_power(samples, power);
  const mel_filterbank<double> bank(8000, 512,
                                    {.bands = 40,
                                     .scale = mel_scale::htk,
                                     .norm = mel_norm::none,
                                     .fmin_hz = 50,
                                     .fmax_hz = 3800});
  const array<double, 2> bands = bank.apply(power.view());
  const mfcc_plan<double> cepstrum(40, {.coefficients = 13, .lifter = 22});
  const array<double, 2> coefficients = cepstrum.execute(bands.view());
  const double highest = 10 * std::log10(*std::max_element(bands.begin(), bands.end()));
  ASSERT_EQ(mel.rows.size(), bands.extent(0));
  for (std::size_t row = 0; row < mel.rows.size(); ++row) {
    for (std::size_t b = 0; b < 40; ++b) {
      EXPECT_EQ(static_cast<float>(mel.rows[row][1 + b]), static_cast<float>(bands(row, b)));
      const double level = std::max(10 * std::log10(std::max(1e-10, bands(row, b))), highest - 80);
      EXPECT_NEAR(both.rows[row][1 + b], level, 1e-5);
    }
    for (std::size_t c = 0; c < 13; ++c) {
      EXPECT_NEAR(mfcc.rows[row][1 + c], coefficients(row, c), 1e-4);
      EXPECT_EQ(both.rows[row][41 + c], mfcc.rows[row][1 + c]);
    }
  }
}

// Mel bands are computed in double here, and levels are floats of up to 100 dB.
TEST_F(features_verb, onset_is_the_onset_strength) {
  write_noise("in.wav", 30000);
  const sound s = read_sound(path("in.wav"));
  std::vector<double> signal;
  for (const float v : s.samples.flat()) signal.push_back(v);
  for (const std::size_t hop : {500u, 2000u}) {
    const array<double, 1> expected =
        onset_strength<double>(signal, {.rate_hz = 8000, .n_fft = 1024, .hop = hop, .bands = 40});
    const table t = features({"in.wav", "--onset", "--mel", "--mel-db", "--n-mels", "40", "--n-fft",
                              "1024", "--hop", std::to_string(hop)});
    EXPECT_EQ(t.columns[1], "onset_strength");
    EXPECT_EQ(t.columns.size(), 42u);
    const std::vector<double> got = t.column("onset_strength");
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 2e-5) << i;
  }
}

TEST_F(features_verb, contrast_pcen_and_auditory_bands_as_the_library_has_them) {
  write_noise("in.wav", 20000);
  const table t = features({"in.wav",
                            "--n-fft",
                            "512",
                            "--contrast",
                            "--contrast-octaves",
                            "4",
                            "--top-db",
                            "30",
                            "--pcen",
                            "--n-mels",
                            "20",
                            "--pcen-gain",
                            "0.9",
                            "--pcen-bias",
                            "3",
                            "--pcen-power",
                            "0.4",
                            "--pcen-time",
                            "0.1",
                            "--erb",
                            "--gammatone",
                            "--n-erb",
                            "10",
                            "--fmin",
                            "60"});
  ASSERT_EQ(t.columns.size(), 1u + 5 + 20 + 10 + 10);

  const sound s = read_sound(path("in.wav"));
  const stft_plan<double> plan({.n_fft = 512, .hop = 128});
  const std::vector<double> samples(s.samples.begin(), s.samples.end());
  array<double, 2> power({plan.segments(20000), plan.bins()});
  plan.execute_power(samples, power);
  array<double, 2> magnitude(power.extents());
  std::ranges::transform(power, magnitude.begin(), [](double p) { return std::sqrt(p); });
  const auto contrast =
      contrast_plan<double>(8000, 512, {.octaves = 4, .levels = {.top_db = 30}}).execute(magnitude);
  array<double, 2> mel =
      mel_filterbank<double>(8000, 512, {.bands = 20, .fmin_hz = 60}).apply(magnitude.view());
  for (double& band : mel) band *= 0x1p31;
  const auto normalized =
      pcen_plan<double>(8000, 128,
                        {.gain = 0.9, .bias = 3, .power = 0.4, .time_constant_seconds = 0.1})
          .execute(mel);
  auditory_options options{.bands = 10, .fmin_hz = 60};
  const auto gammatone = auditory_filterbank<double>(8000, 512, options).apply(power.view());
  options.shape = auditory_shape::triangle;
  const auto erb = auditory_filterbank<double>(8000, 512, options).apply(power.view());
  ASSERT_EQ(t.rows.size(), power.extent(0));
  const std::pair<const char*, const array<double, 2>*> groups[] = {
      {"contrast_", &contrast}, {"pcen_", &normalized}, {"erb_", &erb}, {"gammatone_", &gammatone}};
  for (const auto& [name, values] : groups)
    for (std::size_t b = 0; b < values->extent(1); ++b) {
      const auto column = t.column(name + std::to_string(b));
      // The table holds floats; the highest level is made of one.
      for (std::size_t row = 0; row < column.size(); ++row)
        EXPECT_NEAR(column[row], (*values)(row, b), 1e-6 * (1 + std::abs((*values)(row, b))))
            << name << b << ' ' << row;
    }
}

// Two channels of opposite phase, which have the pitch of one.
TEST_F(features_verb, f0_is_that_of_the_library_beside_other_columns) {
  std::vector<float> samples, one;
  for (std::size_t i = 0; i < 24000; ++i) {
    const double hz = i < 9000 || i >= 14000 ? 150 + 0.005 * static_cast<double>(i) : 0;
    one.push_back(static_cast<float>(
        0.4 * std::sin(2 * std::numbers::pi * hz * static_cast<double>(i) / 8000)));
    samples.push_back(one.back());
    samples.push_back(-one.back());
  }
  write(
      "in.wav",
      wav_bytes{
          .format_tag = 3, .channels = 2, .rate_hz = 8000, .bits = 32, .data = float_bytes(samples)}
          .file());
  const table t = features({"in.wav", "--n-fft", "600", "--hop", "77", "--rms", "--f0", "--f0-min",
                            "80", "--f0-max", "900", "--deltas", "1"});
  EXPECT_EQ(t.columns, (std::vector<std::string>{"time_seconds", "rms", "delta_rms", "f0_hz",
                                                 "voiced", "voiced_probability"}));
  const std::vector<pitch> expected =
      pyin_plan<float>({.rate_hz = 8000, .fmin_hz = 80, .fmax_hz = 900, .frame = 600, .hop = 77})
          .execute(std::span<const float>(one));
  ASSERT_EQ(t.rows.size(), expected.size());
  std::size_t voiced = 0;
  for (std::size_t s = 0; s < expected.size(); ++s) {
    EXPECT_EQ(t.column("voiced")[s], expected[s].voiced ? 1 : 0) << s;
    EXPECT_NEAR(t.column("voiced_probability")[s], expected[s].voiced_probability, 1e-6) << s;
    if (expected[s].voiced)
      EXPECT_NEAR(t.column("f0_hz")[s], expected[s].f0_hz, 1e-4) << s;
    else
      EXPECT_TRUE(std::isnan(t.column("f0_hz")[s])) << s;
    voiced += expected[s].voiced ? 1 : 0;
  }
  EXPECT_GT(voiced, expected.size() / 2);
  EXPECT_LT(voiced, expected.size());
  const child_result summary = run({"features", "in.wav", "--f0", "--json"});
  EXPECT_EQ(summary.exit_code, 0) << summary.errors;
  const auto mean = nlohmann::json::parse(summary.output)[0]["features"][0]["mean"];
  EXPECT_TRUE(mean.is_number()) << summary.output;
}

// Loudness of the windows that end with the last whole step before a segment's centre.
TEST_F(features_verb, loudness_is_that_of_the_library_beside_other_columns) {
  write_noise("in.wav", 40000, 2);
  const table t = features(
      {"in.wav", "--n-fft", "600", "--hop", "333", "--rms", "--loudness", "--deltas", "1"});
  EXPECT_EQ(t.columns, (std::vector<std::string>{"time_seconds", "rms", "delta_rms",
                                                 "momentary_lufs", "short_term_lufs"}));
  const auto x = read_sound(path("in.wav")).samples;
  const array<double, 1> momentary = momentary_loudness<float>(x.view(), 8000),
                         short_term = short_term_loudness<float>(x.view(), 8000);
  ASSERT_EQ(t.rows.size(), 40000u / 333 + 1);
  const std::vector<double> m = t.column("momentary_lufs"), s = t.column("short_term_lufs");
  for (std::size_t i = 0; i < t.rows.size(); ++i) {
    const std::size_t steps = i * 333 / 800;
    if (steps < 4)
      EXPECT_TRUE(std::isnan(m[i])) << i;
    else
      EXPECT_FLOAT_EQ(static_cast<float>(m[i]), static_cast<float>(momentary[steps - 4])) << i;
    if (steps < 30)
      EXPECT_TRUE(std::isnan(s[i])) << i;
    else
      EXPECT_FLOAT_EQ(static_cast<float>(s[i]), static_cast<float>(short_term[steps - 30])) << i;
  }
  EXPECT_EQ(run({"features", "in.wav", "--f0", "--loudness", "--json"}).exit_code, 0);
  write_noise("many.wav", 4000, 9);
  const child_result many = run({"features", "many.wav", "--loudness"});
  EXPECT_EQ(many.exit_code, 1);
  EXPECT_NE(many.errors.find("choose one by --channel"), std::string::npos) << many.errors;
  EXPECT_EQ(run({"features", "many.wav", "--loudness", "--channel", "3"}).exit_code, 0);
}

TEST_F(features_verb, f0_has_a_row_of_each_segment_under_every_preset) {
  write_sine("in.wav", 9000);
  for (const char* preset : {"librosa", "torch", "scipy"}) {
    const table t =
        features({"in.wav", "--preset", preset, "--n-fft", "1024", "--f0", "--zero-crossings"});
    const table other = features({"in.wav", "--preset", preset, "--n-fft", "1024", "--rms"});
    EXPECT_EQ(t.rows.size(), other.rows.size()) << preset;
    EXPECT_EQ(t.column("time_seconds"), other.column("time_seconds")) << preset;
    for (std::size_t s = 2; s + 2 < t.rows.size(); ++s) EXPECT_EQ(t.column("voiced")[s], 1);
  }
}

TEST_F(features_verb, deltas_follow_their_columns) {
  write_noise("in.wav", 20000);
  for (const std::size_t width : {std::size_t{9}, std::size_t{5}, std::size_t{157}}) {
    const table t = features({"in.wav", "--n-fft", "512", "--rms", "--centroid", "--deltas", "2",
                              "--delta-width", std::to_string(width)});
    EXPECT_EQ(t.columns,
              (std::vector<std::string>{"time_seconds", "rms", "centroid_hz", "delta_rms",
                                        "delta_centroid_hz", "delta2_rms", "delta2_centroid_hz"}));
    ASSERT_EQ(t.rows.size(), 157u);
    array<double, 2> own({t.rows.size(), 2});
    for (std::size_t row = 0; row < t.rows.size(); ++row)
      for (std::size_t c = 0; c < 2; ++c) own(row, c) = static_cast<float>(t.rows[row][1 + c]);
    for (std::size_t order = 1; order <= 2; ++order) {
      const auto deltas = delta_plan<double>({.width = width, .order = order}).execute(own);
      for (std::size_t row = 0; row < t.rows.size(); ++row)
        for (std::size_t c = 0; c < 2; ++c)
          EXPECT_EQ(static_cast<float>(t.rows[row][1 + 2 * order + c]),
                    static_cast<float>(deltas(row, c)));
    }
    EXPECT_DOUBLE_EQ(t.rows[156][0], 156 * 128 / 8000.0);
  }
}

TEST_F(features_verb, formats_hold_the_same_numbers) {
  write_noise("in.wav", 9000);
  const table csv = features({"in.wav", "--mel", "--rms"});
  ASSERT_EQ(run({"features", "in.wav", "--mel", "--rms", "--out", "out.json"}).exit_code, 0);
  const auto json = nlohmann::json::parse(read_bytes(path("out.json")));
  EXPECT_EQ(json["columns"].get<std::vector<std::string>>(), csv.columns);
  EXPECT_EQ(json["rows"].get<std::vector<std::vector<double>>>(), csv.rows);
  ASSERT_EQ(run({"features", "in.wav", "--mel", "--rms", "--out", "out.npy"}).exit_code, 0);
  const npy_data npy = read_npy_data(path("out.npy"));
  EXPECT_EQ(npy.extents, (std::vector<std::size_t>{csv.rows.size(), csv.columns.size()}));
  ASSERT_EQ(
      run({"features", "in.wav", "--mel", "--rms", "--no-time", "--out", "bare.npy"}).exit_code, 0);
  const npy_data bare = read_npy_data(path("bare.npy"));
  EXPECT_EQ(bare.extents, (std::vector<std::size_t>{csv.rows.size(), csv.columns.size() - 1}));
  EXPECT_NE(read_bytes(path("bare.npy")).find("'<f4'"), std::string::npos);
  EXPECT_NE(read_bytes(path("out.npy")).find("'<f8'"), std::string::npos);
  std::size_t at = 0, bare_at = 0;
  for (const auto& row : csv.rows)
    for (std::size_t c = 0; c < row.size(); ++c) {
      const double value = npy.values[at++];
      // CSV has as many digits as a float needs; time is double.
      EXPECT_EQ(c == 0 ? value : static_cast<float>(value),
                c == 0 ? row[c] : static_cast<float>(row[c]));
      if (c > 0) {
        EXPECT_EQ(bare.values[bare_at++], value);
      }
    }
}

TEST_F(features_verb, standard_output_and_folders) {
  write_noise("a.wav", 5000);
  write_noise("b.wav", 6000);
  features({"a.wav"});
  const child_result piped = run({"features", "a.wav", "--out", "-"});
  EXPECT_EQ(piped.output, read_bytes(path("out.csv")));
  const child_result json = run({"features", "a.wav", "--out", "-", "--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(json.output)["rows"].size(), 1 + 5000 / 512u);
  std::filesystem::create_directory(path("tables"));
  ASSERT_EQ(run({"features", "a.wav", "b.wav", "--out", "tables", "--format", "npy"}).exit_code, 0);
  EXPECT_EQ(read_npy_data(path("tables/b.npy")).extents[0], 1 + 6000 / 512u);
  EXPECT_TRUE(std::filesystem::exists(path("tables/a.npy")));
}

TEST_F(features_verb, reports_what_was_found) {
  write_sine("in.wav", 16000);
  const child_result text = run({"features", "in.wav", "--centroid", "--rms"});
  ASSERT_EQ(text.exit_code, 0) << text.errors;
  EXPECT_NE(text.output.find("analysis  32 segments, n_fft 2048, hop 512, hann window, 1 channel"),
            std::string::npos)
      << text.output;
  EXPECT_NE(text.output.find("\nrms  "), std::string::npos) << text.output;
  EXPECT_EQ(listing(), (std::vector<std::string>{"in.wav"}));
  const auto json = nlohmann::json::parse(
      run({"features", "in.wav", "--centroid", "--rms", "--json", "--start", "0.5"}).output)[0];
  EXPECT_EQ(json["segments"], 1 + 12000 / 512);
  EXPECT_EQ(json["features"][0]["name"], "rms");
  EXPECT_NEAR(json["features"][0]["maximum"], 0.5 / std::sqrt(2.0), 1e-3);
  EXPECT_EQ(json["features"][1]["name"], "centroid_hz");
  EXPECT_NEAR(json["features"][1]["mean"], 1000, 60);
  EXPECT_TRUE(json["table"].is_null());
}

TEST_F(features_verb, channels_are_averaged_in_power_or_chosen) {
  std::vector<std::int32_t> left, both;
  for (int i = 0; i < 16000; ++i) {
    const auto sample = static_cast<std::int32_t>(16384 * std::sin(i * 3.14159265358979 / 4));
    left.push_back(sample);
    both.insert(both.end(), {sample, 0});
  }
  write("left.wav", wav_bytes{.data = pcm_bytes(left, 16)}.file());
  write("both.wav", wav_bytes{.channels = 2, .data = pcm_bytes(both, 16)}.file());
  EXPECT_EQ(features({"both.wav", "--channel", "1"}).rows, features({"left.wav"}).rows);
  const auto one = features({"left.wav"}), mean = features({"both.wav"});
  for (std::size_t row = 0; row < one.rows.size(); ++row) {
    EXPECT_NEAR(mean.column("rms")[row], one.column("rms")[row] / std::sqrt(2.0), 1e-6);
    EXPECT_NEAR(mean.column("centroid_hz")[row], one.column("centroid_hz")[row], 1e-2);
    EXPECT_NEAR(mean.column("zero_crossing_rate")[row], one.column("zero_crossing_rate")[row] / 2,
                1e-7);
  }
}

TEST_F(features_verb, times_count_from_the_beginning_of_the_file) {
  write_noise("in.wav", 9000);
  EXPECT_DOUBLE_EQ(features({"in.wav", "--rms", "--start", "0.25"}).rows[2][0],
                   (2000 + 2 * 512) / 8000.0);
}

TEST_F(features_verb, bad_usage_names_the_flag) {
  write_sine("in.wav", 3000);
  write_sine("other.wav", 3000);
  const auto before = listing();
  const std::pair<std::vector<std::string>, std::string> bad[] = {
      {{"--bands", "20"}, "--n-mels"},
      {{"--rms", "--mel-scale", "htk"}, "--mel-scale"},
      {{"--mel", "--coefficients", "5"}, "--n-mfcc"},
      {{"--mfcc", "--coefficients", "50", "--bands", "40"}, "--n-mfcc"},
      {{"--mfcc", "--mel-db"}, "--mel-db"},
      {{"--mfcc", "--top-db", "-1"}, "--top-db"},
      {{"--rms", "--top-db", "80"}, "--top-db"},
      {{"--mel", "--fmin", "3000", "--fmax", "2000"}, "--fmax"},
      {{"--mel", "--fmin", "-1"}, "--fmin"},
      {{"--mel", "--bands", "0"}, "--n-mels"},
      {{"--rms", "--rolloff-share", "0.5"}, "--rolloff-share"},
      {{"--rolloff", "--rolloff-share", "1"}, "--rolloff-share"},
      {{"--mel", "--mel-norm", "area"}, "--mel-norm"},
      {{"--rms", "--contrast-octaves", "4"}, "--contrast-octaves"},
      {{"--mel", "--pcen-gain", "1"}, "--pcen-gain"},
      {{"--mel", "--pcen-bias", "1"}, "--pcen-bias"},
      {{"--mel", "--pcen-power", "1"}, "--pcen-power"},
      {{"--pcen", "--pcen-time", "0"}, "--pcen-time"},
      {{"--mel", "--n-erb", "4"}, "--n-erb"},
      {{"--erb", "--fmax", "20"}, "--fmax"},
      {{"--rms", "--f0-min", "50"}, "--f0-min"},
      {{"--rms", "--f0-max", "500"}, "--f0-max"},
      {{"--f0", "--f0-min", "0"}, "--f0-min"},
      {{"--f0", "--f0-min", "500", "--f0-max", "400"}, "--f0-max"},
      {{"--rms", "--delta-width", "5"}, "--delta-width"},
      {{"--deltas", "1", "--delta-width", "6"}, "--delta-width"},
      {{"--deltas", "3", "--delta-width", "3"}, "--deltas"},
      {{"--deltas", "9"}, "--deltas"},
      {{"--out", "x.txt"}, "--out"},
      {{"--out", "in.wav", "--format", "csv"}, "--out"},
      {{"--format", "csv"}, "--format"},
      {{"--no-time"}, "--no-time"},
      {{"--out", "-", "--format", "npy"}, "--format"},
      {{"--out", "-", "--json"}, "--json"},
      {{"--out", ""}, "--out"},
      {{"other.wav", "--out", "x.csv"}, "--out"},
      {{"other.wav", "--out", "-"}, "--out"},
      {{"--scaling", "psd"}, "--scaling"},
      {{"--n-fft", "0"}, "--n-fft"}};
  for (const auto& [flags, named] : bad) {
    SCOPED_TRACE(testing::PrintToString(flags));
    std::vector<std::string> arguments = {"features", "in.wav"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const child_result result = run(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_NE(result.errors.find(named), std::string::npos) << result.errors;
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(listing(), before);
  }
}

TEST_F(features_verb, bad_input_is_refused_with_its_name_and_leaves_nothing) {
  write("empty.wav", "");
  write("text.wav", "It was a dark and stormy night; the rain fell in torrents.\n");
  std::filesystem::create_directory(path("folder.wav"));
  write("none.wav", wav_bytes{}.file());
  write_sine("good.wav", 3000);
  const std::vector<float> nan(5000, std::nanf(""));
  write("nan.wav", wav_bytes{.format_tag = 3, .bits = 32, .data = float_bytes(nan)}.file());
  write("wide.wav", wav_bytes{.channels = 1000, .data = std::string(20000, '\0')}.file());
  struct bad {
    std::string file;
    std::vector<std::string> flags;
    std::string reason;
  };
  const bad cases[] = {
      {"empty.wav", {}, "empty"},
      {"text.wav", {}, "not recognised"},
      {"folder.wav", {}, "directory"},
      {"missing.wav", {}, "No such file"},
      {"none.wav", {}, "no samples"},
      {"nan.wav", {}, "nan"},
      {"wide.wav", {"--n-fft", "1048576"}, "--n-fft"},
      {"good.wav", {"--channel", "2"}, "--channel"},
      {"good.wav", {"--start", "9"}, "--start"},
      {"good.wav", {"--mel", "--fmax", "5000"}, "--fmax"},
      {"good.wav", {"--mel", "--fmin", "4000"}, "--fmin"},
      {"good.wav", {"--erb", "--fmax", "5000"}, "--fmax"},
      {"good.wav", {"--gammatone", "--fmin", "4000"}, "--fmin"},
      {"good.wav", {"--contrast"}, "--contrast-octaves"},
      {"good.wav", {"--contrast", "--contrast-octaves", "4", "--n-fft", "32"}, "--n-fft"},
      {"good.wav", {"--f0", "--f0-max", "5000"}, "--f0-max"},
      {"good.wav", {"--f0", "--f0-min", "5000", "--f0-max", "6000"}, "--f0-max"},
      {"good.wav", {"--f0", "--n-fft", "64"}, "--n-fft"},
      {"good.wav", {"--deltas", "1"}, "--delta-width"},
      {"good.wav", {"--n-fft", "4096", "--no-centre"}, "too few"}};
  const auto before = listing();
  for (const bad& b : cases) {
    SCOPED_TRACE(b.file + " " + testing::PrintToString(b.flags));
    std::vector<std::string> arguments = {"features", b.file, "--out", "out.csv"};
    arguments.insert(arguments.end(), b.flags.begin(), b.flags.end());
    const child_result result = run(arguments);
    EXPECT_EQ(result.exit_code, 1) << result.output;
    EXPECT_EQ(result.output, "");
    EXPECT_NE(result.errors.find(b.file), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find(b.reason), std::string::npos) << result.errors;
    EXPECT_EQ(listing(), before);
  }
  const child_result zero = run({"features", "nan.wav", "--nan", "zero"});
  EXPECT_EQ(zero.exit_code, 0) << zero.errors;
  EXPECT_NE(zero.output.find("replaced  5000 samples"), std::string::npos) << zero.output;
  EXPECT_EQ(run({"features", "good.wav", "--out", "/dev/full"}).exit_code, 2);
  const child_result full = run({"features", "good.wav", "--out", "/dev/full", "--format", "csv"});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_NE(full.errors.find("No space left"), std::string::npos) << full.errors;
}

TEST_F(features_verb, warns_of_bands_without_a_bin) {
  write_sine("in.wav", 9000);
  const child_result result = run({"features", "in.wav", "--mel", "--n-fft", "64"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.errors.find("--n-mels"), std::string::npos) << result.errors;
  const child_result erb = run({"features", "in.wav", "--erb", "--n-fft", "64"});
  EXPECT_EQ(erb.exit_code, 0);
  EXPECT_NE(erb.errors.find("--n-erb"), std::string::npos) << erb.errors;
  const child_result f0 = run({"features", "in.wav", "--f0", "--n-fft", "200"});
  EXPECT_EQ(f0.exit_code, 0);
  EXPECT_NE(f0.errors.find("--f0-min"), std::string::npos) << f0.errors;
}

TEST_F(features_verb, memory_does_not_grow_with_the_length) {
  std::string data(std::size_t{40} * 1000 * 1000, '\0');
  for (std::size_t i = 0; i < data.size(); i += 997) data[i] = static_cast<char>(i % 251);
  write("long.wav", wav_bytes{.channels = 2, .rate_hz = 44100, .data = std::move(data)}.file());
  const child_result result =
      run({"features", "long.wav", "--mel", "--mfcc", "--zero-crossings", "--contrast", "--pcen",
           "--gammatone", "--f0", "--deltas", "1", "--hop", "4096", "--out", "out.npy"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_LT(result.peak_kilobytes, 64 * 1024);
}

}  // namespace
}  // namespace papilio::test
