// papilio fft: frequencies, amplitudes and phases of tones that are known, and its files.
#include <png.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>

#include "cli/program.hpp"

namespace papilio::test {
namespace {

constexpr double pi = std::numbers::pi;

struct partial {
  double amplitude, hz, phase;
};

/// Cosines at 8 kHz, mono, 32-bit floating point.
std::vector<float> cosines(std::size_t frames, const std::vector<partial>& partials) {
  std::vector<float> samples(frames);
  for (std::size_t i = 0; i < frames; ++i) {
    double sum = 0;
    for (const partial& p : partials)
      sum += p.amplitude * std::cos(2 * pi * p.hz * static_cast<double>(i) / 8000 + p.phase);
    samples[i] = static_cast<float>(sum);
  }
  return samples;
}

class fft_verb : public program_test {
 protected:
  std::string write_floats(const std::string& name, const std::vector<float>& samples,
                           std::uint16_t channels = 1) const {
    return write(
        name,
        wav_bytes{.format_tag = 3, .channels = channels, .bits = 32, .data = float_bytes(samples)}
            .file());
  }

  nlohmann::json report(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "fft");
    arguments.emplace_back("--json");
    const child_result result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return nlohmann::json::parse(result.output);
  }

  std::vector<std::vector<double>> csv_rows(const std::string& name, std::string& header) const {
    std::istringstream file(read_bytes(path(name)));
    std::getline(file, header);
    std::vector<std::vector<double>> rows;
    for (std::string line; std::getline(file, line);) {
      std::istringstream fields(line);
      rows.emplace_back();
      for (std::string field; std::getline(fields, field, ',');)
        rows.back().push_back(std::stod(field));
    }
    return rows;
  }
};

// Rounded to 16 bits, the sine's samples are 0, 11585 and 16384, which makes 0.499995.
TEST_F(fft_verb, golden) {
  write_sine("sine.wav", 12000);
  const child_result result = run({"fft", "sine.wav", "--peaks", "1"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.output,
            "file      sine.wav\n"
            "format    WAV (Microsoft), Signed 16 bit PCM, 8000 Hz, 1 channel\n"
            "duration  1.500 s (12000 frames)\n"
            "spectrum  6001 bins of 12000 points, 0.666667 Hz apart, hann window of 12000 samples, "
            "1 channel\n"
            "peaks       1000.0000 Hz  amplitude 0.499995    -6.0 dBFS  phase  -90.0 deg\n");
}

// Hann: find_peaks promises 0.001 bins and 0.01 dB for tones apart; the phase is then off by pi
// times as many bins, and by the leakage.
TEST_F(fft_verb, finds_tones_between_bins_with_amplitude_and_phase) {
  const std::vector<partial> partials{{1.0, 1000.3, 0.7}, {0.25, 2500.77, -2.5}, {0.01, 333.1, 3}};
  for (const std::size_t frames : {8000u, 8009u, 4001u}) {
    SCOPED_TRACE(frames);
    write_floats("in.wav", cosines(frames, partials));
    const nlohmann::json json = report({"in.wav", "--peaks", "3"});
    ASSERT_EQ(json["peaks"].size(), 3u);
    EXPECT_EQ(json["n_fft"], frames);
    const double bin_hz = 8000.0 / static_cast<double>(frames);
    EXPECT_NEAR(json["bin_hz"], bin_hz, 1e-12);
    for (std::size_t i = 0; i < 3; ++i) {
      const nlohmann::json& peak = json["peaks"][i];
      EXPECT_NEAR(peak["frequency_hz"], partials[i].hz, 0.002 * bin_hz);
      EXPECT_NEAR(peak["amplitude"], partials[i].amplitude, 0.0012 * partials[i].amplitude);
      EXPECT_NEAR(peak["level_dbfs"], 20 * std::log10(partials[i].amplitude), 0.01);
      EXPECT_NEAR(peak["phase_radians"], partials[i].phase, 0.02);
    }
  }
}

TEST_F(fft_verb, weak_tones_are_listed_beside_strong_ones) {
  write_floats("in.wav", cosines(8000, {{0.5, 1000, 0}, {0.1, 2000, 0}, {1e-4, 3000, 0}}));
  const nlohmann::json peaks = report({"in.wav"})["peaks"];
  ASSERT_GE(peaks.size(), 3u);
  EXPECT_NEAR(peaks[2]["frequency_hz"], 3000, 0.01);
  EXPECT_NEAR(peaks[2]["level_dbfs"], -80, 0.01);
  EXPECT_EQ(report({"in.wav", "--peak-range", "60"})["peaks"].size(), 2u);
  const child_result psd =
      run({"psd", "in.wav", "--segment-length", "2000", "--peak-range", "60", "--json"});
  EXPECT_EQ(nlohmann::json::parse(psd.output)["peaks"].size(), 2u);
  const nlohmann::json all =
      nlohmann::json::parse(run({"psd", "in.wav", "--segment-length", "2000", "--json"}).output);
  EXPECT_NEAR(all["peaks"][2]["level_dbfs"], -80, 0.1);
  for (const char* verb : {"fft", "psd"})
    EXPECT_EQ(run({verb, "in.wav", "--peak-range", "-1"}).exit_code, 2);
}

TEST_F(fft_verb, the_rectangular_window_is_exact_at_bins) {
  write_floats("in.wav", cosines(1000, {{0.5, 800, 1.25}, {0.125, 0, 0}}));
  const nlohmann::json json = report({"in.wav", "--window", "rectangular", "--peaks", "2"});
  EXPECT_NEAR(json["peaks"][0]["frequency_hz"], 800, 1e-3);
  EXPECT_NEAR(json["peaks"][0]["amplitude"], 0.5, 1e-6);
  EXPECT_NEAR(json["peaks"][0]["phase_radians"], 1.25, 1e-3);
  EXPECT_EQ(json["peaks"][1]["frequency_hz"], 0.0);
  EXPECT_NEAR(json["peaks"][1]["amplitude"], 0.125, 1e-6);
}

TEST_F(fft_verb, the_phase_is_that_at_the_excerpts_start) {
  const double start = 0.25, hz = 1000.3;
  write_floats("in.wav", cosines(16000, {{1.0, hz, 0.7}}));
  const nlohmann::json json = report({"in.wav", "--start", "0.25", "--duration", "0.5"});
  EXPECT_EQ(json["n_fft"], 4000);
  const double expected = std::remainder(0.7 + 2 * pi * hz * start, 2 * pi);
  EXPECT_NEAR(json["peaks"][0]["phase_radians"], expected, 0.02);
}

TEST_F(fft_verb, n_fft_cuts_and_pads) {
  write_floats("in.wav", cosines(5000, {{0.5, 1234.5, 0.4}}));
  const child_result cut = run({"fft", "in.wav", "--n-fft", "1024"});
  EXPECT_NE(cut.output.find("513 bins of 1024 points, 7.8125 Hz apart, hann window of 1024"),
            std::string::npos)
      << cut.output;
  EXPECT_NE(cut.errors.find("only the first 1024 of 5000 frames"), std::string::npos);
  for (const char* n : {"5003", "16384", "65536"}) {  // 5003 is prime
    const nlohmann::json json = report({"in.wav", "--n-fft", n, "--peaks", "1"});
    EXPECT_EQ(json["window_length"], 5000);
    EXPECT_NEAR(json["peaks"][0]["frequency_hz"], 1234.5, 0.01);
    EXPECT_NEAR(json["peaks"][0]["amplitude"], 0.5, 0.001);
    EXPECT_NEAR(json["peaks"][0]["phase_radians"], 0.4, 0.02);
  }
}

TEST_F(fft_verb, long_excerpts_are_padded_to_a_length_of_small_factors) {
  const std::vector<float> samples((1u << 20) + 1, 0.25f);
  write_floats("long.wav", samples);
  const nlohmann::json json = report({"long.wav"});
  EXPECT_EQ(json["window_length"], (1 << 20) + 1);
  EXPECT_EQ(json["n_fft"], 1049760);  // 2^5 3^8 5, the next of that kind
  EXPECT_NEAR(json["peaks"][0]["amplitude"], 0.25, 1e-6);
}

TEST_F(fft_verb, csv_holds_every_bin) {
  write_floats("in.wav", cosines(1000, {{0.5, 800, 1.25}}));
  const nlohmann::json json =
      report({"in.wav", "--window", "rectangular", "--csv", "out.csv", "--peaks", "0"});
  EXPECT_EQ(json["peaks"].size(), 0u);
  std::string header;
  const auto rows = csv_rows("out.csv", header);
  EXPECT_EQ(header, "frequency_hz,amplitude,level_dbfs,phase_radians");
  ASSERT_EQ(rows.size(), 501u);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    ASSERT_EQ(rows[k].size(), 4u);
    EXPECT_NEAR(rows[k][0], 8.0 * static_cast<double>(k), 1e-9);
    EXPECT_NEAR(rows[k][1], k == 100 ? 0.5 : 0, 1e-6);
  }
  EXPECT_NEAR(rows[100][2], -6.0206, 1e-3);
  EXPECT_NEAR(rows[100][3], 1.25, 1e-5);
}

TEST_F(fft_verb, a_constant_and_an_alternating_sign_have_their_own_amplitude) {
  std::vector<float> samples(1000);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = i % 2 == 0 ? 0.75f : -0.25f;
  write_floats("in.wav", samples);
  report({"in.wav", "--window", "rectangular", "--csv", "out.csv"});
  std::string header;
  const auto rows = csv_rows("out.csv", header);
  EXPECT_NEAR(rows.front()[1], 0.25, 1e-9);
  EXPECT_NEAR(rows.back()[1], 0.5, 1e-9);
}

/// The complex numbers behind the header of an NPY file.
std::vector<std::complex<double>> npy_values(const std::string& file, std::string& header) {
  const std::size_t length = static_cast<unsigned char>(file.at(8)) +
                             std::size_t{256} * static_cast<unsigned char>(file.at(9));
  header = file.substr(10, length);
  std::vector<std::complex<double>> values((file.size() - 10 - length) / 16);
  std::memcpy(values.data(), file.data() + 10 + length, 16 * values.size());
  return values;
}

TEST_F(fft_verb, npy_holds_the_half_spectrum_unscaled) {
  const std::vector<float> samples = cosines(97, {{0.5, 700, 1}, {0.1, 3100, 2}});
  write_floats("in.wav", samples);
  const nlohmann::json json = report({"in.wav", "--npy", "out.npy"});
  std::string header;
  const auto bins = npy_values(read_bytes(path("out.npy")), header);
  EXPECT_NE(header.find("'<c16'"), std::string::npos);
  EXPECT_NE(header.find("(49,)"), std::string::npos) << header;
  ASSERT_EQ(bins.size(), 49u);
  long double window_sum = 0;
  for (std::size_t k = 0; k < bins.size(); ++k) {
    std::complex<long double> expected = 0;
    window_sum = 0;
    for (std::size_t j = 0; j < 97; ++j) {
      const long double turn = std::numbers::pi_v<long double> * 2 / 97;
      const long double w = 0.5L - 0.5L * std::cos(turn * static_cast<long double>(j));
      window_sum += w;
      expected += w * static_cast<long double>(samples[j]) *
                  std::polar(1.0L, -turn * static_cast<long double>(j * k % 97));
    }
    EXPECT_NEAR(bins[k].real(), static_cast<double>(expected.real()), 1e-12);
    EXPECT_NEAR(bins[k].imag(), static_cast<double>(expected.imag()), 1e-12);
  }
  EXPECT_NEAR(json["scale"], static_cast<double>(2 / window_sum), 1e-12);
}

TEST_F(fft_verb, several_channels_are_averaged_in_power_and_have_no_phase) {
  const std::vector<float> left = cosines(4000, {{0.5, 1000, 0.3}});
  std::vector<float> both;
  for (const float sample : left) both.insert(both.end(), {sample, 0.0f});
  write_floats("stereo.wav", both, 2);
  const nlohmann::json mean = report({"stereo.wav", "--npy", "mean.npy", "--csv", "mean.csv"});
  EXPECT_NEAR(mean["peaks"][0]["amplitude"], 0.5 / std::sqrt(2), 1e-4);
  EXPECT_TRUE(mean["peaks"][0]["phase_radians"].is_null());
  EXPECT_TRUE(mean["channel"].is_null());
  std::string header;
  csv_rows("mean.csv", header);
  EXPECT_EQ(header, "frequency_hz,amplitude,level_dbfs");
  EXPECT_EQ(npy_values(read_bytes(path("mean.npy")), header).size(), 2 * 2001u);
  EXPECT_NE(header.find("(2, 2001)"), std::string::npos) << header;

  const nlohmann::json one = report({"stereo.wav", "--channel", "1"});
  EXPECT_NEAR(one["peaks"][0]["amplitude"], 0.5, 1e-4);
  EXPECT_NEAR(one["peaks"][0]["phase_radians"], 0.3, 0.02);
  EXPECT_EQ(report({"stereo.wav", "--channel", "2"})["peaks"].size(), 0u);
}

TEST_F(fft_verb, separation_thins_out_a_cluster) {
  write_floats("in.wav", cosines(8000, {{0.5, 1000, 0}, {0.4, 1010, 0}, {0.1, 2000, 0}}));
  EXPECT_NEAR(report({"in.wav", "--peaks", "2"})["peaks"][1]["frequency_hz"], 1010, 0.01);
  EXPECT_NEAR(report({"in.wav", "--peaks", "2", "--separation", "50"})["peaks"][1]["frequency_hz"],
              2000, 0.01);
}

TEST_F(fft_verb, plots_are_files_of_their_formats) {
  write_sine("in.wav", 4000);
  for (const char* name : {"a.png", "a.svg", "a.pdf"}) {
    const nlohmann::json json =
        report({"in.wav", "--plot", name, "--log-frequency", "--width", "640", "--height", "320",
                "--title", "T", "--min-db", "-90"});
    EXPECT_EQ(json["plot"], name);
  }
  EXPECT_EQ(read_bytes(path("a.svg")).substr(0, 5), "<?xml");
  EXPECT_EQ(read_bytes(path("a.pdf")).substr(0, 5), "%PDF-");
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_file(&image, path("a.png").c_str()), 0) << image.message;
  EXPECT_EQ(image.width, 640u);
  EXPECT_EQ(image.height, 320u);
  png_image_free(&image);
}

TEST_F(fft_verb, outputs_are_named_by_their_endings) {
  write_sine("in.wav", 2000);
  ASSERT_EQ(run({"fft", "in.wav", "-o", "a.csv", "-o", "a.npy", "-o", "a.svg", "--frequency-axis",
                 "log", "--window", "flat_top"})
                .exit_code,
            0);
  ASSERT_EQ(run({"fft", "in.wav", "--csv", "b.csv", "--npy", "b.npy", "--plot", "b.svg",
                 "--log-frequency", "--window", "flat_top", "--title", "in.wav"})
                .exit_code,
            0);
  for (const char* ending : {".csv", ".npy", ".svg"})
    EXPECT_EQ(read_bytes(path(std::string("a") + ending)),
              read_bytes(path(std::string("b") + ending)))
        << ending;
  // A sine of amplitude 1/2 reads its amplitude under every window.
  for (const char* window : {"rectangular", "hamming", "kaiser:9", "flat_top", "dpss:2.5"}) {
    const child_result result =
        run({"fft", "in.wav", "--window", window, "--peaks", "1", "--json"});
    ASSERT_EQ(result.exit_code, 0) << window << result.errors;
    const auto peak = nlohmann::json::parse(result.output)["peaks"][0];
    EXPECT_NEAR(double(peak["frequency_hz"]), 1000, 0.01) << window;
    EXPECT_NEAR(double(peak["amplitude"]), 0.5, 0.001) << window;
  }
}

TEST_F(fft_verb, every_plot_option_does_something) {
  write_sine("in.wav", 4000);
  const auto picture = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"fft", "in.wav", "--plot", "out.png"});
    EXPECT_EQ(run(flags).exit_code, 0);
    return read_bytes(path("out.png"));
  };
  const std::string plain = picture({});
  EXPECT_TRUE(plain == picture({}));
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{"--frequency-axis", "linear"},
        {"--label-peaks", "0"},
        {"--full-scale", "94dB"},
        {"--min-db", "-60"},
        {"--title", "Other"},
        {"--width", "500"},
        {"--height", "500"},
        {"--window", "rectangular"}})
    EXPECT_FALSE(picture(flags) == plain) << flags[0];
}

TEST_F(fft_verb, several_files_share_a_picture) {
  write_sine("a.wav", 4000);
  write_floats("b.wav", cosines(3000, {{0.5, 300, 0}}));
  const child_result result = run({"fft", "a.wav", "b.wav", "-o", "both.svg", "-o", "new/"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(std::filesystem::exists(path("new/a.csv")));
  for (const char* name : {"a", "b"}) {
    const std::string alone = std::string(name) + ".svg";
    ASSERT_EQ(run({"fft", std::string(name) + ".wav", "-o", alone}).exit_code, 0);
    EXPECT_LT(read_bytes(path(alone)).size(), read_bytes(path("both.svg")).size());
  }
  const child_result numbers = run({"fft", "a.wav", "b.wav", "-o", "both.csv"});
  EXPECT_EQ(numbers.exit_code, 2);
  EXPECT_NE(numbers.errors.find("--out: must be a folder where there are several files"),
            std::string::npos)
      << numbers.errors;
}

TEST_F(fft_verb, full_scale_has_a_sound_pressure_level) {
  write_sine("in.wav", 4000);
  const nlohmann::json json = report({"in.wav", "--full-scale", "120dB", "-o", "a.csv"});
  EXPECT_EQ(json["full_scale_db"], 120);
  EXPECT_NEAR(json["peaks"][0]["level_db_spl"], 113.98, 0.01);
  EXPECT_NEAR(json["peaks"][0]["level_dbfs"], -6.02, 0.01);
  std::string header;
  csv_rows("a.csv", header);
  EXPECT_EQ(header, "frequency_hz,amplitude,level_dbfs,phase_radians,level_db_spl");
  const child_result text = run({"fft", "in.wav", "--full-scale", "120dB"});
  EXPECT_NE(text.output.find(" 114.0 dB SPL "), std::string::npos) << text.output;
}

TEST_F(fft_verb, labels_of_the_picture_are_not_listed) {
  write_floats("in.wav", cosines(8000, {{0.5, 1000, 0}, {0.2, 2000, 0}, {0.1, 3000, 0}}));
  EXPECT_EQ(report({"in.wav", "--peaks", "1", "-o", "a.png"})["peaks"].size(), 1u);
  EXPECT_EQ(report({"in.wav", "--peaks", "0", "-o", "a.png"})["peaks"].size(), 0u);
}

TEST_F(fft_verb, the_shortest_sounds_work) {
  for (const std::size_t frames : {1u, 2u, 3u}) {
    write_floats("in.wav", std::vector<float>(frames, 0.5f));
    const child_result result =
        run({"fft", "in.wav", "--plot", "a.png", "--log-frequency", "--csv", "a.csv"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
  }
  write_floats("silence.wav", std::vector<float>(1000, 0.0f));
  const child_result silence = run({"fft", "silence.wav", "--plot", "a.png"});
  EXPECT_NE(silence.output.find("peaks     none: digital silence\n"), std::string::npos);
}

TEST_F(fft_verb, bad_files_are_refused_with_their_names) {
  const auto refused = [&](const std::string& name, const std::string& reason) {
    const auto before = listing();
    const child_result result =
        run({"fft", name, "--csv", path("o.csv"), "--npy", path("o.npy"), "--plot", path("o.png")});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.output, "");
    EXPECT_NE(result.errors.find(name), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find(reason), std::string::npos) << result.errors;
    EXPECT_EQ(listing(), before);
  };
  refused(path("missing.wav"), "No such file");
  refused(write("empty.wav", ""), "empty");
  refused(write("text.wav", "It was a dark and stormy night; the rain fell in torrents.\n"),
          "not recognised");
  refused(write_floats("nan.wav", {0.0f, NAN, 0.5f}), "NaN");
  refused(path(""), "directory");
  const child_result json = run({"fft", "missing.wav", "--json"});
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_NE(nlohmann::json::parse(json.output)["error"], "");
}

TEST_F(fft_verb, what_is_too_long_is_refused_by_its_limit) {
  const std::string data(2 * ((std::size_t{1} << 24) + 1), '\1');
  write("long.wav", wav_bytes{.data = data}.file());
  const child_result result = run({"fft", "long.wav"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("16777217 frames"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("16777216"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("--duration"), std::string::npos) << result.errors;
  EXPECT_LT(result.peak_kilobytes, 64 * 1024);
  EXPECT_EQ(run({"fft", "long.wav", "--n-fft", "4096"}).exit_code, 0);
  write("wide.wav", wav_bytes{.channels = 1000, .data = std::string(160'000'000, '\1')}.file());
  const child_result wide = run({"fft", "wide.wav"});
  EXPECT_EQ(wide.exit_code, 1);
  EXPECT_NE(wide.errors.find("--channel"), std::string::npos) << wide.errors;
  EXPECT_EQ(run({"fft", "wide.wav", "--channel", "7"}).exit_code, 0);
}

TEST_F(fft_verb, a_failed_output_leaves_no_other) {
  write_sine("in.wav", 4000);
  std::filesystem::create_symlink("/dev/full", path("full.png"));
  const auto before = listing();
  const child_result result =
      run({"fft", "in.wav", "--csv", "a.csv", "--npy", "a.npy", "--plot", "full.png"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("full.png"), std::string::npos) << result.errors;
  EXPECT_EQ(listing(), before);
  EXPECT_EQ(run({"fft", "in.wav", "--csv", "/dev/full"}).exit_code, 1);
}

}  // namespace
}  // namespace papilio::test
