#include "audio/header_claim.hpp"

#include <sndfile.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "audio/byte_search.hpp"

namespace papilio::audio_detail {
namespace {

constexpr std::uint64_t unknown_32 = 0xffffffff;
constexpr std::uint64_t unknown_64 = std::numeric_limits<std::uint64_t>::max();
/// Writers that cannot go back to a size of 32 bits leave 0xffffffff there or, as GStreamer does,
/// 0x7fff0000, as sox does, 0x7ffff000, or, as arecord does, almost 2^31.
bool is_placeholder(std::uint64_t size) {
  return size == unknown_32 || (size >= 0x7fff0000 && size <= 0x80000000);
}
/// A real file has a few dozen; a hostile one could hold a million empty ones.
constexpr int most_chunks = 4096;

struct chunk {
  std::string id;
  std::uint64_t size_field_offset;
  std::uint64_t body;
  std::uint64_t size;
};

/// Unsigned number of `count` bytes; nothing where the file ends first.
std::optional<std::uint64_t> number(byte_source& file, std::uint64_t offset, unsigned count,
                                    bool big_endian) {
  std::string bytes(count, '\0');
  if (file.read(offset, bytes.data(), count) != count) return std::nullopt;
  if (big_endian) std::reverse(bytes.begin(), bytes.end());
  return little_endian(bytes, 0, count);
}

std::string letters(byte_source& file, std::uint64_t offset) {
  std::string result(4, '\0');
  result.resize(file.read(offset, result.data(), 4));
  return result;
}

std::optional<chunk> chunk_at(byte_source& file, const chunk_layout& layout, std::uint64_t at) {
  const std::uint64_t size_field = at + layout.id_bytes;
  const auto size = number(file, size_field, layout.size_bytes, layout.big_endian);
  if (!size) return std::nullopt;
  const unsigned header = layout.id_bytes + layout.size_bytes;
  const std::uint64_t body_size =
      layout.size_counts_header && *size >= header ? *size - header : *size;
  return chunk{letters(file, at), size_field, at + header, body_size};
}

std::uint64_t aligned(std::uint64_t at, const chunk_layout& layout) {
  return (at + layout.alignment - 1) / layout.alignment * layout.alignment;
}

bool is_size_known(const byte_source& file) { return file.size() != byte_source::unknown_size; }

/// Whether there is a byte at `at`; of a pipe, the bytes up to it are read.
bool reaches(byte_source& file, std::uint64_t at) {
  char byte = 0;
  return is_size_known(file) ? at < file.size() : file.read(at, &byte, 1) == 1;
}

/// Size of the file, found by reading on from `at` where it is a pipe; where reading fails, what was
/// read.
std::uint64_t size_from(byte_source& file, std::uint64_t at) {
  std::string block(std::size_t{1} << 16, '\0');
  while (!is_size_known(file)) {
    const std::size_t got = file.read(at, block.data(), block.size());
    if (got == 0) break;
    at += got;
  }
  return is_size_known(file) ? file.size() : at;
}

/// Whether a tag stands there: it may follow chunks without being one, and no sound follows it.
bool is_tag(byte_source& file, std::uint64_t at) {
  for (const char* const tag : {"TAG", "ID3", "3DI", "APETAGEX", "LYRICSBEGIN"})
    if (has_bytes(file, at, tag)) return true;
  return false;
}

/// Chunks that are believed where they seem to go beyond the end.
bool is_known_chunk(const std::string& id) {
  for (const char* const known : {"LIST", "id3 ", "ID3 ", "bext", "cue ", "JUNK", "junk", "FLLR",
                                  "PAD ", "iXML", "_PMX", "smpl", "inst", "fact", "PEAK", "MARK",
                                  "INST", "APPL", "COMT", "NAME", "AUTH", "ANNO", "(c) "})
    if (id == known) return true;
  return false;
}

/// Chunks and tags may follow the data: this tells where they end, and whether there were some.
struct trailer {
  std::uint64_t end;
  bool any = false;
};

trailer trailer_at(byte_source& file, const std::optional<chunk_layout>& layout, std::uint64_t at) {
  trailer found{at};
  for (int i = 0; i < most_chunks && reaches(file, found.end); ++i) {
    if (is_tag(file, found.end)) return {size_from(file, found.end), true};
    const std::optional<chunk> c = layout ? chunk_at(file, *layout, found.end) : std::nullopt;
    if (!c || c->id == "data" || !std::all_of(c->id.begin(), c->id.end(), [](unsigned char letter) {
          return std::isprint(letter) != 0;
        }))
      break;
    const bool fits =
        c->size == 0 || (c->size < file.size() && reaches(file, c->body + c->size - 1));
    if (!fits && !is_known_chunk(c->id)) break;
    if (!fits) return {size_from(file, c->body), true};
    found = {aligned(c->body + c->size, *layout), true};
  }
  return found;
}

/// Whether what stands from `at` to the end is too little to be sound left out, or zeros that fill
/// a sector.
bool is_padding(byte_source& file, std::uint64_t at) {
  constexpr std::uint64_t most_bytes = 256, most_zeros = 4096;
  if (!reaches(file, at + most_bytes)) return true;
  if (reaches(file, at + most_zeros)) return false;
  std::string bytes(most_zeros, '\0');
  bytes.resize(file.read(at, bytes.data(), bytes.size()));
  return bytes.find_first_not_of('\0') == std::string::npos;
}

/// Bytes from `at` to the end that are neither chunks nor tags nor padding.
std::uint64_t unexplained_bytes(byte_source& file, const std::optional<chunk_layout>& layout,
                                std::uint64_t at) {
  trailer found = trailer_at(file, layout, layout ? aligned(at, *layout) : at);
  // Writers forget the byte that fills up a chunk.
  if (!found.any) found = trailer_at(file, layout, at);
  return is_padding(file, found.end) ? 0 : size_from(file, found.end) - found.end;
}

std::string field(std::uint64_t value, unsigned count, bool big_endian) {
  std::string bytes(count, '\0');
  for (unsigned i = 0; i < count; ++i)
    bytes[big_endian ? count - 1 - i : i] = static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}

/// Finds what the size leaves out: it may lack a multiple of 2^32, or stand for "not known".
void correct_size(file_bytes& file, std::uint64_t said, unsigned size_bytes,
                  std::uint64_t available, data_claim& claim) {
  constexpr std::uint64_t wrap = std::uint64_t{1} << 32;
  claim.bytes_behind = unexplained_bytes(file, claim.layout, claim.offset + claim.size_bytes);
  if (claim.bytes_behind == 0 || size_bytes != 4) return;
  const std::uint64_t wrapped = claim.size_bytes + (available - claim.size_bytes) / wrap * wrap;
  if (is_placeholder(said) || said >= 0xffff0000) {
    claim.unknown = true;
  } else if (wrapped > claim.size_bytes &&
             unexplained_bytes(file, claim.layout, claim.offset + wrapped) == 0) {
    claim.size_bytes = wrapped;
  } else {
    return;
  }
  claim.bytes_behind = 0;
}

/// `lead`: bytes of the chunk's body before the first sample. `size_bytes`: of the field that the
/// size is from.
data_claim claim_data(file_bytes& file, const chunk_layout& layout, const chunk& c, unsigned lead,
                      unsigned size_bytes) {
  data_claim claim;
  claim.layout = layout;
  claim.offset = c.body + lead;
  claim.size_bytes = c.size - std::min<std::uint64_t>(c.size, lead);
  const std::uint64_t available = file.size() - std::min(file.size(), claim.offset);
  claim.beyond_end = claim.size_bytes > available;
  const std::uint64_t widest = size_bytes == 4 ? unknown_32 : unknown_64;
  if (claim.size_bytes == 0 && reaches(file, claim.offset)) {
    const trailer found = trailer_at(file, layout, claim.offset);
    claim.unknown = !found.any || !is_padding(file, found.end);
  } else if (size_bytes == 8) {
    claim.unknown = c.size == unknown_64;
  } else if (claim.beyond_end || !file.is_whole()) {
    claim.unknown = is_placeholder(c.size);
  }
  if (file.is_whole() && !claim.beyond_end && !claim.unknown && claim.size_bytes > 0)
    correct_size(file, c.size, size_bytes, available, claim);
  claim.is_long = claim.unknown ? available + lead >= widest : claim.size_bytes + lead > widest;
  if (layout.size_counts_header || size_bytes != layout.size_bytes) return claim;
  claim.size_field_offset = c.size_field_offset;
  claim.corrected_size_field =
      field(std::min(available + lead, widest), layout.size_bytes, layout.big_endian);
  return claim;
}

/// Calls visit(chunk) for one chunk after the other, until the file ends or visit returns false.
template <class Visit>
void for_each_chunk(file_bytes& file, const chunk_layout& layout, Visit visit) {
  std::uint64_t at = layout.first;
  for (int i = 0; i < most_chunks; ++i) {
    const std::optional<chunk> c = chunk_at(file, layout, at);
    if (!c || !visit(*c) || c->size > file.size() - std::min(file.size(), c->body)) return;
    at = aligned(c->body + c->size, layout);
  }
}

/// Returns how WAV stores samples of this tag in so many bytes, as libsndfile's subtype; 0: not
/// plainly.
int wave_subtype(std::uint64_t tag, std::uint64_t sample_bytes) {
  constexpr int integers[] = {0, SF_FORMAT_PCM_U8, SF_FORMAT_PCM_16, SF_FORMAT_PCM_24,
                              SF_FORMAT_PCM_32};
  if (tag == 1 && sample_bytes < std::size(integers)) return integers[sample_bytes];
  if (tag == 3 && sample_bytes == 4) return SF_FORMAT_FLOAT;
  if (tag == 3 && sample_bytes == 8) return SF_FORMAT_DOUBLE;
  if (tag == 6 && sample_bytes == 1) return SF_FORMAT_ALAW;
  if (tag == 7 && sample_bytes == 1) return SF_FORMAT_ULAW;
  return 0;
}

int plain_wave_format(file_bytes& file, const chunk& c, bool big_endian, std::uint32_t channels) {
  constexpr std::uint64_t extensible = 0xfffe;
  std::uint64_t tag = number(file, c.body, 2, big_endian).value_or(0);
  const std::uint64_t frame_bytes = number(file, c.body + 12, 2, big_endian).value_or(0);
  const std::uint64_t bits = number(file, c.body + 14, 2, big_endian).value_or(0);
  const int container = tag == extensible ? SF_FORMAT_WAVEX : SF_FORMAT_WAV;
  if (tag == extensible) tag = number(file, c.body + 24, 2, big_endian).value_or(0);
  if (channels == 0 || frame_bytes % channels != 0 || (bits + 7) / 8 != frame_bytes / channels)
    return 0;
  const int subtype = wave_subtype(tag, frame_bytes / channels);
  return subtype == 0 ? 0 : container | subtype | (big_endian ? SF_ENDIAN_BIG : SF_ENDIAN_LITTLE);
}

void read_fmt(file_bytes& file, const chunk& c, bool big_endian, header_claim& claim) {
  if (const auto tag = number(file, c.body, 2, big_endian))
    claim.format_tag = static_cast<std::uint32_t>(*tag);
  if (const auto channels = number(file, c.body + 2, 2, big_endian))
    claim.channels = static_cast<std::uint32_t>(*channels);
  if (const auto rate = number(file, c.body + 4, 4, big_endian))
    claim.rate_hz = static_cast<double>(*rate);
  claim.plain_format = plain_wave_format(file, c, big_endian, claim.channels.value_or(0));
  // Where samples are packed in blocks, the frames of a block stand behind the fields of all
  // formats and the size of the rest.
  if (claim.plain_format == 0 && c.size >= 20)
    claim.block_frames = number(file, c.body + 18, 2, big_endian).value_or(0);
}

/// WAV, its big-endian twin RIFX, RF64 and BW64 (whose data size stands in ds64), and W64.
header_claim wave_claim(file_bytes& file, const chunk_layout& layout, bool long_sizes) {
  header_claim claim;
  claim.is_chunked = true;
  std::optional<std::uint64_t> long_size;
  for_each_chunk(file, layout, [&](chunk c) {
    if (c.id == "ds64" && long_sizes) long_size = number(file, c.body + 8, 8, false);
    if (c.id == "fmt ") read_fmt(file, c, layout.big_endian, claim);
    if (c.id == "fact") claim.packed_frames = number(file, c.body, 4, layout.big_endian);
    if (c.id != "data" || claim.data) return true;
    const bool from_ds64 = long_sizes && c.size == unknown_32 && long_size.value_or(0) != 0;
    if (from_ds64) c.size = *long_size;
    claim.data = claim_data(file, layout, c, 0, from_ds64 ? 8 : layout.size_bytes);
    // libsndfile believes a ds64 chunk that says 0.
    if (long_sizes && claim.data->unknown) claim.data->is_long = true;
    if (long_sizes && claim.plain_format != 0)
      claim.plain_format = (claim.plain_format & ~SF_FORMAT_TYPEMASK) | SF_FORMAT_RF64;
    if (layout.size_counts_header) claim.plain_format = 0;  // W64
    // Some write the format behind the samples.
    return !claim.rate_hz && file.is_whole();
  });
  return claim;
}

/// 80-bit extended number: sign and exponent in 16 bits, mantissa with its leading 1 in 64.
std::optional<double> extended_number(file_bytes& file, std::uint64_t offset) {
  const auto exponent = number(file, offset, 2, true);
  const auto mantissa = number(file, offset + 2, 8, true);
  if (!exponent || !mantissa) return std::nullopt;
  const double magnitude =
      std::ldexp(static_cast<double>(*mantissa), static_cast<int>(*exponent & 0x7fff) - 16383 - 63);
  return (*exponent & 0x8000) != 0 ? -magnitude : magnitude;
}

header_claim aiff_claim(file_bytes& file) {
  const chunk_layout layout{12, 4, 4, true, false, 2};
  header_claim claim;
  claim.is_chunked = true;
  for_each_chunk(file, layout, [&](const chunk& c) {
    if (c.id == "COMM") {
      if (const auto channels = number(file, c.body, 2, true))
        claim.channels = static_cast<std::uint32_t>(*channels);
      claim.frames = number(file, c.body + 2, 4, true);
      claim.rate_hz = extended_number(file, c.body + 8);
    }
    if (c.id == "SSND") claim.data = claim_data(file, layout, c, 8, layout.size_bytes);
    return true;
  });
  return claim;
}

header_claim caf_claim(file_bytes& file) {
  const chunk_layout layout{8, 4, 8, true, false, 1};
  header_claim claim;
  claim.is_chunked = true;
  for_each_chunk(file, layout, [&](const chunk& c) {
    if (c.id == "desc") {
      if (const auto bits = number(file, c.body, 8, true))
        claim.rate_hz = std::bit_cast<double>(*bits);
      if (const auto channels = number(file, c.body + 24, 4, true))
        claim.channels = static_cast<std::uint32_t>(*channels);
    }
    if (c.id != "data") return true;
    claim.data = claim_data(file, layout, c, 4, layout.size_bytes);
    return false;
  });
  return claim;
}

header_claim au_claim(file_bytes& file) {
  header_claim claim;
  claim.is_chunked = true;
  const auto offset = number(file, 4, 4, true), size = number(file, 8, 4, true);
  const auto rate = number(file, 16, 4, true), channels = number(file, 20, 4, true);
  if (rate) claim.rate_hz = static_cast<double>(*rate);
  if (channels) claim.channels = static_cast<std::uint32_t>(*channels);
  if (!channels || *offset > file.size()) return claim;
  data_claim data;
  data.offset = *offset;
  data.size_bytes = *size;
  data.unknown = *size == unknown_32;
  data.beyond_end = *size > file.size() - *offset;
  if (file.is_whole() && !data.beyond_end && *size > 0)
    correct_size(file, *size, 4, file.size() - *offset, data);
  claim.data = data;
  const std::uint64_t encoding = number(file, 12, 4, true).value_or(0);
  for (const auto& [word, subtype] : {std::pair<std::uint64_t, int>{1, SF_FORMAT_ULAW},
                                      {2, SF_FORMAT_PCM_S8},
                                      {3, SF_FORMAT_PCM_16},
                                      {4, SF_FORMAT_PCM_24},
                                      {5, SF_FORMAT_PCM_32},
                                      {6, SF_FORMAT_FLOAT},
                                      {7, SF_FORMAT_DOUBLE},
                                      {27, SF_FORMAT_ALAW}})
    if (word == encoding) claim.plain_format = SF_FORMAT_AU | subtype | SF_ENDIAN_BIG;
  return claim;
}

}  // namespace

std::uint64_t find_bytes_behind(file_bytes& file, const data_claim& data, bool& is_least) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20;
  const std::uint64_t end = data.offset + data.size_bytes;
  is_least = reaches(file, end + most_bytes) && !is_size_known(file);
  byte_range seen(file, 0, is_least ? end + most_bytes : byte_source::unknown_size);
  return unexplained_bytes(seen, data.layout, end);
}

header_claim read_header_claim(file_bytes& file) {
  const std::string magic = letters(file, 0);
  const std::string form = letters(file, 8);
  if (magic == "RIFF" && form == "WAVE")
    return wave_claim(file, {12, 4, 4, false, false, 2}, false);
  if (magic == "RIFX" && form == "WAVE") return wave_claim(file, {12, 4, 4, true, false, 2}, false);
  if (magic == "RF64" || magic == "BW64")
    return wave_claim(file, {12, 4, 4, false, false, 2}, true);
  if (magic == "riff") return wave_claim(file, {40, 16, 8, false, true, 8}, false);
  if (magic == "FORM" && (form == "AIFF" || form == "AIFC")) return aiff_claim(file);
  if (magic == "caff") return caf_claim(file);
  if (magic == ".snd") return au_claim(file);
  return {};
}

}  // namespace papilio::audio_detail
