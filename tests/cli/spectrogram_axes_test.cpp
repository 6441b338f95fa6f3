// Pictures of the program, decoded: what is shown where, on every axis, and of every channel.

#include <png.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numbers>
#include <tuple>

#include "cli/program.hpp"
#include "papilio/render.hpp"

namespace papilio::test {
namespace {

struct decoded {
  std::size_t width = 0, height = 0;
  std::string pixels;

  rgb color(std::size_t x, std::size_t y) const {
    const auto channel = [&](std::size_t c) {
      return static_cast<std::uint8_t>(pixels[3 * (y * width + x) + c]);
    };
    return {channel(0), channel(1), channel(2)};
  }
  /// magma grows lighter with the level; the sum of red and green does so all the way.
  int level(std::size_t x, std::size_t y) const { return color(x, y).red + color(x, y).green; }
};

class spectrogram_axes : public program_test {
 protected:
  decoded decode(const std::string& name) const {
    png_image image;
    std::memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    EXPECT_NE(png_image_begin_read_from_file(&image, path(name).c_str()), 0) << image.message;
    image.format = PNG_FORMAT_RGB;
    decoded result{image.width, image.height, std::string(PNG_IMAGE_SIZE(image), '\0')};
    EXPECT_NE(png_image_finish_read(&image, nullptr, result.pixels.data(), 0, nullptr), 0);
    return result;
  }

  /// The loudest row of a column of the plot, as a place from 0 (below) to 1.
  static double loudest_place(const decoded& picture, const plot_extent& e, std::size_t x) {
    std::size_t best = 0;
    for (std::size_t up = 0; up < e.height; ++up)
      if (picture.level(x, e.top + e.height - 1 - up) >
          picture.level(x, e.top + e.height - 1 - best))
        best = up;
    return (static_cast<double>(best) + 0.5) / static_cast<double>(e.height);
  }
};

// 100 bursts of 5 ms in 10 minutes of silence: each is seen, whatever the axis.
TEST_F(spectrogram_axes, every_burst_is_seen) {
  constexpr std::size_t rate = 8000;
  std::vector<std::int32_t> samples(600 * rate);
  for (std::size_t burst = 0; burst < 100; ++burst)
    for (std::size_t i = 0; i < rate / 200; ++i)
      samples[burst * 6 * rate + 3 * rate + i] = static_cast<std::int32_t>(
          16384 * std::sin(2 * std::numbers::pi * 1000 / rate * static_cast<double>(i)));
  write("bursts.wav", wav_bytes{.data = pcm_bytes(samples, 16)}.file());
  for (const std::string axis : {"linear", "log", "mel"}) {
    const child_result result = run({"spectrogram", "bursts.wav", "--frequency-axis", axis,
                                     "--width", "1000", "--height", "300", "--out", "out.png"});
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    const decoded picture = decode("out.png");
    const plot_extent e = spectrogram_plot_extent(1000, 300);
    const int silent = picture.level(e.left, e.top);
    std::size_t seen = 0;
    bool inside = false;
    for (std::size_t x = e.left; x < e.left + e.width; ++x) {
      bool lit = false;
      for (std::size_t y = e.top; y < e.top + e.height; ++y)
        lit |= picture.level(x, y) > silent + 20;
      seen += lit && !inside;
      inside = lit;
    }
    EXPECT_EQ(seen, 100u) << axis;
  }
}

TEST_F(spectrogram_axes, a_tone_stands_at_its_frequency) {
  write_sine("in.wav", 20000);  // 1 kHz at 8 kHz
  const double top = 15 + 27 * std::log(4.0) / std::log(6.4);
  struct expectation {
    std::vector<std::string> flags;
    double place;
  };
  const std::vector<expectation> all{
      {{"--frequency-axis", "linear"}, 0.25},
      {{"--fmin", "500", "--fmax", "1500", "--frequency-axis", "linear"}, 0.5},
      {{}, std::log(1000 / 31.25) / std::log(4000 / 31.25)},
      {{"--n-fft", "2048"}, std::log(50) / std::log(200)},
      {{"--n-fft", "128"}, std::log(20) / std::log(80)},
      {{"--fmin", "250"}, 0.5},
      {{"--frequency-axis", "mel"}, 15 / top},
      {{"--frequency-axis", "mel", "--n-fft", "256"}, 15 / top}};
  const plot_extent e = spectrogram_plot_extent(400, 500);
  for (const expectation& x : all) {
    std::vector<std::string> arguments{"spectrogram", "in.wav", "--out",    "out.png",
                                       "--width",     "400",    "--height", "500"};
    arguments.insert(arguments.end(), x.flags.begin(), x.flags.end());
    ASSERT_EQ(run(arguments).exit_code, 0);
    EXPECT_NEAR(loudest_place(decode("out.png"), e, e.left + e.width / 2), x.place, 0.006)
        << x.place;
  }
}

TEST_F(spectrogram_axes, stacked_channels_show_each_its_own) {
  std::vector<std::int32_t> samples;
  for (int i = 0; i < 16000; ++i) {
    samples.push_back(static_cast<std::int32_t>(16384 * std::sin(i * std::numbers::pi / 4)));
    samples.push_back(static_cast<std::int32_t>(16384 * std::sin(i * std::numbers::pi / 2)));
  }
  write("two.wav", wav_bytes{.channels = 2, .data = pcm_bytes(samples, 16)}.file());
  const child_result result =
      run({"spectrogram", "two.wav", "--channels", "stacked", "--width", "500", "--height", "400",
           "--json", "--out", "out.png", "--frequency-axis", "linear"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output)[0];
  EXPECT_EQ(json["stacked"], true);
  EXPECT_EQ(json["frequency_axis"]["scale"], "linear");
  EXPECT_EQ(json["frequency_axis"]["high_hz"], 4000.0);
  EXPECT_NEAR(json["peaks"][0]["level_dbfs"], -9.03, 0.02);  // mean of one channel in two
  const decoded picture = decode("out.png");
  const auto panels = spectrogram_panel_extents(500, 400, 2);
  EXPECT_NEAR(loudest_place(picture, panels[0], 200), 0.25, 0.01);
  EXPECT_NEAR(loudest_place(picture, panels[1], 200), 0.5, 0.01);
}

// A tone 20 dB quieter is the same picture where levels are below the maximum, and another where
// they are absolute.
TEST_F(spectrogram_axes, levels_end_at_the_pictures_maximum) {
  constexpr std::size_t rows = 300;
  const plot_extent e = spectrogram_plot_extent(400, rows);
  const auto draw = [&](double amplitude, const std::string& range) {
    std::vector<std::int32_t> samples;
    for (int i = 0; i < 16000; ++i)
      samples.push_back(
          static_cast<std::int32_t>(std::lround(amplitude * std::sin(i * std::numbers::pi / 4))));
    write("in.wav", wav_bytes{.data = pcm_bytes(samples, 16)}.file());
    const child_result result =
        run({"spectrogram", "in.wav", "--range", range, "--width", "400", "--height",
             std::to_string(rows), "--json", "--out", "out.png", "--frequency-axis", "linear"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    const decoded picture = decode("out.png");
    const auto levels = nlohmann::json::parse(result.output)[0]["levels"];
    // Row 0.25 of the plot, which holds the tone.
    const std::size_t y = e.top + e.height - 1 - e.height / 4;
    return std::tuple(levels["low_dbfs"].get<double>(), levels["high_dbfs"].get<double>(),
                      picture.color(e.left + e.width / 2, y));
  };
  const double loud = 20 * std::log10(16384 / 32768.0);
  const rgb lightest = color_at(color_map::magma, 1);
  for (const double amplitude : {16384.0, 1638.4}) {
    const double maximum = loud + 20 * std::log10(amplitude / 16384);
    const auto [low, high, color] = draw(amplitude, "40");
    EXPECT_NEAR(high, maximum, 0.02);  // the segments at the ends hold less of a sine
    EXPECT_NEAR(low, high - 40, 1e-3);
    EXPECT_EQ(color, lightest);
    const auto [floor, ceiling, absolute] = draw(amplitude, "-60:0");
    EXPECT_EQ(floor, -60);
    EXPECT_EQ(ceiling, 0);
    const double step = std::floor((maximum + 60) / 60 * 224) / 223;
    EXPECT_NEAR(absolute.red, color_at(color_map::magma, step).red, 2);
    EXPECT_NEAR(absolute.green, color_at(color_map::magma, step).green, 2);
  }
  const auto [low, high, color] = draw(0, "80");
  EXPECT_EQ(low, -80);
  EXPECT_EQ(high, 0);
  EXPECT_EQ(color, color_at(color_map::magma, 0));
}

TEST_F(spectrogram_axes, svg_and_pdf) {
  write_sine("in.wav", 9000);
  ASSERT_EQ(run({"spectrogram", "in.wav", "--out", "a.svg"}).exit_code, 0);
  ASSERT_EQ(run({"spectrogram", "in.wav", "--out", "a.PDF"}).exit_code, 0);
  EXPECT_EQ(read_bytes(path("a.svg")).substr(0, 5), "<?xml");
  EXPECT_EQ(read_bytes(path("a.PDF")).substr(0, 5), "%PDF-");
}

TEST_F(spectrogram_axes, what_a_file_cannot_show_is_its_fault) {
  write_sine("in.wav", 9000);
  const auto refused = [&](std::vector<std::string> flags, const std::string& named) {
    flags.insert(flags.begin(), {"spectrogram", "in.wav"});
    const child_result result = run(flags);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.errors.find("in.wav: " + named), std::string::npos) << result.errors;
  };
  refused({"--fmax", "4001"}, "--fmax 4001");
  refused({"--fmin", "4000"}, "--fmin 4000");
  write("in.wav", wav_bytes{.channels = 30, .data = std::string(60000, '\1')}.file());
  refused({"--channels", "stacked"}, "--channels stacked");
  EXPECT_EQ(listing(), std::vector<std::string>{"in.wav"});
}

}  // namespace
}  // namespace papilio::test
