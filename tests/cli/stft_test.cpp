// papilio stft and istft: values against the library, the files they leave, and what they refuse.
#include <algorithm>
#include <complex>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "cli/program.hpp"
#include "papilio/audio.hpp"
#include "papilio/signal.hpp"
#include "support/npy_data.hpp"

namespace papilio::test {
namespace {

/// The data of an NPY whose header the writer made; `shape` as it stands there.
std::string npy_elements(const std::string& bytes, const std::string& type,
                         const std::string& shape) {
  const std::size_t first =
      10 + static_cast<unsigned char>(bytes.at(8)) + 256u * static_cast<unsigned char>(bytes.at(9));
  const std::string header = bytes.substr(10, first - 10);
  EXPECT_NE(header.find("'descr': '" + type + "'"), std::string::npos) << header;
  EXPECT_NE(header.find("'shape': " + shape), std::string::npos) << header;
  return bytes.substr(first);
}

std::string npy_file(const std::string& dictionary, const std::string& data) {
  const std::string text = dictionary + std::string(118 - 10 - dictionary.size() + 9, ' ') + "\n";
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(text.size());
  bytes += '\0';
  return bytes + text + data;
}

class stft_verb : public program_test {
 protected:
  /// Two channels of different sines, and a rest that fills no hop.
  std::string write_stereo(const std::string& name, std::size_t frames) const {
    std::vector<std::int32_t> samples;
    for (std::size_t i = 0; i < frames; ++i)
      for (const double step : {0.07, 0.2})
        samples.push_back(
            static_cast<std::int32_t>(std::lround(9000 * std::sin(step * static_cast<double>(i)))));
    return write(name, wav_bytes{.channels = 2, .data = pcm_bytes(samples, 16)}.file());
  }
};

TEST_F(stft_verb, complex_bins_are_the_plans_to_the_bit) {
  write_stereo("a.wav", 9001);
  const child_result result =
      run({"stft", "a.wav", "--out", "a.npy", "--n-fft", "512", "--hop", "100", "--window",
           "hamming", "--scaling", "psd", "--padding", "reflect"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("npy       a.npy (complex, <c8 2 x 91 x 257)\n"), std::string::npos)
      << result.output;
  EXPECT_EQ(listing(), (std::vector<std::string>{"a.npy", "a.npy.json", "a.wav"}));
  const sound s = read_sound(path("a.wav"));
  const stft_plan<float> plan({.n_fft = 512,
                               .hop = 100,
                               .window = window_kind::hamming,
                               .padding = edge_padding::reflect,
                               .scaling = stft_scaling::psd,
                               .rate_hz = 8000});
  array<std::complex<float>, 3> expected({2, 91, 257});
  array<float, 2> channels({2, 9001});
  for (std::size_t i = 0; i < 9001; ++i)
    for (std::size_t c = 0; c < 2; ++c) channels(c, i) = s.samples(i, c);
  plan.execute(view<const float, 2>(channels.view()), expected.view());
  const std::string data = npy_elements(read_bytes(path("a.npy")), "<c8", "(2, 91, 257)");
  ASSERT_EQ(data.size(), expected.size() * sizeof(std::complex<float>));
  EXPECT_EQ(std::memcmp(data.data(), expected.data(), data.size()), 0);
}

TEST_F(stft_verb, forms) {
  write_sine("a.wav", 8000);
  for (const std::string form : {"magnitude", "power", "db"}) {
    const child_result result = run({"stft", "a.wav", "--out", "a.npy", "--form", form, "--n-fft",
                                     "256", "--scaling", "dbfs", "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    const auto json = nlohmann::json::parse(result.output);
    EXPECT_EQ(json["shape"], (std::vector<int>{126, 129}));
    EXPECT_EQ(json["form"], form);
    EXPECT_EQ(json["rate_hz"], 8000);
    const npy_data npy = read_npy_data(path("a.npy"));
    ASSERT_EQ(npy.extents, (std::vector<std::size_t>{126, 129}));
    // 1 kHz of amplitude 1/2 is bin 32.
    const double peak = npy.values[60 * 129 + 32];
    EXPECT_NEAR(peak, form == "magnitude" ? 0.5 : form == "power" ? 0.25 : -6.0206, 1e-4) << form;
    if (form == "db") {
      EXPECT_EQ(*std::min_element(npy.values.begin(), npy.values.end()), -120.0);
    }
  }
}

TEST_F(stft_verb, a_channel_and_an_excerpt) {
  write_stereo("a.wav", 24000);
  ASSERT_EQ(run({"stft", "a.wav", "--out", "a.npy", "--channel", "2", "--start", "1", "--duration",
                 "1", "--no-centre", "--form", "magnitude"})
                .exit_code,
            0);
  const npy_data npy = read_npy_data(path("a.npy"));
  EXPECT_EQ(npy.extents, (std::vector<std::size_t>{1 + (8000 - 2048) / 512, 1025}));
  const auto row = npy.values.begin() + 3 * 1025;
  EXPECT_EQ(std::max_element(row, row + 1025) - row,
            std::lround(0.2 / (2 * std::numbers::pi) * 2048));
}

TEST_F(stft_verb, there_and_back) {
  write_stereo("a.wav", 20011);
  const std::vector<std::vector<std::string>> ways = {
      {},
      {"--preset", "scipy"},
      {"--preset", "torch", "--n-fft", "500", "--hop", "77"},
      {"--n-fft", "1000", "--hop", "300", "--window", "kaiser:9", "--window-length", "900"},
      {"--scaling", "dbfs", "--padding", "edge"}};
  const sound expected = read_sound(path("a.wav"));
  for (const auto& way : ways) {
    std::vector<std::string> arguments = {"stft", "a.wav", "--out", "a.npy"};
    arguments.insert(arguments.end(), way.begin(), way.end());
    ASSERT_EQ(run(arguments).exit_code, 0);
    const child_result result = run({"istft", "a.npy", "--out", "b.wav", "--encoding", "f32"});
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    const sound got = read_sound(path("b.wav"));
    ASSERT_EQ(got.samples.extents(), expected.samples.extents());
    EXPECT_EQ(got.info.rate_hz, 8000);
    double error = 0, power = 0;
    for (std::size_t i = 0; i < got.samples.size(); ++i) {
      error += std::pow(got.samples.data()[i] - expected.samples.data()[i], 2);
      power += std::pow(expected.samples.data()[i], 2);
    }
    EXPECT_LT(std::sqrt(error / power), 1e-6) << (way.empty() ? "" : way[1]);
  }
}

TEST_F(stft_verb, the_spectra_told_by_flags) {
  write_stereo("a.wav", 5000);
  ASSERT_EQ(run({"stft", "a.wav", "--out", "a.npy", "--n-fft", "512"}).exit_code, 0);
  ASSERT_EQ(run({"istft", "a.npy", "--out", "described.wav"}).exit_code, 0);
  std::filesystem::remove(path("a.npy.json"));
  expect_refused({"istft", "a.npy", "--out", "b.wav"}, 1, "a.npy.json");
  expect_refused({"istft", "a.npy", "--out", "b.wav", "--n-fft", "512"}, 2, "--rate");
  expect_refused({"istft", "a.npy", "--out", "b.wav", "--rate", "8000"}, 1, "257 bins");
  expect_refused(
      {"istft", "a.npy", "--out", "b.wav", "--rate", "8000", "--n-fft", "512", "--length", "9000"},
      1, "9000 frames");
  ASSERT_EQ(run({"istft", "a.npy", "--out", "told.wav", "--rate", "8000", "--n-fft", "512",
                 "--length", "5000"})
                .exit_code,
            0);
  EXPECT_TRUE(read_bytes(path("told.wav")) == read_bytes(path("described.wav")));
  const child_result result =
      run({"istft", "a.npy", "--out", "-", "--rate", "8000", "--n-fft", "512", "--length", "5000"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  // The headers may differ: a file's has room for that of an RF64.
  write("piped.wav", result.output);
  const sound piped = read_sound(path("piped.wav")), told = read_sound(path("told.wav"));
  ASSERT_EQ(piped.samples.extents(), told.samples.extents());
  EXPECT_TRUE(std::equal(told.samples.begin(), told.samples.end(), piped.samples.begin()));
}

TEST_F(stft_verb, clipping_is_reported) {
  // A constant of 2: all in bin 0.
  std::vector<float> bins(2 * 40 * 5, 0.0f);
  for (std::size_t s = 0; s < 40; ++s) bins[2 * 5 * s] = 16;
  write("a.npy", npy_file("{'descr': '<c8', 'fortran_order': False, 'shape': (40, 5), }",
                          float_bytes(bins)));
  const std::vector<std::string> arguments = {"istft",    "a.npy",       "--out",   "a.wav",
                                              "--rate",   "8000",        "--n-fft", "8",
                                              "--window", "rectangular", "--json"};
  const child_result result = run(arguments);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  EXPECT_EQ(json["clipped_samples"], json["frames"]);
  EXPECT_NE(result.errors.find("clipped"), std::string::npos) << result.errors;
}

TEST_F(stft_verb, npy_files_that_lie) {
  const std::string data(8 * 4 * 5, '\0');
  const auto array_of = [](const std::string& type, const std::string& shape) {
    return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  };
  const std::pair<std::string, std::string> bad[] = {
      {"", "empty"},
      {"\x93NUMP", "no NPY"},
      {"RIFF and so on, as long as it takes", "no NPY"},
      {std::string("\x93NUMPY\x07\x00\x10\x00", 10) + data, "version 7.0"},
      {std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12) + data, "header"},
      {std::string("\x93NUMPY\x01\x00\xff\xff", 10) + "{", "within its header"},
      {npy_file("{'descr': '<c8'}", data), "header"},
      {npy_file("{'descr': '<c8', 'fortran_order': False, 'shape': (4, -5), }", data), "negative"},
      {npy_file("{'descr': '<c8', 'fortran_order': True, 'shape': (4, 5), }", data), "Fortran"},
      {npy_file(array_of("<c8", "(4, 6)"), data), "promises 192 bytes"},
      {npy_file(array_of("<c8", "(4, 5)"), data + "x"), "it holds 161"},
      {npy_file(array_of("<c8", "(4294967296, 4294967296)"), data), "beyond any file"},
      {npy_file(array_of("<c8", "(20,)"), data), "rank 1"},
      {npy_file(array_of("<c8", "(0, 5)"), ""), "no segments"},
      {npy_file(array_of("<f8", "(4, 5)"), data), "<f8"},
      {npy_file(array_of(">c8", "(4, 5)"), data), ">c8"},
      {npy_file(array_of("|O", "(4, 5)"), data), "Python objects"},
      {npy_file(array_of("<c8", "(4, 5)"), std::string(8 * 4 * 5, '\xff')), "nan"}};
  for (const auto& [bytes, reason] : bad) {
    SCOPED_TRACE(reason);
    write("a.npy", bytes);
    expect_refused({"istft", "a.npy", "--out", "a.wav", "--rate", "8000", "--n-fft", "8"}, 1,
                   reason);
  }
  std::filesystem::create_directory(path("folder.npy"));
  expect_refused({"istft", "folder.npy", "--out", "a.wav", "--rate", "8000"}, 1, "directory");
  expect_refused({"istft", "none.npy", "--out", "a.wav", "--rate", "8000"}, 1, "No such file");
}

TEST_F(stft_verb, descriptions_that_lie) {
  write_sine("a.wav", 5000);
  ASSERT_EQ(run({"stft", "a.wav", "--out", "a.npy"}).exit_code, 0);
  const auto good = nlohmann::json::parse(read_bytes(path("a.npy.json")));
  const std::pair<const char*, nlohmann::json> bad[] = {
      {"n_fft", 4096},   {"n_fft", -1},       {"hop", 0},
      {"hop", 1.5},      {"window", "round"}, {"rate_hz", 0},
      {"shape", {1, 1}}, {"form", "power"},   {"element_type", "<c4"},
      {"centre", 1},     {"frames", 100000},  {"scaling", "loud"},
      {"padding", 7},    {"what", "mel"},     {"window_length", 1e9}};
  for (const auto& [key, value] : bad) {
    SCOPED_TRACE(key);
    auto lie = good;
    lie[key] = value;
    write("a.npy.json", lie.dump());
    expect_refused({"istft", "a.npy", "--out", "b.wav"}, 1, "a.npy");
    lie.erase(key);
    write("a.npy.json", lie.dump());
    expect_refused({"istft", "a.npy", "--out", "b.wav"}, 1, key);
  }
  const std::string deep = "{\"what\":" + std::string(30000, '[') + std::string(30000, ']') + "}";
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{\"what\":"), std::string("null"), deep,
        good.dump() + std::string(1 << 16, ' ')}) {
    write("a.npy.json", text);
    expect_refused({"istft", "a.npy", "--out", "b.wav"}, 1, "a.npy.json");
  }
}

TEST_F(stft_verb, usage) {
  write_sine("a.wav", 5000);
  const std::vector<std::pair<std::vector<std::string>, std::string>> bad = {
      {{"--n-fft", "0"}, "--n-fft"},
      {{"--n-fft", "16777217"}, "--n-fft"},
      {{"--hop", "0"}, "--hop"},
      {{"--window", "square"}, "--window"},
      {{"--window", "kaiser:x"}, "--window"},
      {{"--window", "hann:3"}, "--window"},
      {{"--window", "dpss:900", "--n-fft", "64"}, "--window"},
      {{"--window-length", "2049"}, "--window-length"},
      {{"--padding", "wrap"}, "--padding"},
      {{"--padding", "zero", "--no-centre"}, "--no-centre"},
      {{"--scaling", "loud"}, "--scaling"},
      {{"--preset", "matlab"}, "--preset"},
      {{"--form", "phase"}, "--form"},
      {{"--floor", "-100"}, "--floor"},
      {{"--out", "-"}, "--out"},
      {{"--out", "a.wav"}, "--out"}};
  for (const auto& [flags, named] : bad) {
    std::vector<std::string> arguments = {"stft", "a.wav"};
    if (flags[0] != "--out") arguments.insert(arguments.end(), {"--out", "a.npy"});
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    expect_refused(arguments, 2, named);
  }
  expect_refused({"istft", "a.npy", "--out", "a.mp3"}, 2, "--out");
  expect_refused({"istft", "a.npy", "--out", "a.flac", "--encoding", "f32"}, 2, "--encoding");
  expect_refused({"istft", "a.npy", "--out", "a.wav", "--quality", "0.5"}, 2, "--quality");
  expect_refused({"istft", "a.npy", "--out", "a.wav", "--rate", "8000", "--hop", "5000"}, 2,
                 "--hop");
  expect_refused({"istft", "a.npy", "--out", "-", "--json"}, 2, "--json");
}

TEST_F(stft_verb, bad_sound_and_full_disk_leave_nothing) {
  write("empty.wav", "");
  expect_refused({"stft", "empty.wav", "--out", "a.npy"}, 1, "empty");
  write_sine("short.wav", 100);
  expect_refused({"stft", "short.wav", "--out", "a.npy", "--no-centre"}, 1, "too few");
  write_sine("a.wav", 50000);
  const auto before = listing();
  child_options options;
  options.file_size_limit = 100000;
  const child_result full = run({"stft", "a.wav", "--out", "a.npy"}, options);
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_NE(full.errors.find("a.npy: File too large"), std::string::npos) << full.errors;
  EXPECT_EQ(listing(), before);
  std::filesystem::create_directory(path("a.npy.json"));
  expect_refused({"stft", "a.wav", "--out", "a.npy"}, 1, "a.npy.json: Is a directory");
}

TEST_F(stft_verb, a_sound_that_ends_early) {
  const std::string whole = read_bytes(PAPILIO_RECORDING);
  write("short.flac", whole.substr(0, whole.size() / 2));
  const child_result result = run({"stft", "short.flac", "--out", "a.npy", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.errors.find("warning: short.flac"), std::string::npos) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  const std::uint64_t frames = json["frames"];
  EXPECT_LT(frames, 263356u);
  EXPECT_EQ(json["segments"], 1 + frames / 512);
  ASSERT_EQ(run({"istft", "a.npy", "--out", "b.wav"}).exit_code, 0);
  EXPECT_EQ(read_sound(path("b.wav")).info.frames, frames);
}

}  // namespace
}  // namespace papilio::test
