#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "made_sound.hpp"
#include "papilio/audio.hpp"
#include "papilio/base/error.hpp"
#include "support/temporary_directory.hpp"
#include "support/wav_bytes.hpp"

namespace papilio {
namespace {

/// A pipe whose other end gives `bytes` in awkward pieces, then closes.
class giving_pipe {
 public:
  explicit giving_pipe(std::string bytes) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("pipe failed");
    out_ = ends[0];
    giver_ = std::thread([bytes = std::move(bytes), in = ends[1]] {
      std::size_t done = 0, piece = 1;
      while (done < bytes.size()) {
        const std::size_t count = std::min(piece, bytes.size() - done);
        const ssize_t written = ::write(in, bytes.data() + done, count);
        if (written <= 0) break;
        done += static_cast<std::size_t>(written);
        piece = piece * 3 + 1;
      }
      ::close(in);
    });
  }
  ~giving_pipe() {
    giver_.join();
    ::close(out_);
  }
  giving_pipe(const giving_pipe&) = delete;
  giving_pipe& operator=(const giving_pipe&) = delete;
  std::string name() const { return "/dev/fd/" + std::to_string(out_); }

 private:
  int out_ = -1;
  std::thread giver_;
};

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
    const giving_pipe pipe(test::read_bytes(folder / name));
    EXPECT_EQ(flat(read_sound(pipe.name(), {.strict = true})), flat(read_sound(folder / name)));
  }
}

TEST(sound_from_pipe, can_be_sought_and_begun_again) {
  const test::temporary_directory folder;
  test::make_sound(folder / "a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1, test::tone(50'000));
  const sound whole = read_sound(folder / "a.flac");
  const giving_pipe pipe(test::read_bytes(folder / "a.flac"));
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
  const giving_pipe pipe(test::pcm_bytes(std::vector<std::int32_t>{0, 16384, -16384}, 16));
  EXPECT_EQ(flat(read_sound(pipe.name(), {.raw = raw_pcm{.rate_hz = 8000, .channels = 1}})),
            (std::vector<float>{0, 0.5f, -0.5f}));
}

TEST(sound_from_pipe, refusals) {
  const auto refusal = [](const std::string& bytes) {
    const giving_pipe pipe(bytes);
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

TEST(sound_from_pipe, no_room_to_keep_it) {
  const test::temporary_directory folder;
  const char* const old = std::getenv("TMPDIR");
  const std::string kept = old == nullptr ? "" : old;
  ::setenv("TMPDIR", (folder / "none").c_str(), 1);
  const giving_pipe pipe("some bytes");
  try {
    sound_reader reader(pipe.name());
    ADD_FAILURE() << "read";
  } catch (const io_error& e) {
    EXPECT_NE(std::string(e.what()).find("temporary files"), std::string::npos) << e.what();
  }
  if (old == nullptr)
    ::unsetenv("TMPDIR");
  else
    ::setenv("TMPDIR", kept.c_str(), 1);
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
