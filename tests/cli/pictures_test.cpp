// What the picture verbs offer beside the picture: presets, looks, strips, waterfalls, comparisons and
// marked peaks.

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "cli/program.hpp"

namespace papilio::test {
namespace {

class pictures : public program_test {
 protected:
  nlohmann::json json_of(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "spectrogram");
    arguments.insert(arguments.end(), {"--json", "-o", "out.png"});
    const child_result result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.exit_code == 0 ? nlohmann::json::parse(result.output)[0] : nlohmann::json();
  }

  void expect_usage(std::vector<std::string> arguments, const std::string& reason) const {
    const child_result result = run(std::move(arguments));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.errors.find(reason), std::string::npos) << result.errors;
  }
};

TEST_F(pictures, presets_set_what_flags_do_not) {
  write_sine("a.wav", 24000);  // 8 kHz
  struct expectation {
    std::string kind;
    int window, n_fft, hop;
    std::string scale;
    double low, high, range;
  };
  for (const expectation& x : {expectation{"speech", 240, 512, 20, "linear", 0, 4000, 70},
                               {"music", 744, 2048, 93, "log", 30, 4000, 80},
                               {"birds", 96, 256, 12, "linear", 1000, 4000, 60},
                               {"machines", 1600, 2048, 400, "linear", 0, 4000, 80},
                               {"hum", 8000, 16384, 500, "linear", 0, 500, 100}}) {
    SCOPED_TRACE(x.kind);
    const auto json = json_of({"a.wav", "--for", x.kind});
    EXPECT_EQ(json["n_fft"], x.n_fft);
    EXPECT_EQ(json["hop"], x.hop);
    EXPECT_EQ(json["frequency_axis"]["scale"], x.scale);
    EXPECT_EQ(json["frequency_axis"]["low_hz"], x.low);
    EXPECT_EQ(json["frequency_axis"]["high_hz"], x.high);
    EXPECT_NEAR(
        json["levels"]["high_dbfs"].get<double>() - json["levels"]["low_dbfs"].get<double>(),
        x.range, 1e-4);
  }
  const auto own = json_of({"a.wav", "--for", "birds", "--n-fft", "1024", "--hop", "100", "--fmin",
                            "0", "--fmax", "2000", "--frequency-axis", "bark", "--range", "50"});
  EXPECT_EQ(own["n_fft"], 1024);
  EXPECT_EQ(own["hop"], 100);
  EXPECT_EQ(own["frequency_axis"]["scale"], "bark");
  EXPECT_EQ(own["frequency_axis"]["low_hz"], 0.0);
  EXPECT_EQ(own["frequency_axis"]["high_hz"], 2000.0);
  // A window that is longer than --n-fft is as long as that.
  EXPECT_EQ(json_of({"a.wav", "--for", "hum", "--n-fft", "512"})["n_fft"], 512);
  expect_usage({"spectrogram", "a.wav", "--for", "cats"}, "--for");
  expect_usage({"spectrogram", "a.wav", "--for", "hum", "--preset", "torch"}, "--preset");
}

TEST_F(pictures, notes_begin_above_zero) {
  write_sine("a.wav", 24000);
  EXPECT_EQ(json_of({"a.wav", "--frequency-axis", "notes"})["frequency_axis"]["scale"], "notes");
  expect_usage({"spectrogram", "a.wav", "--frequency-axis", "notes", "--fmin", "0"}, "--fmin");
}

TEST_F(pictures, themes_and_dots_an_inch) {
  write_sine("a.wav", 24000);
  json_of({"a.wav"});
  const std::string light = read_bytes(path("out.png"));
  json_of({"a.wav", "--theme", "dark", "--dpi", "150"});
  const std::string dark = read_bytes(path("out.png"));
  EXPECT_EQ(light.find("pHYs"), std::string::npos);
  EXPECT_NE(dark.find("pHYs"), std::string::npos);
  for (const std::string verb : {"psd", "fft"}) {
    EXPECT_EQ(run({verb, "a.wav", "--theme", "dark", "-o", "plot.svg"}).exit_code, 0);
    EXPECT_NE(read_bytes(path("plot.svg")).find("rgb(7.843137%,8.235294%,"), std::string::npos);
    expect_usage({verb, "a.wav", "--theme", "dark", "-o", "plot.csv"}, "--theme");
  }
  expect_usage({"spectrogram", "a.wav", "--dpi", "7", "-o", "b.png"}, "--dpi");
}

}  // namespace
}  // namespace papilio::test
