#include "audio/encode_samples.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>

namespace papilio::audio_detail {
namespace {

template <class Word>
void put(Word word, unsigned bytes, char* out) {
  for (unsigned i = 0; i < bytes; ++i) out[i] = static_cast<char>(word >> (8 * i) & 0xff);
}

}  // namespace

// Samples are scaled in double, where every product with a power of two and every 32-bit integer is
// exact.
template <class T>
std::uint64_t quantise(std::span<const T> samples, unsigned bits, std::span<std::int32_t> out) {
  const double scale = std::ldexp(1.0, static_cast<int>(bits) - 1);
  std::uint64_t clipped = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double x = static_cast<double>(samples[i]);
    clipped += static_cast<std::uint64_t>(x > 1 || x < -1);
    out[i] = static_cast<std::int32_t>(std::clamp(std::nearbyint(x * scale), -scale, scale - 1));
  }
  return clipped;
}

template <class T>
std::uint64_t encode(std::span<const T> samples, sample_encoding encoding, std::span<char> out) {
  const unsigned bytes = sample_bytes(encoding);
  if (encoding == sample_encoding::f32) {
    for (std::size_t i = 0; i < samples.size(); ++i)
      put(std::bit_cast<std::uint32_t>(static_cast<float>(samples[i])), 4, &out[4 * i]);
    return 0;
  }
  if (encoding == sample_encoding::f64) {
    for (std::size_t i = 0; i < samples.size(); ++i)
      put(std::bit_cast<std::uint64_t>(static_cast<double>(samples[i])), 8, &out[8 * i]);
    return 0;
  }
  std::array<std::int32_t, 1024> block;
  std::uint64_t clipped = 0;
  const std::uint32_t middle = encoding == sample_encoding::u8 ? 0x80 : 0;
  for (std::size_t done = 0; done < samples.size(); done += block.size()) {
    const std::size_t count = std::min(block.size(), samples.size() - done);
    clipped += quantise<T>(samples.subspan(done, count), 8 * bytes, block);
    for (std::size_t i = 0; i < count; ++i)
      put(static_cast<std::uint32_t>(block[i]) + middle, bytes, &out[bytes * (done + i)]);
  }
  return clipped;
}

template std::uint64_t quantise(std::span<const float>, unsigned, std::span<std::int32_t>);
template std::uint64_t quantise(std::span<const double>, unsigned, std::span<std::int32_t>);
template std::uint64_t encode(std::span<const float>, sample_encoding, std::span<char>);
template std::uint64_t encode(std::span<const double>, sample_encoding, std::span<char>);

}  // namespace papilio::audio_detail
