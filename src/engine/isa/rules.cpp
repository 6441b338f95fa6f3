#include "papilio/engine/isa/rules.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "papilio/base/error.hpp"

namespace papilio::engine {
namespace {

constexpr int v2 = 2, v3 = 3, newest = std::numeric_limits<int>::max();
constexpr double fp32_min = std::numeric_limits<float>::lowest();

constexpr isa_rule_row counted(isa_rule rule, const char* instruction, const char* operand,
                               const char* subject, double least, double most, const char* source) {
  return {rule, instruction, operand, subject, v2, newest, least, most, false, source};
}
constexpr isa_rule_row forbidden(isa_rule rule, const char* instruction, const char* operand,
                                 const char* sentence, int first, int last, const char* source) {
  return {rule, instruction, operand, sentence, first, last, 0, -1, false, source};
}
constexpr isa_rule_row from_v3_on(isa_rule rule, const char* instruction, const char* source) {
  return forbidden(rule, instruction, "machine", "must be NeuronCore-v3 or newer", v2, v2, source);
}
constexpr isa_rule_row from_v4_on(isa_rule rule, const char* instruction, const char* source) {
  return forbidden(rule, instruction, "machine", "must be NeuronCore-v4 or newer", v2, v3, source);
}

constexpr std::array rows{
    from_v4_on(isa_rule::activate2_exists, "activate2", "K:activate2"),
    from_v3_on(isa_rule::barrier_exists, "core_barrier", "K:core_barrier"),
    from_v4_on(isa_rule::exponential_exists, "exponential", "K:exponential"),
    counted(isa_rule::find_index8_elements, "find_index8", "in", "elements a partition", 8, 16384,
            "K:nc_find_index8"),
    isa_rule_row{isa_rule::local_gather_group, "local_gather", "elements_per_index", "", v2, newest,
                 1, 32, true, "K:local_gather"},
    counted(isa_rule::local_gather_indices, "local_gather", "out", "indices of a processor", 1,
            4096, "K:local_gather"),
    counted(isa_rule::match_replace8_elements, "match_replace8", "in", "elements a partition", 1,
            16384, "I:nc_match_replace8"),
    forbidden(isa_rule::accumulate_onto_product, "matmul", "out",
              "adds to what no product has put there: the first product of a sum has accumulate = "
              "false",
              v2, v3, "K:nc_matmul"),
    counted(isa_rule::max8_elements, "max8", "in", "elements a partition", 8, 16384, "K:max8"),
    from_v3_on(isa_rule::range_select_exists, "range_select", "K:range_select"),
    isa_rule_row{isa_rule::range_select_otherwise, "range_select", "on_false",
                 "must be -3.4028235e+38, the least fp32 number", v2, newest, fp32_min, fp32_min,
                 false, "K:range_select"},
    from_v3_on(isa_rule::send_receive_exists, "send_receive", "K:sendrecv"),
    forbidden(isa_rule::copy_on_scalar, "tensor_copy", "on",
              "must not be scalar, which copies by activation with function copy", v2, v2,
              "K:tensor_copy"),
    forbidden(isa_rule::scalar_engine_operations, "tensor_scalar", "op0",
              "must be multiply, add, or multiply and then add, on the scalar engine", v3, v3,
              "K:tensor_scalar"),
    from_v4_on(isa_rule::matmul_mx_exists, "matmul_mx", "K:nc_matmul_mx"),
    from_v4_on(isa_rule::quantize_mx_exists, "quantize_mx", "K:quantize_mx"),
    forbidden(isa_rule::ocp_fp8_products, "matmul", "moving",
              "must not be fp8_e4m3fn, nor stationary, before NeuronCore-v4", v2, v3,
              "K:nc_matmul"),
};

constexpr bool are_in_order() {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (std::size_t(rows[i].rule) != i) return false;
  return true;
}
static_assert(are_in_order(), "a row is not at its rule's place");

bool is_power_of_two(double value) { return std::exp2(std::round(std::log2(value))) == value; }

}  // namespace

bool isa_rule_row::allows(double value) const {
  return value >= least && value <= most && (!powers_of_two || is_power_of_two(value));
}

std::span<const isa_rule_row> isa_rules() { return rows; }

const isa_rule_row& row_of(isa_rule rule) { return rows[std::size_t(rule)]; }

std::string to_string(const isa_rule_row& row) {
  if (row.least >= row.most) return row.subject;
  const std::string subject = *row.subject == '\0' ? "" : std::string(row.subject) + " ";
  return base_detail::message(subject, "must be ", row.powers_of_two ? "a power of two from " : "",
                              row.least, " to ", row.most);
}

int core_generation(const machine_spec& machine) {
  static constexpr std::string_view family = "NeuronCore-v";
  const std::string_view core = machine.core;
  if (core.size() != family.size() + 1 || !core.starts_with(family)) return 0;
  const char digit = core.back();
  return digit >= '2' && digit <= '9' ? digit - '0' : 0;
}

bool has_rule(const machine_spec& machine, isa_rule rule) {
  return row_of(rule).is_of(core_generation(machine));
}

}  // namespace papilio::engine
