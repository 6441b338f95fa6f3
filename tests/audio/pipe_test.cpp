#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "giving_pipe.hpp"
#include "made_sound.hpp"
#include "papilio/audio.hpp"
#include "papilio/base/error.hpp"
#include "support/scoped_variable.hpp"
#include "support/temporary_directory.hpp"
#include "support/wav_bytes.hpp"

namespace papilio {
namespace {

std::vector<float> flat(const sound& s) { return {s.samples.begin(), s.samples.end()}; }

TEST(sound_from_pipe, is_that_of_the_file) {
  const test::temporary_directory folder;
  const std::pair<const char*, int> formats[] = {
      {"a.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16},
      {"a.rf64", SF_FORMAT_RF64 | SF_FORMAT_PCM_24},
      {"a.w64", SF_FORMAT_W64 | SF_FORMAT_FLOAT},
      {"a.aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_16},
      {"a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16},
      {"a.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS},
      {"a.opus", SF_FORMAT_OGG | SF_FORMAT_OPUS},
      {"a.mp3", SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III},
  };
  for (const auto& [name, format] : formats) {
    SCOPED_TRACE(name);
    test::make_sound(folder / name, format, 2, test::tone(2 * 50'000));
    const test::giving_pipe pipe(test::read_bytes(folder / name));
    EXPECT_EQ(flat(read_sound(pipe.name(), {.strict = true})), flat(read_sound(folder / name)));
  }
}

TEST(sound_from_pipe, can_be_sought_and_begun_again) {
  const test::temporary_directory folder;
  test::make_sound(folder / "a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1, test::tone(50'000));
  const sound whole = read_sound(folder / "a.flac");
  const test::giving_pipe pipe(test::read_bytes(folder / "a.flac"));
  sound_reader reader(pipe.name());
  array<float, 2> block({100, 1});
  reader.seek(40'000);
  reader.read(block);
  EXPECT_EQ(block(99, 0), whole.samples(40'099, 0));
  reader.restart();
  EXPECT_EQ(reader.position(), 0u);
  reader.read(block);
  EXPECT_EQ(block(7, 0), whole.samples(7, 0));
}

TEST(sound_from_pipe, raw_samples) {
  const test::giving_pipe pipe(test::pcm_bytes(std::vector<std::int32_t>{0, 16384, -16384}, 16));
  EXPECT_EQ(flat(read_sound(pipe.name(), {.raw = raw_pcm{.rate_hz = 8000, .channels = 1}})),
            (std::vector<float>{0, 0.5f, -0.5f}));
}

TEST(sound_from_pipe, refusals) {
  const auto refusal = [](const std::string& bytes) {
    const test::giving_pipe pipe(bytes);
    try {
      sound_reader reader(pipe.name());
    } catch (const io_error& e) {
      return std::string(e.what()).substr(e.path().size() + 2);
    }
    return std::string();
  };
  EXPECT_EQ(refusal(""), "the file is empty");
  EXPECT_NE(refusal("hello world").find("this is text"), std::string::npos);
  EXPECT_THROW(sound_reader("/dev/fd/9999"), io_error);
}

struct sequence_case {
  const char* name;
  int format;
  bool length_known;  // by the header
};
constexpr sequence_case sequences[] = {
    {"a.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, true},
    {"a.wavex", SF_FORMAT_WAVEX | SF_FORMAT_FLOAT, true},
    {"u.wav", SF_FORMAT_WAV | SF_FORMAT_ULAW, true},
    {"a.rf64", SF_FORMAT_RF64 | SF_FORMAT_PCM_24, true},
    {"a.au", SF_FORMAT_AU | SF_FORMAT_PCM_32, true},
    {"a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, false},
    {"a.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS, false},
    {"a.opus", SF_FORMAT_OGG | SF_FORMAT_OPUS, false},
    {"a.mp3", SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III, false},
};

TEST(sound_in_sequence, is_that_of_the_file_and_needs_no_folder) {
  const test::temporary_directory folder;
  const test::scoped_variable temporary("TMPDIR", folder / "none");
  for (const sequence_case& c : sequences)
    for (const sound_reading reading : {sound_reading::as_it_comes, sound_reading::once}) {
      SCOPED_TRACE(c.name);
      test::make_sound(folder / c.name, c.format, 2, test::tone(2 * 50'000));
      const sound whole = read_sound(folder / c.name);
      const test::giving_pipe pipe(test::read_bytes(folder / c.name));
      sound_reader reader(pipe.name(), {.strict = true, .reading = reading});
      EXPECT_EQ(reader.info().length_known, c.length_known);
      EXPECT_EQ(reader.info().frames, c.length_known ? whole.info.frames : 0u);
      EXPECT_EQ(reader.info().container, whole.info.container);
      EXPECT_EQ(reader.info().encoding, whole.info.encoding);
      EXPECT_EQ(test::read_on(reader), flat(whole));
      EXPECT_TRUE(reader.info().length_known);
      EXPECT_EQ(reader.info().frames, whole.info.frames);
      EXPECT_TRUE(reader.warnings().empty());
      if (reading == sound_reading::once) {
        EXPECT_THROW(reader.restart(), invalid_argument);
        EXPECT_THROW(reader.seek(10), invalid_argument);
      } else {
        reader.restart();
        EXPECT_EQ(test::read_on(reader), flat(whole));
      }
    }
}

TEST(sound_in_sequence, ends_where_nobody_asks_for_more) {
  const std::string header =
      test::wav_bytes{.data_size_bytes = 0xffffffffu, .riff_size_bytes = 0xffffffffu}.file();
  for (const auto& [bytes, raw] :
       {std::pair<std::string, std::optional<raw_pcm>>{header, std::nullopt},
        {"", raw_pcm{.rate_hz = 8000, .channels = 1}}})
    for (const sound_reading reading : {sound_reading::as_it_comes, sound_reading::once}) {
      const test::giving_pipe pipe(bytes, true);
      sound_reader reader(pipe.name(), {.raw = raw, .reading = reading});
      array<float, 2> block({100'000, 1});
      block(99'999, 0) = 1;
      EXPECT_EQ(reader.read(block), 100'000u);
      EXPECT_EQ(block(99'999, 0), 0.0f);
      EXPECT_FALSE(reader.info().length_known);
      EXPECT_EQ(reader.info().frames, 100'000u);
    }
}

TEST(sound_in_sequence, is_measured_where_its_length_is_wanted) {
  const test::temporary_directory folder;
  test::make_sound(folder / "a.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS, 1, test::tone(50'000));
  const std::string bytes = test::read_bytes(folder / "a.ogg");
  const test::giving_pipe pipe(bytes);
  sound_reader reader(pipe.name(), {.reading = sound_reading::as_it_comes});
  array<float, 2> block({1000, 1});
  reader.read(block);
  reader.measure();
  EXPECT_EQ(reader.info().frames, 50'000u);
  EXPECT_EQ(reader.position(), 0u);
  EXPECT_EQ(test::read_on(reader), flat(read_sound(folder / "a.ogg")));
  const test::giving_pipe other(bytes);
  sound_reader once(other.name(), {.reading = sound_reading::once});
  EXPECT_THROW(once.measure(), invalid_argument);
}

// More than is kept in memory.
TEST(sound_in_sequence, long_ones_are_kept_for_a_second_reading_and_not_for_one) {
  const std::size_t frames = 10'000'000;
  std::string bytes(2 * frames, '\0');
  for (std::size_t i = 0; i < bytes.size(); i += 2) bytes[i] = static_cast<char>(i / 7919);
  const raw_pcm raw{.rate_hz = 8000, .channels = 1};
  const test::giving_pipe pipe(bytes);
  sound_reader reader(pipe.name(), {.raw = raw, .reading = sound_reading::as_it_comes});
  const std::vector<float> first = test::read_on(reader);
  EXPECT_EQ(first.size(), frames);
  reader.restart();
  EXPECT_EQ(test::read_on(reader), first);
  const test::temporary_directory folder;
  const test::scoped_variable temporary("TMPDIR", folder / "none");
  const test::giving_pipe other(bytes);
  sound_reader once(other.name(), {.raw = raw, .reading = sound_reading::once});
  EXPECT_EQ(test::read_on(once), first);
}

// A header that cannot be believed without the size of the file.
TEST(sound_in_sequence, truncation_shows_at_the_end) {
  const std::string bytes =
      test::wav_bytes{.data = std::string(200, '\1'), .data_size_bytes = 2000}.file();
  const test::giving_pipe pipe(bytes);
  sound_reader reader(pipe.name(), {.reading = sound_reading::as_it_comes});
  EXPECT_EQ(reader.info().frames, 1000u);
  EXPECT_EQ(test::read_on(reader).size(), 100u);
  EXPECT_EQ(reader.info().frames, 100u);
  ASSERT_EQ(reader.warnings().size(), 1u);
  EXPECT_EQ(reader.warnings()[0], "truncated or damaged: promised 1000 frames, 100 read");
}

TEST(sound_from_pipe, no_room_to_keep_it) {
  const test::temporary_directory folder;
  const test::scoped_variable temporary("TMPDIR", folder / "none");
  const test::giving_pipe pipe("some bytes");
  try {
    sound_reader reader(pipe.name());
    ADD_FAILURE() << "read";
  } catch (const io_error& e) {
    EXPECT_NE(std::string(e.what()).find("temporary files"), std::string::npos) << e.what();
  }
}

TEST(sound_from_descriptor, an_open_file_begins_where_it_stands) {
  const test::temporary_directory folder;
  test::make_sound(folder / "a.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 1, test::tone(1'000));
  test::write_bytes(folder / "b", "12345" + test::read_bytes(folder / "a.wav"));
  const int descriptor = ::open((folder / "b").c_str(), O_RDONLY);
  ASSERT_GE(descriptor, 0);
  ::lseek(descriptor, 5, SEEK_SET);
  const std::string name = "/dev/fd/" + std::to_string(descriptor);
  EXPECT_EQ(flat(read_sound(name)), flat(read_sound(folder / "a.wav")));
  EXPECT_EQ(::lseek(descriptor, 0, SEEK_CUR), 5);
  ::close(descriptor);
}

}  // namespace
}  // namespace papilio
