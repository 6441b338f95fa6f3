#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <span>
#include <type_traits>

#include "engine/region.hpp"
#include "papilio/engine/instruction_fields.hpp"

namespace papilio::engine_detail {

/// One operand of an instruction, as hazards and checks see it.
struct named_operand {
  const char* name;
  const engine::tile_view* tile;  // or
  const engine::hbm_view* hbm;
  bool reads, writes;
  bool loads;    // read by LoadStationary, before the instruction proper
  bool column;   // read before the others stream
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
  void add(const named_operand& o) {
    assert(count_ < entries_.size());
    entries_[count_++] = o;
  }
  void add(const named_register& r) {
    assert(register_count_ < registers_.size());
    registers_[register_count_++] = r;
  }

  const named_operand* begin() const { return entries_.data(); }
  const named_operand* end() const { return entries_.data() + count_; }
  named_operand* begin() { return entries_.data(); }
  named_operand* end() { return entries_.data() + count_; }
  std::size_t size() const { return count_; }
  std::span<const named_register> registers() const { return {registers_.data(), register_count_}; }

 private:
  std::array<named_operand, 8> entries_;
  std::array<named_register, 2> registers_;
  std::size_t count_ = 0, register_count_ = 0;
};

/// The tile of a field that is one, or may be.
inline const engine::tile_view& tile_of(const engine::tile_view& field) { return field; }
inline const engine::tile_view& tile_of(const engine::scalar_operand& field) { return field.tile; }
inline const engine::tile_view& tile_of(const engine::dma_operand& field) { return field.tile; }

/// Whether a field is a tile with elements that stream, or one element for each partition.
template <class Field>
inline constexpr bool is_tile =
    std::is_same_v<Field, engine::tile_view> || std::is_same_v<Field, engine::scalar_operand>;

/// Lists what an instruction reads and writes, by the roles of its fields.
template <class Instruction>
void list_operands(const Instruction& i, operand_list& list) {
  using engine::role;
  engine::for_each_field(i, [&]<class Place, class Field>(Place, const Field& f) {
    constexpr engine::field how = Instruction::fields[Place::value];
    if constexpr (how.does != role::setting) {
      bool reads = how.does != role::write;
      if constexpr (how.does == role::write_or_update) reads = i.updates();
      constexpr bool writes = how.does != role::read && how.does != role::load;
      if constexpr (std::is_same_v<Field, engine::engine_register>) {
        if (f.index >= 0 || !how.rules.optional) list.add({how.name, &f, reads, writes});
      } else {
        constexpr bool is_scalar = std::is_same_v<Field, engine::scalar_operand>;
        constexpr bool is_column = !writes && (is_scalar || how.rules.columns == 1);
        named_operand o{how.name, nullptr, nullptr, reads, writes, false, is_column, {}, 0};
        if constexpr (how.does == role::load) o.loads = i.runs_on() == engine::unit::tensor;
        if constexpr (requires { i.moved_elements(); }) o.touched = i.moved_elements();
        if constexpr (std::is_same_v<Field, engine::hbm_view>) {
          o.hbm = &f;
        } else {
          o.tile = &tile_of(f);
          if constexpr (is_scalar || how.rules.optional)
            if (o.tile->empty()) return;
          if constexpr (std::is_same_v<Field, engine::dma_operand>)
            if (!f.on_chip()) {
              o.tile = nullptr;
              o.hbm = &f.hbm;
            }
        }
        list.add(o);
      }
    }
  });
}

}  // namespace papilio::engine_detail
