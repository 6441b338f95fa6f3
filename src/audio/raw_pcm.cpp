#include "papilio/audio.hpp"

#include <charconv>
#include <string>
#include <vector>

#include "papilio/base/error.hpp"

namespace papilio {
namespace {

struct encoding_entry {
  sample_encoding encoding;
  const char* name;
  unsigned bytes;
};

constexpr encoding_entry encodings[] = {
    {sample_encoding::s8, "s8", 1},   {sample_encoding::u8, "u8", 1},
    {sample_encoding::s16, "s16", 2}, {sample_encoding::s24, "s24", 3},
    {sample_encoding::s32, "s32", 4}, {sample_encoding::f32, "f32", 4},
    {sample_encoding::f64, "f64", 8},
};

const encoding_entry& entry_of(sample_encoding encoding) {
  for (const encoding_entry& e : encodings)
    if (e.encoding == encoding) return e;
  throw invalid_argument(base_detail::message("sample_encoding: there is none of number ",
                                              static_cast<int>(encoding)));
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t colon = text.find(':');
    parts.push_back(text.substr(0, colon));
    if (colon == std::string_view::npos) return parts;
    text.remove_prefix(colon + 1);
  }
}

std::uint64_t whole_number(std::string_view text, const char* what, std::uint64_t low,
                           std::uint64_t high) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || value < low || value > high)
    throw invalid_argument(base_detail::message("parse_raw_pcm: ", what,
                                                " must be a whole number from ", low, " to ", high,
                                                ", got \"", text, "\""));
  return value;
}

}  // namespace

unsigned sample_bytes(sample_encoding encoding) { return entry_of(encoding).bytes; }

std::string to_string(sample_encoding encoding) { return entry_of(encoding).name; }

sample_encoding parse_sample_encoding(std::string_view name) {
  std::string known;
  for (const encoding_entry& e : encodings) {
    if (name == e.name) return e.encoding;
    known += (known.empty() ? "" : ", ") + std::string(e.name);
  }
  throw invalid_argument(base_detail::message("parse_sample_encoding: encoding must be one of ",
                                              known, ", got \"", name, "\""));
}

raw_pcm parse_raw_pcm(std::string_view text) {
  const std::vector<std::string_view> parts = split(text);
  if (parts.size() < 3 || parts.size() > 4)
    throw invalid_argument(base_detail::message(
        "parse_raw_pcm: raw must be ENCODING:RATE:CHANNELS or ENCODING:RATE:CHANNELS:SKIP, got \"",
        text, "\""));
  raw_pcm result;
  std::string_view encoding = parts[0];
  result.big_endian = encoding.ends_with("be");
  if (result.big_endian || encoding.ends_with("le")) encoding.remove_suffix(2);
  result.encoding = parse_sample_encoding(encoding);
  result.rate_hz = static_cast<int>(whole_number(parts[1], "the rate", 1, highest_rate_hz));
  result.channels =
      static_cast<int>(whole_number(parts[2], "the number of channels", 1, most_channels));
  if (parts.size() == 4)
    result.skip_bytes =
        whole_number(parts[3], "the number of bytes to skip", 0, std::uint64_t{1} << 62);
  return result;
}

}  // namespace papilio
