#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "papilio/io.hpp"

namespace papilio::test {
namespace {

class spectrogram_verb : public program_test {};

struct decoded {
  unsigned width = 0, height = 0;
};

decoded decode(const std::string& path) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_file(&image, path.c_str()), 0) << image.message;
  image.format = PNG_FORMAT_RGB;
  std::string pixels(PNG_IMAGE_SIZE(image), '\0');
  EXPECT_NE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr), 0) << image.message;
  return {image.width, image.height};
}

TEST_F(spectrogram_verb, reports_the_sound_and_its_peaks) {
  write_sine("sine.wav", 16000);
  const child_result result = run({"spectrogram", "sine.wav", "--width", "500", "--height", "300"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  const std::string head =
      "picture   sine.png (500 x 300)\n"
      "file      sine.wav\n"
      "format    WAV (Microsoft), Signed 16 bit PCM, 8000 Hz, 1 channel\n"
      "duration  2.000 s (16000 frames)\n"
      "analysis  356 segments, n_fft 512, hop 45, hann window, 1 channel\n"
      "axis      log, 31.25 to 4000 Hz\n"
      "levels    -86.0 to -6.0 dBFS\n"
      "peaks        1000.0 Hz    -6.0 dBFS\n";
  EXPECT_EQ(result.output.substr(0, head.size()), head) << result.output;
  const decoded picture = decode(path("sine.png"));
  EXPECT_EQ(picture.width, 500u);
  EXPECT_EQ(picture.height, 300u);
  EXPECT_EQ(listing(), (std::vector<std::string>{"sine.png", "sine.wav"}));
}

TEST_F(spectrogram_verb, long_sounds_have_half_the_segments) {
  write_sine("long.wav", 500000);  // in 300 pixels a column is more than four windows of 512 wide
  const auto hop_of = [&](std::vector<std::string> flags) {
    std::vector<std::string> arguments = {"spectrogram", "long.wav", "--json", "--out",
                                          "long.png",    "--width",  "300"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const child_result result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return nlohmann::json::parse(result.output)[0]["hop"].get<int>();
  };
  EXPECT_EQ(hop_of({}), 256);
  EXPECT_EQ(hop_of({"--window", "rectangular"}), 512);
  EXPECT_EQ(hop_of({"--duration", "10"}), 128);
  EXPECT_EQ(hop_of({"--hop", "100"}), 100);
  EXPECT_EQ(hop_of({"--preset", "librosa", "--n-fft", "512"}), 128);
  EXPECT_EQ(hop_of({"--for", "speech"}), 120);
}

TEST_F(spectrogram_verb, every_option_does_something) {
  write_sine("in.wav", 40000);
  const auto picture = [&](std::vector<std::string> flags) {
    std::vector<std::string> arguments = {"spectrogram", "in.wav", "--out", "out.png"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const child_result result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return read_bytes(path("out.png"));
  };
  const std::string plain = picture({});
  EXPECT_EQ(plain, picture({}));
  const std::vector<std::vector<std::string>> flags = {
      {"--n-fft", "1024"},         {"--hop", "100"},
      {"--window", "rectangular"}, {"--window-length", "1000"},
      {"--start", "2.5"},          {"--duration", "1"},
      {"--range", "-60:-10"},      {"--range", "50"},
      {"--width", "700"},          {"--height", "400"},
      {"--colors", "viridis"},     {"--frequency-axis", "linear"},
      {"--preset", "librosa"},     {"--no-centre"},
      {"--title", "Another"},      {"--pool", "mean", "--hop", "3"}};
  for (const auto& f : flags) EXPECT_NE(picture(f), plain) << f[0];
  EXPECT_EQ(picture({"--channel", "1"}), plain);
}

TEST_F(spectrogram_verb, both_spellings_are_taken) {
  write_sine("in.wav", 9000);
  const auto picture = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"spectrogram", "in.wav", "--out", "out.png"});
    EXPECT_EQ(run(flags).exit_code, 0) << flags.back();
    return read_bytes(path("out.png"));
  };
  EXPECT_EQ(picture({"--colors", "gray"}), picture({"--colors", "grey"}));
  EXPECT_EQ(picture({"--no-center"}), picture({"--no-centre"}));
  EXPECT_NE(picture({"--no-center"}), picture({}));
  const child_result both = run({"spectrogram", "in.wav", "--no-center", "--padding", "edge"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_NE(run({"stft", "in.wav", "--no-center", "--out", "a.npy"}).exit_code, 2);
}

// 2048 points at 44.1 kHz are 46.4 ms; elsewhere the power of two whose length is next to that.
TEST_F(spectrogram_verb, segments_follow_the_rate_unless_they_are_chosen) {
  const auto report = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"spectrogram", "in.wav", "--json", "--out", "out.png"});
    const child_result result = run(flags);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    const auto json = nlohmann::json::parse(result.output)[0];
    return std::pair<int, int>(json["n_fft"], json["hop"]);
  };
  const std::string noise = pcm_bytes(std::vector<std::int32_t>(70000, 1000), 16);
  const std::vector<std::pair<std::uint32_t, int>> expected{
      {1000, 256},   {4000, 256},   {8000, 512},   {11025, 512},  {16000, 1024},  {22050, 1024},
      {32000, 2048}, {44100, 2048}, {48000, 2048}, {96000, 4096}, {192000, 8192}, {2000000, 65536}};
  for (const auto& [rate, n_fft] : expected) {
    write("in.wav", wav_bytes{.rate_hz = rate, .data = noise}.file());
    const int hop = std::min(n_fft / 4, std::max(65, n_fft / 16));  // a column is 65 samples wide
    EXPECT_EQ(report({}), std::pair(n_fft, hop)) << rate;
  }
  write("in.wav", wav_bytes{.rate_hz = 8000, .data = noise}.file());
  EXPECT_EQ(report({"--hop", "10"}), std::pair(512, 10));
  EXPECT_EQ(report({"--n-fft", "300"}), std::pair(300, 65));
  EXPECT_EQ(report({"--window-length", "300"}), std::pair(2048, 65));
  EXPECT_EQ(report({"--preset", "librosa"}), std::pair(2048, 512));
  EXPECT_EQ(report({"--preset", "scipy"}), std::pair(256, 128));
  const auto features = nlohmann::json::parse(run({"features", "in.wav", "--json"}).output)[0];
  EXPECT_EQ(features["n_fft"], 2048);
}

TEST_F(spectrogram_verb, channels) {
  // 1 kHz on the left, nothing on the right.
  std::vector<std::int32_t> samples;
  for (int i = 0; i < 16000; ++i) {
    samples.push_back(static_cast<std::int32_t>(16384 * std::sin(i * 3.14159265358979 / 4)));
    samples.push_back(0);
  }
  write("stereo.wav", wav_bytes{.channels = 2, .data = pcm_bytes(samples, 16)}.file());
  const auto level = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"spectrogram", "stereo.wav", "-o", "a.png", "--json"});
    const auto json = nlohmann::json::parse(run(flags).output);
    return json[0]["peaks"].empty() ? -INFINITY : json[0]["peaks"][0]["level_dbfs"].get<double>();
  };
  EXPECT_NEAR(level({"--channel", "1"}), -6.02, 0.01);
  EXPECT_EQ(level({"--channel", "2"}), -INFINITY);
  EXPECT_NEAR(level({}) - level({"--channel", "1"}), -3.01, 0.01);
  const child_result third = run({"spectrogram", "stereo.wav", "-o", "a.png", "--channel", "3"});
  EXPECT_EQ(third.exit_code, 1);
  EXPECT_NE(third.errors.find("--channel 3"), std::string::npos);
}

TEST_F(spectrogram_verb, excerpts) {
  const child_result result = run({"spectrogram", PAPILIO_RECORDING, "--start", "1.5", "--duration",
                                   "2", "--json", "--out", "out.png"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output)[0];
  EXPECT_NEAR(json["excerpt"]["start_seconds"], 1.5, 1e-4);
  EXPECT_NEAR(json["excerpt"]["duration_seconds"], 2, 1e-4);
  EXPECT_EQ(json["segments"], 1 + 88200 / 128);
  const child_result beyond = run({"spectrogram", PAPILIO_RECORDING, "--start", "6"});
  EXPECT_EQ(beyond.exit_code, 1);
  EXPECT_NE(beyond.errors.find("--start"), std::string::npos);
}

TEST_F(spectrogram_verb, whole_numbers_are_decimal_and_words_of_any_case) {
  write_sine("in.wav", 9000);
  const child_result result = run({"spectrogram", "in.wav", "--n-fft", "0512", "--hop", "010",
                                   "--window", "Hann", "--range", "-80", "--colors", "GREY"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("n_fft 512, hop 10, hann window"), std::string::npos)
      << result.output;
}

TEST_F(spectrogram_verb, warns_of_what_it_does_not_look_at) {
  write_sine("in.wav", 9000);
  EXPECT_NE(run({"spectrogram", "in.wav", "--hop", "5000"}).errors.find("--hop 5000"),
            std::string::npos);
  EXPECT_NE(run({"spectrogram", "in.wav", "-o", "a.png", "--n-fft", "16384"})
                .errors.find("levels read low"),
            std::string::npos);
  EXPECT_EQ(run({"spectrogram", "in.wav", "-o", "a.png", "--hop", "512"}).errors, "");
}

TEST_F(spectrogram_verb, a_constant_is_neither_a_partial_nor_silence) {
  const std::vector<std::int32_t> samples(20000, 16384);
  write("dc.wav", wav_bytes{.data = pcm_bytes(samples, 16)}.file());
  const child_result result = run({"spectrogram", "dc.wav"});
  EXPECT_NE(result.output.find("peaks     none\n"), std::string::npos) << result.output;
}

TEST_F(spectrogram_verb, names_cannot_command_the_terminal) {
  const std::string name = "a\x1b[31m\nb.wav";
  write_sine(name, 3000);
  const child_result result = run({"spectrogram", name});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("file      a\\x1b[31m\\x0ab.wav\n"), std::string::npos)
      << result.output;
  EXPECT_EQ(result.output.find('\x1b'), std::string::npos);
}

TEST_F(spectrogram_verb, many_channels_times_a_long_transform_are_refused) {
  std::string data(20000, '\0');
  write("wide.wav", wav_bytes{.channels = 1000, .data = std::move(data)}.file());
  const child_result result = run({"spectrogram", "wide.wav", "--n-fft", "1048576"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("--n-fft 1048576"), std::string::npos) << result.errors;
  EXPECT_LT(result.peak_kilobytes, 200 * 1024);
}

TEST_F(spectrogram_verb, several_files_into_a_folder) {
  write_sine("a.wav", 1000);
  write_sine("b.wav", 1000);
  std::filesystem::create_directory(path("pictures"));
  ASSERT_EQ(run({"spectrogram", "a.wav", "b.wav", "--out", "pictures"}).exit_code, 0);
  decode(path("pictures/a.png"));
  decode(path("pictures/b.png"));
}

TEST_F(spectrogram_verb, one_reading_makes_pictures_and_numbers) {
  write_sine("a.wav", 8000);  // 1 kHz at 8 kHz
  const child_result result =
      run({"spectrogram", "a.wav", "-o", "out/a.png", "-o", "a.svg", "-o", "a.npy", "-o", "a.csv",
           "--frequency-axis", "linear", "--range", "-90:0", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  decode(path("out/a.png"));
  EXPECT_EQ(read_bytes(path("a.svg")).find("<?xml"), 0u);
  const auto levels = read_npy_as<float>(path("a.npy"));
  ASSERT_EQ(levels.rank(), 2u);
  const std::size_t rows = levels.extent(0), columns = levels.extent(1);
  const float* const middle = levels.data() + columns / 2;
  std::size_t loudest = 0;
  for (std::size_t r = 0; r < rows; ++r)
    if (middle[r * columns] > middle[loudest * columns]) loudest = r;
  // Half of full scale; from 0 to 4 kHz from the bottom up.
  EXPECT_NEAR(middle[loudest * columns], -6.02, 0.2);
  EXPECT_NEAR((double(loudest) + 0.5) / double(rows), 0.25, 0.02);
  const std::string csv = read_bytes(path("a.csv"));
  EXPECT_EQ(csv.find("frequency_hz,"), 0u);
  EXPECT_EQ(std::size_t(std::count(csv.begin(), csv.end(), '\n')), rows + 1);
  EXPECT_EQ(std::size_t(std::count(csv.begin(), csv.begin() + std::ptrdiff_t(csv.find('\n')), ',')),
            columns);
  const auto report = nlohmann::json::parse(result.output);
  EXPECT_EQ(report[0]["outputs"].size(), 4u);
}

TEST_F(spectrogram_verb, folders_are_made) {
  write_sine("a.wav", 1000);
  write_sine("b.wav", 1000);
  ASSERT_EQ(run({"spectrogram", "a.wav", "b.wav", "-o", "new/pictures"}).exit_code, 0);
  decode(path("new/pictures/a.png"));
  ASSERT_EQ(run({"spectrogram", "a.wav", "-o", "other/"}).exit_code, 0);
  decode(path("other/a.png"));
  EXPECT_EQ(run({"spectrogram", "a.wav", "b.wav", "-o", "c.png"}).exit_code, 2);
  ASSERT_EQ(run({"spectrogram", "a.wav", "b.wav", "-o", "d", "--format", "png,npy"}).exit_code, 0);
  for (const char* name : {"d/a.png", "d/a.npy", "d/b.png", "d/b.npy"})
    EXPECT_TRUE(std::filesystem::exists(path(name))) << name;
  EXPECT_EQ(run({"spectrogram", "a.wav", "-o", "f.png", "-o", "./f.png"}).exit_code, 2);
}

TEST_F(spectrogram_verb, memory_does_not_grow_with_the_length) {
  std::string data(std::size_t{60} * 1000 * 1000, '\0');
  for (std::size_t i = 0; i < data.size(); i += 997) data[i] = static_cast<char>(i % 251);
  write("long.wav", wav_bytes{.channels = 2, .rate_hz = 44100, .data = std::move(data)}.file());
  const child_result result =
      run({"spectrogram", "long.wav", "--width", "2000", "--height", "1000"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_LT(result.peak_kilobytes, 64 * 1024);
}

}  // namespace
}  // namespace papilio::test
