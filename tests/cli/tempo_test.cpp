// papilio tempo: click tracks, in its tables and its report, and papilio::beat_track.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>

#include "cli/program.hpp"
#include "papilio/audio.hpp"
#include "papilio/signal.hpp"
#include "support/npy_data.hpp"

namespace papilio::test {
namespace {

using json = nlohmann::json;

class tempo_verb : public program_test {
 protected:
  /// Clicks of 5 ms of 1 kHz, `first` seconds into the file.
  void write_clicks(const std::string& name, double bpm, std::uint32_t rate_hz = 22050,
                    double seconds = 12, double first = 0.5, std::uint16_t channels = 1) const {
    std::vector<std::int32_t> samples(static_cast<std::size_t>(seconds * rate_hz));
    for (double t = first; t < seconds - 0.01; t += 60 / bpm)
      for (std::size_t i = 0; i < rate_hz / 200; ++i)
        samples[static_cast<std::size_t>(t * rate_hz) + i] = static_cast<std::int32_t>(
            20000 * std::sin(2 * std::numbers::pi * 1000 * double(i) / rate_hz));
    std::vector<std::int32_t> all;
    for (const std::int32_t v : samples) all.insert(all.end(), channels, v);
    write(name,
          wav_bytes{.channels = channels, .rate_hz = rate_hz, .data = pcm_bytes(all, 16)}.file());
  }

  json report(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "tempo");
    arguments.push_back("--json");
    const child_result result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return json::parse(result.output);
  }

  void expect_failure(std::vector<std::string> flags, int code, const std::string& named) const {
    flags.insert(flags.begin(), "tempo");
    const child_result result = run(flags);
    EXPECT_EQ(result.exit_code, code) << result.output << result.errors;
    EXPECT_EQ(result.output, "");
    EXPECT_NE(result.errors.find(named), std::string::npos) << result.errors;
  }
};

/// Beats apart from the nearest click.
void expect_on_clicks(const json& times, double bpm, double first, double within_seconds) {
  for (const json& t : times) {
    const double beat = (t.get<double>() - first) * bpm / 60;
    EXPECT_LE(std::abs(beat - std::round(beat)) * 60 / bpm, within_seconds) << t;
  }
}

TEST_F(tempo_verb, click_tracks_are_exact_at_any_rate) {
  for (const std::uint32_t rate_hz : {7400u, 22050u, 44100u, 192000u})
    for (const double bpm : {60.0, 90.0, 120.0, 174.0}) {
      if (rate_hz != 22050 && bpm != 120) continue;
      write_clicks("in.wav", bpm, rate_hz);
      const json r = report({"in.wav"});
      EXPECT_NEAR(r["tempo_bpm"].get<double>(), bpm, 0.5) << rate_hz;
      const double n_fft = r["n_fft"], hop_seconds = r["hop"].get<double>() / rate_hz;
      EXPECT_NEAR(n_fft / rate_hz, 0.093, 0.04);
      EXPECT_EQ(r["hop"], n_fft / 4);
      // A beat at either end may be too weak to be kept.
      EXPECT_NEAR(double(r["beats"].size()), std::ceil(11.5 * bpm / 60), 2)
          << bpm << ' ' << rate_hz;
      expect_on_clicks(r["beats"], bpm, 0.5, hop_seconds);
      const json onsets = report({"in.wav", "--onsets"})["onsets"];
      EXPECT_NEAR(double(onsets.size()), std::ceil(11.5 * bpm / 60), 1) << bpm;
      expect_on_clicks(onsets, bpm, 0.5, hop_seconds);
    }
}

TEST_F(tempo_verb, librosas_preset_is_the_library) {
  write_clicks("in.wav", 120, 44100);
  const sound s = read_sound(path("in.wav"));
  const double frame_rate = 44100.0 / 512;
  const array<double, 1> strength =
      onset_strength<float>(std::span<const float>(s.samples.flat()),
                            {.rate_hz = 44100, .aggregate = onset_aggregate::median});
  const beats expected = beat_track(strength.flat(), frame_rate, {.tempo = {.refine = false}});
  const json r = report({"in.wav", "--preset", "librosa", "-o", "beats.npy"});
  EXPECT_DOUBLE_EQ(r["tempo_bpm"].get<double>(), expected.bpm);
  ASSERT_EQ(r["beats"].size(), expected.segments.size());
  const npy_data table = read_npy_data(path("beats.npy"));
  ASSERT_EQ(table.extents, (std::vector<std::size_t>{expected.segments.size(), 2}));
  for (std::size_t i = 0; i < expected.segments.size(); ++i) {
    EXPECT_DOUBLE_EQ(r["beats"][i].get<double>(), double(expected.segments[i]) / frame_rate);
    EXPECT_DOUBLE_EQ(table.values[2 * i], double(expected.segments[i]) / frame_rate);
    EXPECT_EQ(float(table.values[2 * i + 1]), float(strength[expected.segments[i]]));
  }
}

// Numbers of librosa 0.11, tests/signal/reference/make_rhythm_reference.py.
TEST_F(tempo_verb, a_recordings_onsets_and_beats_are_librosas) {
  const auto numbers = [](const char* name) {
    return read_npy_data(std::string(PAPILIO_SIGNAL_DATA "/rhythm_recording_") + name + ".npy")
        .values;
  };
  const auto expect_near_all = [](const std::vector<double>& got,
                                  const std::vector<double>& expected, double tolerance) {
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], tolerance) << i;
  };
  const std::string channel = "--channel=1", librosa = "--preset=librosa";
  const json beats = report({PAPILIO_RECORDING, channel, librosa});
  std::vector<double> got = beats["beats"];
  got.insert(got.begin(), beats["tempo_bpm"].get<double>());
  expect_near_all(got, numbers("beats"), 1e-9);
  expect_near_all(report({PAPILIO_RECORDING, channel, librosa, "--onsets"})["onsets"],
                  numbers("onsets"), 1e-9);
  ASSERT_EQ(run({"features", PAPILIO_RECORDING, channel, "--onset", "-o", "onset.npy"}).exit_code,
            0);
  const npy_data table = read_npy_data(path("onset.npy"));
  const std::vector<double> expected = numbers("strength");
  ASSERT_EQ(table.extents, (std::vector<std::size_t>{expected.size(), 2}));
  // librosa's transform is in float, whose rounding bands 80 dB below the loudest show.
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(table.values[2 * i + 1], expected[i], 1e-4) << i;
}

TEST_F(tempo_verb, a_spectrogram_has_lines_at_beats) {
  write_clicks("in.wav", 120);
  const auto picture = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"spectrogram", "in.wav", "--json", "-o", "out.svg"});
    const child_result result = run(flags);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return std::pair(json::parse(result.output), read_bytes(path("out.svg")));
  };
  const auto [bare, without] = picture({"--width", "600"});
  const auto [marked, with] = picture({"--width", "600", "--beats"});
  EXPECT_FALSE(bare[0].contains("beats"));
  EXPECT_EQ(marked[0]["beats"], report({"in.wav"})["beats"]);
  const auto dashes = [](const std::string& svg) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = svg.find("stroke-dasharray", at + 1)) != std::string::npos;)
      ++count;
    return count;
  };
  EXPECT_EQ(dashes(with), dashes(without) + marked[0]["beats"].size());
  for (const auto& [flags, named] :
       {std::pair(
            std::vector<std::string>{"in.wav", "in.wav", "--compare", "difference", "--beats"},
            "--beats"),
        {{"-", "--follow", "--beats"}, "--follow"}}) {
    std::vector<std::string> all = flags;
    all.insert(all.begin(), "spectrogram");
    const child_result result = run(all);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_NE(result.errors.find(named), std::string::npos) << result.errors;
  }
}

TEST_F(tempo_verb, tables_and_reports_of_several_files) {
  write_clicks("a.wav", 90);
  write_clicks("b.wav", 120, 22050, 12, 0.5, 2);
  const child_result text = run({"tempo", "a.wav"});
  EXPECT_NE(text.output.find("tempo     90."), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("beats     1"), std::string::npos) << text.output;
  const json both = report({"a.wav", "b.wav", "-o", "out/", "--format", "csv,json"});
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[1]["table"], "out/b.csv");
  std::istringstream csv(read_bytes(path("out/b.csv")));
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line, "time_seconds,strength");
  const json table = json::parse(read_bytes(path("out/b.json")));
  for (const json& row : table["rows"]) {
    std::getline(csv, line);
    EXPECT_NEAR(std::stod(line), row[0].get<double>(), 1e-12);
  }
  EXPECT_EQ(table["rows"].size(), both[1]["beats"].size());
  const child_result printed = run({"tempo", "b.wav", "--onsets", "-o", "-", "--format", "csv"});
  EXPECT_TRUE(printed.output.starts_with("time_seconds,strength\n0.5")) << printed.output;
  EXPECT_EQ(run({"batch", ".", "-o", "made", "--what", "tempo"}).exit_code, 0);
  EXPECT_EQ(read_bytes(path("made/b.csv")), read_bytes(path("out/b.csv")));
}

TEST_F(tempo_verb, flags_are_followed) {
  write_clicks("in.wav", 120);
  EXPECT_NEAR(report({"in.wav", "--start-bpm", "40"})["tempo_bpm"].get<double>(), 60, 0.5);
  EXPECT_NEAR(report({"in.wav", "--max-bpm", "100"})["tempo_bpm"].get<double>(), 60, 0.5);
  const json given = report({"in.wav", "--bpm", "60"});
  EXPECT_EQ(given["tempo_bpm"], 60);
  EXPECT_LE(given["beats"].size(), 13u);
  EXPECT_EQ(report({"in.wav", "--hop", "100", "--n-fft", "1000"})["segments"], 2647);
  EXPECT_GE(report({"in.wav", "--no-trim"})["beats"].size(), report({"in.wav"})["beats"].size());
  const json mean = report({"in.wav", "--aggregate", "mean", "--tightness", "400"});
  EXPECT_NEAR(mean["tempo_bpm"].get<double>(), 120, 0.5);
  EXPECT_EQ(report({"in.wav", "--hop", "3000"})["warnings"].size(), 1u);
  const json late = report({"in.wav", "--start", "4.2", "--channel", "1"});
  EXPECT_GT(late["beats"][0].get<double>(), 4.2);
  expect_on_clicks(late["beats"], 120, 0.5, 0.024);
}

TEST_F(tempo_verb, silence_and_short_sounds) {
  write("silence.wav", wav_bytes{.data = pcm_bytes(std::vector<std::int32_t>(40000), 16)}.file());
  const json r = report({"silence.wav"});
  EXPECT_TRUE(r["tempo_bpm"].is_null());
  EXPECT_TRUE(r["beats"].empty());
  EXPECT_NE(run({"tempo", "silence.wav"}).output.find("none: nothing begins"), std::string::npos);
  write("one.wav", wav_bytes{.data = pcm_bytes(std::vector<std::int32_t>{1}, 16)}.file());
  expect_failure({"one.wav"}, 1, "at least 2 segments");
  write("short.wav", wav_bytes{.data = pcm_bytes(std::vector<std::int32_t>(300, 9000), 16)}.file());
  EXPECT_EQ(report({"short.wav"})["segments"], 2);
}

TEST_F(tempo_verb, refuses_what_cannot_be) {
  write_clicks("in.wav", 120);
  expect_failure({"in.wav", "--bpm", "0"}, 2, "--bpm");
  expect_failure({"in.wav", "--bpm", "90", "--onsets"}, 2, "--onsets");
  expect_failure({"in.wav", "--hop", "0"}, 2, "--hop");
  expect_failure({"in.wav", "--preset", "torch"}, 2, "--preset");
  expect_failure({"in.wav", "-o", "a.png"}, 2, "--out");
  expect_failure({"in.wav", "--hop", "100000"}, 1, "--hop");
  expect_failure({"in.wav", "--hop", "1"}, 1, "65536 segments");
  expect_failure({"in.wav", "--max-bpm", "20", "--hop", "60000"}, 1, "--max-bpm");
  expect_failure({"in.wav", "--bpm", "1000", "--hop", "2000"}, 1, "--bpm");
}

// More levels than are kept: the sound is read twice.
TEST_F(tempo_verb, memory_does_not_grow_with_the_length) {
  std::string data(std::size_t{20} * 1000 * 1000, '\0');
  for (std::size_t i = 0; i < data.size(); i += 997) data[i] = static_cast<char>(i % 251);
  write("long.wav", wav_bytes{.data = std::move(data)}.file());
  const child_result result = run({"tempo", "long.wav", "--hop", "150", "--n-fft", "256"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_LT(result.peak_kilobytes, 96 * 1024);
}

}  // namespace
}  // namespace papilio::test
