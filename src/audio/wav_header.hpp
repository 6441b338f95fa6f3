#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "papilio/audio.hpp"

namespace papilio::audio_detail {

/// Sample format of a WAV file, as its header states it.
struct wav_layout {
  sample_encoding encoding = sample_encoding::s16;
  int rate_hz = 0;
  int channels = 0;
  /// Whether room is kept for 64-bit sizes, as is needed where the length is not known beforehand
  /// and the header will be replaced: the header then has the same length whatever the number of
  /// frames.
  bool room_for_long_sizes = false;

  std::uint64_t frame_bytes() const {
    return std::uint64_t{sample_bytes(encoding)} * static_cast<std::uint64_t>(channels);
  }
};

/// Returns the header up to the first sample. It is an RF64 header where the RIFF size, all of the
/// file but its first 8 bytes, reaches 2^32 - 1, which stands for "not known". Without `frames` the
/// sizes are 2^32 - 1. A zero byte must follow a data chunk of odd size.
std::string wav_header(const wav_layout& layout, std::optional<std::uint64_t> frames);

}  // namespace papilio::audio_detail
