#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace papilio::test {

/// The bytes of a WAV file, field by field as the format's document has them, and independent of
/// any library. Every header field may lie: what is set is written, whatever the data are.
struct wav_bytes {
  std::uint16_t format_tag = 1;  ///< 1: integers, 3: floating point
  std::uint16_t channels = 1;
  std::uint32_t rate_hz = 8000;
  std::uint16_t bits = 16;  ///< of a sample, as the header says
  std::string data = {};    ///< the sample bytes; see pcm_bytes and float_bytes
  std::optional<std::uint32_t> data_size_bytes = {};  ///< default: data.size()
  std::optional<std::uint32_t> riff_size_bytes = {};  ///< default: the file's size less 8

  /// The whole file: a header of 44 bytes, then the data.
  std::string file() const;
};

/// Integers as a WAV file of `bits` (8: offset binary; 16, 24, 32: two's complement) stores them.
std::string pcm_bytes(std::span<const std::int32_t> samples, unsigned bits);
/// 32-bit floating-point samples, for format_tag 3.
std::string float_bytes(std::span<const float> samples);

void write_bytes(const std::filesystem::path& path, const std::string& bytes);
std::string read_bytes(const std::filesystem::path& path);

}  // namespace papilio::test
