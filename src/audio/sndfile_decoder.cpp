#include "audio/sndfile_decoder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace papilio::audio_detail {
namespace {

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

}  // namespace

plain_samples plain_samples_of(const raw_pcm& raw) {
  return {SF_FORMAT_RAW | subtype_of(raw.encoding) |
              (raw.big_endian ? SF_ENDIAN_BIG : SF_ENDIAN_LITTLE),
          raw.rate_hz, raw.channels, raw.skip_bytes};
}

SF_VIRTUAL_IO sndfile_decoder::callbacks() {
  SF_VIRTUAL_IO io{};
  io.get_filelen = [](void* user) { return static_cast<source*>(user)->size(); };
  io.seek = [](sf_count_t offset, int whence, void* user) {
    source& s = *static_cast<source*>(user);
    sf_count_t base = 0;
    if (whence == SEEK_CUR) base = s.position;
    if (whence == SEEK_END) base = s.size();
    sf_count_t target = 0;
    if (__builtin_add_overflow(base, offset, &target) || target < 0) return sf_count_t{-1};
    return s.position = target;
  };
  io.read = [](void* out, sf_count_t count, void* user) {
    source& s = *static_cast<source*>(user);
    if (count <= 0) return sf_count_t{0};
    const std::size_t got = s.file->read(s.origin + static_cast<std::uint64_t>(s.position), out,
                                         static_cast<std::size_t>(count));
    s.position += static_cast<sf_count_t>(got);
    return static_cast<sf_count_t>(got);
  };
  io.write = [](const void*, sf_count_t, void*) { return sf_count_t{0}; };
  io.tell = [](void* user) { return static_cast<source*>(user)->position; };
  return io;
}

bool sndfile_decoder::start() {
  handle_.reset();
  source_.position = 0;
  format_ = {};
  if (plain_) {
    format_.samplerate = plain_->rate_hz;
    format_.channels = plain_->channels;
    format_.format = SF_FORMAT_RAW | (plain_->format & ~SF_FORMAT_TYPEMASK);
  }
  sndfile_opening opening = open_sndfile(callbacks(), SFM_READ, format_, &source_);
  handle_ = std::move(opening.handle);
  if (handle_) return true;
  failure_code_ = opening.code;
  failure_ = std::move(opening.failure);
  if (failure_.ends_with('.')) failure_.pop_back();
  return false;
}

unsigned sndfile_decoder::sample_bytes() const {
  const int container = format_.format & SF_FORMAT_TYPEMASK;
  const bool plain = container == SF_FORMAT_WAV || container == SF_FORMAT_WAVEX ||
                     container == SF_FORMAT_RF64 || container == SF_FORMAT_W64 ||
                     container == SF_FORMAT_AIFF || container == SF_FORMAT_CAF ||
                     container == SF_FORMAT_AU || container == SF_FORMAT_RAW;
  const int subtype = format_.format & SF_FORMAT_SUBMASK;
  const bool packed = subtype >= SF_FORMAT_ALAC_16 && subtype <= SF_FORMAT_ALAC_32;
  return plain && !packed ? static_cast<unsigned>(stored_bits(subtype)) / 8 : 0;
}

sound_info sndfile_decoder::describe() const {
  sound_info info;
  info.channels = format_.channels;
  info.rate_hz = format_.samplerate;
  info.container = format_name((plain_ ? plain_->format : format_.format) & SF_FORMAT_TYPEMASK);
  info.encoding = format_name(format_.format & SF_FORMAT_SUBMASK);
  info.bits = stored_bits(format_.format & SF_FORMAT_SUBMASK);
  info.stored_as = encoding_of(format_.format & SF_FORMAT_SUBMASK);
  for (const auto& [key, name] : tag_names)
    if (const char* const text = sf_get_string(handle_.get(), key); text && *text != '\0')
      info.tags[name] = text;
  info.decoded_by = "libsndfile";
  return info;
}

std::optional<std::uint64_t> sndfile_decoder::frames() const {
  // The library makes up a number of frames from a size, which a pipe does not tell.
  const bool by_size = plain_ && !source_.file->is_whole();
  if (by_size || format_.frames == std::numeric_limits<sf_count_t>::max()) return std::nullopt;
  return static_cast<std::uint64_t>(std::max<sf_count_t>(0, format_.frames));
}

// This gives the library's numbers in a fraction of its time: it copies 8 KiB at a time and converts
// sample by sample.
std::size_t sndfile_decoder::decode_plain_16(float* out, std::size_t frames) {
  const auto channels = static_cast<std::size_t>(format_.channels);
  const std::size_t most = std::max<std::size_t>(1, 16384 / channels);
  stored_.resize(most * channels);
  const bool swaps = sf_command(handle_.get(), SFC_RAW_DATA_NEEDS_ENDSWAP, nullptr, 0) == SF_TRUE;
  std::size_t done = 0;
  while (done < frames) {
    const std::size_t wanted = std::min(most, frames - done);
    const sf_count_t bytes =
        sf_read_raw(handle_.get(), stored_.data(), static_cast<sf_count_t>(2 * channels * wanted));
    const std::size_t got = bytes <= 0 ? 0 : static_cast<std::size_t>(bytes) / (2 * channels);
    const std::size_t samples = got * channels;
    if (swaps)
      for (std::size_t i = 0; i < samples; ++i) stored_[i] = std::rotl(stored_[i], 8);
    float* const to = out + done * channels;
    for (std::size_t i = 0; i < samples; ++i)
      to[i] = static_cast<float>(static_cast<std::int16_t>(stored_[i])) * 0x1p-15f;
    done += got;
    if (got < wanted) break;
  }
  return done;
}

// The library makes infinities of what is beyond float, and does not say so.
std::size_t sndfile_decoder::decode_double(float* out, std::size_t frames) {
  const auto channels = static_cast<std::size_t>(format_.channels);
  const std::size_t most = std::max<std::size_t>(1, 8192 / channels);
  doubles_.resize(most * channels);
  beyond_float_.reset();
  std::size_t done = 0;
  while (done < frames) {
    const std::size_t wanted = std::min(most, frames - done);
    const sf_count_t read =
        sf_readf_double(handle_.get(), doubles_.data(), static_cast<sf_count_t>(wanted));
    const std::size_t got = static_cast<std::size_t>(std::max<sf_count_t>(0, read));
    float* const to = out + done * channels;
    for (std::size_t i = 0; i < got * channels; ++i) {
      to[i] = static_cast<float>(doubles_[i]);
      if (!beyond_float_ && std::isfinite(doubles_[i]) && !std::isfinite(to[i]))
        beyond_float_.emplace((position_ + done) * channels + i, doubles_[i]);
    }
    done += got;
    if (got < wanted) break;
  }
  return done;
}

std::size_t sndfile_decoder::decode(float* out, std::size_t frames) {
  if ((format_.format & SF_FORMAT_SUBMASK) == SF_FORMAT_DOUBLE) return decode_double(out, frames);
  if ((format_.format & SF_FORMAT_SUBMASK) == SF_FORMAT_PCM_16 && sample_bytes() == 2)
    return decode_plain_16(out, frames);
  std::size_t done = 0;
  while (done < frames) {
    const sf_count_t got =
        sf_readf_float(handle_.get(), out + done * static_cast<std::size_t>(format_.channels),
                       static_cast<sf_count_t>(frames - done));
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

// The library seeks exactly in plain and in ALAC samples. In other formats its seeking may give
// samples that depend on what was decoded before (MPEG, Opus), arrive at another place (Vorbis,
// MPEG), or fail (DWVW, SDS).
bool sndfile_decoder::seeks_exactly() const {
  const int subtype = format_.format & SF_FORMAT_SUBMASK;
  const bool is_alac = subtype >= SF_FORMAT_ALAC_16 && subtype <= SF_FORMAT_ALAC_32;
  return format_.seekable != 0 && (sample_bytes() > 0 || (is_alac && source_.file->is_whole()));
}

bool sndfile_decoder::seek(std::uint64_t frame) {
  if (!seeks_exactly()) return decoder::seek(frame);
  position_ = frame;
  return sf_seek(handle_.get(), static_cast<sf_count_t>(frame), SEEK_SET) ==
         static_cast<sf_count_t>(frame);
}

std::string sndfile_decoder::failure() const {
  if (!handle_) return failure_;
  return sf_error(handle_.get()) == SF_ERR_NO_ERROR ? "" : sf_strerror(handle_.get());
}

}  // namespace papilio::audio_detail
