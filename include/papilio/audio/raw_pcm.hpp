#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "papilio/base/export.hpp"

namespace papilio {

/// How one sample is stored: signed or unsigned integers of 8 to 32 bits, IEEE numbers of 32 and
/// 64. Integers map to ±1 at full scale, the unsigned ones around their middle.
enum class sample_encoding { s8, u8, s16, s24, s32, f32, f64 };

/// Bytes of one sample.
PAPILIO_API unsigned sample_bytes(sample_encoding encoding);
/// "s8", "u8", "s16", "s24", "s32", "f32", "f64".
PAPILIO_API std::string to_string(sample_encoding encoding);
/// The inverse of to_string; invalid_argument, with the names there are, on anything else.
PAPILIO_API sample_encoding parse_sample_encoding(std::string_view name);

/// What a headerless file holds: frames one after the other, channels interleaved.
struct raw_pcm {
  sample_encoding encoding = sample_encoding::s16;
  int rate_hz = 0;   ///< from 1 to highest_rate_hz
  int channels = 0;  ///< from 1 to most_channels
  bool big_endian = false;
  std::uint64_t skip_bytes = 0;  ///< before the first frame

  friend bool operator==(const raw_pcm&, const raw_pcm&) = default;
};

/// Reads "ENCODING:RATE:CHANNELS" or "ENCODING:RATE:CHANNELS:SKIP", as in "s16:44100:2" or
/// "f32be:48000:1:512"; "le" after the encoding may be left out. invalid_argument naming the part
/// that is wrong.
PAPILIO_API raw_pcm parse_raw_pcm(std::string_view text);

}  // namespace papilio
