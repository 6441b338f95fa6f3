#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <span>
#include <type_traits>

#include "engine/region.hpp"
#include "papilio/engine/instruction_fields.hpp"

namespace papilio::engine_detail {

/// One operand of an instruction, in the form that hazards and checks need. It is a tile or a
/// tensor in HBM: the other pointer is null.
struct named_operand {
  const char* name;
  const engine::tile_view* tile;
  const engine::hbm_view* hbm;
  bool reads, writes;
  bool loads;    // LoadStationary reads it, before the multiply starts
  bool column;   // one element a partition, which is read before the other operands stream
  bool scales;   // scales of a packed operand: mx_scale_rows partitions of each quadrant
  region bytes;  // set by the checker, once the operand is known to be valid
  // Elements of a partition, or of a tensor in HBM, that move, where only the values decide which
  // of the view they are; else 0, and all of the view moves.
  std::int64_t touched;
};

/// Calls use(view, region) for the partitions of a tile operand that are read or written: once for
/// all, and once for each quadrant of scales.
template <class Use>
void for_each_quadrant(const named_operand& o, const Use& use) {
  if (!o.scales) return use(*o.tile, o.bytes);
  for (int first = 0; first < o.tile->partitions(); first += engine::mx_quadrant_rows) {
    const int count = std::min(engine::mx_scale_rows, o.tile->partitions() - first);
    region rows = o.bytes;
    rows.first_partition += first;
    rows.end_partition = rows.first_partition + count;
    use(o.tile->partition_range(first, count), rows);
  }
}

/// One register that an instruction reads or writes.
struct named_register {
  const char* name;
  const engine::engine_register* which;
  bool reads, writes;
};

/// The operands and registers of one instruction, in the order of its fields. The entries point to
/// views within the instruction, which must outlive the list.
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

/// Returns the tile of a field that is a tile or may be one.
inline const engine::tile_view& tile_of(const engine::tile_view& field) { return field; }
inline const engine::tile_view& tile_of(const engine::scalar_operand& field) { return field.tile; }
inline const engine::tile_view& tile_of(const engine::dma_operand& field) { return field.tile; }

/// Tells fields that are a tile or may be one: scalar operands are a (P, 1) tile or a constant.
template <class Field>
inline constexpr bool is_tile =
    std::is_same_v<Field, engine::tile_view> || std::is_same_v<Field, engine::scalar_operand>;

/// Lists the operands and registers of an instruction by the roles of its fields.
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
        constexpr bool has_scales = how.rules.scales_of != nullptr;
        named_operand o{how.name, nullptr,   nullptr,    reads, writes,
                        false,    is_column, has_scales, {},    0};
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
        if constexpr (requires { i.moved_in_hbm(); })
          if (o.hbm != nullptr) o.touched = i.moved_in_hbm();
        list.add(o);
      }
    }
  });
}

}  // namespace papilio::engine_detail
