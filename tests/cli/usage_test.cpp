// Bad usage: exit 2, the flag named on stderr, nothing on stdout, nothing written.
#include "cli/program.hpp"

#include <filesystem>

namespace papilio::test {
namespace {

class usage : public program_test {
 protected:
  void expect_usage(std::vector<std::string> arguments, const std::string& named) {
    const auto before = listing();
    const child_result result = run(std::move(arguments));
    EXPECT_EQ(result.exit_code, 2) << result.output << result.errors;
    EXPECT_NE(result.errors.find(named), std::string::npos) << result.errors;
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(listing(), before);
  }
};

TEST_F(usage, of_the_program) {
  expect_usage({"dance"}, "dance");
  expect_usage({"spectrogram"}, "FILE");
  expect_usage({"info"}, "FILE");
  expect_usage({"spectrogram", "x.wav", "--bogus"}, "--bogus");
}

TEST_F(usage, files_and_folders_in_a_wrong_place_get_a_hint) {
  const std::string file = write_sine("in.wav", 1000);
  expect_usage({file}, "papilio spectrogram " + file);
  expect_usage({directory.path()}, "papilio report " + directory.path().string());
  for (const char* verb : {"spectrogram", "fft", "psd", "stft", "features", "denoise"}) {
    const child_result result = run({verb, "."});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.errors.find(std::string("papilio batch . --what ") + verb), std::string::npos)
        << result.errors;
  }
  EXPECT_NE(run({"info", "."}).errors.find("papilio report ."), std::string::npos);
}

TEST_F(usage, kernels_and_machines_get_a_suggestion) {
  expect_usage({"profile", "ftt"}, "did you mean fft?");
  expect_usage({"profile", "gem"}, "did you mean gemm?");
  EXPECT_NE(run({"profile", "gemm", "--dry-run", "--machine", "trainum2"})
                .errors.find("did you mean trainium2?"),
            std::string::npos);
  for (const char* number : {"1", "2", "3"}) {
    std::vector<std::string> command{"profile", "gemm", "--dry-run", "--machine"};
    command.push_back(std::string("trn") + number);
    const auto modelled = [&] {  // what stands before the wall seconds
      const std::string text = run(command).output;
      return text.substr(0, text.find("Emulated in"));
    };
    const std::string by_short_name = modelled();
    command.back() = std::string("trainium") + number;
    EXPECT_EQ(by_short_name, modelled());
    EXPECT_NE(by_short_name.find("machine  " + command.back()), std::string::npos);
  }
}

TEST_F(usage, words_behind_two_dashes_are_files) {
  for (const char* name : {"-dash.wav", "a.wav", "--out"}) write_sine(name, 1000);
  const std::vector<std::vector<std::string>> commands = {
      {"spectrogram", "-o", "o.png", "--", "-dash.wav"},
      {"spectrogram", "--title", "--", "-o", "o.png", "a.wav"},
      {"info", "a.wav", "--", "-dash.wav", "--out"},
      {"info", "--", "-dash.wav"},
      {"fft", "-o", "o.csv", "--peaks", "1", "--", "-dash.wav"},
      {"psd", "-o", "o/", "--", "a.wav", "-dash.wav"},
      {"psd", "-o", "o/", "a.wav", "./-dash.wav"},  // none is another value of -o
      {"stft", "-o", "o.npy", "--", "-dash.wav"},
      {"features", "-o", "o.csv", "--", "-dash.wav"},
      {"denoise", "-o", "o.wav", "--", "-dash.wav"},
      {"report", "-o", "o.html", "--", "-dash.wav"},
      {"istft", "-o", "again.wav", "--", "o.npy"}};
  for (const auto& command : commands) {
    const child_result result = run(command);
    EXPECT_EQ(result.exit_code, 0) << testing::PrintToString(command) << result.errors;
  }
  EXPECT_NE(run({"info", "--json", "--", "-dash.wav"}).output.find("\"file\": \"-dash.wav\""),
            std::string::npos);
  expect_usage({"completion", "--", "bash", "-x"}, "\"-x\" was not expected");
}

TEST_F(usage, quiet_prints_no_report) {
  write_sine("a.wav", 8000);
  write("bad.wav", "no sound");
  for (const char* verb :
       {"info", "spectrogram", "fft", "psd", "stft", "features", "denoise", "report"}) {
    const child_result result = run({verb, "a.wav", "--quiet"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.output + result.errors, "");
  }
  const child_result bad = run({"info", "a.wav", "bad.wav", "-q"});
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_EQ(bad.output, "");
  EXPECT_NE(bad.errors.find("bad.wav"), std::string::npos);
  expect_usage({"info", "a.wav", "--quiet", "--json"}, "--quiet");
  EXPECT_NE(run({"fft", "a.wav", "--quiet", "-o", "-"}).output.find("frequency_hz"),
            std::string::npos);
}

TEST_F(usage, of_spectrogram) {
  const std::string file = write_sine("in.wav", 1000);
  const std::pair<std::string, std::string> bad[] = {{"--n-fft", "0"},
                                                     {"--n-fft", "16777217"},
                                                     {"--n-fft", "-5"},
                                                     {"--n-fft", "many"},
                                                     {"--n-fft", "99999999999999999999"},
                                                     {"--hop", "0"},
                                                     {"--hop", "-1"},
                                                     {"--window", "square"},
                                                     {"--window-length", "2049"},
                                                     {"--channel", "0"},
                                                     {"--channel", "-1"},
                                                     {"--start", "-1"},
                                                     {"--start", "nan"},
                                                     {"--duration", "0"},
                                                     {"--duration", "-2"},
                                                     {"--range", "0"},
                                                     {"--range", "-20:-100"},
                                                     {"--range", "loud"},
                                                     {"--range", "-inf:0"},
                                                     {"--width", "0"},
                                                     {"--width", "20000"},
                                                     {"--height", "10"},
                                                     {"--height", "1e9"},
                                                     {"--colors", "jet"},
                                                     {"--pool", "median"},
                                                     {"--channels", "left"},
                                                     {"--frequency-axis", "erb"},
                                                     {"--fmin", "-1"},
                                                     {"--fmin", "nan"},
                                                     {"--fmax", "0"},
                                                     {"--nan", "maybe"}};
  for (const auto& [flag, value] : bad) {
    SCOPED_TRACE(flag + " " + value);
    expect_usage({"spectrogram", file, flag, value}, flag);
  }
}

TEST_F(usage, of_frequency_axes_and_channels) {
  const std::string file = write_sine("in.wav", 1000);
  expect_usage({"spectrogram", file, "--frequency-axis", "log", "--fmin", "0"}, "--fmin");
  expect_usage({"spectrogram", file, "--fmin", "2000", "--fmax", "1000"}, "--fmin");
  expect_usage({"spectrogram", file, "--channels", "stacked", "--channel", "1"}, "--channels");
}

TEST_F(usage, of_fft) {
  const std::string file = write_sine("in.wav", 1000);
  const std::pair<std::string, std::string> bad[] = {
      {"--n-fft", "0"},       {"--n-fft", "16777217"}, {"--window", "square"}, {"--channel", "0"},
      {"--start", "-1"},      {"--duration", "0"},     {"--peaks", "1001"},    {"--peaks", "-1"},
      {"--separation", "-1"}, {"--plot", "a.gif"},     {"--plot", "png"},      {"--plot", "-"},
      {"--csv", "-"},         {"--npy", "-"},          {"--nan", "maybe"},     {"--csv", ""},
      {"--npy", ""},          {"--plot", ""}};
  for (const auto& [flag, value] : bad) {
    SCOPED_TRACE(flag + " " + value);
    expect_usage({"fft", file, flag, value}, flag);
  }
  const std::pair<std::string, std::string> of_the_plot[] = {
      {"--min-db", "0"}, {"--min-db", "nan"}, {"--width", "299"}, {"--height", "16385"}};
  for (const auto& [flag, value] : of_the_plot)
    expect_usage({"fft", file, "--plot", "a.png", flag, value}, flag);
  expect_usage({"fft", file, "--log-frequency"}, "--out");
  expect_usage({"fft", file, "-o", "a.csv", "-o", "./a.csv"}, "--out");
  expect_usage({"fft", file, "-o", "a.txt"}, "--out");
  expect_usage({"stft", file, "-o", "a.csv"}, "--out");
  expect_usage({"fft", file, "--title", "T"}, "--out");
  expect_usage({"fft"}, "FILE");
  expect_usage({"fft", file, "--csv", "a", "--npy", "./a"}, "--npy");
  expect_usage({"fft", file, "--csv", "in.wav"}, "--csv");
}

TEST_F(usage, outputs_that_would_collide) {
  write_sine("in.wav", 1000);
  std::filesystem::create_directory(path("sub"));
  write_sine("sub/in.wav", 1000);
  expect_usage({"spectrogram", "in.wav", "sub/in.wav"}, "--out");
  expect_usage({"spectrogram", "in.wav", "sub/in.wav", "--out", "one.png"}, "--out");
  expect_usage({"spectrogram", "in.wav", "--out", "in.wav"}, "--out");
  expect_usage({"spectrogram", "in.wav", "--out", ""}, "--out");
  expect_usage({"spectrogram", "in.wav", "--out", "in.jpg"}, "--out");
}

TEST_F(usage, help_and_version_go_to_stdout) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"spectrogram", "--help"},
                                                    {"info", "--help"},
                                                    {"fft", "--help"},
                                                    {"plan", "--help"},
                                                    {"--version"}}) {
    const child_result result = run(arguments);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_NE(result.output, "");
    EXPECT_EQ(result.errors, "");
  }
}

}  // namespace
}  // namespace papilio::test
