#include "audio/sample_array.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "audio/byte_search.hpp"
#include "audio/zip_archive.hpp"
#include "io/npy_file.hpp"
#include "papilio/base/error.hpp"

namespace papilio::audio_detail {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t piece_bytes = std::size_t{1} << 18;
constexpr int native_order =
    std::endian::native == std::endian::little ? SF_ENDIAN_LITTLE : SF_ENDIAN_BIG;

class array_reader {
 public:
  array_reader(file_bytes& bytes, const std::string& name, int rate_hz)
      : bytes_(bytes), name_(name), rate_hz_(rate_hz) {}

  sample_array npy(const char* container = "NPY") {
    const npy_head head = npy_head_of([&](std::uint64_t offset, std::size_t count) {
      std::string text(count, '\0');
      text.resize(bytes_.read(offset, text.data(), count));
      return text;
    });
    const std::vector<std::uint64_t>& extents = head.dictionary.extents;
    const int format = format_of(head.dictionary.element_type);
    if (extents.empty() || extents.size() > 2)
      fail(fmt::format("an array of samples is [frames] or [frames, channels], not of rank {}",
                       extents.size()));
    const std::uint64_t channels = extents.size() == 2 ? extents[1] : 1;
    if (channels < 1 || channels > most_channels || (extents[0] > 0 && channels > extents[0]))
      fail(fmt::format(
          "its shape [{}] would be {} channels of {} frames, of at most {} channels: an "
          "array of samples is [frames, channels]",
          fmt::join(extents, ", "), channels, extents[0], most_channels));
    const std::uint64_t size_bytes = element_bytes(head);
    if (bytes_.size() < head.data_at || bytes_.size() - head.data_at != size_bytes)
      fail(fmt::format("its header promises {} bytes of elements, it holds {}", size_bytes,
                       bytes_.size() - std::min(bytes_.size(), head.data_at)));
    const bool is_transposed = head.dictionary.fortran_order && channels > 1;
    if (is_transposed) transpose(head, extents[0], static_cast<std::size_t>(channels));
    return {{SF_FORMAT_RAW | format, rate_hz_, static_cast<int>(channels),
             is_transposed ? 0 : head.data_at},
            container};
  }

  sample_array npz() {
    const zip_archive archive(bytes_, name_);
    std::vector<zip_member> arrays;
    for (const zip_member& member : archive.members()) {
      if (!member.name.ends_with(".npy")) continue;
      std::string start;
      archive.unpack(member, [&](std::string_view piece) {
        start += piece;
        return start.size() < longest_head;
      });
      const npy_head head = npy_head_of([&](std::uint64_t offset, std::size_t count) {
        return offset > start.size() ? std::string() : start.substr(offset, count);
      });
      if (!head.dictionary.extents.empty()) arrays.push_back(member);
    }
    if (arrays.size() != 1) {
      std::string names;
      for (const zip_member& member : arrays) names += (names.empty() ? ": " : ", ") + member.name;
      fail(fmt::format("it holds {} arrays{}; one is read, the samples", arrays.size(), names));
    }
    spool_file unpacked(name_);
    unpacked.open();
    std::uint64_t size = 0;
    std::uint32_t sum = 0;
    archive.unpack(arrays[0], [&](std::string_view piece) {
      unpacked.write(piece.data(), piece.size());
      size += piece.size();
      sum = static_cast<std::uint32_t>(
          crc32_z(sum, reinterpret_cast<const unsigned char*>(piece.data()), piece.size()));
      return size <= arrays[0].size_bytes;
    });
    if (size != arrays[0].size_bytes || sum != arrays[0].sum)
      fail("the archive is damaged: its array is not what its checksum says");
    bytes_.become(unpacked.release());
    return npy("NPZ");
  }

  sample_array csv() {
    spool_file numbers(name_);
    numbers.open();
    std::vector<double> row;
    std::string held, line;
    std::size_t channels = 0, number = 0;
    bool has_names = false;
    const auto take_line = [&](std::string_view text) {
      if (++number == 1 && text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
      if (text.size() > longest_line) fail(fmt::format("line {} is too long for a row", number));
      while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
      while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
      if (text.empty() || text.front() == '#') return;
      if (!parse_row(text, row)) {
        if (channels > 0 || has_names) fail(fmt::format("line {} is no row of numbers", number));
        has_names = true;
        return;
      }
      if (channels == 0) channels = row.size();
      if (row.size() != channels)
        fail(fmt::format("line {} has {} numbers, the first row {}", number, row.size(), channels));
      if (channels > most_channels)
        fail(fmt::format("{} columns; at most {} channels can be read", channels, most_channels));
      held.append(reinterpret_cast<const char*>(row.data()), row.size() * sizeof(double));
      if (held.size() < piece_bytes) return;
      numbers.write(held.data(), held.size());
      held.clear();
    };
    std::string block(piece_bytes, '\0');
    for (std::uint64_t at = 0; at < bytes_.size();) {
      const std::size_t got = bytes_.read(at, block.data(), block.size());
      bytes_.check();
      if (got == 0) break;
      at += got;
      std::string_view rest(block.data(), got);
      for (std::size_t end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
        line += rest.substr(0, end);
        take_line(line);
        line.clear();
        rest.remove_prefix(end + 1);
      }
      line += rest;
      if (line.size() > longest_line) take_line(line);
    }
    take_line(line);
    if (channels == 0) fail("it has no row of numbers");
    numbers.write(held.data(), held.size());
    bytes_.become(numbers.release());
    return {
        {SF_FORMAT_RAW | SF_FORMAT_DOUBLE | native_order, rate_hz_, static_cast<int>(channels), 0},
        "CSV"};
  }

 private:
  struct npy_head {
    io_detail::npy_dictionary dictionary = {};
    std::uint64_t data_at = 0;
  };
  static constexpr std::size_t longest_head = (std::size_t{1} << 16) + 12;
  static constexpr std::size_t longest_line = std::size_t{1} << 20;

  [[noreturn]] void fail(const std::string& reason) const { throw io_error(name_, reason); }

  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  static int format_of_code(std::string_view code) {
    constexpr std::pair<std::string_view, int> formats[] = {
        {"i1", SF_FORMAT_PCM_S8}, {"u1", SF_FORMAT_PCM_U8}, {"i2", SF_FORMAT_PCM_16},
        {"i4", SF_FORMAT_PCM_32}, {"f4", SF_FORMAT_FLOAT},  {"f8", SF_FORMAT_DOUBLE}};
    for (const auto& [name, format] : formats)
      if (code == name) return format;
    return 0;
  }

  int format_of(const std::string& type) const {
    io_detail::npy_element element;
    const bool is_number = io_detail::parse_npy_element(type, element);
    const int format = is_number ? format_of_code(std::string_view(type).substr(1)) : 0;
    if (format == 0)
      fail(
          fmt::format("its elements are \"{}\"; samples are int8, int16, int32, uint8, float32 or "
                      "float64",
                      type.substr(0, 40)));
    const bool is_big = (std::endian::native == std::endian::big) != element.is_swapped;
    return format | (is_big ? SF_ENDIAN_BIG : SF_ENDIAN_LITTLE);
  }

  std::uint64_t element_bytes(const npy_head& head) const {
    io_detail::npy_element element;
    io_detail::parse_npy_element(head.dictionary.element_type, element);
    std::uint64_t size = element.size_bytes;
    for (const std::uint64_t extent : head.dictionary.extents)
      if (__builtin_mul_overflow(size, extent, &size)) fail("its shape is beyond any file");
    return size;
  }

  npy_head npy_head_of(
      const std::function<std::string(std::uint64_t, std::size_t)>& bytes_at) const {
    const std::string start = bytes_at(0, 12);
    if (start.size() < 10 || !start.starts_with("\x93NUMPY"sv)) fail("it is no NPY array");
    const auto major = static_cast<unsigned char>(start[6]);
    if (major < 1 || major > 3) fail(fmt::format("NPY version {} is not known", major));
    const unsigned count = major == 1 ? 2 : 4;
    if (start.size() < 8 + count) fail("it ends within its header");
    const std::uint64_t length = little_endian(start, 8, count);
    if (length > longest_head - 12) fail("its header is longer than 64 KiB");
    const std::string text = bytes_at(8 + count, static_cast<std::size_t>(length));
    if (text.size() < length) fail("it ends within its header");
    npy_head head{.data_at = 8 + count + length};
    const std::string reason = io_detail::parse_npy_dictionary(text, head.dictionary);
    if (!reason.empty()) fail(reason);
    return head;
  }

  /// Puts samples that lie channel after channel into the order of frame after frame.
  void transpose(const npy_head& head, std::uint64_t frames, std::size_t channels) {
    io_detail::npy_element element;
    io_detail::parse_npy_element(head.dictionary.element_type, element);
    const std::size_t size = element.size_bytes;
    const std::size_t most = std::max<std::size_t>(1, (piece_bytes << 4) / (channels * size));
    std::vector<char> column(most * size), rows(most * size * channels);
    spool_file transposed(name_);
    transposed.open();
    for (std::uint64_t first = 0; first < frames; first += most) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(most, frames - first));
      for (std::size_t c = 0; c < channels; ++c) {
        if (bytes_.read(head.data_at + (c * frames + first) * size, column.data(), count * size) <
            count * size) {
          bytes_.check();
          fail("it became shorter while it was read");
        }
        for (std::size_t i = 0; i < count; ++i)
          std::copy_n(&column[i * size], size, &rows[(i * channels + c) * size]);
      }
      transposed.write(rows.data(), count * channels * size);
    }
    bytes_.become(transposed.release());
  }

  /// Whether a number that no double holds is too small for one, not too large.
  static bool is_tiny(std::string_view number) {
    const std::size_t mantissa_end = std::min(number.find_first_of("eE"), number.size());
    const std::size_t first = number.find_first_of("123456789");
    const std::size_t point = std::min(number.find('.'), mantissa_end);
    if (first >= mantissa_end) return true;
    std::string_view power = number.substr(std::min(mantissa_end + 1, number.size()));
    if (power.starts_with('+')) power.remove_prefix(1);
    int exponent = 0;
    if (std::from_chars(power.data(), power.data() + power.size(), exponent).ec ==
        std::errc::result_out_of_range)
      return power.starts_with('-');
    return static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) + exponent < 0;
  }

  /// False where the text is no row of numbers, or has decimal commas.
  static bool parse_row(std::string_view text, std::vector<double>& row) {
    row.clear();
    if (text.find(',') != text.npos && text.find(';') != text.npos) return false;
    for (;;) {
      while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
      if (text.starts_with('+')) text.remove_prefix(1);
      double value = 0;
      const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (failure == std::errc::result_out_of_range) {
        const std::string_view number(text.data(), static_cast<std::size_t>(end - text.data()));
        value = is_tiny(number) ? 0 : number.starts_with('-') ? -HUGE_VAL : HUGE_VAL;
      } else if (failure != std::errc()) {
        return false;
      }
      row.push_back(value);
      text.remove_prefix(static_cast<std::size_t>(end - text.data()));
      const bool has_space = !text.empty() && is_space(text.front());
      while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
      if (text.empty()) return true;
      if (text.front() == ',' || text.front() == ';')
        text.remove_prefix(1);
      else if (!has_space)
        return false;
    }
  }

  file_bytes& bytes_;
  const std::string& name_;
  int rate_hz_;
};

}  // namespace

sample_array open_sample_array(file_bytes& bytes, const std::string& name, int rate_hz) {
  bytes.finish();
  array_reader reader(bytes, name, rate_hz);
  std::string head(512, '\0');
  head.resize(bytes.read(0, head.data(), head.size()));
  if (head.starts_with("\x93NUMPY"sv)) return reader.npy();
  if (head.starts_with("PK\3\4"sv)) return reader.npz();
  const bool is_text = std::ranges::all_of(head, [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\r' || c == '\t';
  });
  if (!is_text)
    throw io_error(name,
                   "is no array of samples (NPY, NPZ or CSV), to which alone a rate is given");
  return reader.csv();
}

}  // namespace papilio::audio_detail
