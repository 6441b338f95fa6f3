#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "papilio/audio.hpp"

namespace papilio::audio_detail {

/// What stands before the samples of a WAV file.
struct wav_layout {
  sample_encoding encoding = sample_encoding::s16;
  int rate_hz = 0;
  int channels = 0;
  /// Keep room for 64-bit sizes, as is needed where the length is not known beforehand and the
  /// header will be replaced: the header then has the same length whatever the number of frames.
  bool room_for_long_sizes = false;

  std::uint64_t frame_bytes() const {
    return std::uint64_t{sample_bytes(encoding)} * static_cast<std::uint64_t>(channels);
  }
};

/// The header up to the first sample, of an RF64 where the RIFF size, all of the file but its first
/// 8 bytes, reaches 2^32 - 1, which stands for "not known". Without `frames` the
/// sizes are 2^32 - 1. A data chunk of odd size is to be followed by a zero byte.
std::string wav_header(const wav_layout& layout, std::optional<std::uint64_t> frames);

}  // namespace papilio::audio_detail
