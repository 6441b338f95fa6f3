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

/// SBUF or PSUM of a core: which bytes of a partition are given out, and since when the others are
/// free. A tile takes the same bytes in every partition.
class tile_memory {
 public:
  tile_memory(engine::memory_space space, const engine::machine_spec& machine, bool with_data,
              bool strict, const std::string& kernel);

  engine::tile_view allocate(int partitions, std::int64_t columns, engine::dtype type,
                             std::string_view name);
  void release(const engine::tile_view& view);
  /// Tiles that are given in turn.
  void make_pool(const std::vector<engine::tile_view>& tiles);
  /// The same place for new contents.
  engine::tile_view renew(const engine::tile_view& view);
  std::int64_t free_bytes() const;
  /// The largest piece that is free.
  std::int64_t gap_bytes() const;
  /// Tiles from here on are placed from byte `first` of a partition on, as if the memory began
  /// there: the next kernel's, beside what the last one still works in. Only while it is empty.
  void begin_at(std::int64_t first);
  /// Bytes from there to past the last tile since.
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
  /// The tiles and pools that hold most of each partition, in words.
  std::string largest() const;
  [[noreturn]] void refuse(const std::string& reason) const;

  engine::memory_space space_;
  std::int64_t capacity_, granule_;
  std::int64_t first_ = 0, reach_ = 0;
  int partitions_max_;
  bool with_data_, strict_;
  const std::string& kernel_;
  std::deque<tile_storage> storages_;  // addresses are kept
  std::vector<tile_storage*> live_;    // by address
  std::vector<tile_storage*> unused_;
  std::vector<vacated> vacated_;
  int pools_ = 0;
  std::deque<array<std::byte, 1>> host_memory_;  // parallel to storages_
};

}  // namespace papilio::engine_detail
