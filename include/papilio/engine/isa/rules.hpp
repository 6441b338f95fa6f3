#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "papilio/base/export.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::engine {

/// Names a rule that the vendor's documents state for an instruction and that no number of
/// machine_spec expresses. An instruction that breaks one which its machine's generation has is
/// refused with kernel_error.
enum class isa_rule : std::uint8_t {
  activate2_exists,
  barrier_exists,
  exponential_exists,
  find_index8_elements,
  local_gather_group,
  local_gather_indices,
  match_replace8_elements,
  accumulate_onto_product,
  max8_elements,
  range_select_exists,
  range_select_otherwise,
  send_receive_exists,
  copy_on_scalar,
  scalar_engine_operations,
  matmul_mx_exists,
  quantize_mx_exists,
  ocp_fp8_products
};

/// Describes a rule: values from `least` to `most` are allowed, or the powers of two among them.
/// Where at most one value is, `subject` is a whole sentence.
struct PAPILIO_API isa_rule_row {
  isa_rule rule;
  const char* instruction;                ///< its opcode
  const char* operand;                    ///< operand or setting that a refusal names
  const char* subject;                    ///< counted quantity, or the sentence
  int first_generation, last_generation;  ///< cores that have the rule: 2 is NeuronCore-v2
  double least, most;
  bool powers_of_two;
  const char* source;  ///< page, by the tags of source_documents

  bool allows(double value) const;
  bool is_of(int generation) const {
    return generation >= first_generation && generation <= last_generation;
  }
};

/// Returns all rules, in the order of isa_rule.
PAPILIO_API std::span<const isa_rule_row> isa_rules();
PAPILIO_API const isa_rule_row& row_of(isa_rule rule);
/// Returns the rule as a sentence: "elements a partition must be 8 to 16384".
PAPILIO_API std::string to_string(const isa_rule_row& row);

/// Returns the generation in the name of the machine's core, 2 for NeuronCore-v2; 0 if none is.
PAPILIO_API int core_generation(const machine_spec& machine);
/// Returns whether the rule is one of the machine's core.
PAPILIO_API bool has_rule(const machine_spec& machine, isa_rule rule);

}  // namespace papilio::engine
