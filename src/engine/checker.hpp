#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "engine/operand_list.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/isa/rules.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/operand.hpp"

namespace papilio::engine_detail {

/// Checks one instruction of a kernel at a time and throws what it refuses. A message is put
/// together only where it is thrown, since programs have millions of instructions.
class checker {
 public:
  checker(const engine::machine_spec& machine, const std::string& kernel) noexcept
      : machine_(machine), kernel_(kernel), generation_(engine::core_generation(machine)) {}
  void begin(const char* opcode, std::uint64_t index) {
    opcode_ = opcode;
    index_ = index;
  }

  const engine::machine_spec& machine() const { return machine_; }

  /// Throws kernel_error: "kernel K: instruction I (OPCODE): OPERAND: REASON".
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
  /// Refuses unless `ok`; `reason` is the message in parts, of which views may be some.
  template <class... Parts>
  void that(bool ok, const char* operand, const Parts&... reason) const {
    if (!ok) refuse(operand, base_detail::message(reason...));
  }

  /// Refuses a value, or an instruction, that a rule of the machine's core generation does not
  /// allow.
  void keeps(engine::isa_rule rule, double value = 0) const;

  void in_sbuf(const char* operand, const engine::tile_view& view) const;
  void in_psum(const char* operand, const engine::tile_view& view) const;
  void has_type(const char* operand, const engine::tile_view& view, engine::dtype type) const;
  void given(const char* operand, const engine::tile_view& view) const;
  /// Refuses a view whose partitions or elements a partition differ from the other's.
  void same_shape(const char* operand, const engine::tile_view& view, const char* other_name,
                  const engine::tile_view& other) const;
  /// Refuses all but a (P, 1) tile, where `data` has P partitions.
  void scalar_operand(const char* operand, const engine::tile_view& view,
                      const engine::tile_view& data) const;
  /// Refuses a count that is not equal to `bound`, the count of the other operand.
  void as_many(const char* operand, const char* what, std::int64_t value, const char* other_name,
               std::int64_t bound) const {
    that(value == bound, operand, what, " (as ", other_name, ") must be ", bound, ", got ", value);
  }
  /// Refuses what are no scales of a packed operand (mx_scale_rows).
  void scales(const char* operand, const engine::tile_view& view, const char* packed_name,
              const engine::tile_view& packed) const;
  void one_element(const char* operand, const engine::tile_view& view) const;
  void has_elements(const char* operand, const engine::tile_view& view,
                    engine::element_kind kind) const;
  /// Refuses two tiles in PSUM where an instruction reads both: one must be in SBUF.
  void one_in_sbuf(const char* operand, const engine::tile_view& view, const char* other_name,
                   const engine::tile_view& other) const;
  /// Refuses a number outside the bounds of its field.
  void within(const char* operand, double value, const engine::field_rules& rules) const {
    if (!holds(rules, value)) refuse_number(operand, value, rules);
  }
  /// Returns whether a number is within the bounds of its field; NaN is only where it has none.
  static bool holds(const engine::field_rules& rules, double value) {
    return !rules.bounded() || (value >= rules.least && value <= rules.most);
  }
  /// Returns the bounds of a number in words: "must be in [0, 1]", "must be at least 1".
  static std::string expected(const engine::field_rules& rules);
  /// Returns whether a setting may be this operation; operation() refuses one that may not.
  static bool allows(engine::operations choice, engine::alu_op op);
  void operation(const char* operand, engine::alu_op op, engine::operations choice) const;
  /// Bitwise operations take tiles of int32 or uint8, and constants that are 32-bit integers.
  void has_integers(const char* operand, const engine::tile_view& view, engine::alu_op op) const;
  void is_word(const char* operand, double value, engine::alu_op op) const;
  /// Refuses a unit whose bit is not set in `units`; where no bit is set, any unit will do.
  void runs_on(engine::unit on, unsigned units) const {
    if (units != 0 && (units >> unsigned(on) & 1) == 0) refuse_choice("on", on, units);
  }
  /// Refuses a command to the reduce registers whose bit is not set in `commands`.
  void commands(engine::reduce_command command, unsigned commands) const {
    if (commands != 0 && (commands >> unsigned(command) & 1) == 0)
      refuse_choice("command", command, commands);
  }
  /// Refuses outputs that overlap one another, and an output that overlaps an input without being
  /// the same elements: the values read would depend on how many have been written by then.
  void overlaps(const operand_list& list) const;

  /// Refuses a tile operand that breaks a rule of the machine: a tile that was freed, partitions
  /// that start where an access may not, levels, extents or strides beyond the hardware's, elements
  /// outside the tile, or memory that the engine cannot reach. Stores the operand's region in
  /// `o.bytes`.
  void operand(named_operand& o, engine::unit on) const;
  /// Refuses an operand in HBM that leaves its tensor, or that writes to an input or to an element
  /// twice. Stores the operand's region in `o.bytes`.
  void tensor(named_operand& o) const;

 private:
  [[noreturn]] void refuse_number(const char* operand, double value,
                                  const engine::field_rules& rules) const;
  template <class Choice>
  [[noreturn]] void refuse_choice(const char* operand, Choice given, unsigned allowed) const;
  bool is_plain(named_operand& o, engine::unit on) const;
  void pattern(named_operand& o) const;
  void require_no_repetition(const char* name, std::span<const engine::pattern_dim> dims) const;

  const engine::machine_spec& machine_;
  const std::string& kernel_;
  int generation_;
  const char* opcode_ = "";
  std::uint64_t index_ = 0;
};

}  // namespace papilio::engine_detail
