#pragma once

#include <mpg123.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "audio/decoder.hpp"
#include "audio/file_bytes.hpp"

namespace papilio::audio_detail {

/// MPEG audio (MP3, MP2, MP1) by libmpg123. The length is that of the frames that are there, not of
/// a header or an average; the encoder's delay and padding, where a LAME tag has them, are left
/// out; a last frame that is cut short is decoded as if zeros followed, as ffmpeg does.
class mpeg_decoder : public decoder {
 public:
  explicit mpeg_decoder(file_bytes& file) : file_(&file) {}

  /// Whether the file begins as MPEG audio does, behind an ID3v2 tag if there is one.
  static bool recognises(file_bytes& file);

  sound_info describe() const override;
  std::optional<std::uint64_t> frames() const override { return frames_; }
  std::uint64_t promised_frames() const override;
  std::string failure() const override { return failure_; }

 protected:
  bool start() override;
  std::size_t decode(float* out, std::size_t frames) override;

 private:
  struct place {
    file_bytes* file;
    std::uint64_t position;
  };
  struct handle_closer {
    void operator()(mpg123_handle* handle) const { mpg123_delete(handle); }
  };
  using handle = std::unique_ptr<mpg123_handle, handle_closer>;

  /// A handle that has found the first frame; empty, with failure_, where there is none.
  handle opened(place& at);
  void measure();

  file_bytes* file_;
  place place_{};
  handle handle_;
  long rate_hz_ = 0;
  int channels_ = 0;
  bool measured_ = false;
  std::optional<std::uint64_t> frames_;
  std::optional<std::uint64_t> tagged_frames_;  // by the Xing or Info tag
  std::string failure_;
};

}  // namespace papilio::audio_detail
