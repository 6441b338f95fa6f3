// papilio levels: a sine of a known level, in text, JSON, tables and pictures.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "papilio/audio.hpp"
#include "papilio/signal.hpp"

namespace papilio::test {
namespace {

class levels_verb : public program_test {
 protected:
  /// Two channels at 8 kHz: a sine of 1 kHz, 6.02 dB below full scale, and silence.
  void write_tone(const std::string& name, std::size_t frames) const {
    std::vector<std::int32_t> samples;
    for (std::size_t i = 0; i < frames; ++i) {
      samples.push_back(static_cast<std::int32_t>(
          std::lround(16384 * std::sin(6.283185307179586 * static_cast<double>(i) / 8))));
      samples.push_back(0);
    }
    write(name, wav_bytes{.channels = 2, .data = pcm_bytes(samples, 16)}.file());
  }
};

constexpr double half_of_full_scale_db = -6.0206;

TEST_F(levels_verb, numbers_for_programs) {
  write_tone("a.wav", 16000);
  const child_result result =
      run({"levels", "a.wav", "--full-scale", "94dB", "--octave", "1", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const auto told = nlohmann::json::parse(result.output);
  EXPECT_EQ(told["weighting"], "A");
  EXPECT_EQ(told["unit"], "dB SPL");
  const auto& first = told["levels"][0];
  EXPECT_EQ(first["channel"], 1);
  // The weighting is within 0.1 dB at 8 kHz.
  EXPECT_NEAR(first["leq_db"].get<double>(), 94 + half_of_full_scale_db, 0.1);
  const sound read = read_sound(path("a.wav"));
  level_meter<float> meter({.rate_hz = 8000, .full_scale_db = 94}, 2);
  meter.push(read.samples.view());
  const sound_levels l = meter.levels(0);
  const std::pair<const char*, double> expected[] = {
      {"leq_db", l.leq_db}, {"lmax_db", l.max_db}, {"lmin_db", l.min_db}, {"le_db", l.exposure_db},
      {"l10_db", l.l10_db}, {"l50_db", l.l50_db},  {"l90_db", l.l90_db},  {"lpeak_db", l.peak_db}};
  for (const auto& [name, db] : expected) EXPECT_DOUBLE_EQ(first[name].get<double>(), db) << name;
  for (const char* name : {"leq_db", "lmax_db", "lmin_db", "lpeak_db"})
    EXPECT_TRUE(told["levels"][1][name].is_null()) << name;
  const auto& bands = told["bands"];
  ASSERT_EQ(bands.size(), 14u);  // 31.5 Hz to 2 kHz, of two channels
  EXPECT_EQ(bands[0]["nominal_hz"], 31.5);
  EXPECT_EQ(bands[5]["nominal_hz"], 1000);
  // The band begins at rest, for a time of 1 / 700 Hz in 2 s.
  EXPECT_NEAR(bands[5]["leq_db"].get<double>(), 94 + half_of_full_scale_db, 0.02);
  EXPECT_LT(bands[4]["leq_db"].get<double>(), 94 + half_of_full_scale_db - 16);
}

TEST_F(levels_verb, text_tables_and_pictures) {
  write_tone("a.wav", 16000);
  const child_result result =
      run({"levels", "a.wav", "--octave", "3", "--weighting", "z", "--time", "slow", "--channel",
           "1", "-o", "b.csv", "-o", "b.svg", "-o", "b.json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  for (const char* word : {"LZeq", "LZSmax", "LZE", "LCpeak", "dBFS", "1/3 octave", "1000 Hz"})
    EXPECT_NE(result.output.find(word), std::string::npos) << word << '\n' << result.output;
  const std::string table = read_bytes(path("b.csv"));
  EXPECT_EQ(table.substr(0, table.find('\n')),
            "channel,nominal_hz,low_hz,high_hz,leq_db,lmax_db,lmin_db");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 24);  // 20 Hz to 3150 Hz
  // No lowest level within five time constants of 1 s.
  const auto json = nlohmann::json::parse(read_bytes(path("b.json")));
  EXPECT_TRUE(json["rows"][17][6].is_null());
  EXPECT_EQ(json["rows"][17][1], 1000);
  EXPECT_NE(read_bytes(path("b.svg")).find("<svg"), std::string::npos);
  ASSERT_EQ(run({"levels", "a.wav", "-o", "c.csv"}).exit_code, 0);
  const std::string levels = read_bytes(path("c.csv"));
  EXPECT_EQ(levels.substr(0, levels.find('\n')),
            "channel,leq_db,lmax_db,lmin_db,le_db,l10_db,l50_db,l90_db,lpeak_db");
}

TEST_F(levels_verb, refuses) {
  write_tone("a.wav", 100);
  write("none.wav", wav_bytes{.channels = 1, .data = {}}.file());
  expect_refused({"levels", "a.wav", "--full-scale", "loud"}, 2, "--full-scale");
  expect_refused({"levels", "a.wav", "--full-scale", "94Pa"}, 2, "94Pa");
  expect_refused({"levels", "a.wav", "--weighting", "B"}, 2, "--weighting");
  expect_refused({"levels", "a.wav", "--octave", "0"}, 2, "--octave");
  expect_refused({"levels", "a.wav", "--fmin", "100"}, 2, "--octave");
  expect_refused({"levels", "a.wav", "--octave", "3", "--fmin", "200", "--fmax", "100"}, 2,
                 "--fmax: must be at least --fmin 200, got 100");
  expect_refused({"levels", "a.wav", "--octave", "3", "--fmin", "5000"}, 1,
                 "at 8000 Hz there is no band from 5000 Hz to 20000 Hz");
  expect_refused({"levels", "a.wav", "-o", "a.png"}, 2, "--octave");
  expect_refused({"levels", "a.wav", "--octave", "3", "--title", "T"}, 2, "are for pictures");
  EXPECT_EQ(run({"levels", "none.wav"}).exit_code, 1);
}

}  // namespace
}  // namespace papilio::test
