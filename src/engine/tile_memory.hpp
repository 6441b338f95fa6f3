#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "engine/storage.hpp"
#include "papilio/base/array.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::engine_detail {

/// Allocates tiles in SBUF or PSUM of a core, and knows since when free bytes are free. A tile
/// takes the same bytes in every partition.
class tile_memory {
 public:
  tile_memory(engine::memory_space space, const engine::machine_spec& machine, bool with_data,
              bool strict, const std::string& kernel);

  engine::tile_view allocate(int partitions, std::int64_t columns, engine::dtype type,
                             std::string_view name);
  void release(const engine::tile_view& view);
  /// Makes tiles one pool, whose tiles a kernel is given in rotation.
  void make_pool(const std::vector<engine::tile_view>& tiles);
  /// Returns a new tile in the place of `view`, whose views become stale. Accesses to the new
  /// tile wait for those to the former one.
  engine::tile_view renew(const engine::tile_view& view);
  std::int64_t free_bytes() const;
  /// Returns the size of the largest gap.
  std::int64_t gap_bytes() const;
  /// Places all further tiles from byte `first` of a partition on, so that a kernel need not wait
  /// for the tiles of the one before it. The memory must be empty.
  void begin_at(std::int64_t first);
  /// Returns the bytes from `first` of begin_at() to the end of the highest tile since.
  std::int64_t reach_bytes() const { return reach_ - first_; }
  std::int64_t end_bytes() const { return reach_; }
  std::int64_t capacity_bytes() const { return capacity_; }
  std::int64_t alignment_bytes() const { return granule_; }
  bool is_empty() const { return live_.empty(); }

 private:
  struct vacated {
    std::int64_t lo, hi;
    double at_ns;
  };
  std::int64_t place_for(std::int64_t bytes) const;
  double vacant_from_ns(std::int64_t lo, std::int64_t hi) const;
  void clear_contents(tile_storage& storage) const;
  std::byte* memory_for(tile_storage& storage);
  /// Returns in words which tiles and pools take most of a partition, for the message when memory
  /// is full.
  std::string largest() const;
  [[noreturn]] void refuse(const std::string& reason) const;

  engine::memory_space space_;
  std::int64_t capacity_, granule_;
  std::int64_t first_ = 0, reach_ = 0;
  int partitions_max_;
  bool with_data_, strict_;
  const std::string& kernel_;
  std::deque<tile_storage> storages_;  // a deque, since views point to its elements
  std::vector<tile_storage*> live_;    // in order of address
  std::vector<tile_storage*> unused_;
  std::vector<vacated> vacated_;
  int pools_ = 0;
  std::deque<array<std::byte, 1>> host_memory_;  // parallel to storages_
};

}  // namespace papilio::engine_detail
