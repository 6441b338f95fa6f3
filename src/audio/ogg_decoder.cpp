#include "audio/ogg_decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "audio/byte_search.hpp"
#include "audio/flac_decoder.hpp"
#include "audio/sndfile_decoder.hpp"

namespace papilio::audio_detail {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view capture = "OggS\0"sv;  // and version 0
constexpr std::size_t header_bytes = 27, most_header_bytes = header_bytes + 255;
constexpr unsigned first_flag = 2, last_flag = 4;
/// Bytes before the native form's mark, in the first packet of FLAC.
constexpr std::uint64_t flac_mapping_bytes = 9;

/// Pages of one link, as they lie in the file.
class link_pages : public byte_source {
 public:
  link_pages(ogg_pages& pages, std::size_t index) : pages_(&pages), index_(index) {}
  std::uint64_t size() const override {
    if (!is_whole()) return unknown_size;
    return pages_->try_to([&] {
      const ogg_pages::link& all = pages_->reach(index_, unknown_size);
      return all.end - all.begin;
    });
  }
  bool is_whole() const override { return pages_->file().is_whole(); }
  std::size_t read(std::uint64_t offset, void* out, std::size_t count) noexcept override {
    if (offset >= unknown_size / 2) return 0;
    const std::uint64_t begin = pages_->found(index_).begin + offset;
    return pages_->try_to([&] {
      const ogg_pages::link& found = pages_->reach(index_, begin + count);
      const std::uint64_t left = found.end - std::min(found.end, begin);
      return pages_->file().read(begin, out,
                                 static_cast<std::size_t>(std::min<std::uint64_t>(count, left)));
    });
  }

 private:
  ogg_pages* pages_;
  std::size_t index_;
};

/// The bodies of the pages of a stream of FLAC, which together are its native form.
class link_bodies : public byte_source {
 public:
  link_bodies(ogg_pages& pages, std::size_t index) : pages_(&pages), index_(index) {}
  std::uint64_t size() const override {
    if (!is_whole()) return unknown_size;
    return pages_->try_to([&] {
      pages_->reach(index_, unknown_size);
      return known_bytes();
    });
  }
  bool is_whole() const override { return pages_->file().is_whole(); }
  std::size_t read(std::uint64_t offset, void* out, std::size_t count) noexcept override {
    return offset < unknown_size / 2 ? pages_->try_to([&] { return copy(offset, out, count); }) : 0;
  }

 private:
  std::size_t copy(std::uint64_t offset, void* out, std::size_t count) {
    const ogg_pages::link& link = pages_->found(index_);
    while (!link.is_whole && known_bytes() < offset + count) pages_->reach(index_, link.end + 1);
    const std::vector<ogg_pages::body>& all = link.bodies;
    offset += flac_mapping_bytes;
    auto body = std::upper_bound(all.begin(), all.end(), offset,
                                 [](std::uint64_t at, const auto& b) { return at < b.first; });
    std::size_t done = 0;
    for (body -= body == all.begin() ? 0 : 1; body != all.end() && done < count; ++body) {
      const std::uint64_t skipped = offset + done - body->first;
      if (skipped >= body->bytes) continue;
      const auto wanted =
          static_cast<std::size_t>(std::min<std::uint64_t>(count - done, body->bytes - skipped));
      const std::size_t got =
          pages_->file().read(body->offset + skipped, static_cast<char*>(out) + done, wanted);
      done += got;
      if (got < wanted) break;
    }
    return done;
  }
  std::uint64_t known_bytes() const {
    const std::vector<ogg_pages::body>& all = pages_->found(index_).bodies;
    const std::uint64_t end = all.empty() ? 0 : all.back().first + all.back().bytes;
    return end - std::min(end, flac_mapping_bytes);
  }

  ogg_pages* pages_;
  std::size_t index_;
};

}  // namespace

void ogg_pages::end_here() {
  is_at_end_ = true;
  if (!links_.empty()) links_.back().is_whole = true;
}

/// Finds one more page; false at the end of the file, where all links are whole.
bool ogg_pages::next() {
  if (is_at_end_) return false;
  std::array<unsigned char, most_header_bytes> head{};
  const std::size_t got = file_->read(at_, head.data(), head.size());
  const std::string_view seen(reinterpret_cast<const char*>(head.data()), got);
  const std::size_t segments = got < header_bytes ? 0 : head[26];
  std::uint64_t body_bytes = 0;
  for (std::size_t i = 0; i < segments; ++i) body_bytes += head[header_bytes + i];
  const std::uint64_t offset = at_ + header_bytes + segments, end = offset + body_bytes;
  char last = 0;
  if (got < header_bytes || !seen.starts_with(capture) || file_->read(end - 1, &last, 1) == 0) {
    // Behind damage, or at the end, reading goes on at what looks like the next page, if there is
    // one.
    const auto other = find_bytes(*file_, at_ + 1, byte_source::unknown_size, capture);
    if (other)
      at_ = *other;
    else
      end_here();
    return other.has_value();
  }
  const auto serial = static_cast<std::uint32_t>(little_endian(seen, 14, 4));
  const bool begins = (head[5] & first_flag) != 0;
  std::string start(std::min<std::uint64_t>(body_bytes, 8), '\0');
  if (begins) start.resize(file_->read(offset, start.data(), start.size()));
  if (begins && (links_.empty() || links_.back().begun)) {
    if (!links_.empty()) links_.back().is_whole = true;
    links_.push_back({.begin = at_, .end = end, .serial = serial});
  }
  at_ = end;
  if (links_.empty()) return true;
  link& l = links_.back();
  l.end = end;
  l.begun = l.begun || !begins;
  const bool is_flac = start.starts_with(
      "\x7f"
      "FLAC");
  if (begins && !l.has_sound &&
      (is_flac || start.starts_with("\x01vorbis") || start.starts_with("OpusHead") ||
       start.starts_with("Speex  "))) {
    l.has_sound = true;
    l.is_flac = is_flac;
    l.serial = serial;
  }
  if (serial != l.serial) return true;
  // A recording of a stream that was on its way lacks its first pages, not some that follow sound.
  const auto number = static_cast<std::uint32_t>(little_endian(seen, 18, 4));
  l.lacks_pages = l.lacks_pages || (l.has_granules && number != l.next_number);
  l.next_number = number + 1;
  l.has_granules = l.has_granules || little_endian(seen, 6, 4) != 0;
  l.has_end = (head[5] & last_flag) != 0;
  if (l.is_flac && body_bytes > 0) {
    const std::uint64_t first =
        l.bodies.empty() ? 0 : l.bodies.back().first + l.bodies.back().bytes;
    l.bodies.push_back({first, offset, body_bytes});
  }
  return true;
}

const ogg_pages::link* ogg_pages::at(std::size_t index) {
  while (links_.size() <= index && next()) continue;
  return index < links_.size() ? &links_[index] : nullptr;
}

const ogg_pages::link& ogg_pages::reach(std::size_t index, std::uint64_t offset) {
  while (!links_[index].is_whole && links_[index].end < offset && next()) continue;
  return links_[index];
}

bool ogg_decoder::start() {
  const bool done = chain_decoder::start();
  pages_.check();
  return done;
}

std::size_t ogg_decoder::decode(float* out, std::size_t frames) {
  const std::size_t got = chain_decoder::decode(out, frames);
  pages_.check();
  return got;
}

std::unique_ptr<decoder> ogg_decoder::link(std::size_t index, const decoder*) {
  const ogg_pages::link* const found = pages_.at(index);
  if (found == nullptr) return nullptr;
  if (parts_.size() <= index) parts_.resize(index + 1);
  std::unique_ptr<byte_source>& part = parts_[index];
  if (found->is_flac) {
    if (!part) part = std::make_unique<link_bodies>(pages_, index);
    return std::make_unique<flac_decoder>(*part, true);
  }
  if (!part) part = std::make_unique<link_pages>(pages_, index);
  return std::make_unique<sndfile_decoder>(*part);
}

std::string ogg_decoder::fault_of_link(std::size_t index) {
  const ogg_pages::link& all = pages_.reach(index, byte_source::unknown_size);
  if (!all.has_end) return "truncated: the stream has no end mark";
  return all.lacks_pages ? "damaged: pages of the stream are missing" : "";
}

}  // namespace papilio::audio_detail
