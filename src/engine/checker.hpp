#pragma once

#include <cstdint>
#include <string>

#include "engine/operand_list.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/isa/rules.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/operand.hpp"

namespace papilio::engine_detail {

/// Says no in the name of one instruction of a kernel. Texts are made only where it does.
class checker {
 public:
  checker(const engine::machine_spec& machine, const std::string& kernel) noexcept
      : machine_(machine), kernel_(kernel), generation_(engine::core_generation(machine)) {}
  void begin(const char* opcode, std::uint64_t index) {
    opcode_ = opcode;
    index_ = index;
  }

  const engine::machine_spec& machine() const { return machine_; }

  /// kernel_error: "kernel K: instruction I (OPCODE): OPERAND: REASON".
  [[noreturn]] void refuse(const char* operand, const std::string& reason) const;

  template <class Value, class Bound>
  void at_most(const char* operand, const char* what, Value value, Bound bound) const {
    if (value > bound)
      refuse(operand, base_detail::message(what, " must be at most ", bound, ", got ", value));
  }
  template <class Value, class Bound>
  void equal(const char* operand, const char* what, Value value, Bound bound) const {
    if (value != bound)
      refuse(operand, base_detail::message(what, " must be ", bound, ", got ", value));
  }
  /// `reason` may be any parts of a message; views are described only where it is said.
  template <class... Parts>
  void that(bool ok, const char* operand, const Parts&... reason) const {
    if (!ok) refuse(operand, base_detail::message(reason...));
  }

  /// Refuses a value that a rule of this machine's core does not allow.
  void keeps(engine::isa_rule rule, double value = 0) const;

  void in_sbuf(const char* operand, const engine::tile_view& view) const;
  void in_psum(const char* operand, const engine::tile_view& view) const;
  void has_type(const char* operand, const engine::tile_view& view, engine::dtype type) const;
  void given(const char* operand, const engine::tile_view& view) const;
  /// Equal partitions and elements for each partition.
  void same_shape(const char* operand, const engine::tile_view& view, const char* other_name,
                  const engine::tile_view& other) const;
  /// A (P, 1) tile beside `data`.
  void scalar_operand(const char* operand, const engine::tile_view& view,
                      const engine::tile_view& data) const;
  /// As many as another operand has.
  void as_many(const char* operand, const char* what, std::int64_t value, const char* other_name,
               std::int64_t bound) const {
    that(value == bound, operand, what, " (as ", other_name, ") must be ", bound, ", got ", value);
  }
  void one_element(const char* operand, const engine::tile_view& view) const;
  void has_elements(const char* operand, const engine::tile_view& view,
                    engine::element_kind kind) const;
  /// Two tiles, read side by side, of which one must be in SBUF.
  void one_in_sbuf(const char* operand, const engine::tile_view& view, const char* other_name,
                   const engine::tile_view& other) const;
  /// A number within the bounds of its field.
  void within(const char* operand, double value, const engine::field_rules& rules) const {
    if (!holds(rules, value)) refuse_number(operand, value, rules);
  }
  /// Whether a number is within the bounds of its field: NaN where there are none.
  static bool holds(const engine::field_rules& rules, double value) {
    return !rules.bounded() || (value >= rules.least && value <= rules.most);
  }
  /// What a number must be by its bounds: "must be in [0, 1]", "must be at least 1".
  static std::string expected(const engine::field_rules& rules);
  /// Whether a setting may be this operation, and its refusal.
  static bool allows(engine::operations choice, engine::alu_op op);
  void operation(const char* operand, engine::alu_op op, engine::operations choice) const;
  /// What a bitwise operation takes.
  void has_integers(const char* operand, const engine::tile_view& view, engine::alu_op op) const;
  void is_word(const char* operand, double value, engine::alu_op op) const;
  /// The units that may execute an instruction; no bit: any.
  void runs_on(engine::unit on, unsigned units) const {
    if (units != 0 && (units >> unsigned(on) & 1) == 0) refuse_unit(on, units);
  }
  /// Refuses outputs that overlap one another, and an output that overlaps what it streams from
  /// without being the same elements: what an instruction would read depends on how far it is.
  void overlaps(const operand_list& list) const;

  /// What the machine asks of every operand of a compute engine: a live tile, partitions, where
  /// they start, levels, extents and strides of the pattern, bounds, the engine's reach and sizes.
  /// Also finds where the operand lies.
  void operand(named_operand& o, engine::unit on) const;
  /// And of a tensor in HBM: bounds.
  void tensor(named_operand& o) const;

 private:
  [[noreturn]] void refuse_number(const char* operand, double value,
                                  const engine::field_rules& rules) const;
  [[noreturn]] void refuse_unit(engine::unit on, unsigned units) const;
  bool is_plain(named_operand& o, engine::unit on) const;
  void pattern(const named_operand& o) const;

  const engine::machine_spec& machine_;
  const std::string& kernel_;
  int generation_;
  const char* opcode_ = "";
  std::uint64_t index_ = 0;
};

}  // namespace papilio::engine_detail
