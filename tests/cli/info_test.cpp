#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "cli/program.hpp"

namespace papilio::test {
namespace {

class info_verb : public program_test {};

TEST_F(info_verb, golden) {
  write_sine("sine.wav", 12000);
  const child_result result = run({"info", "sine.wav"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.output,
            "sine.wav\n"
            "  format    WAV (Microsoft), Signed 16 bit PCM, 8000 Hz, 1 channel\n"
            "  duration  1.500 s (12000 frames)\n");
}

TEST_F(info_verb, json_of_several_files) {
  write_sine("a.wav", 100);
  write("bad.wav", "nothing of sound");
  const child_result result = run({"info", "--json", "a.wav", "bad.wav", PAPILIO_RECORDING});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("bad.wav"), std::string::npos);
  const auto json = nlohmann::json::parse(result.output);
  ASSERT_EQ(json.size(), 3u);
  EXPECT_EQ(json[0]["frames"], 100);
  EXPECT_EQ(json[0]["rate_hz"], 8000);
  EXPECT_EQ(json[1]["file"], "bad.wav");
  EXPECT_NE(json[1]["error"], "");
  EXPECT_EQ(json[2]["frames"], 263356);
  EXPECT_EQ(json[2]["channels"], 2);
}

TEST_F(info_verb, csv_of_several_files) {
  write_sine("a.wav", 100);
  write_sine("b, \"c\".wav", 200);
  write("bad.wav", "nothing of sound");
  const child_result result = run({"info", "--report", "csv", "a.wav", "b, \"c\".wav", "bad.wav"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.output.find("file,container,encoding,bits,decoded_by,rate_hz,channels,frames,"
                               "promised_frames,duration_seconds,warnings,error\n"
                               "a.wav,"),
            0u)
      << result.output;
  EXPECT_NE(result.output.find("\n\"b, \"\"c\"\".wav\",WAV (Microsoft),Signed 16 bit PCM,16,"),
            std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("\nbad.wav,,,,,,,,,,,"), std::string::npos) << result.output;
}

// A stereo sine of 997 Hz and -23 dBFS is -23 LUFS; here one of 1 kHz in one channel, 3 dB less.
TEST_F(info_verb, loudness) {
  std::vector<std::int32_t> samples(4 * 48000);
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i] = static_cast<std::int32_t>(
        std::lround(3277 * std::sin(std::numbers::pi * static_cast<double>(i) / 24)));
  write("tone.wav", wav_bytes{.rate_hz = 48000, .data = pcm_bytes(samples, 16)}.file());
  const child_result text = run({"info", "--loudness", "tone.wav"});
  EXPECT_EQ(text.exit_code, 0) << text.errors;
  EXPECT_EQ(text.output,
            "tone.wav\n"
            "  format    WAV (Microsoft), Signed 16 bit PCM, 48000 Hz, 1 channel\n"
            "  duration  4.000 s (192000 frames)\n"
            "  loudness  -23.0 LUFS integrated, range 0.0 LU\n"
            "  highest   -23.0 LUFS momentary, -23.0 LUFS short-term\n"
            "  peak      -20.0 dBFS, true peak -20.0 dBTP\n");
  const auto json = nlohmann::json::parse(
      run({"info", "--loudness", "--channel-weights", "2", "--json", "tone.wav"}).output);
  EXPECT_NEAR(json[0]["integrated_lufs"], -20, 0.05);
  EXPECT_NEAR(json[0]["loudness_range_lu"], 0, 0.01);
  EXPECT_NEAR(json[0]["highest_momentary_lufs"], -20, 0.05);
  EXPECT_NEAR(json[0]["true_peak_dbtp"], -20, 0.05);
}

TEST_F(info_verb, loudness_of_what_has_none) {
  write_sine("short.wav", 3000);
  const child_result result = run({"info", "--loudness", "short.wav"});
  EXPECT_NE(result.output.find("loudness  none: shorter than 400 ms\n"), std::string::npos);
  const auto json =
      nlohmann::json::parse(run({"info", "--loudness", "--json", "short.wav"}).output);
  EXPECT_TRUE(json[0]["integrated_lufs"].is_null());
  EXPECT_TRUE(json[0]["loudness_range_lu"].is_null());
  write("silent.wav", wav_bytes{.data = std::string(2 * 40000, '\0')}.file());
  EXPECT_NE(run({"info", "--loudness", "silent.wav"}).output.find("-inf LUFS integrated\n"),
            std::string::npos);
  write("many.wav", wav_bytes{.channels = 9, .data = std::string(2 * 9 * 4000, '\0')}.file());
  const child_result many = run({"info", "--loudness", "many.wav"});
  EXPECT_EQ(many.exit_code, 1);
  EXPECT_NE(many.errors.find("give --channel-weights"), std::string::npos) << many.errors;
  EXPECT_EQ(
      run({"info", "--loudness", "--channel-weights", "1,1,1,1,1,1,1,1,1", "many.wav"}).errors, "");
  const child_result few = run({"info", "--loudness", "--channel-weights", "1,1", "short.wav"});
  EXPECT_NE(few.errors.find("--channel-weights: are 2, for 1 channel"), std::string::npos)
      << few.errors;
  EXPECT_EQ(run({"info", "--channel-weights", "1", "short.wav"}).exit_code, 2);
  EXPECT_EQ(run({"info", "--loudness", "--channel-weights", "x", "short.wav"}).exit_code, 2);
  const child_result slow = run({"info", "--loudness", "--raw", "s16:3999:1", "silent.wav"});
  EXPECT_NE(slow.errors.find("needs a rate of 4000"), std::string::npos) << slow.errors;
}

}  // namespace
}  // namespace papilio::test
