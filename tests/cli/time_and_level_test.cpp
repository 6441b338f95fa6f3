// Where the verbs place sound in time, and the levels that they give it, whatever its scale.

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>

#include "cli/program.hpp"
#include "support/npy_data.hpp"

namespace papilio::test {
namespace {

constexpr std::uint32_t rate_hz = 8000;

struct tone_of {
  long double hz, amplitude;
};

class time_and_level : public program_test {
 protected:
  void write_floats(const std::string& name, const std::vector<float>& samples) const {
    write(name,
          wav_bytes{.format_tag = 3, .rate_hz = rate_hz, .bits = 32, .data = float_bytes(samples)}
              .file());
  }
  void write_tones(const std::string& name, std::size_t frames, std::vector<tone_of> tones,
                   long double constant = 0) const {
    std::vector<float> samples(frames);
    for (std::size_t i = 0; i < frames; ++i) {
      long double sum = constant;
      for (const tone_of& t : tones)
        sum += t.amplitude * std::sin(2 * std::numbers::pi_v<long double> * t.hz *
                                      static_cast<long double>(i) / rate_hz);
      samples[i] = static_cast<float>(sum);
    }
    write_floats(name, samples);
  }
  nlohmann::json report(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    const child_result result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    nlohmann::json json = nlohmann::json::parse(result.output);
    return json.is_array() ? json[0] : json;
  }
  std::vector<std::vector<double>> csv(const std::string& name,
                                       std::vector<std::string>* head = {}) {
    std::istringstream lines(read_bytes(path(name)));
    std::vector<std::vector<double>> rows;
    std::string line, field;
    for (bool first = true; std::getline(lines, line); first = false) {
      std::istringstream fields(line);
      if (!first) rows.emplace_back();
      while (std::getline(fields, field, ','))
        if (!first)
          rows.back().push_back(std::stod(field));
        else if (head != nullptr)
          head->push_back(field);
    }
    return rows;
  }
  std::vector<double> peaks_hz(const nlohmann::json& json) const {
    std::vector<double> hz;
    for (const auto& peak : json["peaks"]) hz.push_back(peak["frequency_hz"]);
    return hz;
  }
};

TEST_F(time_and_level, successive_excerpts_meet) {
  write("a.wav", wav_bytes{.rate_hz = 44100, .data = std::string(2 * 44100, '\1')}.file());
  std::uint64_t end = 0;
  for (const char* start : {"0", "0.035", "0.07", "0.105", "0.14"}) {
    const auto json =
        report({"psd", "a.wav", "--start", start, "--duration", "0.035", "--segment-length", "64"});
    const auto first = std::uint64_t(std::lround(44100 * double(json["excerpt"]["start_seconds"])));
    EXPECT_EQ(first, end) << start;
    end = first + std::uint64_t(std::lround(44100 * double(json["excerpt"]["duration_seconds"])));
  }
  EXPECT_EQ(end, 7718u);  // 0.175 s are 7717.5 frames
  const auto json = report({"psd", "a.wav", "--start", "0.57", "--duration", "0.1"});
  EXPECT_DOUBLE_EQ(json["excerpt"]["start_seconds"], 25137.0 / 44100);
}

TEST_F(time_and_level, a_segment_is_shown_at_its_centre) {
  std::vector<float> samples(4 * rate_hz);
  const std::size_t pips[] = {8200, 16200, 24200};
  for (const std::size_t pip : pips)
    for (std::size_t i = 0; i < 200; ++i)
      samples[pip - 100 + i] = static_cast<float>(std::sin(std::numbers::pi / 2 * double(i)));
  write_floats("a.wav", samples);
  // Fewer segments than columns, and more.
  for (const auto& [n_fft, hop] : {std::pair{4096, 512}, {4096, 1000}, {256, 16}, {255, 60}})
    for (const bool centred : {true, false}) {
      SCOPED_TRACE(std::to_string(n_fft) + ", hop " + std::to_string(hop));
      std::vector<std::string> flags = {"--n-fft", std::to_string(n_fft), "--hop",
                                        std::to_string(hop)};
      if (!centred) flags.emplace_back("--no-centre");
      std::vector<std::string> arguments = {
          "spectrogram",      "a.wav", "-o", "a.csv", "-o", "a.npy", "--width", "800",
          "--frequency-axis", "linear"};
      arguments.insert(arguments.end(), flags.begin(), flags.end());
      const auto json = report(arguments);
      std::vector<std::string> times;
      const auto rows = csv("a.csv", &times);
      const std::size_t columns = times.size() - 1;
      ASSERT_EQ(json["columns"]["count"], columns);
      EXPECT_EQ(read_npy_data(path("a.npy")).extents,
                (std::vector<std::size_t>{rows.size(), columns}));
      const double first = json["columns"]["first_seconds"], step = json["columns"]["step_seconds"];
      for (std::size_t c = 0; c < columns; ++c)
        ASSERT_NEAR(std::stod(times[c + 1]), first + double(c) * step, 1e-9);
      const bool is_each = int(json["segments"]) < 600;
      if (is_each) {
        EXPECT_EQ(json["segments"], columns);
        EXPECT_DOUBLE_EQ(first, centred ? 0 : n_fft / 2.0 / rate_hz);
        EXPECT_DOUBLE_EQ(step, double(hop) / rate_hz);
      }
      const double half_seconds = std::max(step, double(hop) / rate_hz) / 2;
      for (const std::size_t pip : pips) {
        const double at = double(pip) / rate_hz;
        // The middle of the highest levels of the row of 2 kHz.
        double highest = -1000, sum = 0, count = 0;
        for (int pass = 0; pass < 2; ++pass)
          for (std::size_t c = 0; c < columns; ++c) {
            const double seconds = std::stod(times[c + 1]), level = rows[rows.size() / 2][c + 1];
            if (std::abs(seconds - at) > 0.4) continue;
            highest = std::max(highest, level);
            if (pass == 0 || level < highest - 1) continue;
            sum += seconds;
            ++count;
          }
        EXPECT_NEAR(sum / count, at, half_seconds + 0.001);
      }
      arguments[0] = "features";
      if (!is_each) continue;
      flags.insert(flags.begin(), {"features", "a.wav", "--rms", "-o", "f.csv"});
      ASSERT_EQ(run(flags).exit_code, 0);
      const auto of_features = csv("f.csv");
      ASSERT_EQ(of_features.size(), columns);
      for (std::size_t c = 0; c < columns; ++c)
        EXPECT_NEAR(of_features[c][0], std::stod(times[c + 1]), 1e-9);
    }
}

TEST_F(time_and_level, levels_are_right_at_every_scale) {
  for (const int e : {-38, -30, -21, -10, 10, 19, 25, 38}) {
    SCOPED_TRACE("1e" + std::to_string(e));
    const long double a = std::pow(10.0L, e);
    // On bins of 512 points.
    write_tones("a.wav", 8192, {{1000, a}, {2500, a / 1000}});
    const double high = 20.0 * e, low = 20.0 * e - 60;

    const auto picture = report({"spectrogram", "a.wav", "-o", "a.png", "--n-fft", "512"});
    ASSERT_GE(picture["peaks"].size(), 2u);
    EXPECT_NEAR(picture["peaks"][0]["level_dbfs"], high, 0.01);
    EXPECT_NEAR(picture["peaks"][1]["level_dbfs"], low, 0.02);
    EXPECT_NEAR(picture["levels"]["high_dbfs"], high, 0.1);

    report({"stft", "a.wav", "-o", "a.npy", "--n-fft", "512", "--hop", "512", "--form", "db",
            "--scaling", "dbfs", "--floor", "-1000"});
    const npy_data levels = read_npy_data(path("a.npy"));
    EXPECT_NEAR(levels.values[8 * 257 + 64], high, 0.01);
    EXPECT_NEAR(levels.values[8 * 257 + 160], low, 0.02);

    for (const char* form : {"complex", "magnitude", "power"}) {
      const child_result result = run({"stft", "a.wav", "-o", "b.npy", "--n-fft", "512", "--hop",
                                       "512", "--form", form, "--scaling", "dbfs"});
      if (std::string(form) == "power" && e > 19) {
        EXPECT_EQ(result.exit_code, 1);
        EXPECT_NE(result.errors.find("--form db"), std::string::npos) << result.errors;
        EXPECT_FALSE(std::filesystem::exists(path("b.npy")));
        continue;
      }
      ASSERT_EQ(result.exit_code, 0) << result.errors;
      const bool vanishes = std::string(form) == "power" && e < -21;
      EXPECT_EQ(result.errors.find("below a float's least") != std::string::npos, vanishes)
          << result.errors;
      if (std::string(form) == "magnitude") {
        const double value = read_npy_data(path("b.npy")).values[8 * 257 + 64];
        EXPECT_NEAR(value / double(a), 1, 1e-4);
      }
      std::filesystem::remove(path("b.npy"));
    }

    for (const char* average : {"mean", "median"}) {
      report({"psd", "a.wav", "-o", "p.npy", "--segment-length", "512", "--average", average,
              "--scaling", "spectrum"});
      const npy_data density = read_npy_data(path("p.npy"));
      // The same in all segments, of which a median takes off what it does of noise: 15 of 31.
      double bias = 1;
      for (int i = 1; i <= 15; ++i) bias += 1.0 / (2 * i + 1) - 1.0 / (2 * i);
      if (std::string(average) == "mean") bias = 1;
      EXPECT_NEAR(density.values[64] * bias / double(a) / double(a), 0.5, 1e-3);
      EXPECT_NEAR(density.values[160] * bias / double(a) / double(a), 0.5e-6, 1e-9);
    }

    ASSERT_EQ(
        run({"features", "a.wav", "-o", "f.csv", "--rms", "--mel", "--n-fft", "512"}).exit_code, 0);
    EXPECT_EQ(read_bytes(path("f.csv")).find("inf"), std::string::npos);
    const auto rows = csv("f.csv");
    EXPECT_NEAR(rows[10][1] / double(a), std::sqrt(0.5), 1e-4);
    EXPECT_NE(*std::max_element(rows[10].begin() + 2, rows[10].end()), 0);
    if (e <= 19) continue;
    const child_result beyond = run({"features", "a.wav", "-o", "f.npy", "--mel", "--no-time"});
    EXPECT_EQ(beyond.exit_code, 1);
    EXPECT_NE(beyond.errors.find("f.npy"), std::string::npos) << beyond.errors;
    EXPECT_FALSE(std::filesystem::exists(path("f.npy")));
  }
}

TEST_F(time_and_level, loud_and_quiet_parts_of_one_sound) {
  std::vector<float> samples(3 * rate_hz);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double scale = i < rate_hz ? 1e-25 : i < 2 * rate_hz ? 1 : 1e25;
    samples[i] = static_cast<float>(scale * std::sin(std::numbers::pi / 4 * double(i)));
  }
  write_floats("a.wav", samples);
  report({"stft", "a.wav", "-o", "a.npy", "--n-fft", "512", "--hop", "4000", "--form", "db",
          "--scaling", "dbfs", "--floor", "-1000"});
  const npy_data levels = read_npy_data(path("a.npy"));
  EXPECT_NEAR(levels.values[1 * 257 + 64], -500, 0.01);
  EXPECT_NEAR(levels.values[3 * 257 + 64], 0, 0.01);
  EXPECT_NEAR(levels.values[5 * 257 + 64], 500, 0.01);
  for (const char* pool : {"max", "mean"}) {
    report({"spectrogram", "a.wav", "-o", "a.csv", "--n-fft", "512", "--hop", "64", "--width",
            "300", "--range", "-900:900", "--frequency-axis", "linear", "--pool", pool});
    const auto rows = csv("a.csv");
    const auto& row = rows[rows.size() / 4];
    EXPECT_NEAR(row[row.size() / 6], -500, 0.1);
    EXPECT_NEAR(row[row.size() / 2], 0, 0.1);
    EXPECT_NEAR(row[row.size() * 5 / 6], 500, 0.1);
  }
}

TEST_F(time_and_level, what_was_removed_is_no_tone) {
  write_tones("sine.wav", 40000, {{181.6, 1}});
  write_tones("low.wav", 40000, {{3, 0.1}, {1000, 0.5}}, 0.3);
  write_tones("bin.wav", 40000, {{125, 1}});
  for (const char* detrend : {"none", "constant", "linear"})
    for (const char* average : {"mean", "median"}) {
      SCOPED_TRACE(std::string(detrend) + ", " + average);
      const auto listed = [&](const char* file) {
        return peaks_hz(report(
            {"psd", file, "--detrend", detrend, "--average", average, "--peak-range", "100"}));
      };
      const std::vector<double> sine = listed("sine.wav"), bin = listed("bin.wav");
      ASSERT_EQ(sine.size(), 1u);
      EXPECT_NEAR(sine[0], 181.6, 0.01);
      ASSERT_EQ(bin.size(), 1u);
      EXPECT_NEAR(bin[0], 125, 0.01);
      if (std::string(detrend) == "none") continue;  // the constant hides what is beside it
      const std::vector<double> low = listed("low.wav");
      ASSERT_EQ(low.size(), 2u);
      EXPECT_NEAR(low[0], 1000, 0.01);
      EXPECT_NEAR(low[1], 3, 0.6);
    }
}

TEST_F(time_and_level, list_and_table_agree_at_both_ends) {
  std::vector<float> samples(20000);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = i % 2 == 0 ? 0.3f : 0.2f;
  write_floats("a.wav", samples);
  const auto json = report({"psd", "a.wav", "-o", "a.csv", "--detrend", "none", "--scaling",
                            "spectrum", "--segment-length", "512"});
  const auto rows = csv("a.csv");
  ASSERT_EQ(json["peaks"].size(), 2u);
  const double constant = 20 * std::log10(0.25), alternating = 20 * std::log10(0.05);
  EXPECT_NEAR(json["peaks"][0]["level_dbfs"], constant, 1e-4);
  EXPECT_NEAR(json["peaks"][1]["level_dbfs"], alternating, 1e-4);
  EXPECT_NEAR(rows[0][2], constant, 1e-4);
  EXPECT_NEAR(rows[256][2], alternating, 1e-4);
  report({"stft", "a.wav", "-o", "a.npy", "--n-fft", "512", "--form", "db", "--scaling", "dbfs"});
  const npy_data levels = read_npy_data(path("a.npy"));
  EXPECT_NEAR(levels.values[10 * 257], constant, 1e-3);
  EXPECT_NEAR(levels.values[10 * 257 + 256], alternating, 1e-3);
}

TEST_F(time_and_level, side_lobes_are_no_tones) {
  // Shorter than the window, hardly longer, and as the only segment with zeros behind.
  for (const std::size_t frames : {150, 400, 520, 600}) {
    SCOPED_TRACE(frames);
    write_tones("a.wav", frames, {{1003, 0.5}, {3000, 0.05}});
    const std::vector<double> found = peaks_hz(report({"spectrogram", "a.wav", "-o", "a.png"}));
    ASSERT_EQ(found.size(), 2u);
    EXPECT_NEAR(found[0], 1003, 16);
    EXPECT_NEAR(found[1], 3000, 16);
    for (const char* verb : {"psd", "fft"}) {
      std::vector<std::string> arguments = {verb, "a.wav", "--n-fft", "8192", "--peak-range", "80"};
      if (std::string(verb) == "psd")
        arguments.insert(arguments.end(), {"--segment-length", std::to_string(frames)});
      const std::vector<double> tones = peaks_hz(report(arguments));
      ASSERT_EQ(tones.size(), 2u) << verb;
      EXPECT_NEAR(tones[0], 1003, 3);
      EXPECT_NEAR(tones[1], 3000, 10);
    }
  }
}

TEST_F(time_and_level, partials_lie_on_the_axis) {
  write_tones("a.wav", 20000, {{440, 0.2}, {3000, 0.1}}, 0.5);
  EXPECT_EQ(peaks_hz(report({"spectrogram", "a.wav", "-o", "a.png", "--frequency-axis", "linear"}))
                .size(),
            2u);
  const auto json = report({"spectrogram", "a.wav", "-o", "a.png", "--fmin", "1000"});
  ASSERT_EQ(json["peaks"].size(), 1u);
  EXPECT_NEAR(json["peaks"][0]["frequency_hz"], 3000, 1);
}

}  // namespace
}  // namespace papilio::test
