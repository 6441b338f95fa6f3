#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "engine/isa/alu_oracle.hpp"
#include "engine/support.hpp"
#include "papilio/engine/device.hpp"

// Instructions that reduce into registers of their engine, from one instruction to the next.

namespace papilio::engine::test {
namespace {
namespace reducing {

using command = reduce_command;

constexpr int rows = 8;
constexpr std::int64_t columns = 37;
constexpr float infinity = std::numeric_limits<float>::infinity();

std::vector<float> row_of(const std::vector<float>& all, int p, std::int64_t count = columns) {
  return {all.begin() + p * count, all.begin() + (p + 1) * count};
}

class reduce_registers : public testing::Test {
 protected:
  tile filled(core& on, std::uint64_t seed, int partitions = rows, float lo = -2, float hi = 2) {
    tile t = on.sbuf(partitions, columns);
    load(on, t, values_between(lo, hi, std::size_t(partitions * columns), seed));
    return t;
  }
  core v2{trainium1(), {}}, v4{trainium3(), {}};
};

TEST_F(reduce_registers, of_activation_sum_from_one_instruction_to_the_next) {
  const tile x = filled(v2, 1), y = filled(v2, 2), out = v2.sbuf(rows, columns),
             first = v2.sbuf(rows, 1), both = v2.sbuf(rows, 1), again = v2.sbuf(rows, 1);
  const auto square = activation_function::square;
  v2.issue(activation{.out = out, .in = x, .function = square, .command = command::reset_reduce});
  v2.issue(activation{.out = out, .reduced = first, .in = x});  // idle: only reads
  v2.issue(activation{
      .out = out, .reduced = both, .in = y, .function = square, .command = command::reduce});
  v2.issue(activation{.out = out, .reduced = again, .in = x});
  const std::vector<float> a = read(v2, x), b = read(v2, y), one = read(v2, first),
                           two = read(v2, both);
  for (int p = 0; p < rows; ++p) {
    std::vector<float> u = row_of(a, p), v = row_of(b, p);
    for (std::vector<float>* const values : {&u, &v})
      for (float& value : *values) value *= value;
    EXPECT_EQ(one[std::size_t(p)], summed_in_order(u));
    EXPECT_EQ(two[std::size_t(p)], summed_in_order(u) + summed_in_order(v));
  }
  EXPECT_EQ(bits_of(read(v2, again)), bits_of(two));
}

TEST_F(reduce_registers, of_activation_are_what_activation_reduce_leaves) {
  const tile x = filled(v2, 3), out = v2.sbuf(rows, columns), sum = v2.sbuf(rows, 1),
             left = v2.sbuf(rows, 1), none = v2.sbuf(rows, 1);
  v2.issue(activation_reduce{.out = out, .reduced = sum, .in = x});
  v2.issue(activation{.out = out, .reduced = left, .in = x});
  EXPECT_EQ(bits_of(read(v2, left)), bits_of(read(v2, sum)));
  v2.issue(activation{.out = out, .reduced = none, .in = x, .command = command::reset});
  EXPECT_EQ(read(v2, none), std::vector<float>(rows, 0.0f));
}

// A lane is the partition that the instruction reads, and the engines have registers of their own.
TEST_F(reduce_registers, belong_to_partitions_and_engines) {
  const tile x = filled(v2, 4, 64), out = v2.sbuf(64, columns), sum = v2.sbuf(64, 1);
  const tile_view high = x->partition_range(32, 32), low = x->partition_range(0, 32);
  v2.issue(
      activation{.out = out->partition_range(0, 32), .in = high, .command = command::reset_reduce});
  const tile_view there = out->partition_range(32, 32), total = sum->partition_range(0, 32);
  EXPECT_EQ(refusal(v2, activation{.out = there, .reduced = total, .in = low}),
            "command: reads reduce registers of scalar that nobody has set: partitions 0 to 31");
  EXPECT_EQ(refusal(v2, activation{.out = there, .in = low, .command = command::reduce}),
            "command: reads reduce registers of scalar that nobody has set: partitions 0 to 31");
  EXPECT_EQ(refusal(v2,
                    tensor_scalar_reduce{
                        .out = there, .reduced = total, .in = high, .command = command::reduce}),
            "command: reads reduce registers of vector that nobody has set: partitions 32 to 63");
  EXPECT_EQ(refusal(v2, activation{.out = there, .reduced = total, .in = high}), "(accepted)");
  const std::vector<float> from = read(v2, high), got = read(v2, total);
  for (int p = 0; p < 32; ++p) EXPECT_EQ(got[std::size_t(p)], summed_in_order(row_of(from, p)));
}

TEST_F(reduce_registers, cost_only_where_they_are_read) {
  const machine_spec m = trainium3();
  const tile x = filled(v4, 5), out = v4.sbuf(rows, columns), sum = v4.sbuf(rows, 1);
  const auto cycles = [&](const instruction& i) { return documented_cycles(i, m); };
  EXPECT_EQ(cycles(activation{.out = out, .in = x, .command = command::reset_reduce}), 64);
  EXPECT_EQ(cycles(activation{.out = out, .reduced = sum, .in = x}), 128);
  EXPECT_EQ(cycles(activate2{.out = out, .in = x}), 64);
  EXPECT_EQ(cycles(activate2{.out = out, .reduced = sum, .in = x}), 128);
  EXPECT_EQ(cycles(tensor_scalar_reduce{.out = out, .in = x}), 64);
  EXPECT_EQ(cycles(tensor_scalar_reduce{.out = out, .reduced = sum, .in = x}), 128);
}

TEST_F(reduce_registers, of_the_vector_engine_are_loaded_negated_and_shared) {
  const tile x = filled(v4, 6), y = filled(v4, 7), out = v4.sbuf(rows, columns),
             sum = v4.sbuf(rows, 1), most = v4.sbuf(rows, 1), start = v4.sbuf(rows, 1);
  load(v4, start, values_between(-3, 3, rows, 8));
  v4.issue(tensor_scalar_reduce{.out = out,
                                .reduced = sum,
                                .in = x,
                                .op = alu_op::multiply,
                                .operand = 3,
                                .command = command::load_reduce,
                                .initial = start,
                                .negate = true});
  const std::vector<float> a = read(v4, x), from = read(v4, start), got = read(v4, sum);
  std::vector<float> kept;
  for (int p = 0; p < rows; ++p) {
    std::vector<float> u = row_of(a, p);
    for (float& value : u) value *= 3;
    kept.push_back(from[std::size_t(p)] + summed_in_order(u));
    EXPECT_EQ(got[std::size_t(p)], -kept.back());
  }
  // The registers keep the sum that was not negated; range_select takes its maximum with them.
  v4.issue(range_select{
      .out = out, .reduced = most, .in = y, .bound0 = 0, .bound1 = 5, .command = command::reduce});
  const std::vector<float> b = read(v4, y), largest = read(v4, most);
  for (int p = 0; p < rows; ++p) {
    const std::vector<float> v = row_of(b, p);
    EXPECT_EQ(largest[std::size_t(p)],
              std::max(kept[std::size_t(p)], *std::max_element(v.begin(), v.begin() + 5)));
  }
}

TEST_F(reduce_registers, of_the_vector_engine_are_undefined_after_idle) {
  const tile x = filled(v4, 9), out = v4.sbuf(rows, columns), sum = v4.sbuf(rows, 1);
  v4.issue(exponential{.out = out, .in = x, .command = command::reset_reduce});
  v4.issue(exponential{.out = out, .in = x});
  EXPECT_EQ(refusal(v4, exponential{.out = out, .in = x, .command = command::reduce}),
            "command: reads reduce registers of vector that nobody has set: partitions 0 to 7");
  EXPECT_EQ(refusal(v4, exponential{.out = out, .reduced = sum, .in = x}),
            "command: reads reduce registers of vector that nobody has set: partitions 0 to 7");
  core lax(trainium3(), {.strict = false});
  const tile y = filled(lax, 9), to = lax.sbuf(rows, columns), unknown = lax.sbuf(rows, 1);
  lax.issue(exponential{.out = to, .reduced = unknown, .in = y});
  for (const float value : read(lax, unknown)) EXPECT_TRUE(std::isnan(value));
}

TEST_F(reduce_registers, take_the_commands_that_their_instructions_have) {
  const tile x = filled(v4, 9), out = v4.sbuf(rows, columns);
  EXPECT_EQ(refusal(v4, activation{.out = out, .in = x, .command = command::load_reduce}),
            "command: must be idle or reset or reduce or reset_reduce, is load_reduce");
  EXPECT_EQ(refusal(v4, exponential{.out = out, .in = x, .command = command::reset}),
            "command: must be idle or reduce or reset_reduce or load_reduce, is reset");
  EXPECT_EQ(refusal(v4, tensor_scalar_cumulative{.out = out, .in = x, .command = command::idle}),
            "command: must be reduce or reset_reduce or load_reduce, is idle");
  EXPECT_EQ(
      refusal(v4, exponential{.out = out, .in = x, .command = command::reset_reduce, .initial = 1}),
      "initial: is loaded by load_reduce alone, command is reset_reduce");
}

// The number to load may lie where results go, and is what was there before.
TEST_F(reduce_registers, load_what_their_results_overwrite) {
  const tile x = filled(v4, 12), sum = v4.sbuf(rows, 1);
  const std::vector<float> before = read(v4, x);
  v4.issue(tensor_scalar_reduce{.out = x,
                                .reduced = sum,
                                .in = x,
                                .op = alu_op::multiply,
                                .operand = 3,
                                .reduce_op = alu_op::add,
                                .command = command::load_reduce,
                                .initial = x->columns(0, 1)});
  const std::vector<float> after = read(v4, x), total = read(v4, sum);
  for (int p = 0; p < rows; ++p)
    EXPECT_EQ(total[std::size_t(p)], row_of(before, p)[0] + summed_in_order(row_of(after, p)));
}

// A kernel finds no register set, whatever ran before it in the program.
TEST_F(reduce_registers, are_undefined_where_a_kernel_begins) {
  const auto kernel_with = [](command begins) {
    return kernel{.name = "sums", .body = [begins](core& nc, const kernel_arguments&) {
                    const tile x = nc.sbuf(rows, columns);
                    nc.issue(memset{.out = x, .value = 1});
                    nc.issue(activation{.out = x, .in = x, .command = begins});
                    nc.issue(activation{.out = x, .in = x, .command = command::reduce});
                  }};
  };
  device dev(trainium3(), sdk_2_24());
  graph both(dev);
  both.launch(kernel_with(command::reset_reduce), {}, {});
  EXPECT_NO_THROW(both.submit());
  both.launch(kernel_with(command::reduce), {}, {});
  EXPECT_THROW(both.submit(), kernel_error);
}

TEST_F(reduce_registers, exponential_is_refused_by_machines_that_have_none) {
  machine_spec none = trainium3();
  none.vector.exponential_cycles_per_element = 0;
  core bare(none, {});
  const tile x = filled(bare, 14), out = bare.sbuf(rows, columns);
  EXPECT_EQ(refusal(bare, exponential{.out = out, .in = x}),
            "machine: has no exponential: its vector.exponential_cycles_per_element is 0");
}

TEST_F(reduce_registers, of_exponential_sum_a_softmax_s_denominator_over_two_tiles) {
  const tile x = filled(v4, 10, rows, -4, 4), y = filled(v4, 11, rows, -4, 4),
             out = v4.sbuf(rows, columns), other = v4.sbuf(rows, columns), most = v4.sbuf(rows, 1),
             sum = v4.sbuf(rows, 1);
  load(v4, most, std::vector<float>(rows, 4.0f));
  v4.issue(exponential{.out = out, .in = x, .max_value = most, .command = command::reset_reduce});
  v4.issue(exponential{
      .out = other, .reduced = sum, .in = y, .max_value = 4, .command = command::reduce});
  const std::vector<float> a = read(v4, x), b = read(v4, y), e = read(v4, out), f = read(v4, other),
                           total = read(v4, sum);
  for (std::size_t j = 0; j < a.size(); ++j) {
    ASSERT_EQ(e[j], float(std::exp(double(a[j] - 4.0f))));
    ASSERT_EQ(f[j], float(std::exp(double(b[j] - 4.0f))));
  }
  for (int p = 0; p < rows; ++p)
    EXPECT_EQ(total[std::size_t(p)], summed_in_order(row_of(e, p)) + summed_in_order(row_of(f, p)));
}

// A3: four times the rate of the scalar engine's exponential.
TEST_F(reduce_registers, exponential_takes_a_quarter_of_activation) {
  const machine_spec m = trainium3();
  const tile x = v4.sbuf(rows, 4096), out = v4.sbuf(rows, 4096), sum = v4.sbuf(rows, 1);
  const double scalar =
      documented_cycles(activation{.out = out, .in = x, .function = activation_function::exp}, m);
  EXPECT_EQ(scalar, 4096);
  EXPECT_EQ(documented_cycles(exponential{.out = out, .in = x}, m), scalar / 4);
  EXPECT_EQ(documented_cycles(exponential{.out = out, .reduced = sum, .in = x}, m),
            scalar / 4 + 64);
}

struct running_case {
  alu_op op;
  float neutral;
  std::function<float(float, float)> step;  // of an element and what came before it
};

const std::vector<running_case>& running() {
  static const std::vector<running_case> all{
      {alu_op::add, 0, [](float x, float s) { return x + s; }},
      {alu_op::subtract, 0, [](float x, float s) { return x - s; }},
      {alu_op::multiply, 1, [](float x, float s) { return x * s; }},
      {alu_op::maximum, -infinity, [](float x, float s) { return std::max(x, s); }},
      {alu_op::minimum, infinity, [](float x, float s) { return std::min(x, s); }}};
  return all;
}

TEST_F(reduce_registers, of_running_sums_carry_over_and_may_be_loaded) {
  const tile x = filled(v2, 12, rows, 0.5f, 1.5f), y = filled(v2, 13, rows, 0.5f, 1.5f),
             out = v2.sbuf(rows, columns), next = v2.sbuf(rows, columns), by = v2.sbuf(rows, 1);
  load(v2, by, values_between(0.5f, 1.5f, rows, 14));
  const std::vector<float> a = read(v2, x), b = read(v2, y), factor = read(v2, by);
  for (const running_case& c : running())
    for (const bool loads : {false, true}) {
      v2.issue(
          tensor_scalar_cumulative{.out = out,
                                   .in = x,
                                   .op0 = alu_op::multiply,
                                   .operand0 = by,
                                   .op1 = c.op,
                                   .command = loads ? command::load_reduce : command::reset_reduce,
                                   .initial = loads ? scalar_operand(1.25) : scalar_operand()});
      v2.issue(tensor_scalar_cumulative{.out = next,
                                        .in = y,
                                        .op0 = alu_op::add,
                                        .operand0 = 2,
                                        .op1 = c.op,
                                        .command = command::reduce});
      const std::vector<float> first = read(v2, out), second = read(v2, next);
      for (int p = 0; p < rows; ++p) {
        float held = loads ? 1.25f : c.neutral;
        for (std::int64_t j = 0; j < columns; ++j) {
          const auto at = std::size_t(p * columns + j);
          held = c.step(a[at] * factor[std::size_t(p)], held);
          ASSERT_EQ(first[at], held) << to_string(c.op) << ' ' << p << ' ' << j;
        }
        for (std::int64_t j = 0; j < columns; ++j) {
          const auto at = std::size_t(p * columns + j);
          held = c.step(b[at] + 2, held);
          ASSERT_EQ(second[at], held) << to_string(c.op) << ' ' << p << ' ' << j;
        }
      }
    }
  EXPECT_EQ(documented_cycles(tensor_scalar_cumulative{.out = out, .in = x}, trainium1()), 64);
}

TEST_F(reduce_registers, of_running_sums_refuse_types_and_operations) {
  const tile x = filled(v2, 1), out = v2.sbuf(rows, columns, dtype::int32),
             half = v2.sbuf(rows, 1, dtype::bf16);
  load(v2, half, std::vector<float>(rows, 1.0f));
  EXPECT_EQ(refusal(v2, tensor_scalar_cumulative{.out = out, .in = x}), "out: must not be int32");
  EXPECT_EQ(refusal(v2, tensor_scalar_cumulative{.out = x, .in = x, .operand0 = half}),
            "operand0: must be fp32, is bf16");
  EXPECT_EQ(refusal(v2, tensor_scalar_cumulative{.out = x, .in = x, .op1 = alu_op::divide}),
            "op1: must be add, subtract, multiply, maximum or minimum, is divide");
}

struct pair_case {
  alu_op op0, op1;
  bool reverse0, reverse1;
  std::function<float(float, float, float)> value;  // of the element and the two scalars
};

TEST_F(reduce_registers, of_activate2_follow_its_six_pairs_of_operations) {
  const tile x = filled(v4, 15), out = v4.sbuf(rows, columns), by = v4.sbuf(rows, 1),
             plus = v4.sbuf(rows, 1), sum = v4.sbuf(rows, 1);
  load(v4, by, values_between(1, 2, rows, 16));
  load(v4, plus, values_between(1, 2, rows, 17));
  const std::vector<float> a = read(v4, x), b = read(v4, by), c = read(v4, plus);
  using op = alu_op;
  const std::vector<pair_case> pairs{
      {op::multiply, op::add, false, false, [](float v, float s, float t) { return v * s + t; }},
      {op::multiply, op::subtract, false, false,
       [](float v, float s, float t) { return v * s - t; }},
      {op::multiply, op::subtract, false, true,
       [](float v, float s, float t) { return t - v * s; }},
      {op::multiply, op::bypass, false, false, [](float v, float s, float) { return v * s; }},
      {op::add, op::bypass, false, false, [](float v, float s, float) { return v + s; }},
      {op::subtract, op::bypass, false, false, [](float v, float s, float) { return v - s; }},
      {op::subtract, op::bypass, true, false, [](float v, float s, float) { return s - v; }},
      {op::bypass, op::bypass, false, false, [](float v, float, float) { return v; }}};
  for (const pair_case& one : pairs) {
    v4.issue(activate2{.out = out,
                       .reduced = sum,
                       .in = x,
                       .function = activation_function::abs,
                       .op0 = one.op0,
                       .operand0 = by,
                       .reverse0 = one.reverse0,
                       .op1 = one.op1,
                       .operand1 = plus,
                       .reverse1 = one.reverse1,
                       .command = command::reset_reduce});
    const std::vector<float> got = read(v4, out), total = read(v4, sum);
    for (int p = 0; p < rows; ++p) {
      for (std::int64_t j = 0; j < columns; ++j) {
        const auto at = std::size_t(p * columns + j);
        ASSERT_EQ(got[at], std::fabs(one.value(a[at], b[std::size_t(p)], c[std::size_t(p)])))
            << to_string(one.op0) << ' ' << to_string(one.op1);
      }
      EXPECT_EQ(total[std::size_t(p)], summed_in_order(row_of(got, p)));
    }
  }
}

TEST_F(reduce_registers, of_activate2_reduce_by_extremes_and_magnitudes) {
  const tile x = filled(v4, 18), out = v4.sbuf(rows, columns), got = v4.sbuf(rows, 1);
  const std::vector<float> a = read(v4, x);
  const auto magnitude_less = [](float p, float q) { return std::fabs(p) < std::fabs(q); };
  const std::vector<std::pair<alu_op, std::function<float(const std::vector<float>&)>>> all{
      {alu_op::maximum, [](const auto& v) { return *std::ranges::max_element(v); }},
      {alu_op::minimum, [](const auto& v) { return *std::ranges::min_element(v); }},
      {alu_op::absolute_maximum,
       [&](const auto& v) { return std::fabs(*std::ranges::max_element(v, magnitude_less)); }},
      {alu_op::absolute_minimum,
       [&](const auto& v) { return std::fabs(*std::ranges::min_element(v, magnitude_less)); }}};
  for (const auto& [op, oracle] : all) {
    v4.issue(activate2{
        .out = out, .reduced = got, .in = x, .reduce_op = op, .command = command::reset_reduce});
    const std::vector<float> values = read(v4, got);
    for (int p = 0; p < rows; ++p)
      EXPECT_EQ(values[std::size_t(p)], oracle(row_of(a, p))) << to_string(op);
  }
}

TEST_F(reduce_registers, of_activate2_come_after_prelu) {
  const tile x = filled(v4, 19), out = v4.sbuf(rows, columns), slopes = v4.sbuf(rows, 1);
  load(v4, slopes, values_between(0, 1, rows, 20));
  v4.issue(activate2{.out = out, .in = x, .function = activation_function::relu, .slope = slopes});
  const std::vector<float> a = read(v4, x), s = read(v4, slopes), got = read(v4, out);
  for (std::size_t j = 0; j < a.size(); ++j)
    EXPECT_EQ(got[j], a[j] > 0 ? a[j] : a[j] * s[j / std::size_t(columns)]);
}

TEST_F(reduce_registers, of_activate2_refuse_what_the_pipeline_lacks) {
  const tile x = filled(v4, 1), out = v4.sbuf(rows, columns), half = v4.sbuf(rows, 1, dtype::bf16),
             word = v4.sbuf(rows, 1);
  load(v4, half, std::vector<float>(rows, 1.0f));
  load(v4, word, std::vector<float>(rows, 1.0f));
  using op = alu_op;
  EXPECT_EQ(refusal(v4, activate2{.out = out, .in = x, .op0 = op::add, .op1 = op::add}),
            "op1: must be bypass, or add or subtract after multiply: add and add");
  EXPECT_EQ(refusal(v4, activate2{.out = out, .in = x, .reverse0 = true}),
            "reverse0: needs an op0");
  EXPECT_EQ(refusal(v4, activate2{.out = out, .in = x, .op0 = op::add, .reverse1 = true}),
            "reverse1: needs an op1");
  EXPECT_EQ(refusal(v4, activate2{.out = out,
                                  .in = x,
                                  .op0 = op::multiply,
                                  .operand0 = word,
                                  .op1 = op::add,
                                  .operand1 = half}),
            "operand1: must have operand0's type");
  EXPECT_EQ(refusal(v4, activate2{.out = out, .in = x, .slope = 0.5}),
            "slope: is relu's, the function is copy");
  EXPECT_EQ(refusal(v4, activate2{.out = out, .in = x, .reduce_op = op::multiply}),
            "reduce_op: must be add, maximum, minimum or those of magnitudes, is multiply");
  EXPECT_EQ(
      refusal(v4, tensor_tensor{.out = out, .left = x, .right = x, .op = op::absolute_minimum}),
      "op: reduces, in activate2, alone: absolute_minimum");
}

}  // namespace reducing
}  // namespace
}  // namespace papilio::engine::test
