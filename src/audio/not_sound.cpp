#include "audio/not_sound.hpp"

#include <algorithm>
#include <string_view>

namespace papilio::audio_detail {
namespace {

using namespace std::string_view_literals;

struct signature {
  std::size_t offset;
  std::string_view bytes;
  const char* kind;
  bool may_hold_sound = false;
};

constexpr signature signatures[] = {
    {0, "\x89PNG"sv, "a PNG picture"},
    {0, "\xff\xd8\xff"sv, "a JPEG picture"},
    {0, "GIF8"sv, "a GIF picture"},
    {0, "%PDF"sv, "a PDF document"},
    {0, "PK\x03\x04"sv, "a ZIP archive"},
    {0, "\x1f\x8b"sv, "a gzip archive"},
    {0,
     "\x7f"
     "ELF"sv,
     "a program (ELF)"},
    {0, "\x93NUMPY"sv, "a NumPy array, which has no sample rate"},
    {4, "ftyp"sv, "an MP4 or M4A file", true},
    {0, "\x1a\x45\xdf\xa3"sv, "a Matroska or WebM file", true},
    {0, "\x30\x26\xb2\x75"sv, "a Windows Media file", true},
    {8, "AVI "sv, "an AVI video", true},
    {8, "WEBP"sv, "a WebP picture"},
};

bool is_text_byte(unsigned char c) {
  return (c >= 0x20 && c != 0x7f) || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

/// Plain ASCII, or UTF-8 and the like: no control byte, and mostly ASCII.
bool looks_like_text(std::string_view bytes) {
  const auto ascii = std::count_if(bytes.begin(), bytes.end(),
                                   [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return std::all_of(bytes.begin(), bytes.end(), is_text_byte) &&
         static_cast<std::size_t>(ascii) * 2 >= bytes.size();
}

}  // namespace

unknown_format look_at_unknown_format(file_bytes& file) {
  std::string head(512, '\0');
  head.resize(file.read(0, head.data(), head.size()));
  for (const signature& s : signatures)
    if (head.size() > s.offset && std::string_view(head).substr(s.offset).starts_with(s.bytes))
      return {s.kind, s.may_hold_sound};
  if (looks_like_text(head)) return {"text", false};
  return {"", true};
}

}  // namespace papilio::audio_detail
