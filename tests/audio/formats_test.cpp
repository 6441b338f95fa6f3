#include <gtest/gtest.h>
#include <sndfile.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "made_sound.hpp"
#include "papilio/audio.hpp"
#include "support/temporary_directory.hpp"

namespace papilio {
namespace {

struct format_case {
  const char* name;
  int format;
  const char* container;
  const char* encoding;
  double tolerance;  ///< of the relative error in the root mean square
};

class formats : public testing::TestWithParam<format_case> {};

double relative_rms(std::span<const float> got, std::span<const float> expected) {
  double error = 0, power = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    error += std::pow(static_cast<double>(got[i] - expected[i]), 2);
    power += std::pow(static_cast<double>(expected[i]), 2);
  }
  return std::sqrt(error / power);
}

/// Two sines, which lossy formats keep, in each of two channels.
std::vector<float> sines(std::size_t frames) {
  std::vector<float> samples(2 * frames);
  for (std::size_t i = 0; i < frames; ++i) {
    const double t = static_cast<double>(i);
    samples[2 * i] = static_cast<float>(0.5 * std::sin(0.05 * t));
    samples[2 * i + 1] = static_cast<float>(0.4 * std::sin(0.11 * t));
  }
  return samples;
}

/// Whatever was read before, at a place stands what stands there in the whole.
void expect_exact_seeks(const std::filesystem::path& path, const sound& whole) {
  const std::size_t channels = whole.samples.extent(1), frames = whole.samples.extent(0);
  sound_reader reader(path);
  array<float, 2> block({300, channels});
  for (const std::size_t percent : {41, 42, 99, 3, 0, 70, 1}) {
    const std::size_t at = frames * percent / 100;
    reader.seek(at);
    const std::size_t got = reader.read(block);
    ASSERT_EQ(got, std::min<std::size_t>(300, frames - at));
    ASSERT_TRUE(std::equal(block.data(), block.data() + got * channels, &whole.samples(at, 0)))
        << "frame " << at;
  }
}

TEST_P(formats, are_read) {
  const format_case& c = GetParam();
  const test::temporary_directory folder;
  const std::vector<float> samples = sines(30'000);
  test::make_sound(folder / c.name, c.format, 2, samples);
  const sound s = read_sound(folder / c.name, {.strict = true});
  EXPECT_EQ(s.info.container, c.container);
  EXPECT_EQ(s.info.encoding, c.encoding);
  EXPECT_EQ(s.info.rate_hz, 48000);
  EXPECT_TRUE(s.warnings.empty());
  ASSERT_EQ(s.samples.extents(), (extents_type<2>{30'000, 2}));
  EXPECT_LE(relative_rms(s.samples.flat(), samples), c.tolerance);

  expect_exact_seeks(folder / c.name, s);
}

// The library stores x 32767 and reads it divided by 32768.
constexpr double rounding_8 = 0.02, rounding_16 = 1e-4, rounding_24 = 4e-7, lossy = 0.02;

INSTANTIATE_TEST_SUITE_P(
    audio, formats,
    testing::Values(format_case{"wav8", SF_FORMAT_WAV | SF_FORMAT_PCM_U8, "WAV (Microsoft)",
                                "Unsigned 8 bit PCM", rounding_8},
                    format_case{"wav16", SF_FORMAT_WAV | SF_FORMAT_PCM_16, "WAV (Microsoft)",
                                "Signed 16 bit PCM", rounding_16},
                    format_case{"wav24", SF_FORMAT_WAV | SF_FORMAT_PCM_24, "WAV (Microsoft)",
                                "Signed 24 bit PCM", rounding_24},
                    format_case{"wav32", SF_FORMAT_WAV | SF_FORMAT_PCM_32, "WAV (Microsoft)",
                                "Signed 32 bit PCM", rounding_24},
                    format_case{"wav_float", SF_FORMAT_WAV | SF_FORMAT_FLOAT, "WAV (Microsoft)",
                                "32 bit float", 0},
                    format_case{"wav_double", SF_FORMAT_WAV | SF_FORMAT_DOUBLE, "WAV (Microsoft)",
                                "64 bit float", 0},
                    format_case{"wavex", SF_FORMAT_WAVEX | SF_FORMAT_PCM_24, "WAVEX (Microsoft)",
                                "Signed 24 bit PCM", rounding_24},
                    format_case{"rf64", SF_FORMAT_RF64 | SF_FORMAT_PCM_24, "RF64 (RIFF 64)",
                                "Signed 24 bit PCM", rounding_24},
                    format_case{"w64", SF_FORMAT_W64 | SF_FORMAT_FLOAT,
                                "W64 (SoundFoundry WAVE 64)", "32 bit float", 0},
                    format_case{"aiff16", SF_FORMAT_AIFF | SF_FORMAT_PCM_16, "AIFF (Apple/SGI)",
                                "Signed 16 bit PCM", rounding_16},
                    format_case{"aiff_float", SF_FORMAT_AIFF | SF_FORMAT_FLOAT, "AIFF (Apple/SGI)",
                                "32 bit float", 0},
                    format_case{"flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_24,
                                "FLAC (Free Lossless Audio Codec)", "Signed 24 bit PCM",
                                rounding_24},
                    format_case{"vorbis", SF_FORMAT_OGG | SF_FORMAT_VORBIS,
                                "OGG (OGG Container format)", "Vorbis", lossy},
                    format_case{"opus", SF_FORMAT_OGG | SF_FORMAT_OPUS,
                                "OGG (OGG Container format)", "Opus", lossy},
                    format_case{"mp3", SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III, "MPEG-1/2 Audio",
                                "MPEG Layer III", lossy},
                    format_case{"caf_alac", SF_FORMAT_CAF | SF_FORMAT_ALAC_16,
                                "CAF (Apple Core Audio File)", "16 bit ALAC", rounding_16}),
    [](const auto& tested) { return std::string(tested.param.name); });

std::vector<int> known(int count_command, int get_command) {
  int count = 0;
  sf_command(nullptr, count_command, &count, sizeof count);
  std::vector<int> formats;
  for (int i = 0; i < count; ++i) {
    SF_FORMAT_INFO info{};
    info.format = i;
    sf_command(nullptr, get_command, &info, sizeof info);
    formats.push_back(info.format);
  }
  return formats;
}

/// Every container and encoding that the library writes is read as it itself reads it.
TEST(formats, all_that_libsndfile_has) {
  const test::temporary_directory folder;
  int tested = 0;
  for (const int container : known(SFC_GET_FORMAT_MAJOR_COUNT, SFC_GET_FORMAT_MAJOR))
    for (const int encoding : known(SFC_GET_FORMAT_SUBTYPE_COUNT, SFC_GET_FORMAT_SUBTYPE)) {
      // Raw files say nothing of themselves; SD2 keeps its header in a second file.
      if (container == SF_FORMAT_RAW || container == SF_FORMAT_SD2) continue;
      SF_INFO info{};
      info.samplerate = 8000;
      info.channels = 1;
      info.format = container | encoding;
      if (sf_format_check(&info) == SF_FALSE) continue;
      SCOPED_TRACE(testing::Message() << std::hex << info.format);
      const std::vector<float> samples = test::tone(6'000);
      SNDFILE* const out = sf_open((folder / "a").c_str(), SFM_WRITE, &info);
      if (out == nullptr) continue;  // known to the library, but not in it
      sf_write_float(out, samples.data(), 6'000);
      sf_close(out);
      SF_INFO found{};
      SNDFILE* const in = sf_open((folder / "a").c_str(), SFM_READ, &found);
      ASSERT_NE(in, nullptr) << sf_strerror(nullptr);
      std::vector<float> expected(20'000);
      expected.resize(static_cast<std::size_t>(sf_read_float(in, expected.data(), 20'000)));
      sf_close(in);
      if (expected.empty()) continue;  // of DWVW at 12 bits it reads nothing
      try {
        const sound s = read_sound(folder / "a");
        EXPECT_EQ(s.info.rate_hz, found.samplerate);
        // The library itself reads the last block of packed samples to its end.
        if (s.info.frames == 6'000) expected.resize(6'000);
        expect_exact_seeks(folder / "a", s);
        EXPECT_EQ(std::vector<float>(s.samples.begin(), s.samples.end()), expected);
        for (const std::string& w : s.warnings) ADD_FAILURE() << w;
      } catch (const error& e) {
        ADD_FAILURE() << e.what();
      }
      ++tested;
    }
  EXPECT_GT(tested, 90);
}

}  // namespace
}  // namespace papilio
