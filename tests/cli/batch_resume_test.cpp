// What --resume takes for finished; a run that is killed leaves whole outputs or none.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include "cli/batch_program.hpp"

namespace papilio::test {
namespace {

using list = std::vector<std::string>;

class batch_resume : public batch_program {};

TEST_F(batch_resume, resume_skips_what_is_as_it_was_made) {
  make_folders({"in"});
  for (const char* name : {"a", "b", "c", "d", "e"})
    write_sine(std::string("in/") + name + ".wav", 3000);
  for (const auto& [what, ending] : {std::pair<std::string, std::string>{"mel", ".npy"},
                                     {"features", ".csv"},
                                     {"spectrogram", ".png"}}) {
    SCOPED_TRACE(what);
    EXPECT_EQ(report({"--what", what, "--resume"})["done"], 5);
    const auto whole = tree("out");
    const auto again = report({"--what", what, "--resume"});
    EXPECT_EQ(again["skipped"], 5);
    EXPECT_EQ(again["done"], 0);
    // Touched; cut; empty; gone.
    fs::last_write_time(path("out/a" + ending),
                        fs::last_write_time(path("out/a" + ending)) + std::chrono::seconds(5));
    const std::string b = read_bytes(path("out/b" + ending));
    write("out/b" + ending, b.substr(0, b.size() / 2 + 1));
    write("out/c" + ending, "");
    fs::remove(path("out/d" + ending));
    const auto rest = report({"--what", what, "--resume"});
    EXPECT_EQ(rest["skipped"], 1);
    EXPECT_EQ(rest["done"], 4);
    EXPECT_EQ(rest["files"][4]["status"], "skipped");
    EXPECT_TRUE(tree("out") == whole);
    EXPECT_EQ(report({"--what", what})["done"], 5);
    fs::remove_all(path("out"));
  }
}

TEST_F(batch_resume, resume_knows_outputs_of_other_kinds) {
  make_folders({"in"});
  write_sine("in/a.wav", 9000);
  // One after the other into the same folder: none is taken for the next.
  const list kinds[] = {{"--what", "mel"},
                        {"--what", "mel", "--bands", "40"},
                        {"--what", "stft"},
                        {"--what", "stft", "--n-fft", "512"},
                        {"--what", "stft", "--n-fft", "512", "--form", "power"},
                        {"--what", "psd", "--format", "npy"},
                        {"--what", "features", "--format", "npy", "--rms"},
                        {"--what", "features"},
                        {"--what", "features", "--rms"},
                        {"--what", "psd"},
                        {"--what", "spectrogram"},
                        {"--what", "spectrogram", "--width", "600"}};
  for (list flags : kinds) {
    SCOPED_TRACE(testing::PrintToString(flags));
    flags.push_back("--resume");
    EXPECT_EQ(report(flags)["done"], 1);
    EXPECT_EQ(report(flags)["skipped"], 1);
  }
  // Flags that no output tells of.
  report({"--what", "psd"});
  for (const list& flags : {list{"--what", "psd", "--segment-length", "256"},
                            {"--what", "psd", "--segment-length", "512"},
                            {"--what", "spectrogram", "--colors", "viridis"},
                            {"--what", "spectrogram", "--range", "60"},
                            {"--what", "features", "--rms", "--n-fft", "512"},
                            {"--what", "features", "--rms", "--start", "0.1"}}) {
    SCOPED_TRACE(testing::PrintToString(flags));
    list resumed = flags;
    resumed.push_back("--resume");
    EXPECT_EQ(report(resumed)["done"], 1);
    EXPECT_EQ(report(resumed)["skipped"], 1);
  }
  // Spectra without what stands beside them are not whole.
  report({"--what", "stft"});
  fs::remove(path("out/a.npy.json"));
  EXPECT_EQ(report({"--what", "stft", "--resume"})["done"], 1);
  // Nor are others beside what stood beside spectra.
  report({"--what", "mel"});
  EXPECT_EQ(report({"--what", "stft", "--resume"})["done"], 1);
}

// An input put in another's place, older than what was made of that.
TEST_F(batch_resume, resume_sees_another_input_of_any_time) {
  make_folders({"in"});
  write_sine("in/a.wav", 9000);
  EXPECT_EQ(report({"--what", "mel"})["done"], 1);
  write_sine("b.wav", 9000);
  fs::last_write_time(path("b.wav"),
                      fs::last_write_time(path("in/a.wav")) - std::chrono::hours(9000));
  fs::rename(path("b.wav"), path("in/a.wav"));
  EXPECT_EQ(report({"--what", "mel", "--resume"})["done"], 1);
  EXPECT_EQ(report({"--what", "mel", "--resume"})["skipped"], 1);
}

// A table that is cut at the end of a line looks whole.
TEST_F(batch_resume, resume_sees_lines_that_are_missing) {
  make_folders({"in"});
  write_sine("in/a.wav", 9000);
  report({"--what", "psd"});
  const std::string all = read_bytes(path("out/a.csv"));
  write("out/a.csv", all.substr(0, all.rfind('\n', all.size() - 2) + 1));
  EXPECT_EQ(report({"--what", "psd", "--resume"})["done"], 1);
  EXPECT_EQ(read_bytes(path("out/a.csv")), all);
}

// Nothing that lies where the ledger should keeps batch waiting, or fills its memory.
TEST_F(batch_resume, a_ledger_that_is_none_costs_only_the_resume) {
  make_folders({"in", "out"});
  write_sine("in/a.wav", 3000);
  const std::filesystem::path ledger = path("out/.papilio-batch");
  const std::vector<std::function<void()>> others = {
      [&] { ASSERT_EQ(::mkfifo(ledger.c_str(), 0600), 0); },
      [&] { std::filesystem::create_symlink("/dev/zero", ledger); },
      [&] {
        write("out/.papilio-batch", "");
        std::filesystem::resize_file(ledger, std::uintmax_t{1} << 40);
      }};
  for (const auto& make : others) {
    std::filesystem::remove(ledger);
    make();
    const child_result result =
        run({"batch", "in", "-o", "out", "--what", "fft", "--resume"}, {.timeout_seconds = 60});
    EXPECT_FALSE(result.timed_out);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_LT(result.peak_kilobytes, 200'000);
  }
  std::filesystem::remove(ledger);
  write("out/.papilio-batch", "stopped half w");
  for (const char* skipped : {"0 outputs", "1 output,"})
    EXPECT_NE(run({"batch", "in", "-o", "out", "--what", "fft", "--resume"}).output.find(skipped),
              std::string::npos);
}

TEST_F(batch_resume, a_ledger_that_cannot_be_written_costs_only_the_resume) {
  make_folders({"in", "out/.papilio-batch"});
  write_sine("in/a.wav", 9000);
  write_sine("in/b.wav", 9000);
  const child_result result = batch({"--what", "mel"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.errors.find(".papilio-batch"), std::string::npos) << result.errors;
  EXPECT_EQ(report({"--what", "mel", "--resume"})["done"], 2);
}

constexpr std::size_t files = 60;

class batch_kill : public program_test {
 protected:
  std::map<std::string, std::string> outputs() const {
    std::map<std::string, std::string> all;
    if (!fs::exists(path("out"))) return all;
    for (const auto& entry : fs::recursive_directory_iterator(path("out")))
      if (entry.is_regular_file() && entry.path().filename() != ".papilio-batch")
        all[entry.path().filename()] = read_bytes(entry.path());
    return all;
  }

  std::size_t count() const {
    std::error_code none;
    std::size_t found = 0;
    for (fs::directory_iterator at(path("out"), none), end; at != end; at.increment(none)) ++found;
    return found;
  }

  /// Kills the program as soon as there are `least` outputs; whether it was killed at work.
  bool killed_after(std::size_t least, std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), program_path());
    std::vector<char*> words;
    for (std::string& word : arguments) words.push_back(word.data());
    words.push_back(nullptr);
    const std::string folder = directory.path();
    const pid_t child = fork();
    if (child == 0) {
      const int nothing = open("/dev/null", O_RDWR);
      dup2(nothing, STDOUT_FILENO);
      dup2(nothing, STDERR_FILENO);
      if (chdir(folder.c_str()) == 0) execv(words[0], words.data());
      _exit(127);
    }
    int status = 0;
    while (count() < least) {
      if (waitpid(child, &status, WNOHANG) == child) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return WIFSIGNALED(status);
  }
};

TEST_F(batch_kill, leaves_no_half_outputs_and_resume_finishes) {
  fs::create_directory(path("in"));
  std::string data(std::size_t{400} * 1000, '\0');
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>(i * i / 7);
  write("in/0.wav", wav_bytes{.data = std::move(data)}.file());
  for (std::size_t i = 1; i < files; ++i)
    fs::copy_file(path("in/0.wav"), path("in/" + std::to_string(i) + ".wav"));
  const std::vector<std::string> command = {"batch", "in",    "--out", "out",    "--what",
                                            "mel",   "--hop", "256",   "--jobs", "2"};
  ASSERT_EQ(run(command).exit_code, 0);
  const auto whole = outputs();
  ASSERT_EQ(whole.size(), files);
  fs::remove_all(path("out"));

  std::vector<std::string> resume = command;
  resume.push_back("--resume");
  std::size_t kills = 0;
  for (const std::size_t least : {1u, 7u, 20u, 35u}) {
    kills += killed_after(least, resume);
    for (const auto& [name, bytes] : outputs()) {
      ASSERT_TRUE(whole.count(name) == 1) << name << " is left over";
      ASSERT_TRUE(bytes == whole.at(name)) << name << " is not whole";
    }
  }
  EXPECT_GT(kills, 0u);
  const std::size_t before = outputs().size();
  resume.push_back("--json");
  const child_result result = run(resume);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  // What was there, but not yet in the ledger, was made again: at most one of each job and kill.
  const std::size_t skipped = json["skipped"];
  EXPECT_LE(skipped, before);
  EXPECT_GE(skipped + 2 * 4, before);
  EXPECT_EQ(json["done"], files - skipped);
  EXPECT_TRUE(outputs() == whole);
}

}  // namespace
}  // namespace papilio::test
