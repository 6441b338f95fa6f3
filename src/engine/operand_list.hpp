#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <span>

#include "engine/region.hpp"
#include "papilio/engine/isa/dma_copy.hpp"
#include "papilio/engine/operand.hpp"

namespace papilio::engine_detail {

/// One operand of an instruction, as hazards and checks see it.
struct named_operand {
  const char* name;
  const engine::tile_view* tile;  // or
  const engine::hbm_view* hbm;
  bool reads, writes;
  bool loads;    // read by LoadStationary, before the instruction proper
  region bytes;  // where, once the operand is known to be there
};

/// What an instruction reads and writes, in the order of its fields. Views are referred to.
class operand_list {
 public:
  void read(const char* name, const engine::tile_view& view) {
    add({name, &view, nullptr, true, false, false, {}});
  }
  void write(const char* name, const engine::tile_view& view) {
    add({name, &view, nullptr, false, true, false, {}});
  }
  void load(const char* name, const engine::tile_view& view) {
    add({name, &view, nullptr, true, false, true, {}});
  }
  /// Both: what accumulates.
  void update(const char* name, const engine::tile_view& view) {
    add({name, &view, nullptr, true, true, false, {}});
  }
  void read(const char* name, const engine::hbm_view& view) {
    add({name, nullptr, &view, true, false, false, {}});
  }
  void write(const char* name, const engine::hbm_view& view) {
    add({name, nullptr, &view, false, true, false, {}});
  }
  void read(const char* name, const engine::dma_operand& side) {
    side.on_chip() ? read(name, side.tile) : read(name, side.hbm);
  }
  void write(const char* name, const engine::dma_operand& side) {
    side.on_chip() ? write(name, side.tile) : write(name, side.hbm);
  }
  /// An operand that may be left out.
  void read_if_given(const char* name, const engine::tile_view& view) {
    if (!view.empty()) read(name, view);
  }

  const named_operand* begin() const { return entries_.data(); }
  const named_operand* end() const { return entries_.data() + count_; }
  named_operand* begin() { return entries_.data(); }
  named_operand* end() { return entries_.data() + count_; }
  std::size_t size() const { return count_; }

 private:
  void add(const named_operand& o) {
    assert(count_ < entries_.size());
    entries_[count_++] = o;
  }
  std::array<named_operand, 8> entries_;
  std::size_t count_ = 0;
};

}  // namespace papilio::engine_detail
