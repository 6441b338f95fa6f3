// Instructions by their names: what the library says of each, and instructions made of text.

#include "papilio/engine/instruction_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "engine/support.hpp"
#include "papilio/base/error.hpp"

namespace papilio::engine::test {
namespace {

using value_map = std::vector<named_value>;

struct instruction_text : fixture {
  tile x = nc.sbuf(64, 40), y = nc.sbuf(64, 40), z = nc.sbuf(64, 40), column = nc.sbuf(64, 1);
};

std::string fault_of(std::string_view name, std::initializer_list<named_value> values) {
  try {
    make_instruction(name, values);
  } catch (const invalid_argument& e) {
    return e.what();
  }
  return "(made)";
}

const described_field& field_of(const described_instruction& d, std::string_view name) {
  return *std::ranges::find(d.fields, name, [](const described_field& f) { return f.what.name; });
}

TEST_F(instruction_text, lists_every_instruction_with_its_fields) {
  const std::vector<std::string> names = instruction_names();
  ASSERT_EQ(names.size(), std::variant_size_v<instruction>);
  EXPECT_TRUE(std::ranges::is_sorted(names));
  std::size_t index = 0;
  const auto expect_described = [&]<class One>(const One&) {
    EXPECT_EQ(names[index++], One::opcode);
    const described_instruction d = describe_instruction(One::opcode);
    EXPECT_EQ(d.name, One::opcode);
    EXPECT_FALSE(d.units.empty()) << d.name;
    ASSERT_EQ(d.fields.size(), std::size(One::fields)) << d.name;
    for (std::size_t k = 0; k < d.fields.size(); ++k) {
      const described_field& f = d.fields[k];
      EXPECT_STREQ(f.what.name, One::fields[k].name);
      EXPECT_EQ(f.what.does, One::fields[k].does);
      // Operands named in rules are fields of the instruction.
      const field_rules& r = f.what.rules;
      for (const char* const other : {r.like, r.rows_of, r.columns_of, r.type_of, r.one_in_sbuf})
        if (other != nullptr) {
          EXPECT_EQ(std::ranges::count(One::fields, std::string(other),
                                       [](const field& g) { return std::string(g.name); }),
                    1)
              << d.name << " " << f.what.name;
        }
      const bool is_setting = f.what.does == role::setting;
      const bool is_list = f.type == "pattern" || f.type == "integers" || f.type == "semaphore";
      if (is_setting && !is_list) {
        EXPECT_FALSE(f.preset.empty()) << d.name << " " << f.what.name;
      }
      EXPECT_EQ(f.type == "choice", !f.choices.empty()) << d.name << " " << f.what.name;
    }
    // It has a result, or is about order and other cores.
    const bool writes = std::ranges::any_of(d.fields, [](const described_field& f) {
      return f.what.does != role::setting && f.what.does != role::read && f.what.does != role::load;
    });
    const bool orders = d.name == "collective" || d.name == "core_barrier" ||
                        d.name == "semaphore_signal" || d.name == "semaphore_wait";
    EXPECT_NE(writes, orders) << d.name;
  };
  [&]<class... One>(const std::variant<One...>*) {
    (expect_described(One()), ...);
  }(static_cast<const instruction*>(nullptr));
}

TEST_F(instruction_text, describes_operands_and_settings) {
  const described_instruction d = describe_instruction("tensor_tensor");
  EXPECT_EQ(d.units, (std::vector<std::string>{"vector", "gpsimd"}));
  EXPECT_EQ(field_of(d, "out").what.does, role::write);
  EXPECT_EQ(field_of(d, "right").what.does, role::read);
  EXPECT_STREQ(field_of(d, "right").what.rules.like, "out");
  EXPECT_STREQ(field_of(d, "right").what.rules.one_in_sbuf, "left");
  EXPECT_EQ(field_of(d, "op").preset, "add");
  EXPECT_EQ(field_of(d, "op").choices.size(), 23u);
  EXPECT_EQ(field_of(d, "on").choices, (std::vector<std::string>{"vector", "gpsimd"}));
  EXPECT_EQ(field_of(describe_instruction("matmul"), "out").what.does, role::write_or_update);
  EXPECT_EQ(field_of(describe_instruction("matmul"), "stationary").what.does, role::load);
  EXPECT_TRUE(field_of(describe_instruction("activation"), "bias").what.rules.optional);
  EXPECT_EQ(field_of(describe_instruction("range_select"), "op0").choices.size(), 6u);
  EXPECT_EQ(field_of(describe_instruction("collective"), "cores").what.rules.most, 4096);
  EXPECT_EQ(describe_instruction("max8").units, (std::vector<std::string>{"vector"}));
  EXPECT_EQ(describe_instruction("semaphore_wait").units.size(), std::size_t(unit_count));
}

TEST_F(instruction_text, is_json) {
  for (const std::string& name : instruction_names()) {
    const auto d = nlohmann::json::parse(describe_instruction(name).to_json());
    EXPECT_EQ(d.at("name"), name);
    for (const auto& f : d.at("fields")) {
      EXPECT_TRUE(f.contains("name") && f.contains("role") && f.contains("type")) << name;
    }
  }
  const auto d = nlohmann::json::parse(describe_instruction("dropout").to_json());
  EXPECT_EQ(d.at("fields").at(2), (nlohmann::json{{"name", "probability"},
                                                  {"role", "read"},
                                                  {"type", "number or tile"},
                                                  {"optional", true},
                                                  {"preset", "0"},
                                                  {"least", 0},
                                                  {"most", 1},
                                                  {"rows_of", "out"},
                                                  {"columns", 1}}));
}

TEST_F(instruction_text, makes_the_instruction_that_cpp_makes) {
  const engine_register at = nc.make_register(unit::vector);
  const hbm_view tensor = nc.hbm({64, 40});
  const auto expect_same = [](const instruction& made, const instruction& built) {
    EXPECT_TRUE(made == built) << opcode(made);
  };
  expect_same(
      make_instruction(
          "tensor_tensor",
          {{"out", x}, {"left", y}, {"right", z}, {"op", "multiply"}, {"on", "gpsimd"}}),
      tensor_tensor{.out = x, .left = y, .right = z, .op = alu_op::multiply, .on = unit::gpsimd});
  expect_same(
      make_instruction("activation", {{"in", y.whole()},
                                      {"out", x},
                                      {"function", "exp"},
                                      {"scale", "-0.5"},
                                      {"bias", column}}),
      activation{
          .out = x, .in = y, .function = activation_function::exp, .scale = -0.5f, .bias = column});
  expect_same(make_instruction("tensor_scalar", {{"out", x},
                                                 {"in", y},
                                                 {"op0", "add"},
                                                 {"operand0", "3"},
                                                 {"op1", "multiply"},
                                                 {"operand1", column},
                                                 {"reverse1", "true"}}),
              tensor_scalar{.out = x,
                            .in = y,
                            .op0 = alu_op::add,
                            .operand0 = 3,
                            .op1 = alu_op::multiply,
                            .operand1 = column,
                            .reverse1 = true});
  expect_same(make_instruction("dma_copy", {{"out", x}, {"in", tensor}, {"queue", "3"}}),
              dma_copy{.out = x.whole(), .in = tensor, .queue = 3});
  expect_same(make_instruction("iota", {{"out", x}, {"pattern", "5 -1 4 10 10 1"}}),
              iota{.out = x,
                   .pattern = {.base = 5,
                               .partition_step = -1,
                               .levels = {pattern_dim{}, pattern_dim{}, {4, 10}, {10, 1}}}});
  std::array<std::uint8_t, 32> mask{};
  mask[0] = 255;
  mask[31] = 7;
  std::string text = "255";
  for (int i = 1; i < 31; ++i) text += " 0";
  expect_same(make_instruction("stream_shuffle", {{"out", x}, {"in", y}, {"mask", text + " 7"}}),
              stream_shuffle{.out = x, .in = y, .mask = mask});
  expect_same(
      make_instruction("tensor_copy_dynamic",
                       {{"out", x->columns(0, 20)}, {"in", y}, {"offset", at}, {"side", "source"}}),
      tensor_copy_dynamic{.out = x->columns(0, 20), .in = y, .offset = at});
  EXPECT_FALSE(make_instruction("tensor_copy", {{"out", x}, {"in", y}}) ==
               instruction(tensor_copy{.out = x, .in = z}));
  EXPECT_FALSE(make_instruction("max8", {}) == instruction(reciprocal{}));
  // Each without values is the one that C++ has without any.
  [&]<class... One>(const std::variant<One...>*) {
    (expect_same(make_instruction(One::opcode, {}), One()), ...);
  }(static_cast<const instruction*>(nullptr));
}

TEST_F(instruction_text, refuses_what_no_instruction_has) {
  EXPECT_EQ(fault_of("tensor_tensr", {}),
            "make_instruction: there is no instruction tensor_tensr; did you mean tensor_tensor?");
  EXPECT_THROW(describe_instruction("add"), invalid_argument);
  EXPECT_EQ(fault_of("max8", {{"inn", x}}),
            "make_instruction: max8: inn: is no field; there are out, in");
  EXPECT_EQ(fault_of("max8", {{"in", x}, {"in", y}}), "make_instruction: max8: in: is given twice");
  EXPECT_EQ(fault_of("dropout", {{"probability", "1.5"}}),
            "make_instruction: dropout: probability: must be in [0, 1], got 1.5");
  EXPECT_EQ(fault_of("collective", {{"cores", "0"}}),
            "make_instruction: collective: cores: must be in [1, 4096], got 0");
  EXPECT_EQ(fault_of("send_receive", {{"to", "-1"}}),
            "make_instruction: send_receive: to: must be at least 0, got -1");
  EXPECT_EQ(fault_of("memset", {{"on", "scalar"}}),
            "make_instruction: memset: on: must be one of vector, gpsimd, got scalar");
  EXPECT_EQ(fault_of("affine_select", {{"compare", "add"}}),
            "make_instruction: affine_select: compare: must be one of equal, not_equal, greater, "
            "greater_equal, less, less_equal, got add");
  EXPECT_EQ(fault_of("tensor_reduce", {{"levels", "two"}}),
            "make_instruction: tensor_reduce: levels: must be an integer, got two");
  EXPECT_EQ(fault_of("matmul", {{"accumulate", "1"}}),
            "make_instruction: matmul: accumulate: must be true or false, got 1");
  EXPECT_EQ(fault_of("activation", {{"scale", "1x"}}),
            "make_instruction: activation: scale: must be a number, got 1x");
  EXPECT_EQ(fault_of("iota", {{"pattern", "0 1 2"}}),
            "make_instruction: iota: pattern: must be a base, a step and up to 4 pairs of extent "
            "and stride, got 0 1 2");
  EXPECT_EQ(fault_of("max8", {{"out", "x"}}), "make_instruction: max8: out: must be a tile, got x");
  EXPECT_EQ(fault_of("max8", {{"out", semaphore{}}}),
            "make_instruction: max8: out: must be a tile, got another operand");
  EXPECT_EQ(fault_of("dma_copy", {{"queue", "99999999999"}}),
            "make_instruction: dma_copy: queue: must be an integer, got 99999999999");
}

}  // namespace
}  // namespace papilio::engine::test
