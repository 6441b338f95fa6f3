#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace papilio::test {

namespace fs = std::filesystem;

/// Folders "in" and "out", and the verb that leads from one to the other.
class batch_program : public program_test {
 protected:
  child_result batch(std::vector<std::string> flags, child_options options = {}) const {
    flags.insert(flags.begin(), {"batch", "in", "--out", "out"});
    return run(flags, options);
  }

  nlohmann::json report(std::vector<std::string> flags, int exit_code = 0) const {
    flags.push_back("--json");
    const child_result result = batch(std::move(flags));
    EXPECT_EQ(result.exit_code, exit_code) << result.errors;
    return nlohmann::json::parse(result.output);
  }

  void make_folders(std::initializer_list<const char*> names) const {
    for (const char* name : names) fs::create_directories(path(name));
  }

  // Names below a folder, hidden ones too but the ledger, with the bytes of each file.
  std::map<std::string, std::string> tree(const std::string& folder) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(path(folder)))
      if (entry.is_regular_file() &&
          !entry.path().filename().string().starts_with(".papilio-batch"))
        files[fs::relative(entry.path(), path(folder)).string()] = read_bytes(entry.path());
    return files;
  }

  std::vector<std::string> names(const std::string& folder) const {
    std::vector<std::string> all;
    for (const auto& [name, bytes] : tree(folder)) all.push_back(name);
    return all;
  }

  void write_stereo(const std::string& name, std::uint32_t rate_hz, std::size_t frames) const {
    std::vector<std::int32_t> samples;
    for (std::size_t i = 0; i < frames; ++i)
      samples.insert(samples.end(), {i % 40 < 20 ? 9000 : -9000, i % 6 < 3 ? 500 : -500});
    write(name,
          wav_bytes{.channels = 2, .rate_hz = rate_hz, .data = pcm_bytes(samples, 16)}.file());
  }

  // Good, empty, foreign, cut, nested, of several rates and channel counts.
  void make_mixed_folder() const {
    make_folders({"in/sub/deep"});
    write_sine("in/mono.wav", 9000);
    write_stereo("in/stereo.wav", 44100, 30000);
    write_sine("in/sub/short.wav", 1);
    write_stereo("in/sub/deep/slow.wav", 8000, 5000);
    fs::copy_file(PAPILIO_RECORDING, path("in/sub/deep/guitar.flac"));
    write("in/empty.wav", "");
    write("in/notes.txt", "nothing to hear\n");
    write("in/sub/cut.wav", wav_bytes{}.file().substr(0, 30));
  }
};

}  // namespace papilio::test
