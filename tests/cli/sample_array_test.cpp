// Arrays of samples, NPY, NPZ and CSV with --rate, as inputs of the verbs of sounds.
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numbers>

#include "cli/program.hpp"
#include "papilio/audio.hpp"
#include "papilio/io.hpp"
#include "support/npy_data.hpp"

namespace papilio::test {
namespace {

using arguments = std::vector<std::string>;

constexpr std::size_t frames = 6000;
constexpr int array_rate_hz = 8000;

/// Of channel c, a sine of its own, in multiples of 2^-7, which every encoding holds.
double sample(std::size_t i, std::size_t c) {
  const double phase =
      2 * std::numbers::pi * static_cast<double>((500 + 300 * c) * i) / array_rate_hz;
  return std::round(100 * std::sin(phase)) / 128;
}

template <class T>
tensor<T> samples_of(double scale, double middle, std::size_t channels) {
  tensor<T> all({frames, channels});
  for (std::size_t i = 0; i < frames; ++i)
    for (std::size_t c = 0; c < channels; ++c)
      all.data()[i * channels + c] = static_cast<T>(scale * sample(i, c) + middle);
  return all;
}

std::uint32_t crc_of(const std::string& bytes) {
  std::uint32_t crc = ~0u;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0u);
  }
  return ~crc;
}

std::string number(std::uint64_t value, unsigned count) {
  std::string bytes;
  for (unsigned i = 0; i < count; ++i) bytes += static_cast<char>(value >> 8 * i & 255);
  return bytes;
}

/// Deflate without compression, in blocks of at most 65535 bytes.
std::string deflated(const std::string& bytes) {
  std::string packed;
  for (std::size_t at = 0; at < bytes.size(); at += 65535) {
    const std::string block = bytes.substr(at, 65535);
    packed += at + 65535 >= bytes.size() ? '\1' : '\0';
    packed += number(block.size(), 2) + number(~block.size() & 0xffff, 2) + block;
  }
  return packed;
}

/// An archive of these files, as numpy.savez or savez_compressed makes it.
std::string zip_of(const std::vector<std::pair<std::string, std::string>>& files, bool packed) {
  std::string archive, directory;
  for (const auto& [name, bytes] : files) {
    const std::string data = packed ? deflated(bytes) : bytes;
    const std::string facts = number(packed ? 8 : 0, 2) + number(0, 4) + number(crc_of(bytes), 4) +
                              number(data.size(), 4) + number(bytes.size(), 4) +
                              number(name.size(), 2);
    directory += "PK\1\2" + number(20, 2) + number(20, 2) + number(0, 2) + facts + number(0, 12) +
                 number(archive.size(), 4) + name;
    archive += "PK\3\4" + number(20, 2) + number(0, 2) + facts + number(0, 2) + name + data;
  }
  return archive + directory + "PK\5\6" + number(0, 4) + number(files.size(), 2) +
         number(files.size(), 2) + number(directory.size(), 4) + number(archive.size(), 4) +
         number(0, 2);
}

class sample_arrays : public program_test {
 protected:
  void SetUp() override {
    array<float, 2> stereo({frames, 2});
    for (std::size_t i = 0; i < frames; ++i)
      for (std::size_t c = 0; c < 2; ++c) stereo(i, c) = static_cast<float>(sample(i, c));
    write_sound(path("two.wav"), stereo.view(),
                {.rate_hz = array_rate_hz, .encoding = sample_encoding::f32});
    write_sound(path("one.wav"), stereo.view().slice(1, 0, 1),
                {.rate_hz = array_rate_hz, .encoding = sample_encoding::f32});
  }

  /// The spectra of the file are those of the WAV, to the bit.
  void expect_as(const std::string& wav, const std::string& file) const {
    SCOPED_TRACE(file);
    ASSERT_EQ(run({"stft", wav, "-o", "wav.npy"}).exit_code, 0);
    const child_result result = run({"stft", file, "--rate", "8000", "-o", "array.npy"});
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(read_bytes(path("array.npy")), read_bytes(path("wav.npy")));
  }
  void expect_refused(const arguments& command, int exit_code, const std::string& reason) const {
    SCOPED_TRACE(testing::PrintToString(command));
    const child_result result = run(command);
    EXPECT_EQ(result.exit_code, exit_code) << result.output;
    EXPECT_NE(result.errors.find(reason), std::string::npos) << result.errors;
    EXPECT_EQ(result.output, "");
  }
  template <class T>
  std::string saved(const std::string& name, double scale, double middle = 0,
                    std::size_t channels = 2) const {
    save_npy(path(name), samples_of<T>(scale, middle, channels));
    return name;
  }
};

TEST_F(sample_arrays, npy_of_every_width_is_the_sound) {
  expect_as("two.wav", saved<float>("a.npy", 1));
  expect_as("two.wav", saved<double>("a.npy", 1));
  expect_as("two.wav", saved<std::int8_t>("a.npy", 128));
  expect_as("two.wav", saved<std::uint8_t>("a.npy", 128, 128));
  expect_as("two.wav", saved<std::int16_t>("a.npy", 0x1p15));
  expect_as("two.wav", saved<std::int32_t>("a.npy", 0x1p31));
  expect_as("one.wav", saved<float>("a.npy", 1, 0, 1));  // [frames, 1]
  tensor<float> line({frames});
  for (std::size_t i = 0; i < frames; ++i) line.data()[i] = static_cast<float>(sample(i, 0));
  save_npy(path("line.npy"), line);
  expect_as("one.wav", "line.npy");
}

TEST_F(sample_arrays, byte_and_fortran_orders) {
  std::string bytes = read_bytes(path(saved<std::int16_t>("a.npy", 0x1p15)));
  const std::size_t data = bytes.size() - frames * 4;
  std::string swapped = bytes;
  for (std::size_t i = data; i < bytes.size(); i += 2) std::swap(swapped[i], swapped[i + 1]);
  swapped.replace(swapped.find("<i2"), 3, ">i2");
  write("swapped.npy", swapped);
  expect_as("two.wav", "swapped.npy");
  std::string turned = bytes;
  for (std::size_t i = 0; i < frames; ++i)
    for (std::size_t c = 0; c < 2; ++c)
      std::memcpy(&turned[data + 2 * (c * frames + i)], &bytes[data + 2 * (2 * i + c)], 2);
  const std::size_t order = turned.find("False");
  turned.replace(order, 5, "True ");
  write("turned.npy", turned);
  expect_as("two.wav", "turned.npy");
}

TEST_F(sample_arrays, npz_holds_one_array_and_scalars) {
  const std::string npy = read_bytes(path(saved<float>("a.npy", 1)));
  save_npy(path("rate.npy"), tensor<double>(std::vector<std::size_t>{}));
  const std::string scalar = read_bytes(path("rate.npy"));
  for (const bool packed : {false, true}) {
    write("a.npz", zip_of({{"rate.npy", scalar}, {"x.npy", npy}}, packed));
    expect_as("two.wav", "a.npz");
    write("two.npz", zip_of({{"x.npy", npy}, {"y.npy", npy}}, packed));
    expect_refused({"info", "two.npz", "--rate", "8000"}, 1, "x.npy, y.npy");
    std::string damaged = zip_of({{"x.npy", npy}}, packed);
    damaged[1000] = static_cast<char>(damaged[1000] ^ 1);
    write("damaged.npz", damaged);
    expect_refused({"info", "damaged.npz", "--rate", "8000"}, 1, "damaged");
    // Cut anywhere, it is refused.
    const std::string whole = zip_of({{"x.npy", npy}}, packed);
    for (std::size_t size = 4; size < whole.size(); size += whole.size() / 7) {
      write("cut.npz", whole.substr(0, size));
      EXPECT_EQ(run({"info", "cut.npz", "--rate", "8000"}).exit_code, 1) << size;
    }
  }
}

TEST_F(sample_arrays, csv_has_a_column_a_channel) {
  for (const auto& [names, separator] : {std::pair<std::string, std::string>{"", ","},
                                         {"left,right\n", ","},
                                         {"\xef\xbb\xbf# made by hand\n\n", ";"},
                                         {"", " \t"}}) {
    std::string text = names;
    for (std::size_t i = 0; i < frames; ++i)
      text += csv_field(sample(i, 0)).text() + separator + csv_field(sample(i, 1)).text() +
              (i % 2 == 0 ? "\n" : "\r\n");
    write("a.csv", text);
    expect_as("two.wav", "a.csv");
  }
  const std::pair<const char*, const char*> bad[] = {{"1,2\n3\n", "line 2 has 1"},
                                                     {"1\nx\n", "line 2 is no row"},
                                                     {"a\nb\n1\n", "line 2 is no row"},
                                                     {"1,5;2,5\n1,5;2,5\n", "line 2 is no row"},
                                                     {"1,,2\n1,,2\n", "line 2 is no row"},
                                                     {"names\n", "no row of numbers"},
                                                     {"1\nnan\n", "NaN"}};
  for (const auto& [text, reason] : bad) {
    write("bad.csv", text);
    expect_refused({"fft", "bad.csv", "--rate", "8000"}, 1, reason);
  }
}

TEST_F(sample_arrays, every_verb_of_sounds_takes_them) {
  saved<float>("a.npy", 1);
  std::filesystem::create_directory(path("in"));
  std::filesystem::copy(path("a.npy"), path("in/a.npy"));
  for (const arguments& command : {arguments{"info", "a.npy"},
                                   {"fft", "a.npy"},
                                   {"psd", "a.npy"},
                                   {"spectrogram", "a.npy"},
                                   {"denoise", "a.npy"},
                                   {"features", "a.npy"},
                                   {"report", "a.npy"},
                                   {"batch", "in", "-o", "out", "--what", "psd"},
                                   {"report", "in"}}) {
    arguments with_rate = command;
    with_rate.insert(with_rate.end(), {"--rate", "8000"});
    const child_result result = run(with_rate);
    EXPECT_EQ(result.exit_code, 0) << command[0] << result.errors;
    if (command[0] == "batch" || command[1] == "in") continue;
    expect_refused(command, 2, "--rate");
  }
  const child_result info = run({"info", "a.npy", "--rate", "8000"});
  EXPECT_NE(info.output.find("NPY, 32 bit float, 8000 Hz, 2 channels"), std::string::npos)
      << info.output;
  const child_result piped =
      run({"info", "-", "--rate", "8000"}, {.input = read_bytes(path("a.npy"))});
  EXPECT_NE(piped.output.find("6000 frames"), std::string::npos) << piped.errors;
}

TEST_F(sample_arrays, what_is_no_array_of_samples_is_refused) {
  expect_refused({"info", "one.wav", "--rate", "8000"}, 1, "is no array of samples");
  expect_refused({"info", "one.wav", "--rate", "0"}, 2, "--rate");
  expect_refused({"info", "one.wav", "--rate", "8", "--raw", "s8:1:1"}, 2, "--rate");
  save_npy(path("a.npy"), tensor<std::int64_t>({8}));
  expect_refused({"info", "a.npy", "--rate", "8"}, 1, "int32");
  save_npy(path("a.npy"), tensor<std::complex<float>>({8}));
  expect_refused({"info", "a.npy", "--rate", "8"}, 1, "<c8");
  save_npy(path("a.npy"), tensor<float>({2, 3, 4}));
  expect_refused({"info", "a.npy", "--rate", "8"}, 1, "rank 3");
  save_npy(path("a.npy"), tensor<float>({2, 3000}));
  expect_refused({"info", "a.npy", "--rate", "8"}, 1, "[frames, channels]");
  save_npy(path("a.npy"), tensor<float>({2, 30}));
  expect_refused({"info", "a.npy", "--rate", "8"}, 1, "30 channels of 2 frames");
  save_npy(path("a.npy"), tensor<float>({0}));
  expect_refused({"info", "a.npy", "--rate", "8"}, 1, "no samples");
  save_npy(path("a.npy"), tensor<float>({100}));
  const std::string whole = read_bytes(path("a.npy"));
  for (const std::size_t size :
       {std::size_t{7}, std::size_t{11}, std::size_t{60}, whole.size() - 1})
    expect_refused({"info", write("cut.npy", whole.substr(0, size)), "--rate", "8"}, 1, "cut.npy");
}

}  // namespace
}  // namespace papilio::test
