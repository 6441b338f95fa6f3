#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <span>

#include "engine/region.hpp"
#include "papilio/engine/isa/data_movement.hpp"
#include "papilio/engine/isa/synchronization.hpp"
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
  // Elements of a partition that move, where the place within the view is known only when executed.
  std::int64_t touched;
};

/// One register of an instruction.
struct named_register {
  const char* name;
  const engine::engine_register* which;
  bool reads, writes;
};

/// What an instruction reads and writes, in the order of its fields. Views are referred to.
class operand_list {
 public:
  void read(const char* name, const engine::tile_view& view) {
    add({name, &view, nullptr, true, false, false, {}, 0});
  }
  void write(const char* name, const engine::tile_view& view) {
    add({name, &view, nullptr, false, true, false, {}, 0});
  }
  void load(const char* name, const engine::tile_view& view) {
    add({name, &view, nullptr, true, false, true, {}, 0});
  }
  /// Both: what accumulates.
  void update(const char* name, const engine::tile_view& view) {
    add({name, &view, nullptr, true, true, false, {}, 0});
  }
  void read(const char* name, const engine::hbm_view& view) {
    add({name, nullptr, &view, true, false, false, {}, 0});
  }
  void write(const char* name, const engine::hbm_view& view) {
    add({name, nullptr, &view, false, true, false, {}, 0});
  }
  void read(const char* name, const engine::dma_operand& side) {
    side.on_chip() ? read(name, side.tile) : read(name, side.hbm);
  }
  void write(const char* name, const engine::dma_operand& side) {
    side.on_chip() ? write(name, side.tile) : write(name, side.hbm);
  }
  /// A part of `touched` elements a partition, anywhere in the view: all of it for hazards.
  void read_somewhere(const char* name, const engine::tile_view& view, std::int64_t touched) {
    add({name, &view, nullptr, true, false, false, {}, touched});
  }
  void update_somewhere(const char* name, const engine::tile_view& view, std::int64_t touched) {
    add({name, &view, nullptr, true, true, false, {}, touched});
  }
  void read(const char* name, const engine::engine_register& which) {
    add({name, &which, true, false});
  }
  void write(const char* name, const engine::engine_register& which) {
    add({name, &which, false, true});
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
  std::span<const named_register> registers() const { return {registers_.data(), register_count_}; }

 private:
  void add(const named_operand& o) {
    assert(count_ < entries_.size());
    entries_[count_++] = o;
  }
  void add(const named_register& r) {
    assert(register_count_ < registers_.size());
    registers_[register_count_++] = r;
  }
  std::array<named_operand, 8> entries_;
  std::array<named_register, 2> registers_;
  std::size_t count_ = 0, register_count_ = 0;
};

}  // namespace papilio::engine_detail
