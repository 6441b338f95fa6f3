#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "made_sound.hpp"
#include "papilio/audio.hpp"
#include "papilio/base/error.hpp"
#include "support/temporary_directory.hpp"
#include "support/wav_bytes.hpp"

namespace papilio {
namespace {

view<const float, 2> mono(const std::vector<float>& samples) {
  return {samples.data(), {samples.size(), 1}};
}

std::uint64_t number(const std::string& bytes, std::size_t offset, unsigned count) {
  std::uint64_t value = 0;
  for (unsigned i = count; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes.at(offset + i));
  return value;
}

/// What comes out of a pipe into which `samples` are written.
std::string through_pipe(const std::vector<float>& samples, sound_writer_options options) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("pipe failed");
  options.channels = 1;
  write_sound("/dev/fd/" + std::to_string(ends[1]), mono(samples), options);
  ::close(ends[1]);
  std::string bytes(1 << 16, '\0');
  std::size_t got = 0;
  for (ssize_t more = 1; more > 0; got += static_cast<std::size_t>(more))
    more = ::read(ends[0], bytes.data() + got, bytes.size() - got);
  bytes.resize(got);
  ::close(ends[0]);
  return bytes;
}

const std::vector<std::int32_t> some_integers{0, 100, -200, 32767, -32768};

std::vector<float> as_floats(const std::vector<std::int32_t>& integers) {
  std::vector<float> result;
  for (const std::int32_t i : integers) result.push_back(static_cast<float>(i) / 32768);
  return result;
}

TEST(wav_stream, of_known_length_is_an_ordinary_file) {
  EXPECT_EQ(through_pipe(as_floats(some_integers),
                         {.rate_hz = 8000, .format = sound_format::wav, .frames = 5}),
            test::wav_bytes{.data = test::pcm_bytes(some_integers, 16)}.file());
  EXPECT_EQ(through_pipe({0, 0.5f, -1}, {.rate_hz = 8000,
                                         .format = sound_format::wav,
                                         .encoding = sample_encoding::u8,
                                         .frames = 3}),
            (test::wav_bytes{.bits = 8,
                             .data = std::string("\x80\xc0\0\0", 4),
                             .data_size_bytes = 3,
                             .riff_size_bytes = 40}
                 .file()));
}

TEST(wav_stream, of_unknown_length_says_so) {
  EXPECT_EQ(through_pipe(as_floats(some_integers), {.rate_hz = 8000, .format = sound_format::wav}),
            (test::wav_bytes{.data = test::pcm_bytes(some_integers, 16),
                             .data_size_bytes = 0xffffffffu,
                             .riff_size_bytes = 0xffffffffu}
                 .file()));
}

TEST(wav_stream, other_formats_are_whole_in_a_pipe_too) {
  const test::temporary_directory folder;
  const std::vector<float> samples = test::tone(9'000);
  for (const sound_format format : {sound_format::flac, sound_format::ogg}) {
    test::write_bytes(folder / "piped",
                      through_pipe(samples, {.rate_hz = 44100, .format = format}));
    write_sound(folder / "filed", mono(samples), {.rate_hz = 44100, .format = format});
    const sound piped = read_sound(folder / "piped"), filed = read_sound(folder / "filed");
    ASSERT_EQ(piped.samples.extents(), (extents_type<2>{9'000, 1}));
    EXPECT_TRUE(std::equal(piped.samples.begin(), piped.samples.end(), filed.samples.begin()));
  }
}

TEST(wav_stream, into_a_redirected_file_is_corrected_where_it_begins) {
  const test::temporary_directory folder;
  const auto write_to = [&](int flags) {
    test::write_bytes(folder / "a", "12345");
    const int descriptor = ::open((folder / "a").c_str(), O_WRONLY | flags);
    ASSERT_GE(descriptor, 0);
    ::lseek(descriptor, 5, SEEK_SET);
    write_sound("/dev/fd/" + std::to_string(descriptor), mono(as_floats(some_integers)),
                {.rate_hz = 8000, .format = sound_format::wav});
    ::close(descriptor);
    const std::string bytes = test::read_bytes(folder / "a");
    EXPECT_EQ(bytes.substr(0, 5), "12345");
    test::write_bytes(folder / "b", bytes.substr(5));
  };
  write_to(0);
  const sound corrected = read_sound(folder / "b", {.strict = true});
  EXPECT_EQ(corrected.info.frames, 5u);
  write_to(O_APPEND);
  const sound appended = read_sound(folder / "b");
  EXPECT_EQ(appended.info.frames, 5u);
  EXPECT_EQ(appended.info.promised_frames, 0u);  // the header could not be corrected
}

TEST(wav_stream, number_of_frames_must_be_the_promised_one) {
  const test::temporary_directory folder;
  const std::vector<float> samples(10);
  sound_writer writer(folder / "a.wav", {.rate_hz = 8000, .channels = 1, .frames = 11});
  writer.write(mono(samples));
  EXPECT_THROW(writer.commit(), invalid_argument);
  EXPECT_THROW(writer.write(mono(samples)), invalid_argument);
  EXPECT_THROW(sound_writer(folder / "a.wav",
                            {.rate_hz = 8000, .channels = 1, .frames = std::uint64_t{1} << 60}),
               invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.wav"));
}

/// The first bytes of a 16-bit mono file of so many frames, of which only the first are written.
std::string beginning_of(std::uint64_t frames, const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  const std::vector<float> samples = test::tone(50'000);
  {
    sound_writer writer(
        "/dev/fd/" + std::to_string(descriptor),
        {.rate_hz = 8000, .channels = 1, .format = sound_format::wav, .frames = frames});
    for (int i = 0; i < 4; ++i) writer.write(mono(samples));
    EXPECT_THROW(writer.commit(), invalid_argument);
  }
  ::close(descriptor);
  return test::read_bytes(path);
}

TEST(wav_stream, is_rf64_where_32_bits_do_not_hold_its_size) {
  const test::temporary_directory folder;
  const std::uint64_t most = (0xfffffffeu - 36) / 2;
  const std::string below = beginning_of(most, folder / "below");
  EXPECT_EQ(below.substr(0, 4), "RIFF");
  EXPECT_EQ(number(below, 4, 4), 0xfffffffeu);
  EXPECT_EQ(below.substr(36, 4), "data");
  EXPECT_EQ(number(below, 40, 4), 2 * most);

  const std::string above = beginning_of(most + 1, folder / "above");
  EXPECT_EQ(above.substr(0, 4), "RF64");
  EXPECT_EQ(number(above, 4, 4), 0xffffffffu);
  EXPECT_EQ(above.substr(8, 8), "WAVEds64");
  EXPECT_EQ(number(above, 16, 4), 28u);
  EXPECT_EQ(number(above, 20, 8), 2 * (most + 1) + 72);
  EXPECT_EQ(number(above, 28, 8), 2 * (most + 1));
  EXPECT_EQ(number(above, 36, 8), most + 1);
  EXPECT_EQ(number(above, 44, 4), 0u);
  EXPECT_EQ(above.substr(48, 4), "fmt ");
  EXPECT_EQ(above.substr(72, 4), "data");
  EXPECT_EQ(number(above, 76, 4), 0xffffffffu);

  sound_reader reader(folder / "above");
  EXPECT_EQ(reader.info().promised_frames, most + 1);
  EXPECT_GT(reader.info().frames, 90'000u);
  EXPECT_EQ(reader.info().container, "RF64 (RIFF 64)");
}

}  // namespace
}  // namespace papilio
