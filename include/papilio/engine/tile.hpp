#pragma once

#include <cstdint>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/operand.hpp"

namespace papilio::engine_detail {
class tile_memory;
}

namespace papilio::engine {

/// A tile in SBUF or PSUM, freed when the object goes out of scope (before the core does). Views of
/// it that are used later are refused. An instruction under way keeps the place: whoever gets it
/// next waits.
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

/// Tiles of one shape, handed out in turn: the work on one goes on while the next is filled.
/// next() gives the oldest again, whose contents are gone and whose earlier views are refused;
/// instructions on it wait until those on its former life are done.
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
