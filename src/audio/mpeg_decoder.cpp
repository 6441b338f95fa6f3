#include "audio/mpeg_decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include "audio/byte_search.hpp"

namespace papilio::audio_detail {
namespace {

/// Zeros after the end: no frame is longer.
constexpr std::uint64_t padding_bytes = 4096;
/// More frames of another rate are a change; up to so many are damage that looks like frames.
constexpr int most_strays = 2;

/// Sync word, and no reserved layer, bit rate or sample rate.
bool is_frame_header(const unsigned char* b) {
  return b[0] == 0xff && (b[1] & 0xe0) == 0xe0 && (b[1] & 0x18) != 0x08 && (b[1] & 0x06) != 0 &&
         (b[2] & 0xf0) != 0xf0 && (b[2] & 0x0c) != 0x0c;
}

/// Bytes of a frame, and what all frames of a stream share; 0 bytes where it is no header, or one
/// that does not say.
struct frame_header {
  std::uint64_t bytes = 0;
  unsigned kind = 0;  ///< version, layer and rate
};

frame_header frame_header_of(const unsigned char* b) {
  // kbit/s: MPEG-1 of layers I to III, MPEG-2 of layer I, of layers II and III.
  constexpr int bit_rates[5][15] = {
      {0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448},
      {0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384},
      {0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
      {0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256},
      {0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160}};
  constexpr int rates[3] = {44100, 48000, 32000};
  if (!is_frame_header(b)) return {};
  const unsigned version = b[1] >> 3 & 3, layer = 4 - (b[1] >> 1 & 3u);  // version 3: MPEG-1
  const unsigned row = version == 3 ? layer - 1 : layer == 1 ? 3 : 4;
  const int rate = rates[b[2] >> 2 & 3] >> (version == 3 ? 0 : version == 2 ? 1 : 2);
  const int bits = 1000 * bit_rates[row][b[2] >> 4], padding = b[2] >> 1 & 1;
  if (bits == 0) return {};
  int bytes = 0;
  if (layer == 1)
    bytes = (12 * bits / rate + padding) * 4;
  else
    bytes = (layer == 3 && version != 3 ? 72 : 144) * bits / rate + padding;
  return {static_cast<std::uint64_t>(bytes), (b[1] & 0x1eu) << 8 | (b[2] & 0x0cu)};
}

/// Whether eight frames of one kind stand there, or three and then the end.
bool frames_follow(byte_source& file, std::uint64_t at) {
  unsigned kind = 0;
  for (int found = 0; found < 8; ++found) {
    std::array<unsigned char, 4> head{};
    if (file.read(at, head.data(), head.size()) < head.size()) return found >= 3;
    const frame_header frame = frame_header_of(head.data());
    if (frame.bytes == 0 || (found > 0 && frame.kind != kind)) return false;
    kind = frame.kind;
    at += frame.bytes;
  }
  return true;
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

std::optional<mpeg_place> find_mpeg(byte_source& file) {
  const std::uint64_t at = behind_id3_tags(file);
  std::array<unsigned char, 4> head{};
  if (file.read(at, head.data(), head.size()) < head.size() || !is_frame_header(head.data()))
    return std::nullopt;
  return mpeg_place{at, at, (head[2] & 0xf0) == 0};
}

std::optional<mpeg_place> search_mpeg(byte_source& file) {
  const std::uint64_t tags = behind_id3_tags(file);
  std::string bytes(most_junk_bytes, '\0');
  bytes.resize(file.read(tags, bytes.data(), bytes.size()));
  for (std::size_t at = bytes.find('\xff'); at < bytes.size(); at = bytes.find('\xff', at + 1))
    if (frames_follow(file, tags + at)) return mpeg_place{tags, tags + at, false};
  return std::nullopt;
}

/// Bytes that the library is shown: of what is no sound before the first frame only the tags.
std::uint64_t mpeg_decoder::bytes() const {
  return std::min(end_.value_or(byte_source::unknown_size),
                  file_->size() - (place_.begin - place_.tags_end));
}

std::size_t mpeg_decoder::read_bytes(std::uint64_t position, void* out, std::size_t count) {
  const bool in_tags = position < place_.tags_end;
  const std::uint64_t left = (in_tags ? place_.tags_end : bytes()) - position;
  if (!in_tags && position >= bytes()) return 0;
  return file_->read(in_tags ? position : position + (place_.begin - place_.tags_end), out,
                     static_cast<std::size_t>(std::min<std::uint64_t>(count, left)));
}

mpeg_decoder::handle mpeg_decoder::opened(reading& at, bool by_tag) {
  int code = MPG123_OK;
  handle result(mpg123_new(nullptr, &code));
  if (!result) {
    failure_ = mpg123_plain_strerror(code);
    return {};
  }
  at = {this, 0};
  mpg123_param(result.get(), MPG123_ADD_FLAGS, MPG123_QUIET | MPG123_FORCE_FLOAT, 0);
  mpg123_param(result.get(), MPG123_RESYNC_LIMIT, -1, 0);
  if (!by_tag) mpg123_param(result.get(), MPG123_REMOVE_FLAGS, MPG123_GAPLESS, 0);
  mpg123_replace_reader_handle(
      result.get(),
      [](void* user, void* out, std::size_t count) -> ssize_t {
        reading& r = *static_cast<reading*>(user);
        const std::size_t got = r.of->read_bytes(r.position, out, count);
        r.position += got;
        if (got > 0) return static_cast<ssize_t>(got);
        const std::uint64_t end = r.of->bytes() + padding_bytes;
        const std::uint64_t zeros = std::min<std::uint64_t>(count, end - std::min(end, r.position));
        std::memset(out, 0, zeros);
        r.position += zeros;
        return static_cast<ssize_t>(zeros);
      },
      [](void* user, off_t offset, int whence) -> off_t {
        reading& r = *static_cast<reading*>(user);
        if (!r.of->file_->is_whole()) return -1;
        std::uint64_t base = 0;
        if (whence == SEEK_CUR) base = r.position;
        if (whence == SEEK_END) base = r.of->bytes();
        if (offset < 0 && base < static_cast<std::uint64_t>(-offset)) return -1;
        r.position = base + static_cast<std::uint64_t>(offset);
        return static_cast<off_t>(r.position);
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

/// Frames of MPEG that the Xing or Info tag counts; 0 where there is none.
std::uint64_t mpeg_decoder::tagged_count() {
  std::array<unsigned char, 64> head{};
  const std::string_view text(reinterpret_cast<const char*>(head.data()),
                              file_->read(place_.begin, head.data(), head.size()));
  const std::size_t tag = std::min(text.find("Xing"), text.find("Info"));
  if (tag == std::string_view::npos || tag + 12 > text.size() || (head[tag + 7] & 1) == 0) return 0;
  std::uint64_t count = 0;
  for (std::size_t i = tag + 8; i < tag + 12; ++i) count = count << 8 | head[i];
  return count == 0xffffffff ? 0 : count;
}

/// Samples of the frames that are there, up to a change of the rate.
std::uint64_t mpeg_decoder::scan() {
  reading at{};
  const handle scanning = opened(at, false);
  std::uint64_t samples = 0, stray_at = 0;
  int strays = 0;
  double stray_seconds = 0;
  for (int code = scanning ? MPG123_OK : MPG123_DONE;
       code == MPG123_OK || code == MPG123_NEW_FORMAT;
       code = mpg123_framebyframe_next(scanning.get())) {
    mpg123_frameinfo frame{};
    mpg123_info(scanning.get(), &frame);
    const auto spf = static_cast<std::uint64_t>(mpg123_spf(scanning.get()));
    if (frame.rate == rate_hz_ && strays <= most_strays) {
      samples += spf;
      strays = 0;
      stray_seconds = 0;
      continue;
    }
    if (strays++ == 0) stray_at = static_cast<std::uint64_t>(mpg123_framepos(scanning.get()));
    if (strays == most_strays + 1) other_rate_hz_ = frame.rate;
    stray_seconds += static_cast<double>(spf) / static_cast<double>(frame.rate);
  }
  if (strays <= most_strays) return samples;
  end_ = stray_at;
  other_seconds_ = stray_seconds;
  return samples;
}

void mpeg_decoder::measure() {
  measured_ = true;
  reading at{};
  const handle tagged = opened(at, true);
  if (!tagged) return;
  long delay = -1, padding = 0, decoder_delay = 0;
  mpg123_getstate(tagged.get(), MPG123_ENC_DELAY, &delay, nullptr);
  mpg123_getstate(tagged.get(), MPG123_ENC_PADDING, &padding, nullptr);
  mpg123_getstate(tagged.get(), MPG123_DEC_DELAY, &decoder_delay, nullptr);
  if (delay >= 0) {
    delay_ = static_cast<std::uint64_t>(delay + decoder_delay);
    if (tagged_count() > 0)
      tagged_frames_ = static_cast<std::uint64_t>(std::max<off_t>(0, mpg123_length(tagged.get())));
    usual_rest_ = static_cast<std::uint64_t>(std::max(0L, padding) + 2L * mpg123_spf(tagged.get()));
  }
  if (!file_->is_whole()) return;
  const std::uint64_t found = scan(), heard = found - std::min(found, delay_);
  const bool tag_is_right = tagged_frames_ && heard <= *tagged_frames_ + usual_rest_;
  frames_ = tag_is_right ? std::min(heard, *tagged_frames_) : heard;
}

bool mpeg_decoder::start() {
  if (!measured_) measure();
  handle_ = opened(reading_, false);
  if (!handle_) return false;
  at_first_ = true;
  ended_ = false;
  block_.clear();
  block_read_ = 0;
  to_skip_ = delay_;
  // A whole file was scanned for frames that the tag leaves out.
  if (!file_->is_whole()) tag_end_ = tagged_frames_;
  return true;
}

std::vector<std::string> mpeg_decoder::faults() const {
  if (other_rate_hz_ == 0) return {};
  std::string change = fmt::format("the sample rate changes to {} Hz", other_rate_hz_);
  if (end_)
    change = fmt::format("at {:.3f} s {}; {} bytes (about {:.3f} s) follow",
                         static_cast<double>(frames_.value_or(0)) / static_cast<double>(rate_hz_),
                         change, file_->size() - (place_.begin - place_.tags_end) - *end_,
                         other_seconds_);
  return {"not all is read: " + change};
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

/// Decodes one more frame of MPEG; false at the end.
bool mpeg_decoder::step() {
  // A frame of another rate is not decoded, since the library would resample it, crudely.
  mpg123_frameinfo frame{};
  for (int strays = 0; frame.rate != rate_hz_; ++strays) {
    const int code =
        std::exchange(at_first_, false) ? MPG123_OK : mpg123_framebyframe_next(handle_.get());
    if ((code != MPG123_OK && code != MPG123_NEW_FORMAT) ||
        mpg123_info(handle_.get(), &frame) != MPG123_OK) {
      failure_ = code == MPG123_DONE ? "" : mpg123_strerror(handle_.get());
      return false;
    }
    if (frame.rate != rate_hz_ && strays == most_strays) {
      other_rate_hz_ = frame.rate;
      return false;
    }
  }
  unsigned char* decoded = nullptr;
  std::size_t size_bytes = 0;
  mpg123_framebyframe_decode(handle_.get(), nullptr, &decoded, &size_bytes);
  block_.resize(size_bytes / sizeof(float));
  if (size_bytes > 0) std::memcpy(block_.data(), decoded, size_bytes);
  return true;
}

/// Whether behind the frames that the tag counts comes more than an encoder leaves: another file.
bool mpeg_decoder::goes_on() {
  const auto channels = static_cast<std::size_t>(channels_);
  std::vector<float> ahead(block_.begin() + static_cast<std::ptrdiff_t>(block_read_), block_.end());
  while (ahead.size() <= usual_rest_ * channels && step())
    ahead.insert(ahead.end(), block_.begin(), block_.end());
  block_ = std::move(ahead);
  block_read_ = 0;
  return block_.size() > usual_rest_ * channels;
}

std::size_t mpeg_decoder::decode(float* out, std::size_t frames) {
  const auto channels = static_cast<std::size_t>(channels_);
  std::size_t done = 0;
  while (done < frames && !ended_) {
    if (block_read_ == block_.size()) {
      block_read_ = 0;
      block_.clear();
      ended_ = !step();
      continue;
    }
    std::uint64_t most = to_skip_ > 0 ? to_skip_ : frames - done;
    const std::uint64_t at = position_ + done;
    if (to_skip_ == 0 && at == tag_end_) {
      ended_ = !goes_on();
      tag_end_.reset();
      continue;
    }
    if (to_skip_ == 0 && tag_end_) most = std::min(most, *tag_end_ - at);
    const auto count = static_cast<std::size_t>(
        std::min<std::uint64_t>(most, (block_.size() - block_read_) / channels));
    if (to_skip_ > 0) {
      to_skip_ -= count;
    } else {
      std::copy_n(&block_[block_read_], count * channels, out + done * channels);
      done += count;
    }
    block_read_ += count * channels;
  }
  return done;
}

}  // namespace papilio::audio_detail
