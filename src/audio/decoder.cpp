#include "audio/decoder.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

namespace papilio::audio_detail {
namespace {

constexpr std::size_t counting_block_samples = std::size_t{1} << 16;

constexpr std::pair<int, const char*> tag_names[] = {
    {SF_STR_TITLE, "title"},         {SF_STR_ARTIST, "artist"},
    {SF_STR_ALBUM, "album"},         {SF_STR_DATE, "date"},
    {SF_STR_GENRE, "genre"},         {SF_STR_COMMENT, "comment"},
    {SF_STR_COPYRIGHT, "copyright"}, {SF_STR_SOFTWARE, "software"},
    {SF_STR_LICENSE, "license"},     {SF_STR_TRACKNUMBER, "tracknumber"},
};

std::string format_name(int format) {
  SF_FORMAT_INFO info{};
  info.format = format;
  const bool known = sf_command(nullptr, SFC_GET_FORMAT_INFO, &info, sizeof info) == 0;
  return known && info.name != nullptr ? info.name : "unknown";
}

int stored_bits(int subtype) {
  switch (subtype) {
    case SF_FORMAT_PCM_S8:
    case SF_FORMAT_PCM_U8:
    case SF_FORMAT_ULAW:
    case SF_FORMAT_ALAW:
      return 8;
    case SF_FORMAT_PCM_16:
    case SF_FORMAT_ALAC_16:
      return 16;
    case SF_FORMAT_ALAC_20:
      return 20;
    case SF_FORMAT_PCM_24:
    case SF_FORMAT_ALAC_24:
      return 24;
    case SF_FORMAT_PCM_32:
    case SF_FORMAT_ALAC_32:
    case SF_FORMAT_FLOAT:
      return 32;
    case SF_FORMAT_DOUBLE:
      return 64;
    default:
      return 0;
  }
}

SF_INFO raw_format(const raw_pcm& raw) {
  SF_INFO info{};
  info.samplerate = raw.rate_hz;
  info.channels = raw.channels;
  info.format = SF_FORMAT_RAW | subtype_of(raw.encoding) |
                (raw.big_endian ? SF_ENDIAN_BIG : SF_ENDIAN_LITTLE);
  return info;
}

}  // namespace

SF_VIRTUAL_IO decoder::callbacks() {
  SF_VIRTUAL_IO io{};
  io.get_filelen = [](void* user) {
    return static_cast<sf_count_t>(static_cast<source*>(user)->file->size());
  };
  io.seek = [](sf_count_t offset, int whence, void* user) {
    source& s = *static_cast<source*>(user);
    sf_count_t base = 0;
    if (whence == SEEK_CUR) base = s.position;
    if (whence == SEEK_END) base = static_cast<sf_count_t>(s.file->size());
    sf_count_t target = 0;
    if (__builtin_add_overflow(base, offset, &target) || target < 0) return sf_count_t{-1};
    return s.position = target;
  };
  io.read = [](void* out, sf_count_t count, void* user) {
    source& s = *static_cast<source*>(user);
    if (count <= 0) return sf_count_t{0};
    const std::size_t got =
        s.file->read(static_cast<std::uint64_t>(s.position), out, static_cast<std::size_t>(count));
    s.position += static_cast<sf_count_t>(got);
    return static_cast<sf_count_t>(got);
  };
  io.write = [](const void*, sf_count_t, void*) { return sf_count_t{0}; };
  io.tell = [](void* user) { return static_cast<source*>(user)->position; };
  return io;
}

bool decoder::open() {
  handle_.reset();
  source_.position = 0;
  position_ = 0;
  format_ = raw_ ? raw_format(*raw_) : SF_INFO{};
  SF_VIRTUAL_IO io = callbacks();
  handle_.reset(sf_open_virtual(&io, SFM_READ, &format_, &source_));
  if (handle_) return true;
  failure_code_ = sf_error(nullptr);
  failure_ = sf_strerror(nullptr);
  if (failure_.ends_with('.')) failure_.pop_back();
  return false;
}

unsigned decoder::sample_bytes() const {
  const int container = format_.format & SF_FORMAT_TYPEMASK;
  const bool plain = container == SF_FORMAT_WAV || container == SF_FORMAT_WAVEX ||
                     container == SF_FORMAT_RF64 || container == SF_FORMAT_W64 ||
                     container == SF_FORMAT_AIFF || container == SF_FORMAT_CAF ||
                     container == SF_FORMAT_AU || container == SF_FORMAT_RAW;
  const int subtype = format_.format & SF_FORMAT_SUBMASK;
  const bool packed = subtype >= SF_FORMAT_ALAC_16 && subtype <= SF_FORMAT_ALAC_32;
  return plain && !packed ? static_cast<unsigned>(stored_bits(subtype)) / 8 : 0;
}

sound_info decoder::describe() const {
  sound_info info;
  info.channels = format_.channels;
  info.rate_hz = format_.samplerate;
  info.container = format_name(format_.format & SF_FORMAT_TYPEMASK);
  info.encoding = format_name(format_.format & SF_FORMAT_SUBMASK);
  info.bits = stored_bits(format_.format & SF_FORMAT_SUBMASK);
  info.stored_as = encoding_of(format_.format & SF_FORMAT_SUBMASK);
  for (const auto& [key, name] : tag_names)
    if (const char* const text = sf_get_string(handle_.get(), key)) info.tags[name] = text;
  return info;
}

std::size_t decoder::read(float* out, std::size_t frames) {
  std::size_t done = 0;
  while (done < frames) {
    const sf_count_t got =
        sf_readf_float(handle_.get(), out + done * static_cast<std::size_t>(format_.channels),
                       static_cast<sf_count_t>(frames - done));
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  position_ += done;
  return done;
}

std::uint64_t decoder::count_frames() {
  const auto channels = static_cast<std::size_t>(format_.channels);
  const std::size_t block = std::max<std::size_t>(1, counting_block_samples / channels);
  std::vector<float> samples(block * channels);
  std::uint64_t total = 0;
  std::size_t got = 0;
  do total += got = read(samples.data(), block);
  while (got == block);
  open();
  return total;
}

// What the library's own seeking gives elsewhere may depend on what was decoded before (MPEG,
// Opus), be another place altogether (Vorbis, MPEG), or fail (DWVW, SDS).
bool decoder::seeks_exactly() const {
  const int container = format_.format & SF_FORMAT_TYPEMASK;
  const int subtype = format_.format & SF_FORMAT_SUBMASK;
  const bool lossless =
      container == SF_FORMAT_FLAC || (subtype >= SF_FORMAT_ALAC_16 && subtype <= SF_FORMAT_ALAC_32);
  return format_.seekable != 0 && (sample_bytes() > 0 || lossless);
}

bool decoder::seek(std::uint64_t frame) {
  if (seeks_exactly()) {
    position_ = frame;
    return sf_seek(handle_.get(), static_cast<sf_count_t>(frame), SEEK_SET) ==
           static_cast<sf_count_t>(frame);
  }
  if (frame < position_ && !open()) return false;
  const auto channels = static_cast<std::size_t>(format_.channels);
  std::vector<float> skipped(std::max<std::size_t>(1, counting_block_samples / channels) *
                             channels);
  while (position_ < frame) {
    const auto wanted = static_cast<std::size_t>(
        std::min<std::uint64_t>(skipped.size() / channels, frame - position_));
    if (read(skipped.data(), wanted) < wanted) return false;
  }
  return true;
}

std::string decoder::last_error() const {
  return sf_error(handle_.get()) == SF_ERR_NO_ERROR ? "" : sf_strerror(handle_.get());
}

}  // namespace papilio::audio_detail
