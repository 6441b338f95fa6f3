#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/io.hpp"

namespace papilio::io_detail {

/// Writes an array of extents [rows, columns], or [channels, rows, columns], whose rows come for
/// all channels at once. It collects them, and writes each channel's in large pieces: they are
/// neighbours in the file. Nothing appears at `path` before flush() and commit().
template <class Value>
class npy_channel_writer {
 public:
  npy_channel_writer(const std::filesystem::path& path, std::vector<std::uint64_t> extents,
                     std::size_t channels)
      : rows_(extents[extents.size() - 2]),
        held_(held_rows(channels, extents.back() * sizeof(Value))),
        buffer_({channels, held_, static_cast<std::size_t>(extents.back())}),
        npy_(path, std::move(extents)) {}

  /// Returns the place of the next row of a channel.
  std::span<Value> next(std::size_t channel) {
    return {&buffer_(channel, filled_, 0u), buffer_.extent(2)};
  }
  void advance() {
    if (++filled_ == held_) flush();
  }
  void commit() { npy_.commit(); }
  void flush() {
    if (filled_ == 0) return;
    const std::size_t columns = buffer_.extent(2);
    for (std::size_t c = 0; c < buffer_.extent(0); ++c)
      npy_.write((c * rows_ + done_) * columns,
                 std::span<const Value>(&buffer_(c, 0u, 0u), filled_ * columns));
    done_ += filled_;
    filled_ = 0;
  }

 private:
  // 256 KiB a channel, 4 MiB in all, at least one row.
  static std::size_t held_rows(std::size_t channels, std::size_t row_bytes) {
    const std::size_t bytes =
        std::min<std::size_t>(std::size_t{1} << 18, (std::size_t{1} << 22) / channels);
    return std::max<std::size_t>(1, bytes / row_bytes);
  }

  std::uint64_t rows_, done_ = 0;
  std::size_t held_, filled_ = 0;
  array<Value, 3> buffer_;
  npy_region_writer<Value> npy_;
};

}  // namespace papilio::io_detail
