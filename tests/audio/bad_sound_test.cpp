#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "made_sound.hpp"
#include "papilio/audio.hpp"
#include "papilio/base/error.hpp"
#include "support/scoped_variable.hpp"
#include "support/temporary_directory.hpp"
#include "support/wav_bytes.hpp"

namespace papilio {
namespace {

using test::wav_bytes;
using test::write_bytes;

const std::string hundred_frames =
    std::string("\1\2\3\4\5\6\7\x8\1\0", 10) + std::string(190, '\3');

/// The reason of the refusal, without "PATH: "; the path is checked here.
std::string refusal(const std::filesystem::path& path, const sound_options& options = {}) {
  try {
    read_sound(path, options);
  } catch (const io_error& e) {
    const std::string text = e.what(), start = path.string() + ": ";
    EXPECT_TRUE(text.starts_with(start)) << text;
    return text.substr(std::min(text.size(), start.size()));
  }
  return "(not refused)";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class bad_sound : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& bytes) {
    write_bytes(folder_ / "a.wav", bytes);
    return folder_ / "a.wav";
  }
  std::string refused(const std::string& bytes) { return refusal(file(bytes)); }

  /// Reads `path` as far as it goes; the one warning must hold every part, and strict must refuse.
  sound partial(const std::filesystem::path& path, const std::vector<std::string>& parts) {
    sound s = read_sound(path);
    EXPECT_EQ(s.warnings.size(), 1u);
    const std::string warning = s.warnings.empty() ? "" : s.warnings[0];
    for (const std::string& part : parts) EXPECT_TRUE(contains(warning, part)) << warning;
    EXPECT_EQ(refusal(path, {.strict = true}), warning);
    EXPECT_EQ(s.info.frames, s.samples.extent(0));
    return s;
  }

  /// Makes a file by libsndfile, less its second half.
  std::filesystem::path halved(const std::string& name, int format, std::size_t frames) {
    test::make_sound(folder_ / name, format, 1, test::tone(frames));
    std::filesystem::resize_file(folder_ / name, std::filesystem::file_size(folder_ / name) / 2);
    return folder_ / name;
  }

  test::temporary_directory folder_;
};

TEST_F(bad_sound, no_sound_file) {
  EXPECT_EQ(refused(""), "the file is empty");
  EXPECT_EQ(refused("hello, this is text\n"), "the format is not recognised: this is text");
  EXPECT_EQ(refused("\x89PNG\r\n\x1a\n....."),
            "the format is not recognised: this is a PNG picture");
  EXPECT_TRUE(contains(refused(std::string(300, '\2')), "not recognised"));
}

TEST_F(bad_sound, broken_headers) {
  const std::string good = wav_bytes{.data = hundred_frames}.file();
  EXPECT_EQ(refused(good.substr(0, 30)),
            "the header is cut short or broken: no sample data in its 30 bytes");
  for (std::size_t length = 1; length < 44; ++length)
    EXPECT_NE(refused(good.substr(0, length)), "(not refused)") << length;
  EXPECT_EQ(refused(wav_bytes{.channels = 0, .data = hundred_frames}.file()),
            "the header says 0 channels");
  EXPECT_TRUE(contains(refused(wav_bytes{.channels = 1025, .data = hundred_frames}.file()),
                       "1025 channels"));
  EXPECT_EQ(refused(wav_bytes{.rate_hz = 0, .data = hundred_frames}.file()),
            "the sample rate is 0 Hz");
  EXPECT_TRUE(contains(refused(wav_bytes{.rate_hz = 4'000'000'000u, .data = hundred_frames}.file()),
                       "the sample rate is 4000000000 Hz"));
  EXPECT_TRUE(contains(refused(wav_bytes{.rate_hz = 100'000'001, .data = hundred_frames}.file()),
                       "100000001 Hz"));
  EXPECT_TRUE(
      contains(refused(wav_bytes{.format_tag = 0x1234, .data = hundred_frames}.file()), "0x1234"));
}

TEST_F(bad_sound, threads_are_told_the_reason_of_their_own_file) {
  const std::string wav = wav_bytes{.format_tag = 0x1234, .data = hundred_frames}.file();
  const std::string files[] = {wav, wav.substr(0, 30),
                               std::string("FORM\0\0\0\x12"
                                           "AIFFCOMM",
                                           16)};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < std::size(files); ++i) {
    const auto path = folder_ / std::to_string(i);
    write_bytes(path, files[i]);
    threads.emplace_back([path, reason = refusal(path)] {
      for (int turn = 0; turn < 20; ++turn) EXPECT_EQ(refusal(path), reason);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(bad_sound, no_samples) {
  EXPECT_EQ(refused(wav_bytes{}.file()), "no samples");
  EXPECT_TRUE(refused(wav_bytes{.data_size_bytes = 2000}.file()).starts_with("no samples"));
  // A data chunk that really is empty: what follows is another chunk, not sound.
  EXPECT_EQ(
      refused(wav_bytes{.data = std::string("LIST\4\0\0\0INFO", 12), .data_size_bytes = 0}.file()),
      "no samples");
}

TEST_F(bad_sound, not_a_regular_file) {
  EXPECT_EQ(refusal(folder_.path()), "is a directory");
  EXPECT_EQ(refusal(folder_ / "none.wav"), "No such file or directory");
  ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  EXPECT_TRUE(contains(refusal(folder_ / "fifo"), "is a FIFO"));
  EXPECT_TRUE(contains(refusal("/dev/zero"), "is a character device"));
}

TEST_F(bad_sound, unreadable) {
  const auto path = file(wav_bytes{.data = hundred_frames}.file());
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(path, std::filesystem::perms::none);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
    ::_exit(refusal(path) == "Permission denied" ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST_F(bad_sound, truncated_wav) {
  const sound s = partial(file(wav_bytes{.data = hundred_frames, .data_size_bytes = 2000}.file()),
                          {"truncated", "promised 1000 frames", "100 read"});
  EXPECT_EQ(s.info.promised_frames, 1000u);
  const sound whole = read_sound(file(wav_bytes{.data = hundred_frames}.file()));
  EXPECT_TRUE(
      std::equal(s.samples.begin(), s.samples.end(), whole.samples.begin(), whole.samples.end()));
}

TEST_F(bad_sound, four_gigabytes_promised) {
  const sound s = partial(
      file(wav_bytes{
          .data = hundred_frames, .data_size_bytes = 0xfffffff0u, .riff_size_bytes = 0xffffffffu}
               .file()),
      {"promised 2147483640 frames", "100 read"});
  EXPECT_EQ(s.samples.extent(0), 100u);
}

/// Sizes that writers leave who cannot go back: nothing is wrong, and nothing is promised.
TEST_F(bad_sound, streamed_wav_is_no_fault) {
  for (const std::uint32_t riff : {0u, 8u, 36u, 0xffffffffu})
    for (const std::uint32_t size : {0u, 0x7fff0000u, 0x7ffff000u, 0x7fffffc0u, 0xffffffffu}) {
      SCOPED_TRACE(testing::Message() << riff << " " << size);
      const sound s = read_sound(
          file(wav_bytes{.data = hundred_frames, .data_size_bytes = size, .riff_size_bytes = riff}
                   .file()),
          {.strict = true});
      EXPECT_TRUE(s.warnings.empty());
      EXPECT_EQ(s.info.frames, 100u);
      EXPECT_EQ(s.info.promised_frames, 0u);
      EXPECT_TRUE(s.info.length_known);
    }
}

TEST_F(bad_sound, truncated_containers) {
  const std::pair<const char*, int> formats[] = {{"a.aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_16},
                                                 {"a.w64", SF_FORMAT_W64 | SF_FORMAT_PCM_16},
                                                 {"a.caf", SF_FORMAT_CAF | SF_FORMAT_PCM_16},
                                                 {"a.au", SF_FORMAT_AU | SF_FORMAT_PCM_16},
                                                 {"a.rf64", SF_FORMAT_RF64 | SF_FORMAT_PCM_16}};
  for (const auto& [name, format] : formats) {
    SCOPED_TRACE(name);
    const sound s = partial(halved(name, format, 20'000), {"promised 20000 frames"});
    EXPECT_GT(s.info.frames, 8'000u);
    EXPECT_LT(s.info.frames, 10'001u);
  }
}

TEST_F(bad_sound, truncated_compressed) {
  const sound flac = partial(halved("a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 100'000),
                             {"promised 100000 frames"});
  EXPECT_GT(flac.info.frames, 30'000u);
  EXPECT_LT(flac.info.frames, 60'000u);
  EXPECT_EQ(flac.info.promised_frames, 100'000u);
  const sound ogg =
      partial(halved("a.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS, 500'000), {"no end mark"});
  EXPECT_GT(ogg.info.frames, 100'000u);
  EXPECT_LT(ogg.info.frames, 400'000u);
  const sound adpcm =
      partial(halved("b.wav", SF_FORMAT_WAV | SF_FORMAT_IMA_ADPCM, 100'000), {"promised"});
  EXPECT_GT(adpcm.info.promised_frames, 95'000u);
  EXPECT_LT(adpcm.info.frames, 60'000u);
}

/// Frames have numbers: what is lost is 0, and the rest is at its time.
TEST_F(bad_sound, damage_in_the_middle_is_passed_over) {
  test::make_sound(folder_ / "a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1, test::tone(100'000));
  const sound whole = read_sound(folder_ / "a.flac");
  const std::string bytes = test::read_bytes(folder_ / "a.flac");
  const auto spoilt = [&](std::size_t at, std::size_t taken, std::size_t put) {
    return std::string(bytes).replace(at, taken, put, '\x55');
  };
  const std::size_t middle = bytes.size() / 2;
  for (const std::string& damaged : {spoilt(middle, 3000, 3000), spoilt(middle, 1, 1),
                                     spoilt(middle, 0, 5000), spoilt(middle, 20'000, 0)}) {
    write_bytes(folder_ / "b.flac", damaged);
    const sound s = partial(folder_ / "b.flac", {"damaged at ", "is read as 0"});
    ASSERT_EQ(s.info.frames, 100'000u);
    std::size_t lost = 0, first = 100'000, last = 0;
    for (std::size_t i = 0; i < 100'000; ++i) {
      if (s.samples(i, 0) == whole.samples(i, 0)) continue;
      ASSERT_EQ(s.samples(i, 0), 0.0f) << i;
      first = std::min(first, i);
      last = i;
      ++lost;
    }
    EXPECT_GT(first, 30'000u);
    EXPECT_LT(last, 80'000u);
    EXPECT_GT(lost, 3'000u);
  }
}

TEST_F(bad_sound, flac_of_unknown_length) {
  test::make_sound(folder_ / "a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1, test::tone(10'000));
  std::string bytes = test::read_bytes(folder_ / "a.flac");
  bytes[21] = static_cast<char>(bytes[21] & 0xf0);  // the 36 bits of STREAMINFO's total
  bytes.replace(22, 4, 4, '\0');
  write_bytes(folder_ / "a.flac", bytes);
  const sound s = read_sound(folder_ / "a.flac", {.strict = true});
  EXPECT_TRUE(s.warnings.empty());
  EXPECT_EQ(s.info.frames, 10'000u);
}

TEST_F(bad_sound, flac_promising_more_than_memory_reads_what_it_has) {
  test::make_sound(folder_ / "a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1, test::tone(10'000));
  std::string bytes = test::read_bytes(folder_ / "a.flac");
  bytes[21] = static_cast<char>(bytes[21] | 0x0f);
  bytes.replace(22, 4, 4, '\xff');
  write_bytes(folder_ / "a.flac", bytes);
  const sound s = partial(folder_ / "a.flac", {"promised 68719476735 frames", "10000 read"});
  EXPECT_EQ(s.samples.extent(0), 10'000u);
}

TEST_F(bad_sound, not_finite_samples) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const auto stereo = [&](const std::vector<float>& values) {
    return file(
        wav_bytes{.format_tag = 3, .channels = 2, .bits = 32, .data = test::float_bytes(values)}
            .file());
  };
  EXPECT_EQ(refusal(stereo({0, 0, 0, 0, 0, nan})), "frame 2, channel 2: the sample is NaN");
  EXPECT_EQ(refusal(stereo({0, 0, -inf, nan})), "frame 1, channel 1: the sample is -Inf");
  const sound s = read_sound(stereo({1, nan, inf, 0.5f}), {.nan = nan_policy::zero});
  EXPECT_EQ(std::vector<float>(s.samples.begin(), s.samples.end()),
            (std::vector<float>{1, 0, 0, 0.5f}));
  EXPECT_EQ(s.replaced_samples, 2u);
  ASSERT_EQ(s.warnings.size(), 1u);
  EXPECT_TRUE(contains(s.warnings[0], "2 samples"));
}

TEST_F(bad_sound, doubles_beyond_float_are_named_as_what_they_are) {
  SF_INFO info{};
  info.samplerate = 8000;
  info.channels = 2;
  info.format = SF_FORMAT_WAV | SF_FORMAT_DOUBLE;
  const double values[] = {0, 1, 0.5, 1e300, -1e39, std::numeric_limits<double>::infinity()};
  SNDFILE* const out = sf_open((folder_ / "d.wav").c_str(), SFM_WRITE, &info);
  ASSERT_NE(out, nullptr);
  sf_write_double(out, values, 6);
  sf_close(out);
  EXPECT_EQ(refusal(folder_ / "d.wav"),
            "frame 1, channel 2: the sample is 1e+300, which is beyond the largest float");
  const sound s = read_sound(folder_ / "d.wav", {.nan = nan_policy::zero});
  EXPECT_EQ(s.replaced_samples, 3u);
  EXPECT_EQ(s.samples(0, 1), 1.0f);
  EXPECT_EQ(s.samples(1, 1), 0.0f);
}

TEST_F(bad_sound, decimals_that_no_double_holds_are_0_or_infinite) {
  const std::string zeros(330, '0');
  write_bytes(folder_ / "a.csv", "0." + zeros + "1\n-1e-99999999999999999999\n1" + zeros +
                                     "e-700\n1" + zeros + "\n0.01e400\n1e99999999999999999999\n");
  const sound s = read_sound(folder_ / "a.csv", {.nan = nan_policy::zero, .array_rate_hz = 8000});
  ASSERT_EQ(s.samples.extent(0), 6u);
  EXPECT_EQ(s.replaced_samples, 3u);
  EXPECT_EQ(refusal(folder_ / "a.csv", {.array_rate_hz = 8000}),
            "frame 3, channel 1: the sample is +Inf");
}

TEST_F(bad_sound, a_refused_sample_does_not_lose_the_place) {
  std::vector<float> values(100);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  values[60] = std::numeric_limits<float>::quiet_NaN();
  sound_reader reader(
      file(wav_bytes{.format_tag = 3, .bits = 32, .data = test::float_bytes(values)}.file()));
  array<float, 2> block({40, 1});
  EXPECT_EQ(reader.read(block.view()), 40u);
  EXPECT_THROW(reader.read(block.view()), io_error);
  for (const std::uint64_t frame : {reader.position(), std::uint64_t{40}, std::uint64_t{80}}) {
    reader.seek(frame);
    ASSERT_EQ(reader.read(block.view().slice(0, 0, 20)), 20u);
    EXPECT_EQ(block(0, 0), static_cast<float>(frame));
  }
}

TEST_F(bad_sound, aiff_with_absurd_rates) {
  for (const auto& [exponent, text] : {std::pair<int, const char*>{0, "the sample rate is 0 Hz"},
                                       {16383 + 32, "Hz is believed"}}) {
    test::make_sound(folder_ / "a.aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_16, 1, test::tone(100));
    std::string bytes = test::read_bytes(folder_ / "a.aiff");
    const std::size_t rate = bytes.find("COMM") + 16;  // an 80-bit number
    bytes[rate] = static_cast<char>(exponent >> 8);
    bytes[rate + 1] = static_cast<char>(exponent & 0xff);
    if (exponent == 0) bytes.replace(rate + 2, 8, 8, '\0');
    write_bytes(folder_ / "a.aiff", bytes);
    EXPECT_TRUE(contains(refusal(folder_ / "a.aiff"), text)) << refusal(folder_ / "a.aiff");
  }
}

/// Every byte of a header, changed in turn: read or refused, never a crash or a hang.
TEST_F(bad_sound, every_header_byte_spoilt) {
  const test::scoped_variable path("PATH", "/nonexistent");  // ffmpeg would be started each time
  const std::string good = wav_bytes{.channels = 2, .data = hundred_frames}.file();
  int handled = 0;
  for (std::size_t at = 0; at < 44; ++at)
    for (const int spoilt : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(spoilt);
      const std::string reason = refused(bytes);
      handled += reason.empty() ? 0 : 1;
    }
  EXPECT_EQ(handled, 44 * 5);
}

}  // namespace
}  // namespace papilio
