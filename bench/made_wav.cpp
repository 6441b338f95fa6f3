#include "made_wav.hpp"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

namespace papilio::bench {
namespace {

constexpr int rate = 44100, channels = 2;

template <class T>
void put(std::ofstream& out, T value) {
  out.write(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

void write_wav(const std::filesystem::path& path, int seconds) {
  std::ofstream out(path, std::ios::binary);
  const std::uint32_t bytes =
      std::uint32_t{rate} * static_cast<std::uint32_t>(seconds) * channels * 2;
  out << "RIFF";
  put<std::uint32_t>(out, 36 + bytes);
  out << "WAVEfmt ";
  put<std::uint32_t>(out, 16);
  put<std::uint16_t>(out, 1);
  put<std::uint16_t>(out, channels);
  put<std::uint32_t>(out, rate);
  put<std::uint32_t>(out, rate * channels * 2);
  put<std::uint16_t>(out, channels * 2);
  put<std::uint16_t>(out, 16);
  out << "data";
  put<std::uint32_t>(out, bytes);
  std::mt19937 generator(1);
  std::normal_distribution<double> noise(0, 300);
  double phase[channels] = {};
  std::vector<std::int16_t> block(rate * channels);
  for (int second = 0; second < seconds; ++second) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      const std::size_t c = i % channels;
      phase[c] += (200 + 20.0 * second * (c == 0 ? 1.0 : 0.5)) / rate * 6.283185307179586;
      block[i] = static_cast<std::int16_t>(8000 * std::sin(phase[c]) + noise(generator));
    }
    out.write(reinterpret_cast<const char*>(block.data()),
              static_cast<std::streamsize>(block.size() * sizeof block[0]));
  }
}

}  // namespace papilio::bench
