#include "audio/zip_archive.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>

#include "audio/byte_search.hpp"
#include "papilio/base/error.hpp"

namespace papilio::audio_detail {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t unpacked_bytes = std::size_t{1} << 18;
constexpr std::size_t most_members = 1000;

/// A stream of raw deflate.
class inflater {
 public:
  inflater() {
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK)
      throw resource_error("zlib cannot allocate its state");
  }
  ~inflater() { inflateEnd(&stream_); }
  inflater(const inflater&) = delete;
  inflater& operator=(const inflater&) = delete;

  /// False at the end, of the data or of what is wanted, and where they are damaged.
  bool run(std::string_view packed, const std::function<bool(std::string_view)>& take) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
    int code = Z_OK;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
      stream_.avail_out = static_cast<uInt>(out_.size());
      code = inflate(&stream_, Z_NO_FLUSH);
      const std::size_t made = out_.size() - stream_.avail_out;
      if (made > 0 && !take({out_.data(), made})) return false;
    } while (code == Z_OK && (stream_.avail_in > 0 || stream_.avail_out == 0));
    return code == Z_OK || code == Z_BUF_ERROR;
  }

 private:
  z_stream stream_{};
  std::string out_ = std::string(unpacked_bytes, '\0');
};

}  // namespace

void zip_archive::fail(const std::string& reason) const { throw io_error(name_, reason); }

std::vector<zip_member> zip_archive::members() const {
  // The end of the directory, before a comment of at most 64 KiB.
  constexpr std::size_t end_bytes = 22;
  const std::uint64_t size = bytes_.size();
  std::string tail(static_cast<std::size_t>(std::min<std::uint64_t>(size, end_bytes + 0xffff)), 0);
  const std::uint64_t tail_at = size - tail.size();
  tail.resize(bytes_.read(tail_at, tail.data(), tail.size()));
  const std::size_t end = tail.rfind("PK\5\6"sv);
  if (end == tail.npos || tail.size() - end < end_bytes)
    fail("the archive is damaged: it has no directory");
  const std::uint64_t count = little_endian(tail, end + 10, 2),
                      length = little_endian(tail, end + 12, 4),
                      at = little_endian(tail, end + 16, 4);
  if (count > most_members || at > size || length > size - at || length > (1 << 24))
    fail("the archive is damaged, holds over 1000 files, or is beyond 4 GB");
  std::string directory(static_cast<std::size_t>(length), '\0');
  directory.resize(bytes_.read(at, directory.data(), directory.size()));
  std::vector<zip_member> members;
  constexpr std::size_t entry_bytes = 46;
  for (std::size_t i = 0; members.size() < count;) {
    if (directory.size() - i < entry_bytes || directory.compare(i, 4, "PK\1\2"sv) != 0)
      fail("the archive is damaged: its directory is cut short");
    const std::size_t name_bytes = little_endian(directory, i + 28, 2);
    const std::size_t rest =
        little_endian(directory, i + 30, 2) + little_endian(directory, i + 32, 2);
    if (directory.size() - i - entry_bytes < name_bytes + rest)
      fail("the archive is damaged: its directory is cut short");
    members.push_back({directory.substr(i + entry_bytes, name_bytes),
                       little_endian(directory, i + 20, 4), little_endian(directory, i + 24, 4),
                       little_endian(directory, i + 42, 4),
                       static_cast<std::uint32_t>(little_endian(directory, i + 16, 4)),
                       static_cast<unsigned>(little_endian(directory, i + 10, 2))});
    i += entry_bytes + name_bytes + rest;
  }
  return members;
}

void zip_archive::unpack(const zip_member& member,
                         const std::function<bool(std::string_view)>& take) const {
  constexpr std::size_t header_bytes = 30;
  std::array<char, header_bytes> header{};
  const bool is_there =
      bytes_.read(member.header_at, header.data(), header_bytes) == header_bytes &&
      std::string_view(header.data(), 4) == "PK\3\4"sv;
  const std::string_view fields(header.data(), header_bytes);
  if (!is_there) fail("the archive is damaged: a file in it has no header");
  if ((little_endian(fields, 6, 2) & 1) != 0) fail("the archive is encrypted");
  std::uint64_t at =
      member.header_at + header_bytes + little_endian(fields, 26, 2) + little_endian(fields, 28, 2);
  std::uint64_t left = member.packed_bytes;
  if (member.method != 0 && member.method != Z_DEFLATED)
    fail(fmt::format("the archive is packed by method {}, which is not read", member.method));
  inflater unpacked;
  std::string block(unpacked_bytes, '\0');
  while (left > 0) {
    const std::size_t got = bytes_.read(
        at, block.data(), static_cast<std::size_t>(std::min<std::uint64_t>(left, unpacked_bytes)));
    bytes_.check();
    if (got == 0) return;
    at += got;
    left -= got;
    const std::string_view piece(block.data(), got);
    if (!(member.method == 0 ? take(piece) : unpacked.run(piece, take))) return;
  }
}

}  // namespace papilio::audio_detail
