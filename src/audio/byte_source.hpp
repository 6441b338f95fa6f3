#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace papilio::audio_detail {

/// Bytes from 0 on, read at any place: a file, or what a decoder is to see of one.
class byte_source {
 public:
  /// size() returns this where the size is not known. A pipe is not read as far as that: reading
  /// there finds nothing, and does not wait.
  static constexpr std::uint64_t unknown_size = std::uint64_t{1} << 62;

  byte_source() = default;
  byte_source(const byte_source&) = delete;
  byte_source& operator=(const byte_source&) = delete;
  virtual ~byte_source() = default;

  virtual std::uint64_t size() const = 0;
  /// Whether the size is known, and any place may be read at once.
  virtual bool is_whole() const = 0;
  /// Copies up to `count` bytes from `offset`, fewer at the end or on an error.
  virtual std::size_t read(std::uint64_t offset, void* out, std::size_t count) noexcept = 0;
};

/// `count` bytes of another source from `offset` on, or all that follow.
class byte_range : public byte_source {
 public:
  explicit byte_range(byte_source& of, std::uint64_t offset, std::uint64_t count = unknown_size)
      : of_(&of), offset_(offset), count_(count) {}

  std::uint64_t size() const override {
    const std::uint64_t all = of_->size();
    return all == unknown_size ? count_ : std::min(count_, all - std::min(all, offset_));
  }
  bool is_whole() const override { return of_->is_whole(); }
  std::size_t read(std::uint64_t offset, void* out, std::size_t count) noexcept override {
    const std::uint64_t left = count_ - std::min(count_, offset);
    return of_->read(offset_ + offset, out,
                     static_cast<std::size_t>(std::min<std::uint64_t>(count, left)));
  }

 private:
  byte_source* of_;
  std::uint64_t offset_, count_;
};

}  // namespace papilio::audio_detail
