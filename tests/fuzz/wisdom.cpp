// Wisdom: the text as it is, and as the entries between a right first and a right last line.
#include <algorithm>
#include <cstdio>

#include "fuzz/input.hpp"
#include "papilio/base.hpp"
#include "papilio/fft.hpp"

using namespace papilio;

namespace {

// FNV-1a of 64 bits, as the last line has it.
std::string checksum(std::string_view text) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(sum));
  return digits;
}

std::string framed(std::string_view entries) {
  forget_wisdom();
  const std::string empty = export_wisdom();
  std::string text = empty.substr(0, empty.find('\n') + 1);
  text += entries;
  const auto count = std::count(entries.begin(), entries.end(), '\n');
  return text + "end entries=" + std::to_string(count) + " checksum=" + checksum(text) + "\n";
}

void import_both_ways(const std::string& text) {
  forget_wisdom();
  try {
    import_wisdom(text);
  } catch (const invalid_argument&) {
    return;
  }
  const std::string kept = export_wisdom();
  import_wisdom(kept);
  test::require(export_wisdom() == kept, "wisdom is read as it was written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  import_both_ways(std::string(test::text_of(data, size)));
  import_both_ways(framed(test::text_of(data, size)));
  return 0;
}
