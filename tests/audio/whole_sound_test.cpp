// Files that hold more sound than their headers say, or are said to hold less than they do.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ffmpeg_decode.hpp"
#include "giving_pipe.hpp"
#include "made_sound.hpp"
#include "papilio/audio.hpp"
#include "papilio/base/error.hpp"
#include "support/scoped_variable.hpp"
#include "support/temporary_directory.hpp"
#include "support/wav_bytes.hpp"

namespace papilio {
namespace {

using test::wav_bytes;

const std::filesystem::path data = PAPILIO_SOUND_DATA;

std::vector<float> flat(const sound& s) { return {s.samples.begin(), s.samples.end()}; }

std::vector<float> joined(std::vector<float> a, const std::vector<float>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string little_endian_32(std::uint32_t value) {
  return test::pcm_bytes(std::vector<std::int32_t>{static_cast<std::int32_t>(value)}, 32);
}

class whole_sound : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& bytes) {
    test::write_bytes(folder_ / "x", bytes);
    return folder_ / "x";
  }
  /// The bytes of a sound of libsndfile.
  std::string made(int format, int channels, std::size_t frames, std::size_t skipped = 0) {
    std::vector<float> samples =
        test::tone((skipped + frames) * static_cast<std::size_t>(channels));
    samples.erase(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(skipped));
    test::make_sound(folder_ / "made", format, channels, samples);
    return test::read_bytes(folder_ / "made");
  }
  std::vector<float> read(const std::string& bytes) { return flat(read_sound(write(bytes))); }

  /// That a file, seeking in it, and a pipe in every mode give `expected`, and nothing is warned of.
  void expect_all(const std::string& bytes, const std::vector<float>& expected) {
    const sound got = read_sound(write(bytes), {.strict = true});
    EXPECT_TRUE(got.warnings.empty());
    ASSERT_EQ(got.samples.size(), expected.size());
    EXPECT_EQ(flat(got), expected);
    const std::size_t channels = got.samples.extent(1), frames = got.samples.extent(0);
    sound_reader reader(folder_ / "x");
    EXPECT_EQ(reader.info().frames, frames);
    array<float, 2> block({200, channels});
    for (const std::size_t percent : {52, 49, 50, 98, 1, 70}) {
      const std::size_t at = frames * percent / 100,
                        wanted = std::min<std::size_t>(200, frames - at);
      reader.seek(at);
      ASSERT_EQ(reader.read(block), wanted);
      ASSERT_TRUE(std::equal(block.data(), block.data() + wanted * channels,
                             expected.data() + at * channels))
          << at;
    }
    for (const sound_reading how :
         {sound_reading::whole, sound_reading::as_it_comes, sound_reading::once}) {
      const test::giving_pipe pipe(bytes);
      sound_reader piped(pipe.name(), {.strict = true, .reading = how});
      EXPECT_EQ(test::read_on(piped), expected);
      EXPECT_TRUE(piped.warnings().empty());
    }
  }

  /// That the file is read up to `frames` frames with one warning of this text, likewise through a
  /// pipe, and that strict readers refuse it.
  void expect_warned(const std::string& bytes, std::size_t frames, const std::string& text) {
    const sound got = read_sound(write(bytes));
    EXPECT_EQ(got.samples.extent(0), frames);
    ASSERT_EQ(got.warnings.size(), 1u);
    EXPECT_EQ(got.warnings[0], text);
    EXPECT_EQ(sound_reader(folder_ / "x").warnings(), got.warnings);
    EXPECT_THROW(sound_reader(folder_ / "x", {.strict = true}), io_error);
    for (const sound_reading how : {sound_reading::as_it_comes, sound_reading::once}) {
      const test::giving_pipe pipe(bytes), other(bytes);
      sound_reader piped(pipe.name(), {.reading = how});
      EXPECT_EQ(test::read_on(piped), flat(got));
      EXPECT_EQ(piped.warnings(), got.warnings);
      EXPECT_THROW(
          {
            sound_reader strict(other.name(), {.strict = true, .reading = how});
            test::read_on(strict);
          },
          io_error);
    }
  }

  test::temporary_directory folder_;
};

TEST_F(whole_sound, links_of_ogg_are_one_sound) {
  for (const int format : {SF_FORMAT_OGG | SF_FORMAT_VORBIS, SF_FORMAT_OGG | SF_FORMAT_OPUS}) {
    SCOPED_TRACE(testing::Message() << std::hex << format);
    const std::string a = made(format, 1, 20'000), b = made(format, 1, 21'000, 77);
    expect_all(a + b, joined(read(a), read(b)));
    expect_all(a + b + a, joined(joined(read(a), read(b)), read(a)));
  }
}

// The file was written by the program flac; no other program is started.
TEST_F(whole_sound, ogg_flac_is_read_without_ffmpeg) {
  const std::vector<float> expected = test::decoded_by_ffmpeg(data / "flac.oga");
  const test::scoped_variable path("PATH", "/nonexistent");
  const std::string bytes = test::read_bytes(data / "flac.oga");
  expect_all(bytes, expected);
  expect_all(bytes + bytes, joined(expected, expected));
  const sound_info info = sound_reader(write(bytes)).info();
  EXPECT_EQ(info.decoded_by, "libFLAC");
  EXPECT_EQ(info.tags.at("title"), "A title");
  EXPECT_EQ(info.stored_as, sample_encoding::s16);
}

TEST_F(whole_sound, links_of_another_kind_are_told) {
  const int vorbis = SF_FORMAT_OGG | SF_FORMAT_VORBIS;
  const std::string one = made(vorbis, 1, 24'000), two = made(vorbis, 2, 12'000);
  expect_warned(one + two, 24'000,
                "not all is read: at 0.500 s follow " + std::to_string(two.size()) +
                    " bytes (about 0.250 s) of 48000 Hz and 2 channels");
  const std::string flac = test::read_bytes(data / "flac.oga");
  const auto frames = read(flac).size();
  expect_warned(flac + one, frames,
                "not all is read: at 0.500 s follow " + std::to_string(one.size()) +
                    " bytes (about 0.500 s) of 48000 Hz and 1 channel");
}

TEST_F(whole_sound, ogg_ends_where_its_mark_is) {
  for (const int format : {SF_FORMAT_OGG | SF_FORMAT_VORBIS, SF_FORMAT_OGG | SF_FORMAT_OPUS}) {
    const std::string bytes = made(format, 1, 200'000);
    const std::vector<float> all = read(bytes);
    for (const std::string& tail :
         {std::string(1, '\0'), std::string(100'000, '\0'), "TAG" + std::string(125, ' ')})
      expect_all(bytes + tail, all);
    const std::string cut = bytes.substr(0, bytes.rfind("OggS"));
    const auto frames = read(cut).size();
    EXPECT_LT(frames, all.size());
    expect_warned(cut, frames, "truncated: the stream has no end mark");
    expect_warned(cut + bytes.substr(cut.size(), 300), frames,
                  "truncated: the stream has no end mark");
  }
}

TEST_F(whole_sound, lost_pages_are_told) {
  const std::string bytes = made(SF_FORMAT_OGG | SF_FORMAT_VORBIS, 1, 300'000);
  const std::size_t last = bytes.rfind("OggS"), before = bytes.rfind("OggS", last - 1);
  const std::string lacking = bytes.substr(0, before) + bytes.substr(last);
  const test::giving_pipe pipe(lacking);
  sound_reader piped(pipe.name(), {.reading = sound_reading::once});
  test::read_on(piped);
  EXPECT_EQ(piped.warnings(), std::vector<std::string>{"damaged: pages of the stream are missing"});
  EXPECT_THROW(read_sound(write(lacking), {.strict = true}), io_error);
}

TEST_F(whole_sound, sound_is_found_behind_what_is_none) {
  const test::scoped_variable path("PATH", "/nonexistent");
  std::string junk;
  for (int i = 0; i < 398; ++i) junk += static_cast<char>(1 + i % 199);
  for (const std::string& bytes : {made(SF_FORMAT_OGG | SF_FORMAT_VORBIS, 1, 20'000),
                                   test::read_bytes(data / "mpeg2_info.mp3")}) {
    const std::vector<float> expected = read(bytes);
    for (const std::string& before : {std::string(1000, '\0'), std::string(5000, '\0'), junk})
      expect_all(before + bytes, expected);
  }
  // A tag whose padding it does not count.
  const std::string mp3 = test::read_bytes(data / "mpeg2_info.mp3");
  expect_all(std::string("ID3\3\0\0\0\0\0\x0a", 10) + std::string(10 + 2048, '\0') + mp3,
             read(mp3));
}

std::size_t tag_of(const std::string& mp3) { return mp3.find("Info"); }

/// With another count of frames in its tag.
std::string recounted(std::string mp3, std::uint32_t count) {
  for (std::size_t i = 0; i < 4; ++i)
    mp3[tag_of(mp3) + 8 + i] = static_cast<char>(count >> (24 - 8 * i) & 0xff);
  return mp3;
}

TEST_F(whole_sound, joined_mp3s_are_one_sound) {
  for (const char* const name : {"mpeg2_info.mp3", "cbr_info.mp3", "cbr_none.mp3"}) {
    SCOPED_TRACE(name);
    const std::string bytes = test::read_bytes(data / name), twice = bytes + bytes;
    const std::vector<float> expected = test::decoded_by_ffmpeg(write(twice));
    const sound got = read_sound(folder_ / "x", {.strict = true});
    EXPECT_TRUE(got.warnings.empty());
    ASSERT_EQ(got.samples.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(got.samples.data()[i], expected[i], 1e-5f) << i;
    for (const sound_reading how : {sound_reading::as_it_comes, sound_reading::once}) {
      const test::giving_pipe pipe(twice);
      sound_reader piped(pipe.name(), {.strict = true, .reading = how});
      EXPECT_EQ(test::read_on(piped), flat(got));
    }
  }
}

TEST_F(whole_sound, an_mp3_has_its_frames_whatever_its_tag_counts) {
  const std::string bytes = test::read_bytes(data / "cbr_info.mp3");
  const std::vector<float> right = read(bytes);
  for (const std::uint32_t count : {0u, 10u, 0xffffffffu}) {
    SCOPED_TRACE(count);
    const std::vector<float> got = read(recounted(bytes, count));
    ASSERT_GE(got.size(), right.size());
    // The encoder's padding is not left out, since it is not known where it is.
    EXPECT_LE(got.size(), right.size() + 2 * 1152);
    EXPECT_TRUE(std::equal(right.begin(), right.end(), got.begin()));
    expect_all(recounted(bytes, count), got);
  }
}

TEST_F(whole_sound, an_mp3_ends_where_its_rate_changes) {
  const std::string one = test::read_bytes(data / "cbr_none.mp3"),
                    two = test::read_bytes(data / "mpeg2_info.mp3");
  const std::vector<float> expected = read(one);
  const sound got = read_sound(write(one + two));
  EXPECT_EQ(flat(got), expected);
  ASSERT_EQ(got.warnings.size(), 1u);
  EXPECT_TRUE(
      got.warnings[0].starts_with("not all is read: at 0.731 s the sample rate changes to "
                                  "16000 Hz; "))
      << got.warnings[0];
  EXPECT_NE(got.warnings[0].find(std::to_string(two.size()) + " bytes (about 0.79"),
            std::string::npos)
      << got.warnings[0];
  EXPECT_THROW(sound_reader(folder_ / "x", {.strict = true}), io_error);
  const test::giving_pipe pipe(one + two);
  sound_reader piped(pipe.name(), {.reading = sound_reading::once});
  EXPECT_EQ(test::read_on(piped), expected);
  EXPECT_EQ(piped.warnings(),
            std::vector<std::string>{"not all is read: the sample rate changes to 16000 Hz"});
}

TEST_F(whole_sound, mp3_in_wav_is_that_mp3) {
  const std::string bytes = test::read_bytes(data / "mpeg2_info.mp3");
  const std::string wav =
      wav_bytes{.format_tag = 0x55, .rate_hz = 16000, .bits = 0, .data = bytes}.file();
  expect_all(wav, read(bytes));
  EXPECT_EQ(sound_reader(write(wav)).info().container, "WAV (Microsoft)");
  EXPECT_EQ(sound_reader(folder_ / "x").info().encoding, "MPEG Layer III");
}

/// With another count of frames in STREAMINFO.
std::string flac_of(std::string bytes, std::uint32_t count) {
  bytes[21] = static_cast<char>(bytes[21] & 0xf0);
  for (std::size_t i = 0; i < 4; ++i)
    bytes[22 + i] = static_cast<char>(count >> (24 - 8 * i) & 0xff);
  return bytes;
}

TEST_F(whole_sound, flac_has_its_frames_whatever_its_header_counts) {
  const std::string bytes = made(SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1, 20'000);
  const std::vector<float> all = read(bytes);
  ASSERT_EQ(all.size(), 20'000u);
  for (const std::uint32_t count : {0u, 1u, 5'000u, 8'192u, 19'999u})
    expect_all(flac_of(bytes, count), all);
  expect_all(bytes + "TAG" + std::string(125, ' '), all);
  expect_all(bytes + std::string(5000, '\0'), all);
  const std::string other = made(SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1, 21'000, 50);
  expect_all(bytes + other, joined(all, read(other)));
}

/// Without the blocks of metadata behind STREAMINFO, which is then marked as the last.
std::string bare_flac(std::string bytes) {
  constexpr std::size_t first_end = 42;
  std::size_t end = first_end;
  for (bool is_last = false; !is_last;) {
    is_last = (bytes[end] & 0x80) != 0;
    std::size_t size = 0;
    for (std::size_t i = 1; i < 4; ++i)
      size = size << 8 | static_cast<unsigned char>(bytes[end + i]);
    end += 4 + size;
  }
  bytes[4] = static_cast<char>(0x80);
  return bytes.erase(first_end, end - first_end);
}

TEST_F(whole_sound, joined_flacs_need_no_metadata_but_the_first) {
  const std::string one = made(SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1, 20'000),
                    two = bare_flac(made(SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1, 21'000, 50));
  const std::vector<float> expected = joined(read(one), read(two));
  ASSERT_EQ(expected.size(), 41'000u);
  expect_all(one + two, expected);
  expect_all(two + one + two, joined(read(two), expected));
}

// Every mark looks like a stream: each is passed over as a whole.
TEST_F(whole_sound, a_flac_of_many_marks_is_refused_or_told_of) {
  const std::string one = made(SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1, 2'000);
  std::string marks;
  for (int i = 0; i < 100'000; ++i) marks += std::string("fLaC\0\0\0\x22", 8);
  const sound got = read_sound(write(one + marks));
  EXPECT_EQ(got.info.frames, 2'000u);
  ASSERT_EQ(got.warnings.size(), 1u);
  EXPECT_NE(got.warnings[0].find(std::to_string(marks.size()) + " bytes"), std::string::npos)
      << got.warnings[0];
}

/// A stream without STREAMINFO, at whose head the decoder ends.
TEST_F(whole_sound, bytes_that_a_pipe_still_holds_are_not_counted) {
  const std::string one = made(SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1, 4'800);
  const std::string other =
      std::string("fLaC\x81\0\0\4\0\0\0\0\xff\xf8\xc9\x08", 16) + std::string(4'000'000, '\1');
  const test::giving_pipe pipe(one + other);
  sound_reader piped(pipe.name(), {.reading = sound_reading::once});
  EXPECT_EQ(test::read_on(piped).size(), 4'800u);
  EXPECT_EQ(piped.warnings(),
            std::vector<std::string>{"not all is read: at 0.100 s follow bytes of a kind that "
                                     "cannot be read"});
}

/// That many bytes of samples, none of which looks like a chunk.
std::string samples_of(std::size_t bytes) {
  std::string result(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i) result[i] = static_cast<char>(200 + i * 7 % 50);
  return result;
}

TEST_F(whole_sound, samples_behind_the_data_of_a_wav_are_told) {
  const std::string counted = samples_of(1600);
  const std::string good = wav_bytes{.data = counted}.file();
  expect_warned(
      good + samples_of(16'000), 800,
      "not all is read: behind what the header counts are 16000 bytes (about 1.000 s) more");
  expect_warned(
      good + "data" + little_endian_32(8000) + samples_of(8000), 800,
      "not all is read: behind what the header counts are 8008 bytes (about 0.500 s) more");
  expect_warned(
      good + "LIST" + little_endian_32(4) + "INFO" + samples_of(4000), 800,
      "not all is read: behind what the header counts are 4000 bytes (about 0.250 s) more");
}

TEST_F(whole_sound, a_writer_that_goes_on_behind_the_data_is_not_waited_for) {
  const std::string bytes = wav_bytes{.data = samples_of(1600)}.file();
  for (const sound_reading how : {sound_reading::as_it_comes, sound_reading::once}) {
    const test::giving_pipe pipe(bytes, true);
    sound_reader piped(pipe.name(), {.reading = how});
    EXPECT_EQ(test::read_on(piped).size(), 800u);
    EXPECT_EQ(piped.warnings(), std::vector<std::string>{
                                    "not all is read: behind what the header counts are at least "
                                    "1048576 bytes (about 65.536 s) more"});
  }
}

TEST_F(whole_sound, what_is_no_sound_behind_the_data_of_a_wav_is_not_told) {
  const auto chunk = [](const std::string& id, const std::string& body) {
    return id + little_endian_32(static_cast<std::uint32_t>(body.size())) + body;
  };
  const std::string ape = "APETAGEX" + little_endian_32(2000) + samples_of(3000);
  for (const std::string& tail :
       {chunk("LIST", "INFO"),
        chunk("cue ", std::string(4, '\0')) + chunk("id3 ", samples_of(4000)),
        chunk("bext", samples_of(700)) + chunk("junk", std::string(3000, '\0')),
        chunk("zzzz", samples_of(2000)), "TAG" + samples_of(125), ape,
        ape + "TAG" + samples_of(125), std::string("ID3\4\0\0\0\0\x10\0", 10) + samples_of(2048),
        samples_of(61), std::string(2000, '\0'),
        "LIST" + little_endian_32(9000) + samples_of(2000)})
    expect_all(wav_bytes{.data = samples_of(1600)}.file() + tail,
               read(wav_bytes{.data = samples_of(1600)}.file()));
  // The byte that fills up an odd chunk is forgotten.
  const wav_bytes odd{.bits = 8, .data = samples_of(801)};
  expect_all(odd.file() + chunk("LIST", "INFO"), read(odd.file()));
}

/// W64 is read to the end of its data, not of the file.
TEST_F(whole_sound, samples_behind_the_data_of_other_containers_are_told) {
  for (const int container :
       {SF_FORMAT_RF64, SF_FORMAT_W64, SF_FORMAT_AIFF, SF_FORMAT_CAF, SF_FORMAT_AU}) {
    SCOPED_TRACE(testing::Message() << std::hex << container);
    const std::string bytes = made(container | SF_FORMAT_PCM_16, 1, 4800);
    const sound right = read_sound(write(bytes), {.strict = true});
    expect_warned(
        bytes + samples_of(9600), 4800,
        "not all is read: behind what the header counts are 9600 bytes (about 0.100 s) more");
    EXPECT_EQ(read(bytes + samples_of(9600)), flat(right));
    EXPECT_EQ(flat(read_sound(write(bytes + "TAG" + samples_of(125)), {.strict = true})),
              flat(right));
  }
}

TEST_F(whole_sound, an_rf64_may_have_left_its_sizes_unwritten) {
  std::string bytes = made(SF_FORMAT_RF64 | SF_FORMAT_PCM_16, 1, 4800);
  const std::vector<float> right = read(bytes);
  const std::size_t data_size = bytes.find("data") + 4, long_sizes = bytes.find("ds64") + 8;
  bytes.replace(data_size, 4, 4, '\xff');
  for (const char left : {'\0', '\xff'}) {
    bytes.replace(long_sizes, 24, 24, left);
    expect_all(bytes, right);
  }
}

TEST_F(whole_sound, a_rate_that_is_no_whole_number_is_told) {
  std::string bytes = made(SF_FORMAT_AIFF | SF_FORMAT_PCM_16, 1, 1000);
  // 48000.75 as an 80-bit number: its leading bit, 48000, is 2^15.
  const std::size_t mantissa = bytes.find("COMM") + 18;
  bytes[mantissa + 2] = static_cast<char>(0xc0);
  const sound got = read_sound(write(bytes), {.strict = true});
  EXPECT_EQ(got.info.rate_hz, 48001);
  EXPECT_EQ(
      got.warnings,
      std::vector<std::string>{
          "the sample rate 48000.75 Hz is read as 48001 Hz: times are 5.2 millionths shorter, "
          "frequencies higher"});
}

TEST_F(whole_sound, samples_that_look_like_a_chunk_are_samples) {
  const std::string looks = "ABCD" + little_endian_32(1000) + samples_of(8000);
  expect_all(wav_bytes{.data = looks, .data_size_bytes = 0}.file(),
             read(wav_bytes{.data = looks}.file()));
}

TEST_F(whole_sound, packed_samples_are_as_many_as_the_header_says) {
  for (const int format : {SF_FORMAT_IMA_ADPCM, SF_FORMAT_MS_ADPCM, SF_FORMAT_GSM610})
    for (const std::size_t frames : {6'000u, 6'001u}) {
      SCOPED_TRACE(format);
      // The library counts the padding of IMA ADPCM too.
      std::string bytes = made(SF_FORMAT_WAV | format, 1, frames);
      bytes.replace(bytes.find("fact") + 8, 4,
                    little_endian_32(static_cast<std::uint32_t>(frames)));
      const sound got = read_sound(write(bytes), {.strict = true});
      EXPECT_EQ(got.info.frames, frames);
      EXPECT_EQ(got.samples.extent(0), frames);
    }
}

/// 5 GB that take no room, of which the last are 1000 frames of stereo.
TEST_F(whole_sound, wav_of_more_than_4_gb) {
  constexpr std::uint64_t data_bytes = 5'000'000'000;
  const std::string tail = samples_of(4000);
  const std::vector<float> last =
      read(wav_bytes{.channels = 2, .rate_hz = 96000, .data = tail}.file());
  struct size_case {
    std::uint32_t size;
    bool list_follows = false;
  };
  const std::string list = "LIST" + little_endian_32(4) + "INFO";
  for (const auto& [size, list_follows] :
       {size_case{0}, size_case{0xffffffff}, size_case{0xfffffff0},
        size_case{static_cast<std::uint32_t>(data_bytes)},
        size_case{static_cast<std::uint32_t>(data_bytes), true}}) {
    SCOPED_TRACE(size);
    const std::filesystem::path path = write(
        wav_bytes{.channels = 2, .rate_hz = 96000, .data_size_bytes = size, .riff_size_bytes = ~0u}
            .file());
    try {
      std::filesystem::resize_file(path, 44 + data_bytes - tail.size());
    } catch (const std::filesystem::filesystem_error& e) {
      GTEST_SKIP() << "no files of 5 GB here: " << e.what();
    }
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    if (status.st_blocks > 10'000) GTEST_SKIP() << "no files with holes here";
    std::ofstream(path, std::ios::binary | std::ios::app) << tail << (list_follows ? list : "");
    sound_reader reader(path, {.strict = true});
    ASSERT_EQ(reader.info().frames, data_bytes / 4);
    EXPECT_EQ(reader.info().rate_hz, 96000);
    reader.seek(data_bytes / 4 - 1000);
    array<float, 2> block({1001, 2});
    ASSERT_EQ(reader.read(block), 1000u);
    EXPECT_TRUE(std::equal(last.begin(), last.end(), block.begin()));
    EXPECT_TRUE(reader.warnings().empty());
  }
}

}  // namespace
}  // namespace papilio
