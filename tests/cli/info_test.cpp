#include <nlohmann/json.hpp>

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

}  // namespace
}  // namespace papilio::test
