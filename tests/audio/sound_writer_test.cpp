#include "papilio/audio.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sndfile.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "made_sound.hpp"
#include "papilio/base/error.hpp"
#include "support/oracle.hpp"
#include "support/temporary_directory.hpp"
#include "support/wav_bytes.hpp"

namespace papilio {
namespace {

namespace fs = std::filesystem;
using encoding = sample_encoding;

view<const float, 2> frames_of(const std::vector<float>& samples, std::size_t channels) {
  return {samples.data(), {samples.size() / channels, channels}};
}

std::vector<float> flat(const sound& s) { return {s.samples.begin(), s.samples.end()}; }

/// Numbers that `bits` bits can store, both ends among them.
std::vector<float> storable(std::size_t count, unsigned bits) {
  const double scale = std::ldexp(1.0, static_cast<int>(std::min(bits, 24u)) - 1);
  std::vector<float> result = test::tone(count);
  for (float& x : result)
    x = static_cast<float>(std::nearbyint(static_cast<double>(x) * scale) / scale);
  result[0] = -1;
  result[1] = static_cast<float>((scale - 1) / scale);
  return result;
}

struct lossless_case {
  const char* name;
  encoding stored;
  const char* libsndfile_name;
};

class lossless : public testing::TestWithParam<lossless_case> {};

TEST_P(lossless, what_is_written_is_read_back_exactly) {
  const lossless_case& c = GetParam();
  const test::temporary_directory folder;
  const bool is_float = c.stored == encoding::f32 || c.stored == encoding::f64;
  for (const std::size_t channels : {1, 2, 6}) {
    SCOPED_TRACE(channels);
    std::vector<float> samples = storable(channels * 5'003, 8 * sample_bytes(c.stored));
    if (is_float) samples[2] = -3.75f, samples[3] = 1e-30f;
    sound_writer writer(
        folder / c.name,
        {.rate_hz = 44100, .channels = static_cast<int>(channels), .encoding = c.stored});
    const view<const float, 2> all = frames_of(samples, channels);
    for (std::size_t done = 0, block = 1; done < all.extent(0);
         done += block, block = 2 * block + 1)
      writer.write(all.slice(0, done, std::min(block, all.extent(0) - done)));
    writer.commit();
    EXPECT_EQ(writer.frames(), 5'003u);
    EXPECT_EQ(writer.clipped_samples(), 0u);
    const sound back = read_sound(folder / c.name, {.strict = true});
    EXPECT_EQ(back.info.rate_hz, 44100);
    EXPECT_EQ(back.info.channels, static_cast<int>(channels));
    EXPECT_EQ(back.info.encoding, c.libsndfile_name);
    EXPECT_EQ(back.info.stored_as, c.stored);
    EXPECT_EQ(flat(back), samples);
    EXPECT_TRUE(back.warnings.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    formats, lossless,
    testing::Values(lossless_case{"a.wav", encoding::u8, "Unsigned 8 bit PCM"},
                    lossless_case{"a.wav", encoding::s16, "Signed 16 bit PCM"},
                    lossless_case{"a.wav", encoding::s24, "Signed 24 bit PCM"},
                    lossless_case{"a.wav", encoding::s32, "Signed 32 bit PCM"},
                    lossless_case{"a.wav", encoding::f32, "32 bit float"},
                    lossless_case{"a.wav", encoding::f64, "64 bit float"},
                    lossless_case{"a.flac", encoding::s8, "Signed 8 bit PCM"},
                    lossless_case{"a.FLAC", encoding::s16, "Signed 16 bit PCM"},
                    lossless_case{"a.flac", encoding::s24, "Signed 24 bit PCM"}),
    [](const auto& tested) {
      return std::string(tested.param.name + 2) + "_" + to_string(tested.param.stored);
    });

std::ptrdiff_t entries(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

/// Vorbis keeps tones to 2 % of their root mean square at its default quality; noise it does not.
TEST(sound_writer, ogg_is_close) {
  const test::temporary_directory folder;
  std::vector<float> samples(2 * 48'000);
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i] =
        static_cast<float>(0.7 * std::sin((i % 2 == 0 ? 0.05 : 0.2) * static_cast<double>(i / 2)));
  write_sound(folder / "a.ogg", frames_of(samples, 2), {.rate_hz = 48000});
  const sound back = read_sound(folder / "a.ogg", {.strict = true});
  EXPECT_EQ(back.info.container, "OGG (OGG Container format)");
  EXPECT_EQ(back.info.encoding, "Vorbis");
  EXPECT_EQ(back.info.stored_as, std::nullopt);
  ASSERT_EQ(back.samples.extents(), (extents_type<2>{48'000, 2}));
  double error = 0, power = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    error += std::pow(static_cast<double>(samples[i] - back.samples.data()[i]), 2);
    power += std::pow(static_cast<double>(samples[i]), 2);
  }
  EXPECT_LT(std::sqrt(error / power), 0.03);
}

TEST(sound_writer, better_quality_of_ogg_is_a_larger_file) {
  const test::temporary_directory folder;
  const std::vector<float> samples = test::tone(48'000);
  for (const double quality : {0.0, 0.9})
    write_sound(folder / (quality > 0 ? "good.ogg" : "bad.ogg"), frames_of(samples, 1),
                {.rate_hz = 48000, .quality = quality});
  EXPECT_GT(fs::file_size(folder / "good.ogg"), fs::file_size(folder / "bad.ogg"));
}

TEST(sound_writer, ogg_at_its_limits) {
  const test::temporary_directory folder;
  for (const int channels : {1, 2, 255})
    for (const int rate : {1, 200'000})
      for (const double quality : {0.0, 1.0}) {
        const std::vector<float> samples = test::tone(3'000 * static_cast<std::size_t>(channels));
        write_sound(folder / "a.ogg", frames_of(samples, static_cast<std::size_t>(channels)),
                    {.rate_hz = rate, .quality = quality});
        const sound_reader back(folder / "a.ogg", {.strict = true});
        EXPECT_EQ(back.info().frames, 3'000u);
        EXPECT_EQ(back.info().channels, channels);
        EXPECT_EQ(back.info().rate_hz, rate);
      }
}

TEST(sound_writer, flac_at_its_limits) {
  const test::temporary_directory folder;
  for (const int channels : {1, 8})
    for (const int rate : {1, 65'535, 655'350}) {
      const std::vector<float> samples = storable(5'000 * static_cast<std::size_t>(channels), 24);
      write_sound(folder / "a.flac", frames_of(samples, static_cast<std::size_t>(channels)),
                  {.rate_hz = rate, .encoding = encoding::s24});
      const sound back = read_sound(folder / "a.flac", {.strict = true});
      EXPECT_EQ(back.info.rate_hz, rate);
      EXPECT_EQ(back.info.channels, channels);
      EXPECT_EQ(flat(back), samples);
    }
}

TEST(sound_writer, rounds_to_the_nearest_and_counts_what_is_clipped) {
  const test::temporary_directory folder;
  const float step = 1.0f / 32768;
  const std::vector<float> samples{0.49f * step, 0.51f * step, 1.5f * step, 2.5f * step, 1.0f,
                                   1.001f,       -1.0f,        -1.001f,     50.0f,       -1e30f};
  EXPECT_EQ(write_sound(folder / "a.wav", frames_of(samples, 2), {.rate_hz = 8000}), 4u);
  const float most = 1 - step;
  EXPECT_EQ(flat(read_sound(folder / "a.wav")),
            (std::vector<float>{0, step, 2 * step, 2 * step, most, most, -1, -1, most, -1}));
}

TEST(sound_writer, doubles_keep_what_a_float_would_lose) {
  const test::temporary_directory folder;
  const std::vector<double> samples{1.0 / 3, -0.1, 1 - std::ldexp(1.0, -31), 0};
  const view<const double, 2> frames(samples.data(), {4, 1});
  for (const encoding stored : {encoding::f64, encoding::s32}) {
    sound_writer writer(folder / "a.wav", {.rate_hz = 8000, .channels = 1, .encoding = stored});
    writer.write(frames);
    writer.commit();
    SF_INFO info{};
    SNDFILE* const file = sf_open((folder / "a.wav").c_str(), SFM_READ, &info);
    ASSERT_NE(file, nullptr);
    std::vector<double> back(4);
    EXPECT_EQ(sf_read_double(file, back.data(), 4), 4);
    sf_close(file);
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(back[i], samples[i], stored == encoding::f64 ? 0 : std::ldexp(1.0, -32));
  }
}

TEST(sound_writer, takes_blocks_of_any_strides) {
  const test::temporary_directory folder;
  const std::vector<float> samples = storable(3 * 10'000, 16);
  const view<const float, 2> wide = frames_of(samples, 3);
  write_sound(folder / "a.wav", wide.slice(1, 1, 2), {.rate_hz = 8000});
  const sound back = read_sound(folder / "a.wav");
  ASSERT_EQ(back.samples.extents(), (extents_type<2>{10'000, 2}));
  for (std::size_t i = 0; i < 10'000; ++i)
    for (std::size_t c = 0; c < 2; ++c) ASSERT_EQ(back.samples(i, c), wide(i, c + 1));
}

TEST(sound_writer, nothing_appears_before_commit_or_without_it) {
  const test::temporary_directory folder;
  const std::vector<float> samples = test::tone(100'000);
  for (const char* name : {"a.wav", "a.flac", "a.ogg"}) {
    SCOPED_TRACE(name);
    test::write_bytes(folder / name, "old");
    {
      sound_writer writer(folder / name, {.rate_hz = 44100, .channels = 1});
      writer.write(frames_of(samples, 1));
      EXPECT_EQ(test::read_bytes(folder / name), "old");
    }
    EXPECT_EQ(test::read_bytes(folder / name), "old");
  }
  EXPECT_EQ(entries(folder.path()), 3);
}

TEST(sound_writer, a_full_disk_leaves_nothing_behind) {
  const test::temporary_directory folder;
  const std::vector<float> samples = test::random_real<float>(800'000, 1);
  for (const char* name : {"a.wav", "a.flac", "a.ogg"}) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{100'000, 100'000};
      if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
      std::string reason;
      try {
        std::vector<float> quiet = samples;
        for (float& x : quiet) x *= 0.1f;
        write_sound(folder / name, frames_of(quiet, 8), {.rate_hz = 44100});
      } catch (const io_error& e) {
        reason = e.what();
      }
      ::_exit(reason == (folder / name).string() + ": File too large" ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << name;
  }
  EXPECT_EQ(entries(folder.path()), 0);
  EXPECT_THROW(write_sound("/dev/full", frames_of(samples, 1),
                           {.rate_hz = 44100, .format = sound_format::wav}),
               io_error);
}

TEST(sound_writer, refuses_what_no_such_file_can_hold) {
  const test::temporary_directory folder;
  const auto refused = [&](const char* name, const sound_writer_options& options) {
    try {
      sound_writer writer(folder / name, options);
    } catch (const invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const sound_writer_options good{.rate_hz = 44100, .channels = 2};
  EXPECT_NE(refused("a.mp3", good).find(".wav, .wave, .rf64, .flac"), std::string::npos);
  EXPECT_NE(refused("a", good), "");
  EXPECT_NE(refused("a.wav", {.rate_hz = 0, .channels = 1}).find("got 0"), std::string::npos);
  EXPECT_NE(refused("a.wav", {.rate_hz = 100'000'001, .channels = 1}), "");
  EXPECT_NE(refused("a.wav", {.rate_hz = 1, .channels = 0}), "");
  EXPECT_NE(refused("a.wav", {.rate_hz = 1, .channels = 1025}), "");
  EXPECT_NE(refused("a.wav", {.rate_hz = 1, .channels = 1, .encoding = encoding::s8}), "");
  EXPECT_NE(refused("a.wav", {.rate_hz = 1, .channels = 1, .quality = 0.5}), "");
  EXPECT_NE(refused("a.flac", {.rate_hz = 44100, .channels = 9}).find("9 channels"),
            std::string::npos);
  EXPECT_NE(refused("a.flac", {.rate_hz = 44100, .channels = 1, .encoding = encoding::f32}), "");
  EXPECT_NE(refused("a.flac", {.rate_hz = 44100, .channels = 1, .encoding = encoding::s32}), "");
  EXPECT_NE(refused("a.flac", {.rate_hz = 44100, .channels = 1, .encoding = encoding::u8}), "");
  EXPECT_NE(refused("a.flac", {.rate_hz = 65'537, .channels = 1}), "");
  EXPECT_NE(refused("a.flac", {.rate_hz = 10'000'000, .channels = 1}), "");
  EXPECT_NE(refused("a.ogg", {.rate_hz = 44100, .channels = 1, .encoding = encoding::s16}), "");
  EXPECT_NE(refused("a.ogg", {.rate_hz = 44100, .channels = 1, .quality = 1.5}), "");
  EXPECT_NE(refused("a.ogg", {.rate_hz = 44100, .channels = 256}), "");
  EXPECT_NE(refused("a.ogg", {.rate_hz = 200'001, .channels = 1}), "");
  EXPECT_EQ(entries(folder.path()), 0);
  EXPECT_THROW(sound_writer(folder / "none" / "a.wav", good), io_error);
}

TEST(sound_writer, refuses_blocks_that_do_not_fit_before_writing_any_of_them) {
  const test::temporary_directory folder;
  std::vector<float> samples(100'000);
  samples[99'999] = std::numeric_limits<float>::quiet_NaN();
  for (const char* name : {"a.wav", "a.flac", "a.ogg"}) {
    SCOPED_TRACE(name);
    sound_writer writer(folder / name, {.rate_hz = 44100, .channels = 2});
    EXPECT_THROW(writer.write(frames_of(samples, 1)), shape_error);
    EXPECT_THROW(writer.write(frames_of(samples, 2)), invalid_argument);
    EXPECT_EQ(writer.frames(), 0u);
    writer.write(frames_of(samples, 2).slice(0, 0, 49'000));
    writer.commit();
    EXPECT_EQ(read_sound(folder / name).info.frames, 49'000u);
  }
  sound_writer floats(folder / "f.wav",
                      {.rate_hz = 8000, .channels = 1, .encoding = encoding::f32});
  floats.write(frames_of(samples, 1));
  floats.commit();
  EXPECT_EQ(read_sound(folder / "f.wav", {.nan = nan_policy::zero}).replaced_samples, 1u);
}

TEST(sound_writer, no_frames) {
  const test::temporary_directory folder;
  sound_writer wav(folder / "a.wav", {.rate_hz = 8000, .channels = 1});
  wav.commit();
  EXPECT_EQ(fs::file_size(folder / "a.wav"), 44u + 36u);
  for (const char* name : {"a.flac", "a.ogg"}) {
    sound_writer writer(folder / name, {.rate_hz = 44100, .channels = 1});
    EXPECT_THROW(writer.commit(), invalid_argument);
  }
  EXPECT_EQ(entries(folder.path()), 1);
}

}  // namespace
}  // namespace papilio
