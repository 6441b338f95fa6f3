// One allocation of the program is refused, each in its turn: the output is right and whole or is
// not there, and the program says so. PAPILIO_REFUSALS tries so many of each kind (0: every one).
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "support/sanitizer.hpp"

namespace papilio::test {
namespace {

struct outcome {
  child_result child;
  std::map<std::string, std::string> files;
  std::string asked_by;  // library or program whose allocation was refused
};

bool has(const std::string& text, const char* word) { return text.find(word) != std::string::npos; }

// GLib, fontconfig, libsndfile, OpenBLAS and others crash, abort or wait for ever where they get no
// memory, many of them before main.
bool ended_by_others(const outcome& o) {
  const bool is_ours =
      o.asked_by.empty() || o.asked_by == "papilio" || o.asked_by.starts_with("libpapilio");
  const child_result& r = o.child;
  return !is_ours &&
         (r.timed_out || r.signal != 0 || (r.exit_code != 0 && !has(r.errors, "papilio: ")));
}

// It goes on with the part of its settings that it could read, perhaps with another font.
bool has_other_fonts(const child_result& r, bool draws) {
  return draws && r.exit_code == 0 && has(r.errors, "Fontconfig");
}

class no_memory : public program_test {
 protected:
  void SetUp() override {
    if (runs_under_a_sanitizer()) GTEST_SKIP() << "the sanitizer has an allocator of its own";
    write_sine("a.wav", 4000);
    std::filesystem::create_directory(directory / "in");
    write_sine("in/b.wav", 2000);
    write_sine("in/c.wav", 3000);
  }

  outcome run_refused(const std::vector<std::string>& arguments, long refused) const {
    std::filesystem::remove_all(directory / "out");
    std::filesystem::remove(path("asked_by"));
    std::filesystem::create_directory(directory / "out");
    std::vector<std::string> command{"/usr/bin/env",
                                     "LD_PRELOAD=" PAPILIO_REFUSING_MALLOC,
                                     "OPENBLAS_NUM_THREADS=1",
                                     "PAPILIO_REFUSE=" + std::to_string(refused),
                                     "PAPILIO_REFUSED_TO=asked_by",
                                     refused == 0 ? "PAPILIO_REFUSE_COUNT=count" : "NONE=",
                                     program_path()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    outcome o{run_child(command, {.directory = directory.path(), .timeout_seconds = 10}), {}, {}};
    if (std::filesystem::exists(path("asked_by"))) o.asked_by = read_bytes(path("asked_by"));
    // How long a batch took differs.
    o.child.output = std::regex_replace(o.child.output, std::regex(" in [0-9.]+ s\n"), "\n");
    for (const auto& entry : std::filesystem::directory_iterator(directory / "out"))
      if (entry.path().filename() != ".papilio-batch")
        o.files[entry.path().filename()] = read_bytes(entry.path());
    return o;
  }

  void sweep(const std::vector<std::string>& arguments, bool draws = false) const {
    const outcome right = run_refused(arguments, 0);
    ASSERT_EQ(right.child.exit_code, 0) << right.child.errors;
    const long count = std::stol(read_bytes(path("count")));
    const char* const wish = std::getenv("PAPILIO_REFUSALS");
    long tries = wish == nullptr ? 60 : std::stol(wish);
    if (tries <= 0 || tries > count) tries = count;
    std::map<std::string, int> table;
    for (long i = 0; i < tries; ++i) {
      const long refused = 1 + i * count / tries;
      SCOPED_TRACE(refused);
      ++table[judge(run_refused(arguments, refused), right, draws)];
    }
    std::printf("%s: %ld of %ld allocations\n", arguments[0].c_str(), tries, count);
    for (const auto& [what, times] : table) std::printf("  %5d %s\n", times, what.c_str());
    EXPECT_GT(table["exit 1"], 0);
  }

 private:
  static std::string judge(const outcome& o, const outcome& right, bool draws) {
    const child_result& r = o.child;
    if (ended_by_others(o))
      return o.asked_by + (r.timed_out ? ": waits for ever"
                           : r.signal  ? ": signal " + std::to_string(r.signal)
                                       : ": exit " + std::to_string(r.exit_code));
    if (has_other_fonts(r, draws) && o.files != right.files) return o.asked_by + ": another font";
    for (const auto& [name, bytes] : o.files)
      EXPECT_TRUE(right.files.contains(name) && right.files.at(name) == bytes)
          << name << " is another, exit " << r.exit_code << ": " << r.errors;
    if (r.exit_code == 0) {
      EXPECT_EQ(o.files.size(), right.files.size());
      EXPECT_EQ(r.output, right.child.output);
      return "exit 0, right";
    }
    EXPECT_EQ(r.exit_code, 1) << "signal " << r.signal << ": " << r.errors;
    const bool says_why = has(r.errors, "memory") || has(r.errors, "alloca") ||
                          (draws && has(r.errors, "fontconfig finds no font"));
    EXPECT_TRUE(has(r.errors, "papilio: ") && says_why) << r.errors;
    return "exit 1";
  }
};

TEST_F(no_memory, picture) { sweep({"spectrogram", "a.wav", "-o", "out/a.png"}, true); }

TEST_F(no_memory, npy) { sweep({"stft", "a.wav", "-o", "out/a.npy"}); }

TEST_F(no_memory, csv) { sweep({"features", "a.wav", "-o", "out/a.csv"}); }

TEST_F(no_memory, tempo) { sweep({"tempo", "a.wav", "-o", "out/a.csv"}); }

TEST_F(no_memory, page) { sweep({"report", "a.wav", "-o", "out/a.html"}); }

TEST_F(no_memory, json) { sweep({"info", "--json", "a.wav"}); }

// Lists of objects of lists.
TEST_F(no_memory, nested_json) { sweep({"profile", "--list", "--json"}); }

TEST_F(no_memory, batch) { sweep({"batch", "in", "-o", "out", "--what", "psd", "-j", "2"}); }

}  // namespace
}  // namespace papilio::test
