#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "papilio/engine/operand.hpp"

namespace papilio::engine_detail {

/// A bit set of fixed size that counts its bits, so that full() is O(1).
class bit_run {
 public:
  explicit bit_run(std::int64_t size) : words_(std::size_t((size + 63) / 64)), size_(size) {}
  void set(std::int64_t first, std::int64_t count);
  bool all(std::int64_t first, std::int64_t count) const;
  bool full() const { return count_ == size_; }

 private:
  std::vector<std::uint64_t> words_;
  std::int64_t size_, count_ = 0;
};

/// Records which bytes of a tile have been written. Partitions that were always written together
/// share one bit set; a tile that was written completely needs none.
class written_tile {
 public:
  void reset(int partitions, std::int64_t bytes);
  void set_all() {
    full_ = true;
    segments_.clear();
  }
  void write(const engine::tile_view& view);
  bool covers(const engine::tile_view& view) const;
  bool full() const { return full_; }

 private:
  struct segment {
    int first, end;
    bit_run bits;
  };
  std::size_t split_at(int partition);

  std::vector<segment> segments_;
  int partitions_ = 0;
  std::int64_t bytes_ = 0;
  bool full_ = false;
};

/// Records which elements of a tensor in HBM have been written, in chunks that need no bit set
/// while they are untouched or complete.
class written_tensor {
 public:
  void reset(std::int64_t elements, bool written);
  void write(const engine::hbm_view& view);
  bool covers(const engine::hbm_view& view) const;
  bool full() const { return full_; }
  /// Returns how many elements were never written.
  std::int64_t missing() const;

 private:
  static constexpr std::int64_t chunk_elements = 1 << 16;
  struct chunk {
    std::unique_ptr<bit_run> bits;
    bool full = false;
  };
  void write_in_chunk(std::int64_t first, std::int64_t count);

  std::vector<chunk> chunks_;
  std::int64_t elements_ = 0, full_chunks_ = 0;
  bool full_ = true;
};

/// Calls run(first, count) for each run of neighbouring elements of a pattern, in its order.
template <class Run>
void for_each_run(std::span<const engine::pattern_dim> dims, std::int64_t offset, const Run& run) {
  if (dims.empty()) return run(offset, std::int64_t{1});
  if (dims.size() == 1) {
    if (dims[0].stride == 1) return run(offset, dims[0].extent);
    for (std::int64_t i = 0; i < dims[0].extent; ++i)
      run(offset + i * dims[0].stride, std::int64_t{1});
    return;
  }
  if (dims.size() == 2 && dims[1].stride == 1) {
    for (std::int64_t i = 0; i < dims[0].extent; ++i)
      run(offset + i * dims[0].stride, dims[1].extent);
    return;
  }
  for (std::int64_t i = 0; i < dims[0].extent; ++i)
    for_each_run(dims.subspan(1), offset + i * dims[0].stride, run);
}

}  // namespace papilio::engine_detail
