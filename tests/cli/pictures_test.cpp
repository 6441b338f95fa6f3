// What the picture verbs offer beside the picture: presets, looks, strips, waterfalls, comparisons and
// marked peaks.

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "cli/program.hpp"
#include "papilio/render.hpp"
#include "support/decoded_png.hpp"
#include "support/npy_data.hpp"

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
  write_sine("a.wav", 24000);  // 8 kHz; a column is 22 samples wide
  struct expectation {
    std::string kind;
    int window, n_fft, hop;
    std::string scale;
    double low, high, range;
  };
  for (const expectation& x : {expectation{"speech", 240, 512, 20, "linear", 0, 4000, 70},
                               {"music", 744, 2048, 47, "log", 30, 4000, 80},
                               {"birds", 96, 256, 12, "linear", 1000, 4000, 60},
                               {"machines", 1600, 2048, 100, "linear", 0, 4000, 80},
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

TEST_F(pictures, a_waterfall_has_frequencies_to_the_right) {
  write_sine("a.wav", 24000);  // 1 kHz of 4
  json_of({"a.wav", "--waterfall", "--frequency-axis", "linear", "--width", "700"});
  const std::string bytes = read_bytes(path("out.png"));
  const decoded_png p = decode_png(std::as_bytes(std::span(bytes)));
  const plot_extent e = spectrogram_plot_extent(700, 640);
  std::size_t lightest = 0;
  const auto light = [&](std::size_t x) {
    const rgb& color = p.at(e.left + x, e.top + e.height / 2);
    return color.red + color.green + color.blue;
  };
  for (std::size_t x = 0; x < e.width; ++x)
    if (light(x) > light(lightest)) lightest = x;
  EXPECT_NEAR(static_cast<double>(lightest), 0.25 * static_cast<double>(e.width), 4);
}

TEST_F(pictures, strips_and_marks_are_drawn) {
  write_sine("a.wav", 24000);
  json_of({"a.wav"});
  const std::string bare = read_bytes(path("out.png"));
  std::set<std::string> all{bare};
  for (const std::vector<std::string>& flags : {std::vector<std::string>{"--strip", "level"},
                                                {"--strip", "waveform"},
                                                {"--peaks", "1"},
                                                {"--overlay", "f0"},
                                                {"--overlay", "f0", "--waterfall"}}) {
    std::vector<std::string> arguments{"a.wav"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    json_of(arguments);
    EXPECT_TRUE(all.insert(read_bytes(path("out.png"))).second) << flags[1];
  }
  expect_usage({"spectrogram", "a.wav", "--strip", "level", "--waterfall"}, "--strip");
  expect_usage({"spectrogram", "a.wav", "--peaks", "101"}, "--peaks");
  expect_usage({"spectrogram", "a.wav", "--overlay", "f1"}, "--overlay");
  expect_usage({"spectrogram", "-", "--overlay", "f0", "--terminal", "--follow"}, "--overlay");
  write("low.wav", wav_bytes{.rate_hz = 100, .data = std::string(2000, '\0')}.file());
  const child_result low = run({"spectrogram", "low.wav", "--overlay", "f0"});
  EXPECT_EQ(low.exit_code, 1);
  EXPECT_NE(low.errors.find("--overlay f0"), std::string::npos) << low.errors;
}

TEST_F(pictures, side_lobes_of_a_padded_window_are_no_partials) {
  std::vector<std::int32_t> samples;
  for (int i = 0; i < 24000; ++i)
    samples.push_back(static_cast<std::int32_t>(std::lround(
        16000 * std::sin(2 * M_PI * 1000 * i / 8000) + 16 * std::sin(2 * M_PI * 1500 * i / 8000))));
  write("a.wav", wav_bytes{.data = pcm_bytes(samples, 16)}.file());
  const auto peaks = json_of({"a.wav", "--for", "music"})["peaks"];
  ASSERT_GE(peaks.size(), 2u);
  EXPECT_NEAR(peaks[0]["frequency_hz"].get<double>(), 1000, 0.5);
  EXPECT_NEAR(peaks[1]["frequency_hz"].get<double>(), 1500, 0.5);
  // The loud tone's lobes are 46 dB below the quiet one there, which is 0.2 dB with the sums of 16 bits.
  EXPECT_NEAR(peaks[1]["level_dbfs"].get<double>(), 20 * std::log10(16 / 32768.0), 0.3);
}

/// A tone of half the amplitude, for half the time, beside write_sine's.
std::string quieter(const std::string& wav, std::size_t frames) {
  std::vector<std::int32_t> samples(frames);
  for (std::size_t i = 0; i < frames; ++i) {
    const auto low = static_cast<unsigned char>(wav[44 + 2 * i]);
    const auto high = static_cast<signed char>(wav[45 + 2 * i]);
    samples[i] = (high * 256 + low) / 2;
  }
  return wav_bytes{.data = pcm_bytes(samples, 16)}.file();
}

TEST_F(pictures, a_difference_is_the_second_less_the_first) {
  write_sine("a.wav", 24000);
  write("b.wav", quieter(read_bytes(path("a.wav")), 12000));
  const child_result result = run({"spectrogram", "a.wav", "b.wav", "--compare", "difference", "-o",
                                   "d.npy", "-o", "d.png", "--frequency-axis", "linear"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("compared  difference with b.wav, 1.500 s"), std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("levels    -24.0 to 24.0 dB\n"), std::string::npos);
  const npy_data d = read_npy_data(path("d.npy"));
  ASSERT_EQ(d.extents.size(), 2u);
  const std::size_t row = d.extents[0] / 4, columns = d.extents[1];
  for (std::size_t c = 8; c < columns - 8; ++c)
    // Halves are rounded to 16 bits.
    EXPECT_NEAR(d.values[row * columns + c], -20 * std::log10(2), 0.01);
  // 80 dB below the tone there is nothing to compare.
  for (std::size_t c = 8; c < columns - 8; ++c)
    EXPECT_EQ(d.values[(d.extents[0] - 2) * columns + c], 0) << c;
}

TEST_F(pictures, two_files_share_the_longer_time) {
  write_sine("a.wav", 24000);
  write("b.wav", quieter(read_bytes(path("a.wav")), 12000));
  for (const std::string kind : {"side-by-side", "stacked"}) {
    ASSERT_EQ(run({"spectrogram", "b.wav", "a.wav", "--compare", kind, "-o", "c.npy", "-o", "c.png",
                   "-o", "c.csv"})
                  .exit_code,
              0);
    const npy_data both = read_npy_data(path("c.npy"));
    ASSERT_EQ(both.extents.size(), 3u);
    EXPECT_EQ(both.extents[0], 2u);
    const std::size_t columns = both.extents[2], size = both.extents[1] * columns;
    for (std::size_t c = 0; c < columns; ++c) {
      // A segment may be centred at the very end.
      const bool is_middle = 2 * c + 1 == columns;
      EXPECT_EQ(!is_middle && std::isnan(both.values[c]), !is_middle && c >= columns / 2) << c;
      EXPECT_FALSE(std::isnan(both.values[size + c]));
    }
    EXPECT_EQ(read_bytes(path("c.csv")).rfind("file,frequency_hz,", 0), 0u);
  }
}

TEST_F(pictures, comparisons_are_of_two_files_of_one_rate) {
  write_sine("a.wav", 8000);
  std::string other = read_bytes(path("a.wav"));
  other.replace(24, 4, std::string("\x44\xac\0\0", 4));  // 44.1 kHz
  write("b.wav", other);
  const auto before = listing();
  const child_result result =
      run({"spectrogram", "a.wav", "b.wav", "--compare", "difference", "-o", "c.png"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("b.wav: --compare: its rate is 44100 Hz, that of a.wav is 8000 Hz"),
            std::string::npos)
      << result.errors;
  expect_usage({"spectrogram", "a.wav", "--compare", "stacked"}, "--compare: takes two files");
  expect_usage({"spectrogram", "-", "-", "--compare", "stacked"}, "--compare");
  expect_usage({"spectrogram", "a.wav", "b.wav", "--compare", "stacked", "-o", "b.wav"}, "--out");
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--channels", "stacked"},
                                               {"--strip", "level"},
                                               {"--overlay", "f0"},
                                               {"--peaks", "2"}}) {
    std::vector<std::string> arguments{"spectrogram", "a.wav", "b.wav", "--compare", "stacked"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_usage(arguments, more[0]);
  }
  EXPECT_EQ(listing(), before);
}

}  // namespace
}  // namespace papilio::test
