#include "base/caches.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace papilio::base_detail {
namespace {

#ifdef _SC_LEVEL1_DCACHE_SIZE
constexpr int sysconf_names[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE,
                                 _SC_LEVEL3_CACHE_SIZE};
#else
constexpr int sysconf_names[] = {-1, -1, -1};
#endif

std::string first_word(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

/// Returns the bytes that a text such as "48K" or "2M" names; 0 for a text without a number.
std::size_t bytes_of(const std::string& text) {
  const char unit = text.empty() ? ' ' : text.back();
  const std::size_t count = std::strtoul(text.c_str(), nullptr, 10);
  return count << (unit == 'K' ? 10 : unit == 'M' ? 20 : 0);
}

}  // namespace

std::size_t cache_bytes(int level, std::size_t otherwise) {
  for (int index = 0; index < 8; ++index) {
    const auto word = [&](const char* name) {
      return first_word(fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/{}", index, name));
    };
    if (word("level") != std::to_string(level) || word("type") == "Instruction") continue;
    if (const std::size_t bytes = bytes_of(word("size")); bytes > 0) return bytes;
  }
  const int name = sysconf_names[level - 1];
  const long bytes = name < 0 ? 0 : sysconf(name);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : otherwise;
}

std::size_t& least_streamed_bytes() {
  constexpr std::size_t least = std::size_t{16} << 20, most = std::size_t{64} << 20;
  static std::size_t bytes = std::clamp(cache_bytes(3, 2 * most) / 2, least, most);
  return bytes;
}

}  // namespace papilio::base_detail
