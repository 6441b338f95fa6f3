#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/dtype.hpp"

namespace papilio::engine_detail {
struct tile_storage;
struct hbm_storage;
}  // namespace papilio::engine_detail

namespace papilio::engine {

enum class memory_space : std::uint8_t { sbuf, psum };
PAPILIO_API const char* to_string(memory_space space);

/// Describes one level of an access pattern; the stride is in elements and may be 0 or negative.
struct pattern_dim {
  std::int64_t extent = 1;
  std::int64_t stride = 1;
  bool operator==(const pattern_dim&) const = default;
};

/// Refers to what an instruction reads or writes on chip: a run of partitions, and one pattern of
/// elements that all of them share, of up to four levels (the first is the slowest). Axis 0 is the
/// partition, axes 1 ... are the levels. Copying it copies no data; using it after the tile went
/// out of scope is refused.
///
/// Slices and reshapes throw shape_error; whether the machine accepts the pattern is checked when
/// an instruction uses it.
class PAPILIO_API tile_view {
 public:
  static constexpr int dims_max = 5;  // one more than the machine reads, so that it can refuse

  tile_view() = default;

  bool empty() const { return storage_ == nullptr; }
  dtype type() const { return type_; }
  memory_space space() const { return space_; }
  int partition() const { return partition_; }    ///< the first
  int partitions() const { return partitions_; }  ///< how many
  /// Returns the elements of each partition.
  std::int64_t elements() const {
    std::int64_t count = 1;
    for (int i = 0; i < rank_; ++i) count *= dims_[i].extent;
    return count;
  }
  std::int64_t offset_bytes() const { return offset_bytes_; }
  std::span<const pattern_dim> dims() const { return {dims_.data(), std::size_t(rank_)}; }

  /// Selects elements first, first + step, ... along an axis. A negative step goes backwards from
  /// first.
  tile_view slice(int axis, std::int64_t first, std::int64_t count, std::int64_t step = 1) const;
  /// Selects elements [first, first + count) along the last level.
  tile_view columns(std::int64_t first, std::int64_t count) const {
    return slice(rank_, first, count);
  }
  /// Selects partitions [first, first + count), counted from the view's own first.
  tile_view partition_range(int first, int count) const { return slice(0, first, count); }
  /// Returns the same elements under other levels; the pattern must be expressible without a copy.
  tile_view reshape(std::initializer_list<std::int64_t> extents) const;
  /// Permutes the levels, numbered from 1.
  tile_view permute(std::initializer_list<int> levels) const;
  /// Adds a slowest level of `count` that reads the same elements again. The view is for reading
  /// only.
  tile_view repeat(std::int64_t count) const;
  /// Adds a fastest level of `count`: every element is read `count` times in a row. The view
  /// is for reading only.
  tile_view spread(std::int64_t count) const;
  /// Reinterprets the bytes as another type, of the same size or, of levels without gaps, smaller.
  tile_view as(dtype other) const;
  /// Returns any pattern of up to dims_max levels from element `offset` of the view's first. An
  /// instruction that uses it checks whether it is within the tile. Throws shape_error for more
  /// levels or extents below 1.
  tile_view pattern(std::int64_t offset, std::span<const pattern_dim> dims) const;
  tile_view pattern(std::int64_t offset, std::initializer_list<pattern_dim> dims) const {
    return pattern(offset, std::span(dims.begin(), dims.size()));
  }

  /// Returns "sbuf tile 3 [0:128, 512] fp32", as in messages and traces.
  std::string describe() const;

  /// Returns whether both are of one tile, and select the same elements in the same order.
  bool operator==(const tile_view& other) const;

  // The engine uses these members; kernels do not need them.
  static tile_view over(engine_detail::tile_storage& storage, int partitions, std::int64_t columns,
                        dtype type);
  engine_detail::tile_storage* storage() const { return storage_; }
  std::uint32_t generation() const { return generation_; }

 private:
  engine_detail::tile_storage* storage_ = nullptr;
  std::uint32_t generation_ = 0;
  dtype type_ = dtype::fp32;
  memory_space space_ = memory_space::sbuf;
  std::int16_t partition_ = 0, partitions_ = 0;
  std::int8_t rank_ = 0;
  std::int64_t offset_bytes_ = 0;
  std::array<pattern_dim, dims_max> dims_{};
};

/// Refers to part of a tensor in device memory for DMA: any strides, up to six levels.
class PAPILIO_API hbm_view {
 public:
  static constexpr int dims_max = 6;

  hbm_view() = default;

  bool empty() const { return storage_ == nullptr; }
  dtype type() const { return type_; }
  int rank() const { return rank_; }
  std::int64_t extent(int axis) const { return dims_[axis].extent; }
  std::int64_t elements() const {
    std::int64_t count = 1;
    for (int i = 0; i < rank_; ++i) count *= dims_[i].extent;
    return count;
  }
  std::int64_t offset() const { return offset_; }  ///< in elements
  std::span<const pattern_dim> dims() const { return {dims_.data(), std::size_t(rank_)}; }

  hbm_view slice(int axis, std::int64_t first, std::int64_t count, std::int64_t step = 1) const;
  /// Returns the same elements under other extents; the strides must allow it without a copy.
  hbm_view reshape(std::initializer_list<std::int64_t> extents) const;
  hbm_view permute(std::initializer_list<int> axes) const;
  /// Adds a first axis of `count` over the same elements. The view is for reading only.
  hbm_view repeat(std::int64_t count) const;
  /// Returns any pattern from element `offset` of the view's first. Throws shape_error if it
  /// exceeds the tensor.
  hbm_view pattern(std::int64_t offset, std::span<const pattern_dim> dims) const;
  hbm_view pattern(std::int64_t offset, std::initializer_list<pattern_dim> dims) const {
    return pattern(offset, std::span(dims.begin(), dims.size()));
  }

  std::string describe() const;
  bool operator==(const hbm_view& other) const;

  // The engine uses these members; kernels do not need them.
  static hbm_view over(engine_detail::hbm_storage& storage, std::span<const std::int64_t> extents,
                       dtype type);
  engine_detail::hbm_storage* storage() const { return storage_; }

 private:
  engine_detail::hbm_storage* storage_ = nullptr;
  dtype type_ = dtype::fp32;
  std::int8_t rank_ = 0;
  std::int64_t offset_ = 0;
  std::array<pattern_dim, dims_max> dims_{};
};

}  // namespace papilio::engine

namespace papilio::engine_detail {
class tile_memory;
}

namespace papilio::engine {

/// Owns a tile in SBUF or PSUM, freed when the object goes out of scope (before the core does).
/// Views of it that are used later are refused. The next user of its memory waits for instructions
/// that still use it.
class PAPILIO_API tile {
 public:
  tile() = default;
  tile(tile&& other) noexcept;
  tile& operator=(tile&& other) noexcept;
  ~tile();

  const tile_view& whole() const { return view_; }
  operator const tile_view&() const { return view_; }
  const tile_view* operator->() const { return &view_; }

 private:
  friend class core;
  friend class tile_pool;
  tile(engine_detail::tile_memory& memory, const tile_view& view) : memory_(&memory), view_(view) {}

  engine_detail::tile_memory* memory_ = nullptr;
  tile_view view_;
};

/// Provides tiles of one shape in turn, so that one is used while the next is filled. next()
/// returns the oldest; its contents are lost, its earlier views are refused, and instructions on it
/// wait for those on its previous use.
class PAPILIO_API tile_pool {
 public:
  tile_view next();
  std::size_t depth() const { return tiles_.size(); }

 private:
  friend class core;
  explicit tile_pool(std::vector<tile> tiles) : tiles_(std::move(tiles)) {}

  std::vector<tile> tiles_;
  std::size_t at_ = 0;
};

}  // namespace papilio::engine
