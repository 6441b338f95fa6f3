#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "engine/checker.hpp"
#include "engine/operand_list.hpp"
#include "papilio/engine/instruction.hpp"

// An instruction's fields carry rules (field_rules): shapes, element types, memory, bounds. These
// checks apply the rules and refuse a value by the name of its field.
namespace papilio::engine_detail {

/// Returns the index of a field by its name, which must be one of the instruction's.
template <class Instruction>
consteval std::size_t place_of(std::string_view name) {
  std::size_t place = 0;
  while (Instruction::fields[place].name != name) ++place;
  return place;
}

template <class Instruction>
class field_checks {
 public:
  field_checks(const checker& check, const Instruction& i) : check_(check), i_(i) {}

  void all() const {
    engine::for_each_field(i_, [&]<class Place>(Place, const auto& f) { one<Place::value>(f); });
    engine::for_each_field(i_, [&]<class Place, class Field>(Place, const Field& f) {
      if constexpr (std::is_same_v<Field, engine::alu_op>)
        if (is_bitwise(f)) integers(f);
    });
  }

 private:
  template <std::size_t Place>
  const auto& at() const {
    return std::get<Place>(engine::field_tuple(i_));
  }

  template <std::size_t Place, class Field>
  void one(const Field& f) const {
    constexpr const char* name = Instruction::fields[Place].name;
    constexpr engine::field_rules rules = Instruction::fields[Place].rules;
    if constexpr (std::is_same_v<Field, engine::tile_view>) {
      if (rules.optional && f.empty()) return;
      shape<Place>(f);
      elements<Place>(f);
    } else if constexpr (std::is_same_v<Field, engine::scalar_operand>) {
      if (!f.tile.empty()) {
        check_.scalar_operand(name, f.tile, at<0>());
        check_.has_elements(name, f.tile, rules.elements);
      } else
        check_.within(name, f.value, rules);
    } else if constexpr (std::is_same_v<Field, engine::alu_op>) {
      check_.operation(name, f, rules.choice);
    } else if constexpr (std::is_same_v<Field, engine::reduce_command>) {
      check_.commands(f, rules.commands);
    } else if constexpr (std::is_same_v<Field, engine::unit>) {
      check_.runs_on(f, rules.units);
    } else if constexpr (std::is_same_v<Field, engine::engine_register>) {
      check_.runs_on(f.on, rules.units);
    } else if constexpr (std::is_arithmetic_v<Field> && !std::is_same_v<Field, bool>) {
      check_.within(name, double(f), rules);
    }
  }

  template <std::size_t Place>
  void shape(const engine::tile_view& f) const {
    constexpr const char* name = Instruction::fields[Place].name;
    constexpr engine::field_rules rules = Instruction::fields[Place].rules;
    if constexpr (rules.like != nullptr)
      check_.same_shape(name, f, rules.like, at<place_of<Instruction>(rules.like)>());
    if constexpr (rules.rows_of != nullptr) {
      const auto& other = at<place_of<Instruction>(rules.rows_of)>();
      if constexpr (rules.columns == 1)
        return check_.scalar_operand(name, f, other);
      else
        check_.as_many(name, "partitions", f.partitions(), rules.rows_of, other.partitions());
    }
    if constexpr (rules.scales_of != nullptr)
      return check_.scales(name, f, rules.scales_of, at<place_of<Instruction>(rules.scales_of)>());
    if constexpr (rules.columns_of != nullptr)
      check_.as_many(name, "elements a partition", f.elements(), rules.columns_of,
                     at<place_of<Instruction>(rules.columns_of)>().elements());
    if constexpr (rules.rows == 1 && rules.columns == 1)
      return check_.one_element(name, f);
    else if constexpr (rules.rows > 0)
      check_.equal(name, "partitions", std::int64_t(f.partitions()), rules.rows);
    if constexpr (rules.columns > 0)
      check_.equal(name, "elements a partition", f.elements(), rules.columns);
  }

  template <std::size_t Place>
  void elements(const engine::tile_view& f) const {
    constexpr const char* name = Instruction::fields[Place].name;
    constexpr engine::field_rules rules = Instruction::fields[Place].rules;
    if constexpr (rules.memory == engine::residence::sbuf) check_.in_sbuf(name, f);
    if constexpr (rules.memory == engine::residence::psum) check_.in_psum(name, f);
    if (rules.elements != engine::element_kind::any || is_packed(f.type()))
      check_.has_elements(name, f, rules.elements);
    if constexpr (rules.type_of != nullptr)
      check_.has_type(name, f, at<place_of<Instruction>(rules.type_of)>().type());
    if constexpr (rules.one_in_sbuf != nullptr)
      check_.one_in_sbuf(name, f, rules.one_in_sbuf,
                         at<place_of<Instruction>(rules.one_in_sbuf)>());
  }

  // Refuses tiles and constants that a bitwise operation does not take.
  void integers(engine::alu_op op) const {
    engine::for_each_field(i_, [&]<class Place, class Field>(Place, const Field& f) {
      constexpr const char* name = Instruction::fields[Place::value].name;
      if constexpr (is_tile<Field>)
        if (!tile_of(f).empty()) return check_.has_integers(name, tile_of(f), op);
      if constexpr (std::is_same_v<Field, engine::scalar_operand>)
        check_.is_word(name, f.value, op);
    });
  }

  const checker& check_;
  const Instruction& i_;
};

/// Refuses what the rules of the instruction's fields do not allow.
template <class Instruction>
void check_fields(const checker& check, const Instruction& i) {
  field_checks<Instruction>(check, i).all();
}

}  // namespace papilio::engine_detail
