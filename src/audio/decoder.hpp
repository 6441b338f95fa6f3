#pragma once

#include <sndfile.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "audio/file_bytes.hpp"
#include "audio/sndfile_handle.hpp"
#include "papilio/audio/sound_file.hpp"

namespace papilio::audio_detail {

/// libsndfile's handle over a file_bytes, whose position it keeps.
class decoder {
 public:
  /// With `raw` the bytes are samples, whatever they look like.
  explicit decoder(file_bytes& file, std::optional<raw_pcm> raw = {})
      : source_{&file, 0}, raw_(raw) {}
  decoder(const decoder&) = delete;
  decoder& operator=(const decoder&) = delete;

  /// Opens at the beginning. False where libsndfile refuses: failure() then says why.
  bool open();
  int failure_code() const { return failure_code_; }
  const std::string& failure() const { return failure_; }

  const SF_INFO& format() const { return format_; }
  /// Bytes of one stored sample; 0 where samples have no fixed place in the data.
  unsigned sample_bytes() const;
  /// Everything but the numbers of frames.
  sound_info describe() const;

  /// Decodes up to `frames` frames; fewer where the data ends or is damaged.
  std::size_t read(float* out, std::size_t frames);
  /// Decodes to the end, for files whose header does not tell their length, and opens again.
  std::uint64_t count_frames();
  /// Makes `frame` the next, by decoding what lies before it where that alone is exact; false where
  /// it cannot be reached.
  bool seek(std::uint64_t frame);
  /// libsndfile's last error, or an empty string.
  std::string last_error() const;

 private:
  struct source {
    file_bytes* file;
    sf_count_t position;
  };
  static SF_VIRTUAL_IO callbacks();
  bool seeks_exactly() const;

  source source_;
  std::optional<raw_pcm> raw_;
  SF_INFO format_{};
  std::uint64_t position_ = 0;  // the next frame
  sndfile_handle handle_;
  int failure_code_ = 0;
  std::string failure_;
};

}  // namespace papilio::audio_detail
