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

}  // namespace
}  // namespace papilio::test
