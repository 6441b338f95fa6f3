// Sound that comes through a pipe, and sound without a header.
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

#include <filesystem>

namespace papilio::test {
namespace {

class standard_input : public program_test {
 protected:
  child_result run_with(const std::string& bytes, std::vector<std::string> arguments) const {
    return run(std::move(arguments), {.input = bytes});
  }
};

TEST_F(standard_input, gives_the_picture_of_the_file) {
  const std::string recording = read_bytes(PAPILIO_RECORDING);
  for (const std::string& bytes : {recording, recording.substr(0, recording.size() / 2)}) {
    write("a.flac", bytes);
    const child_result filed =
        run({"spectrogram", "a.flac", "-o", "a.png", "--title", "t", "--json", "--start", "1"});
    const child_result piped = run_with(
        bytes, {"spectrogram", "-", "-o", "stdin.png", "--title", "t", "--json", "--start", "1"});
    EXPECT_EQ(filed.exit_code, 0) << filed.errors;
    EXPECT_EQ(piped.exit_code, 0) << piped.errors;
    EXPECT_EQ(read_bytes(path("stdin.png")), read_bytes(path("a.png")));
    auto expected = nlohmann::json::parse(filed.output), got = nlohmann::json::parse(piped.output);
    EXPECT_EQ(got[0]["file"], "-");
    for (const char* key : {"file", "picture"}) expected[0].erase(key), got[0].erase(key);
    EXPECT_EQ(got, expected);
    const bool whole = bytes.size() == recording.size();
    EXPECT_EQ(piped.errors.find("standard input: truncated") == std::string::npos, whole);
  }
}

// OpenBLAS starts a thread for each core when it is loaded; they would wait awake for 0.1 s each.
TEST_F(standard_input, is_waited_for_by_one_thread) {
  write_sine("a.wav", 200000);  // more than a pipe holds: once that is written, it is at work
  const std::string waiting = "mkfifo f && { '" + program_path() +
                              "' stft - -o out.npy < f > /dev/null 2>&1 & } && exec 3> f && "
                              "head -c 300000 a.wav >&3 && ls /proc/$!/task | wc -l; kill $!";
  const child_result result = run_child({"/bin/sh", "-c", waiting}, {.directory = path("")});
  EXPECT_EQ(result.output, "1\n") << result.errors;
}

TEST_F(standard_input, may_be_a_file) {
  write_sine("a.wav", 8000);
  const child_result result = run({"fft", "-", "--peaks", "1"}, {.input_file = path("a.wav")});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("file      standard input\n"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("1000.000 Hz"), std::string::npos) << result.output;
}

TEST_F(standard_input, among_files) {
  write_sine("a.wav", 8000);
  const child_result result = run_with(read_bytes(path("a.wav")), {"info", "a.wav", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("a.wav\n  format"), std::string::npos);
  EXPECT_NE(result.output.find("standard input\n  format"), std::string::npos);
}

TEST_F(standard_input, bad_data) {
  for (const auto& [bytes, reason] :
       {std::pair<std::string, std::string>{"", "papilio: standard input: the file is empty\n"},
        {"some words", "papilio: standard input: the format is not recognised: this is text\n"}})
    for (const char* verb : {"info", "spectrogram", "fft"}) {
      const child_result result = run_with(bytes, {verb, "-"});
      EXPECT_EQ(result.exit_code, 1);
      EXPECT_EQ(result.errors, reason);
      EXPECT_EQ(result.output, "");
    }
  write_sine("a.wav", 100);
  const child_result late =
      run_with(read_bytes(path("a.wav")), {"spectrogram", "-", "--start", "10"});
  EXPECT_EQ(late.exit_code, 1);
  EXPECT_NE(late.errors.find("papilio: standard input: --start 10 s"), std::string::npos)
      << late.errors;
  EXPECT_EQ(listing(), std::vector<std::string>{"a.wav"});
}

TEST_F(standard_input, only_once) {
  const child_result result = run_with("", {"info", "-", "-"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("only once"), std::string::npos);
}

// The shell's pipe never ends.
TEST_F(standard_input, endless_sound_ends_with_the_excerpt) {
  write("head.wav",
        wav_bytes{.data_size_bytes = 0xffffffffu, .riff_size_bytes = 0xffffffffu}.file());
  const auto endless = [&](const std::string& arguments) {
    return run_child(
        {"/bin/sh", "-c",
         "(cat head.wav; yes papilio) | TMPDIR=/nonexistent " + program_path() + " " + arguments},
        {.directory = directory.path(), .timeout_seconds = 20});
  };
  for (const char* verb : {"spectrogram - --out a.png", "features - --mfcc", "psd -", "fft -",
                           "stft - --out a.npy", "denoise - b.wav"}) {
    SCOPED_TRACE(verb);
    const child_result result = endless(std::string(verb) + " --strict --duration 2 --start 1");
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    EXPECT_NE(result.output.find("duration  not known"), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("excerpt   2.000 s from 1.000 s"), std::string::npos)
        << result.output;
  }
  const auto report = nlohmann::json::parse(endless("psd - --json --duration 2").output);
  EXPECT_TRUE(report["duration_seconds"].is_null());
  EXPECT_TRUE(report["frames"].is_null());
  EXPECT_EQ(report["excerpt"]["frames"], 16000);
}

// Read once: neither its length nor a folder to keep it in is needed.
TEST_F(standard_input, of_unknown_length_has_the_features_of_the_file) {
  write_sine("a.wav", 30'000);
  std::string bytes = read_bytes(path("a.wav"));
  bytes.replace(40, 4, "\xff\xff\xff\xff");
  write("stream.wav", bytes);
  EXPECT_EQ(run({"features", "a.wav", "--mel", "--rms", "--out", "a.csv"}).exit_code, 0);
  const child_result piped = run_child({"/bin/sh", "-c",
                                        "cat stream.wav | TMPDIR=/nonexistent " + program_path() +
                                            " features - --mel --rms --strict --out b.csv"},
                                       {.directory = directory.path()});
  EXPECT_EQ(piped.exit_code, 0) << piped.errors;
  EXPECT_EQ(piped.errors, "");
  EXPECT_NE(piped.output.find("duration  3.750 s (30000 frames)"), std::string::npos);
  EXPECT_EQ(read_bytes(path("a.csv")), read_bytes(path("b.csv")));
}

TEST_F(standard_input, foreign_formats_are_decoded_by_ffmpeg) {
  const std::string m4a = PAPILIO_SOUND_DATA "/aac.m4a";
  const std::string line = "aac (LC), 44100 Hz, 2 channels, decoded by ffmpeg\n";
  const child_result info = run({"info", m4a});
  EXPECT_NE(info.output.find(line), std::string::npos) << info.output << info.errors;
  EXPECT_NE(info.output.find("duration  0.720 s (31744 frames)"), std::string::npos);
  const child_result filed = run({"spectrogram", m4a, "--title", "t", "--out", "a.png"});
  EXPECT_NE(filed.output.find(line), std::string::npos) << filed.output << filed.errors;
  EXPECT_NE(filed.output.find("duration  0.720 s (31744 frames)"), std::string::npos);
  const child_result piped =
      run_with(read_bytes(m4a), {"spectrogram", "-", "--title", "t", "--out", "b.png"});
  EXPECT_EQ(piped.exit_code, 0) << piped.errors;
  EXPECT_EQ(read_bytes(path("a.png")), read_bytes(path("b.png")));
  std::filesystem::create_directory(directory / "in");
  std::filesystem::copy_file(m4a, directory / "in" / "a.m4a");
  const child_result batch = run({"batch", "in", "--out", "out", "--what", "spectrogram"});
  EXPECT_EQ(batch.exit_code, 0) << batch.output << batch.errors;
  EXPECT_TRUE(std::filesystem::exists(directory / "out" / "a.png"));
}

TEST_F(standard_input, full_disk_for_what_comes) {
  const child_result result = run(
      {"info", "-"},
      {.file_size_limit = 10'000, .input = wav_bytes{.data = std::string(100'000, '\1')}.file()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("standard input: cannot be kept in "), std::string::npos)
      << result.errors;
}

class raw_files : public program_test {};

TEST_F(raw_files, are_what_the_flag_says) {
  write_sine("a.wav", 8000);
  const std::string samples = read_bytes(path("a.wav")).substr(44);
  write("a.raw", samples);
  const child_result info = run({"info", "--raw", "s16:8000:1", "a.raw"});
  EXPECT_EQ(info.exit_code, 0) << info.errors;
  EXPECT_EQ(info.output,
            "a.raw\n"
            "  format    RAW (header-less), Signed 16 bit PCM, 8000 Hz, 1 channel\n"
            "  duration  1.000 s (8000 frames)\n");
  const std::vector<std::string> peaks{"--json", "--peaks", "3"};
  const auto spectrum = [&](std::vector<std::string> arguments, const child_options& options) {
    arguments.insert(arguments.end(), peaks.begin(), peaks.end());
    const child_result result = run(std::move(arguments), options);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return nlohmann::json::parse(result.output)["peaks"];
  };
  const auto expected = spectrum({"fft", "a.wav"}, {});
  EXPECT_EQ(spectrum({"fft", "a.raw", "--raw", "s16:8000:1"}, {}), expected);
  EXPECT_EQ(spectrum({"fft", "-", "--raw", "s16le:8000:1"}, {.input = samples}), expected);
  EXPECT_EQ(spectrum({"fft", "a.wav", "--raw", "s16:8000:1:44"}, {}), expected);
}

TEST_F(raw_files, bad_usage_and_bad_data) {
  write("a.raw", std::string(9, '\0'));
  for (const char* bad : {"", "s16", "s16:8000", "u16:8000:1", "s16:0:1", "s16:8000:0",
                          "s16:8000:1:x", "s16:8000:1025"}) {
    const child_result result = run({"info", "a.raw", "--raw", bad});
    EXPECT_EQ(result.exit_code, 2) << bad;
    EXPECT_NE(result.errors.find("--raw"), std::string::npos) << result.errors;
  }
  const child_result odd = run({"info", "a.raw", "--raw", "s16:8000:2"});
  EXPECT_EQ(odd.exit_code, 0);
  EXPECT_NE(odd.errors.find("a.raw: the data end within a frame: the last 1 of 9 bytes"),
            std::string::npos)
      << odd.errors;
  const child_result strict = run({"spectrogram", "a.raw", "--strict", "--raw", "s16:8000:2"});
  EXPECT_EQ(strict.exit_code, 1);
}

}  // namespace
}  // namespace papilio::test
