// What the verbs compute under --preset, against numbers of librosa 0.11.0, scipy 1.17.1 and
// torchaudio 0.13.1 and 2.11.0 (tests/signal/reference makes them). Features are computed in double
// and stored as floats, which differ by half of 1.2e-7 of a value; stft computes in float.
// tests/cli/reference/check_presets.py compares more, on real files.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/program.hpp"
#include "support/npy_data.hpp"

namespace papilio::test {
namespace {

npy_data reference(const std::string& name) {
  return read_npy_data(PAPILIO_SIGNAL_DATA "/" + name + ".npy");
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double v : values) most = std::max(most, std::abs(v));
  return most;
}

void expect_near(const std::vector<double>& got, const std::vector<double>& expected,
                 double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], expected[i], tolerance * largest(expected)) << i;
}

class presets : public program_test {
 protected:
  /// The first samples of a reference as a float WAV.
  void write_signal(const std::string& name, std::uint32_t rate_hz, std::size_t samples = 100000) {
    const npy_data data = reference(name);
    std::vector<float> x(data.values.begin(), data.values.end());
    x.resize(std::min(samples, x.size()));
    write(
        "in.wav",
        wav_bytes{.format_tag = 3, .rate_hz = rate_hz, .bits = 32, .data = float_bytes(x)}.file());
  }

  child_result run_well(std::vector<std::string> arguments) const {
    const child_result result = run(std::move(arguments));
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result;
  }

  npy_data features(std::vector<std::string> flags) const {
    flags.insert(flags.begin(), {"features", "in.wav", "--no-time", "--out", "out.npy"});
    run_well(std::move(flags));
    return read_npy_data(path("out.npy"));
  }
};

TEST_F(presets, librosa_features_of_a_number) {
  write_signal("features_signal", 22050);
  const npy_data expected = reference("features_segments");
  const std::size_t segments = expected.extents[1];
  const std::pair<const char*, std::size_t> rows[] = {{"--centroid", 0}, {"--bandwidth", 1},
                                                      {"--rolloff", 3},  {"--flatness", 5},
                                                      {"--rms", 7},      {"--zero-crossings", 8}};
  for (const auto& [flag, row] : rows) {
    SCOPED_TRACE(flag);
    const auto first = expected.values.begin() + static_cast<std::ptrdiff_t>(row * segments);
    expect_near(features({"--preset", "librosa", flag}).values,
                {first, first + static_cast<std::ptrdiff_t>(segments)}, 1e-7);
  }
}

TEST_F(presets, librosa_mel_and_mfcc) {
  write_signal("features_signal", 22050);
  expect_near(features({"--mel"}).values, reference("mel_spectrogram").values, 1e-7);
  expect_near(features({"--mfcc"}).values, reference("mfcc_librosa").values, 1e-7);
  expect_near(features({"--mfcc", "--coefficients", "13", "--lifter", "22"}).values,
              reference("mfcc_lifter").values, 1e-7);
}

TEST_F(presets, torchaudio_mfcc_and_centroid) {
  write_signal("features_signal", 16000);
  expect_near(features({"--preset", "torch", "--mfcc"}).values, reference("mfcc_torchaudio").values,
              1e-7);
  // Its weights are floats: 1e-3 of coefficients up to 545, see mel_test.cpp.
  expect_near(features({"--preset", "torch", "--mfcc"}).values,
              reference("mfcc_torchaudio_run").values, 2e-6);
  write_signal("features_signal", 11025);
  expect_near(features({"--preset", "torch", "--mfcc", "--coefficients", "13"}).values,
              reference("mfcc_torchaudio_11025").values, 1e-7);
  // Of silence it has none.
  std::vector<double> centroid = reference("centroid_torchaudio_11025").values;
  for (double& hz : centroid) hz = std::isnan(hz) ? 0 : hz;
  expect_near(features({"--preset", "torch", "--centroid"}).values, centroid, 1e-7);
}

TEST_F(presets, what_is_given_wins) {
  write_signal("features_signal", 22050);
  const std::vector<std::string> same = {"--n-fft",        "600", "--hop",    "150", "--mfcc",
                                         "--coefficients", "13",  "--top-db", "40"};
  std::vector<std::string> torch = {"--preset",  "torch", "--mel-scale", "slaney",
                                    "--padding", "zero",  "--mel-norm",  "slaney"};
  torch.insert(torch.end(), same.begin(), same.end());
  EXPECT_EQ(features(torch).values, features(same).values);
  // A preset's hop follows the length that is given.
  EXPECT_EQ(features({"--preset", "torch", "--centroid", "--n-fft", "1000"}).extents[0],
            1 + 6615 / 500u);
}

TEST_F(presets, levels_are_cut_below_the_highest) {
  write_signal("features_signal", 22050);
  // Some segments are silent.
  const std::vector<std::string> levels = {"--mel", "--mel-db", "--n-fft", "400"};
  const auto with = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), levels.begin(), levels.end());
    return features(flags);
  };
  const npy_data uncut = with({"--top-db", "1000"}), torch = with({"--preset", "torch"});
  const double highest = *std::max_element(uncut.values.begin(), uncut.values.end());
  EXPECT_EQ(*std::min_element(uncut.values.begin(), uncut.values.end()), -100);
  EXPECT_EQ(*std::min_element(torch.values.begin(), torch.values.end()), -100);
  for (const double top : {80.0, 30.0}) {
    std::vector<double> expected = uncut.values;
    for (double& level : expected) level = std::max(level, highest - top);
    const npy_data got = top == 80 ? with({}) : with({"--top-db", "30"});
    expect_near(got.values, expected, 1e-7);
  }
  const child_result none = run({"features", "in.wav", "--mel", "--top-db", "30"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.errors.find("--top-db"), std::string::npos) << none.errors;
}

TEST_F(presets, a_pipe_is_read_as_often_as_a_file) {
  write_signal("features_signal", 22050);
  const child_result file = run({"features", "in.wav", "--mfcc", "--out", "-"}),
                     pipe = run({"features", "-", "--mfcc", "--out", "-"},
                                {.input = read_bytes(path("in.wav"))});
  EXPECT_EQ(file.exit_code, 0) << file.errors;
  EXPECT_EQ(pipe.output, file.output);
}

TEST_F(presets, scipy_shortens_segments) {
  write_signal("stft_signal", 8000, 111);
  const child_result result =
      run_well({"stft", "in.wav", "--preset", "scipy", "--out", "out.npy", "--form", "magnitude"});
  EXPECT_NE(result.errors.find("111 frames are fewer than --n-fft 256"), std::string::npos)
      << result.errors;
  const npy_data expected = reference("stft_scipy_short");  // [bins, segments, 2]
  const npy_data got = read_npy_data(path("out.npy"));
  const std::size_t bins = expected.extents[0], segments = expected.extents[1];
  ASSERT_EQ(got.extents, (std::vector{segments, bins}));
  for (std::size_t k = 0; k < bins; ++k)
    for (std::size_t s = 0; s < segments; ++s) {
      const double* const x = &expected.values[2 * (k * segments + s)];
      ASSERT_NEAR(got.values[s * bins + k], std::hypot(x[0], x[1]), 1e-6) << s << ' ' << k;
    }
}

TEST_F(presets, scipy_shortens_segments_of_densities) {
  write_signal("features_signal", 22050, 111);
  const npy_data expected = reference("welch_short");
  const std::vector<double> power(expected.values.begin() + 56, expected.values.end());
  for (const char* wanted : {"", "200"}) {
    std::vector<std::string> arguments = {"psd", "in.wav", "--preset", "scipy", "--out", "out.npy"};
    if (*wanted != '\0') arguments.insert(arguments.end(), {"--segment-length", wanted});
    const child_result result = run_well(arguments);
    EXPECT_NE(result.errors.find("111 frames"), std::string::npos) << result.errors;
    expect_near(read_npy_data(path("out.npy")).values, power, 1e-13);
  }
  write_signal("features_signal", 22050, 4000);
  run_well({"psd", "in.wav", "--preset", "scipy", "--out", "out.npy"});
  const npy_data whole = reference("welch_default");
  expect_near(read_npy_data(path("out.npy")).values,
              {whole.values.begin() + 129, whole.values.end()}, 1e-13);
  const child_result overlap =
      run({"psd", "in.wav", "--duration", "0.005", "--preset", "scipy", "--overlap", "200"});
  EXPECT_EQ(overlap.exit_code, 1);
  EXPECT_NE(overlap.errors.find("overlap"), std::string::npos) << overlap.errors;
}

TEST_F(presets, of_batch_are_those_of_the_verb) {
  std::filesystem::create_directory(path("folder"));
  write_signal("features_signal", 22050, 111);
  std::filesystem::rename(path("in.wav"), path("folder/short.wav"));
  run_well(
      {"batch", "folder", "--out", "out", "--what", "psd", "--preset", "scipy", "--format", "npy"});
  EXPECT_EQ(read_npy_data(path("out/short.npy")).extents, std::vector<std::size_t>{56});
  const std::vector<std::string> stft = {"batch", "folder",   "--out", "stft",    "--what",
                                         "stft",  "--preset", "scipy", "--resume"};
  run_well(stft);
  EXPECT_NE(run_well(stft).output.find("skipped   1 output"), std::string::npos);
  const std::vector<std::string> mel = {"batch",  "folder", "--out",    "mel",
                                        "--what", "mel",    "--preset", "torch"};
  run_well(mel);
  EXPECT_EQ(read_npy_data(path("mel/short.npy")).extents, (std::vector<std::size_t>{1, 128}));
  const child_result torch =
      run({"batch", "folder", "--out", "out", "--what", "psd", "--preset", "torch"});
  EXPECT_EQ(torch.exit_code, 2);
  EXPECT_NE(torch.errors.find("--preset"), std::string::npos) << torch.errors;
}

}  // namespace
}  // namespace papilio::test
