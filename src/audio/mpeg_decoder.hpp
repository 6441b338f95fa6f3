#pragma once

#include <mpg123.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audio/byte_source.hpp"
#include "audio/decoder.hpp"

namespace papilio::audio_detail {

/// Place of MPEG audio in a file.
struct mpeg_place {
  std::uint64_t tags_end = 0;  ///< of ID3v2 tags at the beginning
  std::uint64_t begin = 0;     ///< of the first frame
  /// Frames do not say their size: the library must go back once it found it.
  bool is_free_format = false;
};
/// MPEG audio that begins with a frame, behind ID3v2 tags if there are some.
std::optional<mpeg_place> find_mpeg(byte_source& file);
/// MPEG audio behind what is none: where several frames follow one another.
std::optional<mpeg_place> search_mpeg(byte_source& file);

/// MPEG audio (MP3, MP2, MP1) by libmpg123. The length is that of the frames that are there, not of
/// a header or an average; the encoder's delay and padding, where a LAME tag has them and counts all
/// frames, are left out; a last frame that is cut short is decoded as if zeros followed, as ffmpeg
/// does. It ends where the sample rate changes.
class mpeg_decoder : public decoder {
 public:
  mpeg_decoder(byte_source& file, const mpeg_place& place) : file_(&file), place_(place) {}

  sound_info describe() const override;
  std::optional<std::uint64_t> frames() const override { return frames_; }
  std::uint64_t promised_frames() const override;
  std::string failure() const override { return failure_; }
  std::vector<std::string> faults() const override;

 protected:
  bool start() override;
  std::size_t decode(float* out, std::size_t frames) override;

 private:
  struct reading {
    mpeg_decoder* of;
    std::uint64_t position;
  };
  struct handle_closer {
    void operator()(mpg123_handle* handle) const { mpg123_delete(handle); }
  };
  using handle = std::unique_ptr<mpg123_handle, handle_closer>;

  /// A handle that has found the first frame; empty, with failure_, where there is none.
  handle opened(reading& at, bool by_tag);
  std::size_t read_bytes(std::uint64_t position, void* out, std::size_t count);
  std::uint64_t bytes() const;
  std::uint64_t tagged_count();
  void measure();
  std::uint64_t scan();
  bool step();
  bool goes_on();

  byte_source* file_;
  mpeg_place place_;
  reading reading_{};
  handle handle_;
  long rate_hz_ = 0, other_rate_hz_ = 0;  ///< other: of the frames that are not read
  int channels_ = 0;
  bool measured_ = false;
  std::optional<std::uint64_t> frames_;
  std::optional<std::uint64_t> tagged_frames_;  ///< by the Xing or Info tag
  std::uint64_t delay_ = 0;                     ///< frames of the encoder's and decoder's delay
  std::uint64_t usual_rest_ = 0;  ///< frames that may follow those that the tag counts
  std::uint64_t to_skip_ = 0;     ///< of them, before the next to be read
  bool at_first_ = true;          ///< the first frame is found, and not decoded
  bool ended_ = false;
  std::optional<std::uint64_t> tag_end_;  ///< frame at which more may follow than the tag says
  std::vector<float> block_;              ///< decoded samples, of which some are read
  std::size_t block_read_ = 0;
  std::optional<std::uint64_t> end_;  ///< byte where the rate changes
  double other_seconds_ = 0;          ///< from there on
  std::string failure_;
};

}  // namespace papilio::audio_detail
