// Pictures in a terminal, which is a pseudo-terminal here, and pictures of what is still coming.

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>

#include "cli/program.hpp"
#include "support/decoded_png.hpp"
#include "support/npy_data.hpp"

namespace papilio::test {
namespace {

constexpr const char* plain_answer = "\033[?62;22c";
constexpr const char* sixel_answer = "\033[6;20;10t\033[?62;4;22c";
constexpr const char* kitty_answer = "\033_Gi=31;OK\033\\\033[?62c";

/// A character on the screen.
struct shown {
  std::string glyph;
  rgb front, back;
};

/// Lines of characters, as sequences of colours and UTF-8 say.
std::vector<std::vector<shown>> screen_of(const std::string& text) {
  std::vector<std::vector<shown>> lines(1);
  rgb front, back;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\033') {
      unsigned red = 0, green = 0, blue = 0;
      if (std::sscanf(&text[i], "\033[38;2;%u;%u;%um", &red, &green, &blue) == 3)
        front = {static_cast<std::uint8_t>(red), static_cast<std::uint8_t>(green),
                 static_cast<std::uint8_t>(blue)};
      if (std::sscanf(&text[i], "\033[48;2;%u;%u;%um", &red, &green, &blue) == 3)
        back = {static_cast<std::uint8_t>(red), static_cast<std::uint8_t>(green),
                static_cast<std::uint8_t>(blue)};
      while (std::isalpha(static_cast<unsigned char>(text[i])) == 0) ++i;
      ++i;
    } else if (text[i] == '\n') {
      lines.emplace_back();
      ++i;
    } else if (text[i] == '\r') {
      ++i;
    } else {
      std::size_t end = i + 1;
      while (end < text.size() && (text[end] & 0xc0) == 0x80) ++end;
      lines.back().push_back({text.substr(i, end - i), front, back});
      i = end;
    }
  }
  return lines;
}

std::string text_of(const std::vector<shown>& line) {
  std::string text;
  for (const shown& each : line) text += each.glyph;
  return text;
}

int light(const rgb& color) { return color.red + color.green + color.blue; }

class terminal_view : public program_test {
 protected:
  const char* kind_ = "xterm-256color";

  child_result show(std::vector<std::string> arguments, terminal_options terminal,
                    child_options options = {}) const {
    arguments.insert(arguments.begin(), "spectrogram");
    ::setenv("TERM", kind_, 1);
    options.terminal = std::move(terminal);
    return run(std::move(arguments), std::move(options));
  }

  decoded_png picture(const std::string& name) const {
    const std::string bytes = read_bytes(path(name));
    return decode_png(std::as_bytes(std::span(bytes)));
  }
};

TEST_F(terminal_view, half_blocks_show_a_tone_at_its_label) {
  write_sine("a.wav", 16000);  // 1 kHz of 4
  const child_result result = show({"a.wav", "--terminal", "--frequency-axis", "linear"},
                                   {.columns = 80, .rows = 28, .answer = plain_answer});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(listing(), std::vector<std::string>{"a.wav"});
  // What it asks first is no part of the picture.
  const auto screen = screen_of(result.output.substr(result.output.find("\033[c") + 3));
  ASSERT_GE(screen.size(), 24u);
  for (std::size_t row = 0; row < 24; ++row) EXPECT_EQ(screen[row].size(), 80u) << row;
  EXPECT_NE(text_of(screen[0]).find("a.wav"), std::string::npos);
  EXPECT_NE(text_of(screen[23]).find("Time (s)"), std::string::npos);
  EXPECT_NE(text_of(screen[23]).find("dBFS"), std::string::npos);
  // The plot is rows 1 to 21, 42 pixels high.
  std::size_t lightest = 0, label = 0;
  const auto pixel = [&](std::size_t y) {
    const shown& at = screen[1 + y / 2][40];
    return y % 2 == 0 ? at.front : at.back;
  };
  for (std::size_t y = 0; y < 42; ++y)
    if (light(pixel(y)) > light(pixel(lightest))) lightest = y;
  EXPECT_NEAR(static_cast<double>(lightest), 42 * 0.75, 1.5);
  for (std::size_t row = 1; row < 22; ++row)
    if (text_of(screen[row]).starts_with("    1.0 ") ||
        text_of(screen[row]).starts_with("      1 "))
      label = row;
  EXPECT_NEAR(static_cast<double>(label), 1 + static_cast<double>(lightest) / 2, 1);
}

// The picture and what is said below it, warnings too, leave a line for the prompt.
TEST_F(terminal_view, picture_and_report_fit_the_terminal) {
  write_sine("a.wav", 16000);
  const std::string long_name = "much_" + std::string(90, 'x') + "_\u4e2d\u6587.wav";
  write_sine(long_name, 100);  // is shorter than a window, which is warned of
  for (const std::string& name : {std::string("a.wav"), long_name})
    for (const auto& [columns, rows] : {std::pair<unsigned short, unsigned short>{80, 24},
                                        {110, 32},
                                        {200, 50},
                                        {30, 12},
                                        {30, 10},
                                        {80, 11}})
      for (const bool writes : {false, true}) {
        SCOPED_TRACE(testing::Message() << name << ' ' << columns << ' ' << rows << writes);
        std::vector<std::string> flags{name, "--terminal"};
        if (writes) flags.insert(flags.end(), {"-o", "out.png"});
        const child_result result =
            show(flags, {.columns = columns, .rows = rows, .answer = plain_answer});
        ASSERT_EQ(result.exit_code, 0) << result.errors;
        std::size_t lines = 0;
        for (const auto& line :
             screen_of(result.output.substr(result.output.find("\033[c") + 3) + result.errors)) {
          lines += line.size() / (columns + 1u) + 1;
          if (!text_of(line).starts_with("papilio: ")) {
            EXPECT_LE(line.size(), columns);
          }
        }
        // The last of them is that of the prompt. A warning of many lines is shown all the same.
        if (name == "a.wav" || rows >= 24) {
          EXPECT_LE(lines, rows);
        }
        EXPECT_GE(lines + 4, std::min<std::size_t>(rows, columns * 3 / 10));
        EXPECT_EQ(result.errors.empty(), name == "a.wav");
      }
}

TEST_F(terminal_view, ends_of_axes_are_plain_numbers) {
  write_sine("a.wav", 16000);
  const child_result result = show({"a.wav", "--terminal", "--for", "music", "--duration", "1.95"},
                                   {.columns = 90, .rows = 26, .answer = plain_answer});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const auto screen = screen_of(result.output.substr(result.output.find("\033[c") + 3));
  std::string all;
  for (const auto& line : screen) all += text_of(line) + "\n";
  EXPECT_NE(all.find("     4k "), std::string::npos) << all;
  EXPECT_NE(all.find("     30 "), std::string::npos) << all;
  EXPECT_NE(all.find("1.95\n"), std::string::npos) << all;
  EXPECT_EQ(all.find("e+"), std::string::npos) << all;
}

TEST_F(terminal_view, sixels_are_the_picture) {
  write_sine("a.wav", 16000);
  const child_result result = show({"a.wav", "--terminal", "--theme", "dark", "--width", "600",
                                    "--height", "360", "-o", "a.png"},
                                   {.columns = 60, .rows = 23, .answer = sixel_answer});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const decoded_png expected = picture("a.png");
  const std::size_t begin = result.output.find("\033P0;1q\"1;1;600;360");
  ASSERT_NE(begin, std::string::npos);
  std::vector<rgb> colors(256);
  std::vector<rgb> pixels(600 * 360);
  std::size_t x = 0, top = 0, color = 0, i = begin + 18;
  const auto number = [&] {
    std::size_t value = 0;
    while (result.output[i] >= '0' && result.output[i] <= '9')
      value = 10 * value + static_cast<std::size_t>(result.output[i++] - '0');
    return value;
  };
  while (result.output[i] != '\033') {
    const char c = result.output[i++];
    std::size_t run = 1;
    if (c == '#') {
      color = number();
      if (result.output[i] != ';') continue;
      std::array<std::uint8_t, 3> channels{};
      ASSERT_EQ((++i, number()), 2u);
      for (std::uint8_t& channel : channels)
        channel = static_cast<std::uint8_t>(((++i, number()) * 255 + 50) / 100);
      colors[color] = {channels[0], channels[1], channels[2]};
    } else if (c == '$') {
      x = 0;
    } else if (c == '-') {
      x = 0;
      top += 6;
    } else {
      char sixel = c;
      if (c == '!') {
        run = number();
        sixel = result.output[i++];
      }
      for (; run > 0; --run, ++x)
        for (std::size_t y = 0; y < 6; ++y)
          if (((sixel - '?') >> y & 1) != 0) {
            ASSERT_LT(x, 600u);
            ASSERT_LT(top + y, 360u);
            pixels[(top + y) * 600 + x] = colors[color];
          }
    }
  }
  for (std::size_t p = 0; p < pixels.size(); ++p) {
    // Hundredths of 255 are 2.55 apart.
    ASSERT_NEAR(pixels[p].red, expected.pixels[p].red, 2) << p;
    ASSERT_NEAR(pixels[p].green, expected.pixels[p].green, 2) << p;
    ASSERT_NEAR(pixels[p].blue, expected.pixels[p].blue, 2) << p;
  }
}

TEST_F(terminal_view, kitty_gets_the_png) {
  write_sine("a.wav", 16000);
  const child_result result = show(
      {"a.wav", "--terminal", "--theme", "dark", "--width", "600", "--height", "360", "-o",
       "a.png"},
      {.columns = 60, .rows = 23, .pixel_width = 600, .pixel_height = 460, .answer = kitty_answer});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  std::string bytes;
  unsigned bits = 0, held = 0;
  std::size_t at = result.output.find("\033_Ga=T");
  ASSERT_NE(at, std::string::npos);
  for (; at != std::string::npos; at = result.output.find("\033_G", at)) {
    at = result.output.find(';', at) + 1;
    for (; result.output[at] != '\033'; ++at) {
      const char c = result.output[at];
      if (c == '=') continue;
      const std::string_view digits =
          "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
      bits = bits << 6 | static_cast<unsigned>(digits.find(c));
      held += 6;
      if (held < 8) continue;
      held -= 8;
      bytes += static_cast<char>(bits >> held & 0xff);
    }
  }
  EXPECT_EQ(bytes, read_bytes(path("a.png")));
}

TEST_F(terminal_view, refuses_what_shows_no_picture) {
  write_sine("a.wav", 8000);
  const auto expect_reason = [&](const child_result& result, const std::string& reason) {
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.output, "");
    EXPECT_NE(result.errors.find(reason), std::string::npos) << result.errors;
    EXPECT_EQ(listing(), std::vector<std::string>{"a.wav"});
  };
  expect_reason(run({"spectrogram", "a.wav", "--terminal", "-o", "b.png"}),
                "standard output: is no terminal");
  expect_reason(show({"a.wav", "--terminal", "-o", "b.png"}, {.columns = 29, .rows = 24}),
                "the terminal has 29 x 24");
  expect_reason(show({"no_sound", "--terminal"}, {.columns = 29, .rows = 24}), "29 x 24");
  expect_reason(show({"a.wav", "--terminal", "-o", "b.png"}, {.columns = 80, .rows = 9}),
                "the terminal has 80 x 9");
  kind_ = "dumb";
  expect_reason(show({"a.wav", "--terminal", "-o", "b.png"}, {}), "TERM is dumb");
}

TEST_F(terminal_view, bad_usage) {
  write_sine("a.wav", 8000);
  const std::pair<std::vector<std::string>, std::string> bad[] = {
      {{"a.wav", "--terminal", "--json"}, "--terminal"},
      {{"a.wav", "--terminal", "-o", "-"}, "--terminal"},
      {{"a.wav", "--graphics", "sixel", "-o", "b.png"}, "--graphics"},
      {{"a.wav", "--terminal", "--graphics", "ascii"}, "--graphics"},
      {{"a.wav", "--follow", "-o", "b.png"}, "--follow"},
      {{"-", "--follow", "-o", "-"}, "--follow"},
      {{"-", "--follow", "--channels", "stacked", "-o", "b.png"}, "--follow"},
      {{"-", "a.wav", "--follow", "--compare", "stacked", "-o", "b.png"}, "--follow"}};
  for (const auto& [arguments, flag] : bad) {
    std::vector<std::string> all{"spectrogram"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const child_result result = run(all);
    EXPECT_EQ(result.exit_code, 2) << flag;
    EXPECT_NE(result.errors.find(flag), std::string::npos) << result.errors;
    EXPECT_EQ(listing(), std::vector<std::string>{"a.wav"});
  }
}

// The last second of two, cut into columns of one hop: those of the file's excerpt.
TEST_F(terminal_view, follow_draws_the_last_seconds) {
  std::vector<std::int32_t> samples;
  for (int i = 0; i < 16000; ++i)
    samples.push_back(static_cast<std::int32_t>(9000 * std::sin(i * (0.1 + i / 30000.0))));
  write("a.wav", wav_bytes{.data = pcm_bytes(samples, 16)}.file());
  const child_result live = run({"spectrogram", "-", "--follow", "--duration", "1", "-o",
                                 "live.npy", "-o", "live.png", "--range", "-120:0"},
                                {.input = read_bytes(path("a.wav"))});
  ASSERT_EQ(live.exit_code, 0) << live.errors;
  EXPECT_NE(live.output.find("excerpt   1.008 s from 0.992 s"), std::string::npos) << live.output;
  // 63 hops of 128, from 7936 on.
  ASSERT_EQ(run({"spectrogram", "a.wav", "--start", "0.992", "--padding", "reflect", "--hop", "128",
                 "-o", "file.npy", "--range", "-120:0"})
                .exit_code,
            0);
  const npy_data got = read_npy_data(path("live.npy")), expected = read_npy_data(path("file.npy"));
  ASSERT_EQ(got.extents.size(), 2u);
  ASSERT_EQ(got.extents[1], 63u);
  ASSERT_EQ(expected.extents[1], 64u);
  for (std::size_t row = 0; row < got.extents[0]; ++row)
    for (std::size_t c = 0; c < 62; ++c)  // the last holds the file's last two
      ASSERT_EQ(got.values[row * 63 + c], expected.values[row * 64 + c]) << row << ' ' << c;
  EXPECT_EQ(picture("live.png").width, 1280u);
}

TEST_F(terminal_view, follow_reads_a_named_pipe) {
  write_sine("a.wav", 20000);
  const std::vector<std::string> flags{"spectrogram", "-",           "--follow", "--duration",
                                       "1",           "--no-centre", "-o",       "pipe.npy"};
  ASSERT_EQ(run(flags, {.input = read_bytes(path("a.wav"))}).exit_code, 0);
  const child_result named = run_child(
      {"/bin/sh", "-c",
       "mkfifo f && (head -c 9001 a.wav; sleep 0.3; tail -c +9002 a.wav) > f & "
       "while [ ! -p f ]; do :; done; " +
           program_path() + " spectrogram - --follow --duration 1 --no-centre -o named.npy < f"},
      {.directory = directory.path()});
  EXPECT_EQ(named.exit_code, 0) << named.errors;
  EXPECT_EQ(read_bytes(path("named.npy")), read_bytes(path("pipe.npy")));
}

// Less than the window: what has not come is bare, and an end of input ends it.
TEST_F(terminal_view, follow_leaves_the_rest_bare) {
  write_sine("a.wav", 8000);
  ASSERT_EQ(run({"spectrogram", "-", "--follow", "--duration", "4", "-o", "live.npy"},
                {.input = read_bytes(path("a.wav"))})
                .exit_code,
            0);
  const npy_data got = read_npy_data(path("live.npy"));
  const std::size_t columns = got.extents[1];
  EXPECT_EQ(columns, 250u);  // 32000 / 128
  for (std::size_t c = 0; c < columns; ++c)
    EXPECT_EQ(std::isnan(got.values[c]), c > columns / 4) << c;
  const child_result nothing = run({"spectrogram", "-", "--follow", "-o", "b.png"}, {.input = ""});
  EXPECT_EQ(nothing.exit_code, 1);
  EXPECT_NE(nothing.errors.find("standard input"), std::string::npos) << nothing.errors;
}

TEST_F(terminal_view, an_interrupt_ends_an_endless_pipe_with_the_last_picture) {
  write_sine("a.wav", 24000);
  std::string endless = read_bytes(path("a.wav"));
  endless.replace(40, 4, "\xff\xff\xff\xff");
  const child_result result =
      show({"-", "--terminal", "--follow", "--duration", "2", "-o", "a.png"},
           {.columns = 80, .rows = 24, .answer = plain_answer},
           {.input = endless,
            .input_stays_open = true,
            .interrupt_after = "\u2580",
            .timeout_seconds = 60});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  const std::size_t hidden = result.output.find("\033[?25l"),
                    back = result.output.find("\033[?25h");
  ASSERT_NE(hidden, std::string::npos);
  ASSERT_NE(back, std::string::npos);
  EXPECT_EQ(result.output.find("\033[?25l", back), std::string::npos);
  EXPECT_EQ(picture("a.png").height, 640u);
  // Pictures after the first begin where it stood.
  EXPECT_NE(result.output.find("\033[19A\r"), std::string::npos);
  EXPECT_EQ(listing(), (std::vector<std::string>{"a.png", "a.wav"}));
}

}  // namespace
}  // namespace papilio::test
