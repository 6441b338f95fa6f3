#include "audio/flac_decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <new>
#include <string_view>
#include <utility>

#include "audio/byte_search.hpp"

namespace papilio::audio_detail {
namespace {

/// No file holds more: the shortest frames have 65535 samples in 11 bytes. A header that counts more
/// is not believed, nor are numbers by which more was lost.
constexpr std::uint64_t most_frames_per_byte = 8192;
constexpr std::size_t most_links = 65536;

constexpr std::pair<std::string_view, const char*> comment_names[] = {
    {"TITLE", "title"},         {"ARTIST", "artist"},
    {"ALBUM", "album"},         {"DATE", "date"},
    {"GENRE", "genre"},         {"COMMENT", "comment"},
    {"COPYRIGHT", "copyright"}, {"ENCODER", "software"},
    {"LICENSE", "license"},     {"TRACKNUMBER", "tracknumber"},
};

}  // namespace

void flac_decoder::take_metadata(const FLAC__StreamMetadata& block) {
  if (block.type == FLAC__METADATA_TYPE_STREAMINFO) {
    const FLAC__StreamMetadata_StreamInfo& info = block.data.stream_info;
    rate_hz_ = static_cast<int>(info.sample_rate);
    channels_ = static_cast<int>(info.channels);
    bits_ = static_cast<int>(info.bits_per_sample);
    total_ = info.total_samples;
    return;
  }
  if (block.type != FLAC__METADATA_TYPE_VORBIS_COMMENT) return;
  const FLAC__StreamMetadata_VorbisComment& all = block.data.vorbis_comment;
  for (std::uint32_t i = 0; i < all.num_comments; ++i) {
    std::string name(reinterpret_cast<const char*>(all.comments[i].entry), all.comments[i].length);
    const std::size_t equals = std::min(name.find('='), name.size());
    const std::string text = name.substr(std::min(equals + 1, name.size()));
    name.resize(equals);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    for (const auto& [comment, tag] : comment_names)
      if (name == comment && !text.empty()) tags_.emplace(tag, text.c_str());
  }
}

void flac_decoder::take_frame(const FLAC__Frame& frame, const FLAC__int32* const* samples) {
  const std::size_t count = frame.header.blocksize;
  const auto channels = static_cast<std::size_t>(channels_);
  if (frame.header.channels != channels) {
    lost_ = true;
    return;
  }
  const std::uint64_t number = frame.header.number.sample_number, end = block_end();
  // A recording of a stream that was on its way begins with any number.
  if (!origin_) origin_ = lost_ ? 0 : number;
  std::uint64_t first = number - *origin_;
  if (!is_seeking_) {
    const std::uint64_t most_lost = most_frames_per_byte * offset_ - lost_frames_;
    if (number < *origin_ + end || first - end > most_lost || (total_ > 0 && first > total_))
      first = end;
    lost_frames_ += first - end;
    if (number > *origin_ + end || lost_) damaged_at_ = std::min(damaged_at_.value_or(end), end);
  }
  lost_ = false;
  block_.resize(count * channels);
  const float scale = std::ldexp(1.0f, 1 - static_cast<int>(frame.header.bits_per_sample));
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t i = 0; i < count; ++i)
      block_[i * channels + c] = static_cast<float>(samples[c][i]) * scale;
  block_first_ = first;
  is_new_ = true;
}

/// Opens the stream and decodes its first frame.
bool flac_decoder::begin() {
  stream_.reset(FLAC__stream_decoder_new());
  if (!stream_) throw std::bad_alloc();
  offset_ = 0;
  block_.clear();
  block_first_ = next_ = 0;
  channels_ = 0;
  lost_ = false;
  lost_frames_ = 0;
  FLAC__stream_decoder_set_metadata_respond(stream_.get(), FLAC__METADATA_TYPE_VORBIS_COMMENT);
  FLAC__stream_decoder_init_stream(
      stream_.get(),
      [](const FLAC__StreamDecoder*, FLAC__byte out[], std::size_t* count, void* user) {
        flac_decoder& d = *static_cast<flac_decoder*>(user);
        *count = d.file_->read(d.offset_, out, *count);
        d.offset_ += *count;
        return *count > 0 ? FLAC__STREAM_DECODER_READ_STATUS_CONTINUE
                          : FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM;
      },
      [](const FLAC__StreamDecoder*, FLAC__uint64 offset, void* user) {
        flac_decoder& d = *static_cast<flac_decoder*>(user);
        if (!d.file_->is_whole()) return FLAC__STREAM_DECODER_SEEK_STATUS_UNSUPPORTED;
        d.offset_ = offset;
        return FLAC__STREAM_DECODER_SEEK_STATUS_OK;
      },
      [](const FLAC__StreamDecoder*, FLAC__uint64* offset, void* user) {
        *offset = static_cast<flac_decoder*>(user)->offset_;
        return FLAC__STREAM_DECODER_TELL_STATUS_OK;
      },
      [](const FLAC__StreamDecoder*, FLAC__uint64* size, void* user) {
        flac_decoder& d = *static_cast<flac_decoder*>(user);
        if (!d.file_->is_whole()) return FLAC__STREAM_DECODER_LENGTH_STATUS_UNSUPPORTED;
        *size = d.file_->size();
        return FLAC__STREAM_DECODER_LENGTH_STATUS_OK;
      },
      [](const FLAC__StreamDecoder*, void* user) -> FLAC__bool {
        flac_decoder& d = *static_cast<flac_decoder*>(user);
        return d.file_->is_whole() && d.offset_ >= d.file_->size();
      },
      [](const FLAC__StreamDecoder*, const FLAC__Frame* frame, const FLAC__int32* const samples[],
         void* user) {
        flac_decoder& d = *static_cast<flac_decoder*>(user);
        d.try_to([&] { d.take_frame(*frame, samples); });
        return d.no_memory_ ? FLAC__STREAM_DECODER_WRITE_STATUS_ABORT
                            : FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE;
      },
      [](const FLAC__StreamDecoder*, const FLAC__StreamMetadata* block, void* user) {
        flac_decoder& d = *static_cast<flac_decoder*>(user);
        d.try_to([&] { d.take_metadata(*block); });
      },
      [](const FLAC__StreamDecoder*, FLAC__StreamDecoderErrorStatus, void* user) {
        static_cast<flac_decoder*>(user)->lost_ = true;
      },
      this);
  FLAC__stream_decoder_process_until_end_of_metadata(stream_.get());
  check_memory();
  failure_ = channels_ == 0 ? "the FLAC header is cut short or broken" : "";
  if (channels_ > 0) step();
  return channels_ > 0;
}

void flac_decoder::check_memory() const {
  if (no_memory_ ||
      FLAC__stream_decoder_get_state(stream_.get()) == FLAC__STREAM_DECODER_MEMORY_ALLOCATION_ERROR)
    throw std::bad_alloc();
}

/// Decodes one more frame; false at the end, which may be that of one file of several.
bool flac_decoder::step() {
  is_new_ = false;
  if (total_ > 0 && block_end() >= total_ &&
      FLAC__stream_decoder_get_decode_position(stream_.get(), &end_offset_) &&
      has_bytes(*file_, end_offset_, "fLaC"))
    return false;
  while (!is_new_ && FLAC__stream_decoder_process_single(stream_.get()) &&
         FLAC__stream_decoder_get_state(stream_.get()) < FLAC__STREAM_DECODER_END_OF_STREAM)
    continue;
  check_memory();
  return is_new_;
}

bool flac_decoder::go_to(std::uint64_t frame) {
  is_seeking_ = true;
  const bool done =
      FLAC__stream_decoder_seek_absolute(stream_.get(), origin_.value_or(0) + frame) != 0;
  is_seeking_ = lost_ = false;
  check_memory();
  next_ = frame;
  return done;
}

/// Whether the frames end where the header says.
void flac_decoder::measure() {
  measured_ = true;
  if (total_ == 0 || !file_->is_whole()) return;
  is_miscounted_ = total_ / most_frames_per_byte > file_->size() || !go_to(total_ - 1) ||
                   block_end() > total_ || step();
}

bool flac_decoder::start() {
  if (!begin()) return false;
  if (measured_) return true;
  measure();
  return begin();
}

sound_info flac_decoder::describe() const {
  sound_info info;
  info.channels = channels_;
  info.rate_hz = rate_hz_;
  info.container = in_ogg_ ? "OGG (OGG Container format)" : "FLAC (Free Lossless Audio Codec)";
  info.encoding = fmt::format("{} {} bit PCM", in_ogg_ ? "FLAC of signed" : "Signed", bits_);
  info.bits = bits_;
  info.stored_as = bits_ <= 8    ? sample_encoding::s8
                   : bits_ <= 16 ? sample_encoding::s16
                   : bits_ <= 24 ? sample_encoding::s24
                                 : sample_encoding::s32;
  info.tags = tags_;
  info.decoded_by = "libFLAC";
  return info;
}

std::optional<std::uint64_t> flac_decoder::frames() const {
  if (total_ == 0 || is_miscounted_) return std::nullopt;
  return total_;
}

std::size_t flac_decoder::decode(float* out, std::size_t frames) {
  const auto channels = static_cast<std::size_t>(channels_);
  std::size_t done = 0;
  while (done < frames) {
    if (next_ >= block_end() && !step()) break;
    const bool is_lost = next_ < block_first_;
    const std::uint64_t there = (is_lost ? block_first_ : block_end()) - next_;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(frames - done, there));
    float* const to = out + done * channels;
    if (is_lost)
      std::fill_n(to, count * channels, 0.0f);
    else
      std::copy_n(&block_[static_cast<std::size_t>(next_ - block_first_) * channels],
                  count * channels, to);
    next_ += count;
    done += count;
  }
  return done;
}

bool flac_decoder::seek(std::uint64_t frame) {
  if (file_->is_whole() && frame < total_) {
    if (go_to(frame)) {
      position_ = frame;
      return true;
    }
    if (!open()) return false;
  }
  return decoder::seek(frame);
}

std::vector<std::string> flac_decoder::faults() const {
  if (!damaged_at_) return {};
  return {fmt::format("damaged at {:.3f} s: what could not be decoded is read as 0",
                      static_cast<double>(*damaged_at_) / rate_hz_)};
}

std::optional<std::uint64_t> flac_decoder::end_offset() const {
  return end_offset_ > 0 ? std::optional(end_offset_) : std::nullopt;
}

// Seeking in one of several streams would find frames of another: each is bounded, where the file
// can be searched.
flac_chain::flac_chain(byte_source& file, std::uint64_t begin) : file_(&file), begins_{begin} {
  using namespace std::string_view_literals;
  constexpr std::size_t mark_bytes = 8, header_bytes = 42;
  if (!file.is_whole()) return;
  std::string block(std::size_t{1} << 16, '\0');
  for (std::uint64_t at = begin + header_bytes;;) {
    const std::string_view seen(block.data(), file.read(at, block.data(), block.size()));
    std::size_t from = 0;
    for (std::size_t i = 0; (i = seen.find("fLaC"sv, from)) < seen.size();) {
      if (seen.size() - i < mark_bytes) break;
      from = i + 1;
      // Its first block is STREAMINFO, which may be the last one too.
      if ((seen[i + 4] & 0x7f) != 0 || seen.substr(i + 5, 3) != "\0\0\x22"sv) continue;
      has_more_ = begins_.size() == most_links;
      if (has_more_) return;
      begins_.push_back(at + i);
      from = i + header_bytes;
    }
    if (seen.size() < block.size()) return;
    at += std::max(from, seen.size() - (mark_bytes - 1));
  }
}

std::string flac_chain::fault_of_link(std::size_t index) {
  if (!has_more_ || index + 1 < begins_.size()) return {};
  return fmt::format("not all is read: more than {} FLAC streams are joined", most_links);
}

std::unique_ptr<decoder> flac_chain::link(std::size_t index, const decoder* previous) {
  if (index == begins_.size()) {
    const auto end = previous != nullptr ? previous->end_offset() : std::nullopt;
    if (file_->is_whole() || !end || !has_bytes(*parts_[index - 1], *end, "fLaC")) return nullptr;
    begins_.push_back(begins_.back() + *end);
  }
  if (parts_.size() <= index) parts_.resize(index + 1);
  if (!parts_[index]) {
    const std::uint64_t begin = begins_[index];
    const bool is_bounded = file_->is_whole() && index + 1 < begins_.size();
    parts_[index] = std::make_unique<byte_range>(
        *file_, begin, is_bounded ? begins_[index + 1] - begin : byte_source::unknown_size);
  }
  return std::make_unique<flac_decoder>(*parts_[index], false);
}

}  // namespace papilio::audio_detail
