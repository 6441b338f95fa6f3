#include "audio/mpeg_decoder.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <utility>

namespace papilio::audio_detail {
namespace {

/// Zeros after the end: no frame is longer.
constexpr std::uint64_t padding_bytes = 4096;

/// Sync word, and no reserved layer, bit rate or sample rate.
bool is_frame_header(const unsigned char* b) {
  return b[0] == 0xff && (b[1] & 0xe0) == 0xe0 && (b[1] & 0x18) != 0x08 && (b[1] & 0x06) != 0 &&
         (b[2] & 0xf0) != 0xf0 && (b[2] & 0x0c) != 0x0c;
}

constexpr std::pair<const char*, const char*> frame_names[] = {
    {"TIT2", "title"},     {"TPE1", "artist"},   {"TALB", "album"},
    {"TDRC", "date"},      {"TYER", "date"},     {"TCON", "genre"},
    {"TCOP", "copyright"}, {"TSSE", "software"}, {"TRCK", "tracknumber"},
};

/// Text in UTF-8, up to the first of its zeros.
std::string text_of(const mpg123_string* text) {
  return text == nullptr || text->p == nullptr ? "" : std::string(text->p);
}

/// A field of an ID3v1 tag: Latin-1, padded with zeros or spaces.
std::string latin_text(const char* field, std::size_t size) {
  std::string result;
  for (const char* c = field; c != field + size && *c != '\0'; ++c) {
    const auto byte = static_cast<unsigned char>(*c);
    if (byte < 0x80) {
      result += *c;
    } else {
      result += static_cast<char>(0xc0 | byte >> 6);
      result += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  result.erase(result.find_last_not_of(' ') + 1);
  return result;
}

std::map<std::string, std::string> tags_of(mpg123_handle* handle) {
  std::map<std::string, std::string> tags;
  mpg123_id3v1* v1 = nullptr;
  mpg123_id3v2* v2 = nullptr;
  if (mpg123_id3(handle, &v1, &v2) != MPG123_OK) return tags;
  const auto keep = [&](const char* name, const std::string& text) {
    if (!text.empty()) tags.emplace(name, text);
  };
  for (std::size_t i = 0; v2 != nullptr && i < v2->texts; ++i)
    for (const auto& [id, name] : frame_names)
      if (std::memcmp(v2->text[i].id, id, 4) == 0) keep(name, text_of(&v2->text[i].text));
  if (v2 != nullptr) keep("comment", text_of(v2->comment));
  if (v1 == nullptr) return tags;
  keep("title", latin_text(v1->title, sizeof v1->title));
  keep("artist", latin_text(v1->artist, sizeof v1->artist));
  keep("album", latin_text(v1->album, sizeof v1->album));
  keep("date", latin_text(v1->year, sizeof v1->year));
  keep("comment", latin_text(v1->comment, sizeof v1->comment));
  return tags;
}

}  // namespace

bool mpeg_decoder::recognises(file_bytes& file) {
  std::uint64_t at = 0;
  std::array<unsigned char, 10> head{};
  for (int tags = 0; tags < 8; ++tags) {
    const std::size_t got = file.read(at, head.data(), head.size());
    if (got >= 4 && is_frame_header(head.data())) return true;
    if (got < head.size() || std::memcmp(head.data(), "ID3", 3) != 0) return false;
    // Four times seven bits, and ten bytes more where the tag has a footer.
    std::uint64_t size = 0;
    for (int i = 6; i < 10; ++i) size = size << 7 | (head[static_cast<std::size_t>(i)] & 0x7f);
    at += 10 + size + ((head[5] & 0x10) != 0 ? 10 : 0);
  }
  return false;
}

mpeg_decoder::handle mpeg_decoder::opened(place& at) {
  int code = MPG123_OK;
  handle result(mpg123_new(nullptr, &code));
  if (!result) {
    failure_ = mpg123_plain_strerror(code);
    return {};
  }
  at = {file_, 0};
  mpg123_param(result.get(), MPG123_ADD_FLAGS, MPG123_QUIET | MPG123_FORCE_FLOAT, 0);
  mpg123_param(result.get(), MPG123_RESYNC_LIMIT, -1, 0);
  mpg123_replace_reader_handle(
      result.get(),
      [](void* user, void* out, std::size_t count) -> ssize_t {
        place& p = *static_cast<place*>(user);
        const std::size_t got = p.file->read(p.position, out, count);
        p.position += got;
        if (got > 0) return static_cast<ssize_t>(got);
        const std::uint64_t end = p.file->size() + padding_bytes;
        const std::uint64_t zeros = std::min<std::uint64_t>(count, end - std::min(end, p.position));
        std::memset(out, 0, zeros);
        p.position += zeros;
        return static_cast<ssize_t>(zeros);
      },
      [](void* user, off_t offset, int whence) -> off_t {
        place& p = *static_cast<place*>(user);
        if (!p.file->is_whole()) return -1;
        std::uint64_t base = 0;
        if (whence == SEEK_CUR) base = p.position;
        if (whence == SEEK_END) base = p.file->size();
        if (offset < 0 && base < static_cast<std::uint64_t>(-offset)) return -1;
        p.position = base + static_cast<std::uint64_t>(offset);
        return static_cast<off_t>(p.position);
      },
      nullptr);
  int encoding = 0;
  if (mpg123_open_handle(result.get(), &at) != MPG123_OK ||
      mpg123_getformat(result.get(), &rate_hz_, &channels_, &encoding) != MPG123_OK) {
    failure_ = mpg123_strerror(result.get());
    return {};
  }
  mpg123_format_none(result.get());
  mpg123_format(result.get(), rate_hz_, channels_, MPG123_ENC_FLOAT_32);
  return result;
}

// The handle that decodes never scans: a scan that finds fewer frames than the tag counts makes
// libmpg123 forget the encoder's delay.
void mpeg_decoder::measure() {
  measured_ = true;
  place at{};
  const handle scanning = opened(at);
  if (!scanning) return;
  long delay = -1, decoder_delay = 0;
  mpg123_getstate(scanning.get(), MPG123_ENC_DELAY, &delay, nullptr);
  mpg123_getstate(scanning.get(), MPG123_DEC_DELAY, &decoder_delay, nullptr);
  const auto count = [&] {
    return static_cast<std::uint64_t>(std::max<off_t>(0, mpg123_length(scanning.get())));
  };
  if (delay >= 0) frames_ = tagged_frames_ = count();
  if (!file_->is_whole() || mpg123_scan(scanning.get()) != MPG123_OK) return;
  const auto found = static_cast<std::uint64_t>(
      std::max<off_t>(0, mpg123_framelength(scanning.get()) * mpg123_spf(scanning.get())));
  const std::uint64_t skipped = delay < 0 ? 0 : static_cast<std::uint64_t>(delay + decoder_delay);
  frames_ = std::min(tagged_frames_.value_or(found), found - std::min(found, skipped));
}

bool mpeg_decoder::start() {
  if (!measured_) measure();
  handle_ = opened(place_);
  return handle_ != nullptr;
}

std::uint64_t mpeg_decoder::promised_frames() const {
  return std::max(frames_.value_or(0), tagged_frames_.value_or(0));
}

sound_info mpeg_decoder::describe() const {
  sound_info info;
  info.tags = tags_of(handle_.get());
  mpg123_frameinfo frame{};
  mpg123_info(handle_.get(), &frame);
  info.channels = channels_;
  info.rate_hz = static_cast<int>(rate_hz_);
  info.container = "MPEG-1/2 Audio";
  info.encoding = "MPEG Layer " + std::string(static_cast<std::size_t>(frame.layer), 'I');
  info.decoded_by = "libmpg123";
  return info;
}

std::size_t mpeg_decoder::decode(float* out, std::size_t frames) {
  const std::size_t frame_bytes = sizeof(float) * static_cast<std::size_t>(channels_);
  std::size_t done = 0;
  while (done < frames) {
    std::size_t got = 0;
    const int code = mpg123_read(handle_.get(), out + done * static_cast<std::size_t>(channels_),
                                 (frames - done) * frame_bytes, &got);
    done += got / frame_bytes;
    if (code == MPG123_OK) continue;
    // The first frame's format is announced, as is any other; that of a later frame is a change.
    long rate = 0;
    int channels = 0, encoding = 0;
    if (code != MPG123_NEW_FORMAT ||
        mpg123_getformat(handle_.get(), &rate, &channels, &encoding) != MPG123_OK ||
        rate != rate_hz_ || channels != channels_) {
      failure_ = code == MPG123_DONE ? "" : mpg123_strerror(handle_.get());
      break;
    }
  }
  return done;
}

}  // namespace papilio::audio_detail
