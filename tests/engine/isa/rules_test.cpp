#include "papilio/engine/isa/rules.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "engine/support.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::engine::test {
namespace {

/// Issues an instruction that has `value` where the rule looks, and is fine otherwise.
using breach = std::function<void(core&, double value)>;

constexpr double lowest = std::numeric_limits<float>::lowest();

tile_view sbuf(core& nc, std::vector<tile>& tiles, int partitions, double columns,
               dtype type = dtype::fp32) {
  tiles.push_back(nc.sbuf(partitions, std::int64_t(columns), type));
  return tiles.back();
}

void add_product_to_memset(core& nc, double) {
  const tile s = nc.sbuf(128, 128), x = nc.sbuf(128, 512), p = nc.psum(128, 512);
  nc.issue(memset{.out = p});
  nc.issue(matmul{.out = p, .stationary = s, .moving = x, .accumulate = true});
}

struct case_of_rule {
  isa_rule rule;
  std::vector<double> allowed, refused;  // on a core that has the rule
  breach issue;
};

const std::vector<case_of_rule>& rule_cases() {
  static const std::vector<case_of_rule> all{
      {isa_rule::activate2_exists,
       {},
       {0},
       [](core& nc, double) {
         std::vector<tile> t;
         nc.issue(activate2{.out = sbuf(nc, t, 1, 8), .in = sbuf(nc, t, 1, 8)});
       }},
      {isa_rule::barrier_exists,
       {},
       {2},
       [](core& nc, double n) { nc.issue(core_barrier{.cores = int(n)}); }},
      {isa_rule::exponential_exists,
       {},
       {0},
       [](core& nc, double) {
         std::vector<tile> t;
         nc.issue(exponential{.out = sbuf(nc, t, 1, 8), .in = sbuf(nc, t, 1, 8)});
       }},
      {isa_rule::find_index8_elements,
       {8, 9, 16384},
       {7, 1, 16385},
       [](core& nc, double n) {
         std::vector<tile> t;
         nc.issue(find_index8{.out = sbuf(nc, t, 1, 8, dtype::int32),
                              .in = sbuf(nc, t, 1, n),
                              .values = sbuf(nc, t, 1, 8)});
       }},
      {isa_rule::local_gather_group,
       {1, 2, 4, 8, 16, 32},
       {-4, 0, 3, 5, 12, 31, 33, 64},
       [](core& nc, double e) {
         std::vector<tile> t;
         const double each = std::max(1.0, e);
         nc.issue(local_gather{.out = sbuf(nc, t, 16, each),
                               .in = sbuf(nc, t, 16, 4 * each),
                               .indices = sbuf(nc, t, 16, 1, dtype::int32),
                               .elements_per_index = int(e)});
       }},
      {isa_rule::local_gather_indices,
       {1, 100, 4096},
       {4097, 8192},
       [](core& nc, double n) {
         std::vector<tile> t;
         nc.issue(local_gather{.out = sbuf(nc, t, 16, n),
                               .in = sbuf(nc, t, 16, 8),
                               .indices = sbuf(nc, t, 16, std::ceil(n / 16), dtype::int32)});
       }},
      {isa_rule::match_replace8_elements,
       {1, 8, 16384},
       {16385, 20000},
       [](core& nc, double n) {
         std::vector<tile> t;
         nc.issue(match_replace8{
             .out = sbuf(nc, t, 1, n), .in = sbuf(nc, t, 1, n), .values = sbuf(nc, t, 1, 8)});
       }},
      {isa_rule::accumulate_onto_product, {}, {0}, add_product_to_memset},
      {isa_rule::max8_elements,
       {8, 9, 16384},
       {7, 1, 16385, 20000},
       [](core& nc, double n) {
         std::vector<tile> t;
         nc.issue(max8{.out = sbuf(nc, t, 1, 8), .in = sbuf(nc, t, 1, n)});
       }},
      {isa_rule::range_select_exists,
       {},
       {0},
       [](core& nc, double) {
         std::vector<tile> t;
         nc.issue(range_select{.out = sbuf(nc, t, 1, 64), .in = sbuf(nc, t, 1, 64)});
       }},
      {isa_rule::range_select_otherwise,
       {lowest},
       {0, -1, -std::numeric_limits<double>::infinity(), std::nan("")},
       [](core& nc, double value) {
         std::vector<tile> t;
         nc.issue(range_select{
             .out = sbuf(nc, t, 1, 64), .in = sbuf(nc, t, 1, 64), .on_false = float(value)});
       }},
      {isa_rule::send_receive_exists,
       {},
       {1},
       [](core& nc, double to) {
         std::vector<tile> t;
         nc.issue(send_receive{.out = sbuf(nc, t, 1, 8), .in = sbuf(nc, t, 1, 8), .to = int(to)});
       }},
      {isa_rule::copy_on_scalar,
       {},
       {0},
       [](core& nc, double) {
         std::vector<tile> t;
         nc.issue(
             tensor_copy{.out = sbuf(nc, t, 1, 8), .in = sbuf(nc, t, 1, 8), .on = unit::scalar});
       }},
      {isa_rule::scalar_engine_operations,
       {},
       {0},
       [](core& nc, double) {
         std::vector<tile> t;
         nc.issue(tensor_scalar{.out = sbuf(nc, t, 1, 8),
                                .in = sbuf(nc, t, 1, 8),
                                .op0 = alu_op::subtract,
                                .operand0 = 1,
                                .on = unit::scalar});
       }},
      {isa_rule::matmul_mx_exists,
       {},
       {0},
       [](core& nc, double) {
         std::vector<tile> t;
         const tile out = nc.psum(2, 8);
         const tile_view x = sbuf(nc, t, 32, 8, dtype::fp8_e4m3fn_x4),
                         scales = sbuf(nc, t, 4, 8, dtype::uint8);
         nc.issue(matmul_mx{.out = out,
                            .stationary = x.columns(0, 2),
                            .stationary_scales = scales.columns(0, 2),
                            .moving = x,
                            .moving_scales = scales});
       }},
      {isa_rule::quantize_mx_exists,
       {},
       {0},
       [](core& nc, double) {
         std::vector<tile> t;
         nc.issue(quantize_mx{.out = sbuf(nc, t, 32, 8, dtype::fp8_e4m3fn_x4),
                              .scales = sbuf(nc, t, 4, 8, dtype::uint8),
                              .in = sbuf(nc, t, 32, 32, dtype::bf16)});
       }},
      {isa_rule::ocp_fp8_products,
       {},
       {0},
       [](core& nc, double) {
         std::vector<tile> t;
         const tile_view x = sbuf(nc, t, 8, 8, dtype::fp8_e4m3fn);
         nc.issue(matmul{.out = nc.psum(8, 8), .stationary = x, .moving = x});
       }},
  };
  return all;
}

const machine_spec& machine_of(int generation) {
  static const machine_spec v2 = trainium1(), v3 = trainium2(), v4 = trainium3();
  return generation == 2 ? v2 : generation == 3 ? v3 : v4;
}

/// The refusal, or none.
std::optional<std::string> refusal_of(const case_of_rule& c, const machine_spec& machine,
                                      double value) {
  core nc(machine, {.mode = run_mode::dry_run, .strict = false});
  try {
    c.issue(nc, value);
  } catch (const kernel_error& e) {
    EXPECT_EQ(e.instruction(), row_of(c.rule).instruction);
    EXPECT_EQ(e.operand(), row_of(c.rule).operand);
    return e.what();
  }
  return std::nullopt;
}

TEST(isa_rules, each_has_a_case) {
  ASSERT_EQ(rule_cases().size(), isa_rules().size());
  for (std::size_t i = 0; i < rule_cases().size(); ++i) {
    EXPECT_EQ(rule_cases()[i].rule, isa_rules()[i].rule) << i;
    EXPECT_FALSE(rule_cases()[i].refused.empty()) << i;
  }
}

TEST(isa_rules, refuse_what_breaks_them_where_they_hold_and_nothing_elsewhere) {
  for (const case_of_rule& c : rule_cases()) {
    const isa_rule_row& row = row_of(c.rule);
    for (const int generation : {2, 3, 4}) {
      const machine_spec& machine = machine_of(generation);
      // NeuronCore-v2 refuses range_select whatever on_false is.
      if (c.rule == isa_rule::range_select_otherwise && generation == 2) continue;
      EXPECT_EQ(has_rule(machine, c.rule), row.is_of(generation));
      if (!row.is_of(generation)) {
        for (const double value : c.refused)
          EXPECT_EQ(refusal_of(c, machine, value), std::nullopt) << row.instruction;
        continue;
      }
      for (const double value : c.allowed)
        EXPECT_EQ(refusal_of(c, machine, value), std::nullopt) << row.instruction << ' ' << value;
      for (const double value : c.refused) {
        const std::optional<std::string> said = refusal_of(c, machine, value);
        ASSERT_TRUE(said) << row.instruction << ' ' << value;
        EXPECT_NE(said->find(to_string(row)), std::string::npos) << *said;
        EXPECT_NE(said->find(machine.core + ", " + row.source), std::string::npos) << *said;
      }
    }
  }
}

TEST(isa_rules, say_what_they_ask_and_what_they_got) {
  core nc(trainium1(), {.mode = run_mode::dry_run, .strict = false});
  const tile in = nc.sbuf(16, 96), out = nc.sbuf(16, 96), at = nc.sbuf(16, 6, dtype::int32);
  EXPECT_EQ(refusal(nc, max8{.out = out->columns(0, 8), .in = in->columns(0, 7)}),
            "in: elements a partition must be 8 to 16384, got 7 (NeuronCore-v2, K:max8)");
  EXPECT_EQ(refusal(nc, local_gather{.out = out, .in = in, .indices = at, .elements_per_index = 3}),
            "elements_per_index: must be a power of two from 1 to 32, got 3 (NeuronCore-v2, "
            "K:local_gather)");
  EXPECT_EQ(refusal(nc, core_barrier{}),
            "machine: must be NeuronCore-v3 or newer (NeuronCore-v2, K:core_barrier)");
}

TEST(isa_rules, let_the_scalar_engine_of_trainium2_multiply_and_add) {
  core nc(trainium2(), {.mode = run_mode::dry_run, .strict = false});
  const tile x = nc.sbuf(128, 16);
  const auto with = [&](alu_op op0, alu_op op1) {
    return refusal(nc, tensor_scalar{.out = x,
                                     .in = x,
                                     .op0 = op0,
                                     .operand0 = 2,
                                     .op1 = op1,
                                     .operand1 = 3,
                                     .on = unit::scalar});
  };
  EXPECT_EQ(with(alu_op::multiply, alu_op::bypass), "(accepted)");
  EXPECT_EQ(with(alu_op::add, alu_op::bypass), "(accepted)");
  EXPECT_EQ(with(alu_op::multiply, alu_op::add), "(accepted)");
  EXPECT_NE(with(alu_op::add, alu_op::multiply), "(accepted)");
  EXPECT_NE(with(alu_op::add, alu_op::add), "(accepted)");
  EXPECT_NE(with(alu_op::maximum, alu_op::bypass), "(accepted)");
}

// The same copy on each unit of each machine, at the same cost.
TEST(isa_rules, are_kept_by_copies_that_ask_the_machine) {
  for (const int generation : {2, 3})
    for (const unit on : {unit::vector, unit::scalar, unit::gpsimd}) {
      const machine_spec& machine = machine_of(generation);
      core nc(machine, {});
      const tile x = nc.sbuf(16, 300), y = nc.sbuf(16, 300, dtype::bf16);
      load(nc, x, values_between(-2, 2, 16 * 300));
      copy_tile(nc, y, x, on);
      const std::vector<float> in = read(nc, x), out = read(nc, y);
      for (std::size_t i = 0; i < in.size(); ++i)
        ASSERT_EQ(out[i], round_to(dtype::bf16, in[i])) << to_string(on);
      EXPECT_EQ(cost_ns(copy(y, x, on), machine),
                cost_ns(tensor_copy{.out = y, .in = x, .on = on}, machine));
    }
}

TEST(isa_rules, need_a_core_whose_generation_is_known) {
  machine_spec m = trainium2();
  EXPECT_EQ(core_generation(m), 3);
  EXPECT_EQ(core_generation(trainium1()), 2);
  for (const char* const name : {"", "NeuronCore-v1", "NeuronCore-v", "NeuronCore-v22", "trn2"}) {
    m.core = name;
    EXPECT_EQ(core_generation(m), 0) << name;
    EXPECT_THROW(require_valid(m), invalid_argument) << name;
  }
}

}  // namespace
}  // namespace papilio::engine::test
