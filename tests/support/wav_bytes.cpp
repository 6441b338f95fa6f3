#include "support/wav_bytes.hpp"

#include <bit>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace papilio::test {
namespace {

void append(std::string& bytes, std::uint32_t value, unsigned count) {
  for (unsigned i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}

}  // namespace

std::string wav_bytes::file() const {
  const std::uint32_t frame_bytes = channels * bits / 8u;
  const auto size = static_cast<std::uint32_t>(data.size());
  std::string bytes = "RIFF";
  append(bytes, riff_size_bytes.value_or(36 + size), 4);
  bytes += "WAVEfmt ";
  append(bytes, 16, 4);
  append(bytes, format_tag, 2);
  append(bytes, channels, 2);
  append(bytes, rate_hz, 4);
  append(bytes, rate_hz * frame_bytes, 4);
  append(bytes, frame_bytes, 2);
  append(bytes, bits, 2);
  bytes += "data";
  append(bytes, data_size_bytes.value_or(size), 4);
  return bytes + data;
}

std::string pcm_bytes(std::span<const std::int32_t> samples, unsigned bits) {
  std::string bytes;
  for (const std::int32_t s : samples)
    append(bytes, static_cast<std::uint32_t>(bits == 8 ? s + 128 : s), bits / 8);
  return bytes;
}

std::string float_bytes(std::span<const float> samples) {
  std::string bytes;
  for (const float s : samples) append(bytes, std::bit_cast<std::uint32_t>(s), 4);
  return bytes;
}

void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace papilio::test
