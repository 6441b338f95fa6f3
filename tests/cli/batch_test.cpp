// Many files: what is done, what is left out, what is told.
#include "cli/batch_program.hpp"

#include <algorithm>

#include "support/npy_data.hpp"

namespace papilio::test {
namespace {

class batch_verb : public batch_program {};

using list = std::vector<std::string>;

TEST_F(batch_verb, good_files_are_done_and_bad_ones_listed) {
  make_mixed_folder();
  const auto json = report({"--what", "mel", "--recursive", "--jobs", "2"}, 1);
  EXPECT_EQ(json["done"], 5);
  EXPECT_EQ(json["failed"], 3);
  EXPECT_EQ(json["skipped"], 0);
  EXPECT_EQ(names("out"), (list{"mono.npy", "stereo.npy", "sub/deep/guitar.npy",
                                "sub/deep/slow.npy", "sub/short.npy"}));
  std::map<std::string, nlohmann::json> files;
  for (const auto& file : json["files"]) files[file["file"]] = file;
  EXPECT_EQ(files.size(), 8u);
  EXPECT_NE(files["empty.wav"]["error"].get<std::string>().find("in/empty.wav: "),
            std::string::npos);
  EXPECT_NE(files["empty.wav"]["error"].get<std::string>().find("empty"), std::string::npos);
  EXPECT_NE(files["notes.txt"]["error"].get<std::string>().find("not recognised"),
            std::string::npos);
  EXPECT_EQ(files["sub/cut.wav"]["status"], "failed");
  EXPECT_EQ(files["sub/deep/slow.wav"]["status"], "done");
  EXPECT_EQ(files["sub/deep/slow.wav"]["output"], "sub/deep/slow.npy");
  EXPECT_EQ(read_npy_data(path("out/sub/deep/slow.npy")).extents,
            (std::vector<std::size_t>{1 + 5000 / 512, 128}));
}

TEST_F(batch_verb, the_summary_names_every_failure) {
  make_mixed_folder();
  const child_result result = batch({"--what", "features", "-r"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.output.find("done      5 files in "), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("failed    3\n  in/empty.wav: "), std::string::npos)
      << result.output;
  for (const char* bad : {"in/empty.wav", "in/notes.txt", "in/sub/cut.wav"}) {
    EXPECT_NE(result.output.find(bad), std::string::npos) << result.output;
    EXPECT_NE(result.errors.find(std::string("papilio: ") + bad), std::string::npos)
        << result.errors;
  }
  EXPECT_EQ(result.errors.find('\x1b'), std::string::npos) << "progress where no terminal is";
}

TEST_F(batch_verb, outputs_are_those_of_the_verbs) {
  make_mixed_folder();
  for (const char* bad : {"in/empty.wav", "in/notes.txt", "in/sub/cut.wav"}) fs::remove(path(bad));
  ASSERT_EQ(batch({"--what", "spectrogram", "-r", "--width", "400", "--height", "300", "--colors",
                   "magma", "--n-fft", "512"})
                .exit_code,
            0);
  for (const char* name : {"mono", "stereo", "sub/short"}) {
    ASSERT_EQ(run({"spectrogram", std::string("in/") + name + ".wav", "--out", "one.png", "--width",
                   "400", "--height", "300", "--colors", "magma", "--n-fft", "512"})
                  .exit_code,
              0);
    EXPECT_EQ(read_bytes(path("one.png")), read_bytes(path(std::string("out/") + name + ".png")));
  }
  // The rates of the files, not the rule of the tables, choose a picture's segments.
  ASSERT_EQ(batch({"--what", "spectrogram"}).exit_code, 0);
  ASSERT_EQ(run({"spectrogram", "in/mono.wav", "--out", "one.png"}).exit_code, 0);
  EXPECT_EQ(read_bytes(path("one.png")), read_bytes(path("out/mono.png")));
  ASSERT_EQ(batch({"--what", "features", "--mfcc", "--rms", "--format", "json"}).exit_code, 0);
  ASSERT_EQ(run({"features", "in/mono.wav", "--mfcc", "--rms", "--out", "one.json"}).exit_code, 0);
  EXPECT_EQ(read_bytes(path("one.json")), read_bytes(path("out/mono.json")));
  ASSERT_EQ(batch({"--what", "mel", "--bands", "30", "--mel-db"}).exit_code, 0);
  ASSERT_EQ(run({"features", "in/stereo.wav", "--mel", "--bands", "30", "--mel-db", "--no-time",
                 "--out", "one.npy"})
                .exit_code,
            0);
  EXPECT_EQ(read_bytes(path("one.npy")), read_bytes(path("out/stereo.npy")));
}

TEST_F(batch_verb, spectra_and_densities_are_those_of_the_verbs) {
  make_mixed_folder();
  const list stft = {"--form",   "magnitude", "--n-fft",   "256",
                     "--window", "hamming",   "--scaling", "psd"};
  const list psd = {"--n-fft", "512", "--segment-length", "300", "--overlap", "20"};
  const auto with = [](list words, const list& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  batch(with({"--what", "stft", "-r"}, stft));
  ASSERT_EQ(run(with({"stft", "in/stereo.wav", "--out", "one.npy"}, stft)).exit_code, 0);
  EXPECT_EQ(read_bytes(path("one.npy")), read_bytes(path("out/stereo.npy")));
  EXPECT_EQ(read_bytes(path("one.npy.json")), read_bytes(path("out/stereo.npy.json")));
  batch(with({"--what", "psd", "--psd-scaling", "spectrum"}, psd));
  ASSERT_EQ(run(with({"psd", "in/stereo.wav", "--out", "one.csv", "--scaling", "spectrum"}, psd))
                .exit_code,
            0);
  EXPECT_EQ(read_bytes(path("one.csv")), read_bytes(path("out/stereo.csv")));
  batch(with({"--what", "psd", "--format", "npy", "--per-channel"}, psd));
  ASSERT_EQ(run(with({"psd", "in/stereo.wav", "--out", "one.npy", "--per-channel"}, psd)).exit_code,
            0);
  EXPECT_EQ(read_bytes(path("one.npy")), read_bytes(path("out/stereo.npy")));
}

TEST_F(batch_verb, outputs_do_not_depend_on_the_jobs) {
  make_mixed_folder();
  for (int i = 0; i < 12; ++i)
    write_stereo("in/more" + std::to_string(i) + ".wav", 8000 + 1000 * static_cast<unsigned>(i),
                 3000 + 700 * static_cast<std::size_t>(i));
  for (const char* what : {"mel", "spectrogram"}) {
    batch({"--what", what, "-r", "--jobs", "1"});
    const auto one = tree("out");
    EXPECT_EQ(one.size(), 17u);
    fs::remove_all(path("out"));
    batch({"--what", what, "-r", "--jobs", "5"});
    EXPECT_TRUE(tree("out") == one);
    fs::remove_all(path("out"));
  }
}

TEST_F(batch_verb, odd_names) {
  make_folders({"in/a folder", "in/new\nline"});
  const list odd = {"with space.wav", "new\nline.wav",    "-o.wav",    "gr\xc3\xbc\xc3\x9f.wav",
                    "\xff\xfe.wav",   "a folder/'q'.wav", "no_ending", "new\nline/\x1b[31m.wav",
                    "two.dots.wav"};
  for (const std::string& name : odd) write_sine("in/" + name, 3000);
  write_sine("in/.hidden.wav", 3000);
  const child_result result = batch({"--what", "mel", "-r"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  list expected;
  for (const std::string& name : odd)
    expected.push_back(fs::path(name).replace_extension(".npy").string());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(names("out"), expected);
  EXPECT_EQ(report({"--what", "mel", "-r", "--resume"})["skipped"], odd.size());
  // And where they fail, their names cannot command the terminal.
  for (const std::string& name : odd) write("in/" + name, "");
  const child_result failed = batch({"--what", "mel", "-r"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_EQ(failed.errors.find('\x1b'), std::string::npos);
  EXPECT_EQ(failed.output.find('\x1b'), std::string::npos);
  EXPECT_EQ(std::count(failed.output.begin(), failed.output.end(), '\n'), 3 + 9);
}

TEST_F(batch_verb, files_that_would_share_an_output_keep_their_names) {
  make_folders({"in/sub"});
  write_sine("in/a.wav", 3000);
  write_sine("in/a.wave", 3000);
  write_sine("in/a.wav.wav", 3000);
  write_sine("in/b.wav", 3000);
  write_sine("in/sub/a.wav", 3000);
  EXPECT_EQ(batch({"--what", "mel", "-r"}).exit_code, 0);
  EXPECT_EQ(names("out"), (list{"a.wav.npy", "a.wav.wav.npy", "a.wave.npy", "b.npy", "sub/a.npy"}));
}

TEST_F(batch_verb, includes_and_folders) {
  make_mixed_folder();
  fs::create_directory_symlink("..", path("in/sub/loop"));
  fs::create_symlink("mono.wav", path("in/link.wav"));
  fs::create_symlink("nowhere.wav", path("in/dangling.wave"));
  EXPECT_EQ(report({"--what", "mel", "--include", "*.flac"}, 1)["error"].get<std::string>().find(
                "in: no files"),
            0u);
  EXPECT_FALSE(fs::exists(path("out")));
  report({"--what", "mel", "-r", "--include", "*.flac", "--include", "l*.wav"});
  EXPECT_EQ(names("out"), (list{"link.npy", "sub/deep/guitar.npy"}));
  const auto json = report({"--what", "mel", "--include", "*.wave"}, 1);
  EXPECT_NE(json["files"][0]["error"].get<std::string>().find("No such file"), std::string::npos);
}

// A link in --out leads neither to an input nor out of the folder.
TEST_F(batch_verb, links_among_the_outputs_are_not_followed) {
  make_folders({"in/sub", "out", "elsewhere"});
  write_sine("in/a.wav", 3000);
  write_sine("in/b.wav", 3000);
  write_sine("in/sub/c.wav", 3000);
  const std::string sound = read_bytes(path("in/a.wav"));
  fs::create_symlink("../in/a.wav", path("out/b.png"));
  EXPECT_EQ(batch({"--what", "spectrogram", "-r"}).exit_code, 2);
  fs::remove(path("out/b.png"));
  fs::create_symlink("../elsewhere/none.png", path("out/b.png"));
  fs::create_directory_symlink("../elsewhere", path("out/sub"));
  const auto json = report({"--what", "spectrogram", "-r"}, 1);
  EXPECT_EQ(json["done"], 1);
  EXPECT_EQ(json["failed"], 2);
  for (const std::size_t i : {1u, 2u})
    EXPECT_NE(json["files"][i]["error"].get<std::string>().find("is a symbolic link"),
              std::string::npos);
  EXPECT_EQ(read_bytes(path("in/a.wav")), sound);
  EXPECT_TRUE(fs::is_empty(path("elsewhere")));
  EXPECT_TRUE(fs::is_symlink(path("out/b.png")));
}

TEST_F(batch_verb, an_output_folder_inside_is_not_walked) {
  make_folders({"in/sub"});
  write_sine("in/a.wav", 3000);
  write_sine("in/sub/b.wav", 3000);
  for (int round = 0; round < 2; ++round) {
    const child_result result = run({"batch", "in", "--out", "in/results", "--what", "mel", "-r"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(names("in"), (list{"a.wav", "results/a.npy", "results/sub/b.npy", "sub/b.wav"}));
  }
}

TEST_F(batch_verb, unreadable_files_and_folders) {
  make_folders({"in/closed", "out"});
  write_sine("in/a.wav", 3000);
  write_sine("in/secret.wav", 3000);
  write_sine("in/closed/b.wav", 3000);
  fs::permissions(path("in/secret.wav"), fs::perms::none);
  fs::permissions(path("in/closed"), fs::perms::none);
  fs::permissions(path("out"), fs::perms::all);
  fs::permissions(directory.path(), fs::perms::all);
  child_options options{.as_nobody = true};
  options.directory = directory.path();
  const child_result probe = run({"--version"}, options);
  const child_result result = batch({"--what", "mel", "-r"}, options);
  fs::permissions(path("in/closed"), fs::perms::all);
  if (probe.exit_code == 127 || probe.exit_code == 126)
    GTEST_SKIP() << "another user cannot run the program here";
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(names("out"), (list{"a.npy"}));
  EXPECT_NE(result.output.find("in/secret.wav: Permission denied"), std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("in/closed: Permission denied"), std::string::npos) << result.output;
}

TEST_F(batch_verb, a_full_disk_fails_files_and_leaves_nothing) {
  make_folders({"in"});
  write_sine("in/long.wav", 90000);
  write_sine("in/short.wav", 600);
  child_options options;
  options.file_size_limit = 20000;
  const child_result result = batch({"--what", "mel"}, options);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(names("out"), (list{"short.npy"}));
  EXPECT_NE(result.output.find("in/long.wav: out/long.npy: File too large"), std::string::npos)
      << result.output;
}

TEST_F(batch_verb, warnings_name_their_file) {
  make_folders({"in"});
  const std::string whole = wav_bytes{.data = std::string(20000, '\1')}.file();
  write("in/cut.wav", whole.substr(0, 9000));
  const child_result result = batch({"--what", "mel"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.errors.find("papilio: warning: in/cut.wav: "), std::string::npos)
      << result.errors;
  EXPECT_EQ(batch({"--what", "mel", "--strict"}).exit_code, 1);
  EXPECT_EQ(report({"--what", "mel"})["files"][0]["warnings"].size(), 1u);
}

TEST_F(batch_verb, makes_several_outputs_of_one_reading) {
  make_folders({"in"});
  write_stereo("in/a.wav", 8000, 9000);
  write_sine("in/b.wav", 4000);
  const auto json = report({"--what", "spectrogram", "--format", "png,npy,csv"});
  EXPECT_EQ(names("out"),
            (std::vector<std::string>{"a.csv", "a.npy", "a.png", "b.csv", "b.npy", "b.png"}));
  EXPECT_EQ(json["files"][0]["output"], "a.png");
  EXPECT_EQ(json["files"][0]["outputs"], nlohmann::json({"a.png", "a.npy", "a.csv"}));
  ASSERT_EQ(
      run({"spectrogram", "in/a.wav", "-o", "one.png", "-o", "one.npy", "-o", "one.csv"}).exit_code,
      0);
  for (const char* kind : {".png", ".npy", ".csv"})
    EXPECT_EQ(read_bytes(path(std::string("out/a") + kind)),
              read_bytes(path(std::string("one") + kind)))
        << kind;
  // All of them are what --resume looks for.
  EXPECT_EQ(report({"--what", "spectrogram", "--format", "png,npy,csv", "--resume"})["skipped"], 2);
  fs::remove(path("out/b.csv"));
  EXPECT_EQ(report({"--what", "spectrogram", "--format", "png,npy,csv", "--resume"})["done"], 1);
}

TEST_F(batch_verb, does_what_every_verb_of_sounds_does) {
  make_folders({"in"});
  write_stereo("in/a.wav", 8000, 9000);
  ASSERT_EQ(batch({"--what", "fft", "--format", "csv,svg", "--window", "kaiser:8"}).exit_code, 0);
  ASSERT_EQ(
      run({"fft", "in/a.wav", "-o", "one.csv", "-o", "one.svg", "--window", "kaiser:8"}).exit_code,
      0);
  EXPECT_EQ(read_bytes(path("out/a.csv")), read_bytes(path("one.csv")));
  EXPECT_EQ(read_bytes(path("out/a.svg")), read_bytes(path("one.svg")));
  ASSERT_EQ(batch({"--what=denoise", "--format", "flac", "--reduction", "12"}).exit_code, 0);
  ASSERT_EQ(run({"denoise", "in/a.wav", "-o", "one.flac", "--reduction", "12"}).exit_code, 0);
  EXPECT_EQ(read_bytes(path("out/a.flac")), read_bytes(path("one.flac")));
}

TEST_F(batch_verb, bad_usage_names_the_flag) {
  make_folders({"in"});
  write_sine("in/a.wav", 3000);
  const std::pair<list, std::string> bad[] = {
      {{}, "--what"},
      {{"--what", "opera"}, "--what"},
      {{"--what", "mel", "--jobs", "0"}, "--jobs"},
      {{"--what", "mel", "--jobs", "-2"}, "--jobs"},
      {{"--what", "mel", "--width", "500"}, "--width"},
      {{"--what", "mel", "--rms"}, "--rms"},
      {{"--what", "features", "--bands", "9"}, "--n-mels"},
      {{"--what", "spectrogram", "--mel-db"}, "--mel-db"},
      {{"--what", "spectrogram", "--format", "json"}, "--format"},
      {{"--what", "spectrogram", "--format", "npy,npy"}, "--format"},
      {{"--what", "psd", "--hop", "9"}, "--hop"},
      {{"--what", "psd", "--overlap", "9999"}, "--overlap"},
      {{"--what", "psd", "--format", "json"}, "--format"},
      {{"--what", "stft", "--floor", "-9"}, "--floor"},
      {{"--what", "mel", "--scaling", "psd"}, "--scaling"},
      {{"--what", "spectrogram", "--range", "x"}, "--range"},
      {{"--what", "mel", "--n-fft", "0"}, "--n-fft"},
      {{"--what", "mel", "--include", ""}, "--include"}};
  for (const auto& [flags, named] : bad) {
    SCOPED_TRACE(testing::PrintToString(flags));
    const child_result result = batch(flags);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_NE(result.errors.find(named), std::string::npos) << result.errors;
    EXPECT_EQ(result.output, "");
    EXPECT_FALSE(fs::exists(path("out")));
  }
  const child_result into_itself = run({"batch", "in", "--out", "./in/", "--what", "mel"});
  EXPECT_EQ(into_itself.exit_code, 2);
  EXPECT_NE(into_itself.errors.find("--out"), std::string::npos);
  EXPECT_EQ(names("in"), (list{"a.wav"}));
}

TEST_F(batch_verb, folders_that_are_none) {
  write_sine("file.wav", 3000);
  make_folders({"empty"});
  const std::pair<list, std::string> bad[] = {
      {{"missing", "--out", "out"}, "missing: No such file"},
      {{"file.wav", "--out", "out"}, "file.wav: is not a directory"},
      {{"empty", "--out", "out"}, "empty: no files"},
      {{".", "--out", "file.wav"}, "file.wav: is not a directory"},
      {{".", "--out", "/proc/nowhere"}, "/proc/nowhere: "}};
  for (const auto& [folders, reason] : bad) {
    list arguments = {"batch", "--what", "mel"};
    arguments.insert(arguments.end(), folders.begin(), folders.end());
    const child_result result = run(arguments);
    EXPECT_EQ(result.exit_code, 1) << result.output;
    EXPECT_NE(result.errors.find(reason), std::string::npos) << result.errors;
    EXPECT_FALSE(fs::exists(path("out")));
  }
}

TEST_F(batch_verb, memory_does_not_grow_with_length_or_number) {
  make_folders({"in"});
  std::string data(std::size_t{20} * 1000 * 1000, '\0');
  for (std::size_t i = 0; i < data.size(); i += 997) data[i] = static_cast<char>(i % 251);
  const std::string bytes =
      wav_bytes{.channels = 2, .rate_hz = 44100, .data = std::move(data)}.file();
  write("in/0.wav", bytes);
  for (int i = 1; i < 8; ++i)
    fs::create_hard_link(path("in/0.wav"), path("in/" + std::to_string(i) + ".wav"));
  const child_result result =
      batch({"--what", "mel", "--hop", "4096", "--n-fft", "4096", "--jobs", "2"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(names("out").size(), 8u);
  EXPECT_LT(result.peak_kilobytes, 64 * 1024);
}

}  // namespace
}  // namespace papilio::test
