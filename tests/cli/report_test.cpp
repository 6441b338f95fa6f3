// papilio report: a page that holds all it shows, with the numbers of the other verbs.
#include <sys/stat.h>

#include <cmath>
#include <fstream>
#include <regex>

#include "cli/batch_program.hpp"
#include "papilio/audio.hpp"
#include "papilio/render.hpp"

namespace papilio::test {
namespace {

using nlohmann::json;

class report_verb : public batch_program {
 protected:
  json report_of(std::vector<std::string> flags, int exit_code = 0) const {
    flags.insert(flags.begin(), "report");
    flags.push_back("--json");
    const child_result result = run(flags);
    EXPECT_EQ(result.exit_code, exit_code) << result.errors;
    return json::parse(result.output);
  }
  std::string page(const std::string& name) const { return read_bytes(path(name)); }

  /// The JSON elements of a page: the index, and the parts.
  static std::vector<json> data_of(const std::string& html) {
    std::vector<json> all;
    for (std::size_t at = 0;
         (at = html.find("<script type=\"application/json\"", at)) != std::string::npos;) {
      const std::size_t begin = html.find('>', at) + 1, end = html.find("</script>", begin);
      all.push_back(json::parse(html.substr(begin, end - begin)));
      at = end;
    }
    return all;
  }

  /// Every element is ended in its turn; what is inside of scripts and styles is text.
  static void expect_well_formed(const std::string& html) {
    ASSERT_TRUE(html.starts_with("<!DOCTYPE html>\n"));
    ASSERT_TRUE(html.ends_with("</body>\n</html>\n"));
    const std::regex tag("<(/?)([a-z][a-z0-9]*)[^>]*>");
    std::vector<std::string> open;
    for (auto at = html.begin() + 15; at != html.end();) {
      std::smatch found;
      if (!std::regex_search(at, html.end(), found, tag)) break;
      const std::string name = found[2];
      at = found[0].second;
      if (found[1].length() > 0) {
        ASSERT_FALSE(open.empty()) << name;
        ASSERT_EQ(open.back(), name);
        open.pop_back();
      } else if (name != "meta") {
        open.push_back(name);
        const std::string end = "</" + name + ">";
        if (name == "script" || name == "style")
          at = std::search(at, html.end(), end.begin(), end.end());
      }
    }
    EXPECT_TRUE(open.empty());
  }

  static void expect_alone(const std::string& html) {
    EXPECT_EQ(html.find("http:"), std::string::npos);
    EXPECT_EQ(html.find("https:"), std::string::npos);
    EXPECT_EQ(html.find("@import"), std::string::npos);
    EXPECT_FALSE(std::regex_search(html, std::regex("<(script|img|link)[^>]*(src|href)=")));
    EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  }

  /// A chunk's size, as WAV has it; the text must have an even number of bytes.
  static std::string le32(std::size_t size) {
    return {static_cast<char>(size & 255), static_cast<char>(size >> 8), '\0', '\0'};
  }

  /// Loud noise, whose picture no code makes small.
  void write_loud_noise(const std::string& name, std::size_t frames) const {
    std::vector<std::int32_t> samples;
    std::uint32_t state = 7;
    for (std::size_t i = 0; i < frames; ++i)
      samples.push_back(static_cast<std::int16_t>((state = state * 1664525u + 1013904223u) >> 16));
    write(name, wav_bytes{.rate_hz = 44100, .data = pcm_bytes(samples, 16)}.file());
  }
};

TEST_F(report_verb, a_page_of_a_file_holds_all_it_shows) {
  const json made = report_of({PAPILIO_RECORDING, "-o", "a.html"});
  const std::string html = page("a.html");
  EXPECT_EQ(made["page"], "a.html");
  EXPECT_EQ(made["bytes"], html.size());
  EXPECT_LT(html.size(), 640u << 10);
  expect_well_formed(html);
  expect_alone(html);
  const std::vector<json> data = data_of(html);
  ASSERT_EQ(data.size(), 2u);
  EXPECT_EQ(data[0]["kind"], "sound");
  EXPECT_EQ(data[0]["title"], "guit_e_fifths.flac");
  EXPECT_TRUE(
      std::string(data[1]["spectrogram"]["png"]).starts_with("data:image/png;base64,iVBOR"));
  EXPECT_NE(html.find("<title>guit_e_fifths.flac</title>"), std::string::npos);
}

TEST_F(report_verb, its_numbers_are_those_of_the_other_verbs) {
  const json made = report_of({PAPILIO_RECORDING, "-o", "a.html"});
  const json part = data_of(page("a.html")).back();
  const json psd =
      json::parse(run({"psd", PAPILIO_RECORDING, "-o", "a.csv", "--peaks", "10", "--json"}).output);
  const json features = json::parse(run({"features", PAPILIO_RECORDING, "--json"}).output)[0];
  // The page has five significant digits of levels, six of other figures.
  EXPECT_NEAR(made["level_dbfs"], psd["level_dbfs"].get<double>(), 0.0051);
  const json loudness =
      json::parse(run({"info", PAPILIO_RECORDING, "--loudness", "--json"}).output)[0];
  for (const char* level : {"integrated_lufs", "loudness_range_lu", "true_peak_dbtp"})
    EXPECT_NEAR(made[level], loudness[level].get<double>(), 0.0051) << level;
  ASSERT_EQ(part["peaks"].size(), psd["peaks"].size());
  for (std::size_t i = 0; i < part["peaks"].size(); ++i) {
    const double hz = psd["peaks"][i]["frequency_hz"];
    EXPECT_NEAR(part["peaks"][i][0], hz, 1e-6 * hz);
    EXPECT_NEAR(part["peaks"][i][1], psd["peaks"][i]["level_dbfs"].get<double>(), 0.0051);
  }
  for (const json& feature : features["features"])
    for (const char* field : {"minimum", "mean", "maximum"})
      EXPECT_NEAR(part["features"][feature["name"].get<std::string>()][field],
                  feature[field].get<double>(), 1e-5 * std::abs(feature[field].get<double>()));
  std::ifstream table(path("a.csv"));
  std::string line;
  std::getline(table, line);
  for (std::size_t k = 0; std::getline(table, line); ++k) {
    double hz = 0, power = 0, level = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "%lf,%lf,%lf", &hz, &power, &level), 3);
    ASSERT_NEAR(part["spectrum"]["hz"][k], hz, 1e-5 * hz);
    ASSERT_NEAR(part["spectrum"]["db"][k], level, 0.0051);
  }
  EXPECT_EQ(part["spectrum"]["hz"].size(), psd["bins"]);
}

TEST_F(report_verb, levels_are_those_of_the_samples) {
  write_stereo("a.wav", 44100, 30000);
  report_of({"a.wav", "-o", "a.html"});
  const json levels = data_of(page("a.html")).back()["levels"];
  const sound s = read_sound(path("a.wav"));
  const std::size_t columns = levels["peak_db"].size(), frames = s.samples.extent(0);
  ASSERT_EQ(columns, 960u);
  for (std::size_t c = 0; c < columns; ++c) {
    double most = 0, sum = 0, count = 0;
    for (std::size_t i = 0; i < frames; ++i) {
      if (i * columns / frames != c) continue;
      for (const double x : {double{s.samples(i, 0u)}, double{s.samples(i, 1u)}}) {
        most = std::max(most, std::abs(x));
        sum += x * x;
        ++count;
      }
    }
    ASSERT_NEAR(levels["peak_db"][c], 20 * std::log10(most), 0.0051) << c;
    ASSERT_NEAR(levels["rms_db"][c], 10 * std::log10(2 * sum / count), 0.0051) << c;
  }
}

TEST_F(report_verb, its_picture_is_the_levels_of_spectrogram) {
  report_of({PAPILIO_RECORDING, "-o", "a.html"});
  const json picture = data_of(page("a.html")).back()["spectrogram"];
  const json drawn =
      json::parse(run({"spectrogram", PAPILIO_RECORDING, "-o", "a.png", "--json"}).output)[0];
  EXPECT_EQ(picture["low_hz"], drawn["frequency_axis"]["low_hz"]);
  EXPECT_EQ(picture["high_hz"], drawn["frequency_axis"]["high_hz"]);
  // Coarser cells hold the same maximum, but for rows between bins.
  EXPECT_NEAR(picture["ceiling_db"], drawn["levels"]["high_dbfs"].get<double>(), 0.1);
  EXPECT_NEAR(picture["ceiling_db"].get<double>() - picture["floor_db"].get<double>(), 80, 1e-3);
}

TEST_F(report_verb, the_loudest_noise_stays_below_the_bound) {
  write_loud_noise("noise.wav", 44100 * 20);
  report_of({"noise.wav"});
  EXPECT_LT(page("noise.html").size(), 640u << 10);
}

TEST_F(report_verb, names_and_tags_are_never_markup) {
  const std::string name = "<script>alert(1)<!--&\"'.wav";
  // A chunk of tags behind the samples.
  const std::string tag = "<script>alert(33)</script>", text = "INFOINAM" + le32(tag.size()) + tag;
  wav_bytes wav{.data = std::string(4000, 'a')};
  wav.riff_size_bytes = static_cast<std::uint32_t>(36 + 4000 + 8 + text.size());
  write(name, wav.file() + "LIST" + le32(text.size()) + text);
  report_of({name, "-o", "a.html", "--title", "</title><script>alert(2)</script>"});
  const std::string html = page("a.html");
  expect_well_formed(html);
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_EQ(html.find("<!--"), std::string::npos);
  const std::vector<json> data = data_of(html);
  EXPECT_EQ(data[0]["title"], "</title><script>alert(2)</script>");
  EXPECT_EQ(data[1]["facts"][0][1], name);
  EXPECT_EQ(data[1]["facts"].back(), json({"title", tag}));
}

TEST_F(report_verb, a_folder_with_broken_files_is_shown_and_fails) {
  make_mixed_folder();
  const json made = report_of({"in", "-o", "all.html", "--recursive", "--jobs", "3"}, 1);
  EXPECT_EQ(made["done"], 5);
  EXPECT_EQ(made["failed"], 3);
  const std::string html = page("all.html");
  expect_well_formed(html);
  expect_alone(html);
  const std::vector<json> data = data_of(html);
  ASSERT_EQ(data.size(), 6u);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < 5; ++i) {
    names.push_back(data[0]["sounds"][i]["name"]);
    EXPECT_EQ(data[0]["sounds"][i]["duration_seconds"], data[i + 1]["figures"]["duration_seconds"]);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"mono.wav", "stereo.wav", "sub/deep/guitar.flac",
                                             "sub/deep/slow.wav", "sub/short.wav"}));
  ASSERT_EQ(data[0]["failures"].size(), 3u);
  EXPECT_NE(data[0]["failures"][0].get<std::string>().find("in/empty.wav: the file is empty"),
            std::string::npos);
  // Neither the number of threads nor a page that is there changes anything.
  const json again = report_of({"in", "-o", "in/all.html", "--recursive", "--jobs", "1"}, 1);
  report_of({"in", "-o", "in/all.html", "--recursive", "--jobs", "1"}, 1);
  EXPECT_EQ(page("in/all.html"), html);
}

TEST_F(report_verb, the_more_files_the_less_of_each) {
  make_folders({"in"});
  write_loud_noise("in/0.wav", 20000);
  for (int i = 1; i < 120; ++i)
    fs::create_hard_link(path("in/0.wav"), path("in/" + std::to_string(i) + ".wav"));
  report_of({"in", "-o", "all.html"});
  const std::string html = page("all.html");
  EXPECT_LT(html.size(), 32u << 20);
  const json part = data_of(html).back();
  EXPECT_LT(part["spectrogram"]["columns"], 960);
  EXPECT_LT(part.dump().size(), (32u << 20) / 120);
  EXPECT_LT(part["spectrum"]["hz"].size(), 1000u);
}

TEST_F(report_verb, beyond_800_files_each_takes_40_kib_at_most) {
  make_folders({"in"});
  write_loud_noise("in/0.wav", 4410);
  for (int i = 1; i < 820; ++i)
    fs::create_hard_link(path("in/0.wav"), path("in/" + std::to_string(i) + ".wav"));
  EXPECT_EQ(report_of({"in", "-o", "all.html"})["done"], 820);
  EXPECT_LT(page("all.html").size(), std::size_t{820} * 40 * 1024);
}

TEST_F(report_verb, bad_input_leaves_no_page) {
  write("broken.wav", "RIFF");
  make_folders({"empty", "bad"});
  write("bad/a.wav", "x");
  const auto expect_nothing = [&](std::vector<std::string> flags, const std::string& reason) {
    flags.insert(flags.begin(), "report");
    const child_result result = run(flags);
    EXPECT_EQ(result.exit_code, 1) << result.errors;
    EXPECT_NE(result.errors.find(reason), std::string::npos) << result.errors;
    EXPECT_EQ(listing(), (std::vector<std::string>{"bad", "broken.wav", "empty"}));
  };
  expect_nothing({"broken.wav", "-o", "a.html"}, "broken.wav: ");
  expect_nothing({"gone.wav", "-o", "a.html"}, "gone.wav: ");
  expect_nothing({"empty", "-o", "a.html"}, "empty: no files are to be looked at");
  expect_nothing({"bad", "-o", "a.html"}, "bad: none of its files can be shown");
  expect_nothing({"bad", "-o", "bad/a.wav/page.html"}, "bad/a.wav");
}

TEST_F(report_verb, an_unwritable_page_is_told) {
  write_sine("a.wav", 4000);
  const child_result full = run({"report", "a.wav", "-o", "/dev/full"});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_NE(full.errors.find("/dev/full"), std::string::npos) << full.errors;
  EXPECT_EQ(run({"report", "a.wav", "-o", "a.wav"}).exit_code, 2);
  EXPECT_EQ(run({"report", "a.wav", "-o", "a.png"}).exit_code, 2);
  EXPECT_EQ(listing(), (std::vector<std::string>{"a.wav"}));
  for (const char* flag : {"--recursive", "--include=*.wav", "--jobs=2"})
    EXPECT_EQ(run({"report", "a.wav", flag}).exit_code, 2) << flag;
}

TEST_F(report_verb, a_part_of_a_sound_of_unknown_length) {
  write_sine("a.wav", 40000);
  child_options piped;
  piped.input = page("a.wav");
  // Of a pipe only reading tells the length.
  piped.input->replace(40, 4, "\xff\xff\xff\xff");
  const child_result result =
      run({"report", "-", "--start", "1", "--duration", "2", "-o", "a.html"}, piped);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const json part = data_of(page("a.html")).back();
  EXPECT_EQ(part["start_seconds"], 1);
  EXPECT_EQ(part["duration_seconds"], 2);
  EXPECT_EQ(part["facts"][part["facts"].size() - 2], json({"Shown", "2.000 s from 1.000 s"}));
  EXPECT_EQ(part["facts"].back()[0], "Loudness");
}

TEST_F(report_verb, pipes_short_sounds_and_silence) {
  write_sine("a.wav", 3000);
  child_options piped;
  piped.input = page("a.wav");
  const child_result result = run({"report", "-", "-o", "-"}, piped);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  expect_well_formed(result.output);
  write_sine("one.wav", 1);
  report_of({"one.wav"});
  write("silent.wav", wav_bytes{.data = std::string(20000, '\0')}.file());
  report_of({"silent.wav"});
  const json part = data_of(page("silent.html")).back();
  EXPECT_TRUE(part["figures"]["level_dbfs"].is_null());
  EXPECT_TRUE(part["figures"]["integrated_lufs"].is_null());
  EXPECT_TRUE(part["levels"]["peak_db"][0].is_null());
  EXPECT_EQ(part["peaks"].size(), 0u);
}

}  // namespace
}  // namespace papilio::test
