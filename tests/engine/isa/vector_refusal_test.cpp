#include <array>

#include "engine/support.hpp"

namespace papilio::engine::test {
namespace {

struct vector_refusal : fixture {
  tile x = filled(64, 40), y = filled(64, 40), out = nc.sbuf(64, 40);
  tile column = filled(64, 1), wide = filled(64, 80), half = filled(32, 40);
  tile p0 = filled_psum(64, 40), p1 = filled_psum(64, 40);
  tile words = filled(64, 40, dtype::int32), bytes = filled(64, 40, dtype::uint8);
  tile psum_words = filled_psum(64, 40, dtype::int32);

  void expect_overlap(const instruction& i, const char* text) {
    EXPECT_NE(refusal(nc, i).find(text), std::string::npos) << refusal(nc, i);
  }
};

constexpr const char* not_64_rows = "in: must have the 64 partitions of out, has 32";
constexpr const char* not_40_elements = "in: must have the 40 elements a partition of out, has 80";

TEST_F(vector_refusal, tensor_scalar) {
  EXPECT_EQ(refusal(nc, tensor_scalar{.out = out, .in = half}), not_64_rows);
  EXPECT_EQ(refusal(nc, tensor_scalar{.out = out, .in = wide}), not_40_elements);
  EXPECT_EQ(refusal(nc, tensor_scalar{.out = out, .in = x, .on = unit::tensor}),
            "on: must be vector or scalar or gpsimd, is tensor");
  EXPECT_EQ(refusal(nc, tensor_scalar{.out = out, .in = x, .op0 = alu_op::add, .operand0 = y}),
            "operand0: must be a (64, 1) tile, is (64, 40)");
  EXPECT_EQ(refusal(nc,
                    tensor_scalar{
                        .out = out, .in = x, .op1 = alu_op::add, .operand1 = half->columns(0, 1)}),
            "operand1: must be a (64, 1) tile, is (32, 1)");
  EXPECT_EQ(refusal(nc, tensor_scalar{.out = out, .in = p0, .on = unit::gpsimd}),
            "in: is in PSUM, which gpsimd cannot reach");
  expect_overlap(tensor_scalar{.out = x->columns(1, 39), .in = x->columns(0, 39)},
                 "out: overlaps in without being the same elements");
}

TEST_F(vector_refusal, tensor_scalar_on_bits) {
  const auto bits = [](const tile_view& to, const tile_view& from, scalar_operand by) {
    return tensor_scalar{.out = to, .in = from, .op0 = alu_op::bits_and, .operand0 = by};
  };
  EXPECT_EQ(refusal(nc, bits(out, words, 1)), "out: must be an integer type for bits_and, is fp32");
  EXPECT_EQ(refusal(nc, bits(words, x, 1)), "in: must be an integer type for bits_and, is fp32");
  EXPECT_EQ(refusal(nc, bits(words, words, column)),
            "operand0: must be an integer type for bits_and, is fp32");
  EXPECT_EQ(refusal(nc, bits(words, words, 0.5)),
            "operand0: must be an integer in [-2147483648, 4294967295] for bits_and, got 0.5");
  EXPECT_EQ(refusal(nc, bits(words, words, 4294967296.0)),
            "operand0: must be an integer in [-2147483648, 4294967295] for bits_and, got "
            "4.29497e+09");
  tensor_scalar mixed = bits(words, words, 1);
  mixed.op1 = alu_op::add;
  EXPECT_EQ(refusal(nc, mixed), "op1: must be bitwise if op0 is: bits_and and add");
  tensor_scalar elsewhere = bits(words, words, 1);
  elsewhere.on = unit::scalar;
  EXPECT_EQ(refusal(nc, elsewhere), "on: must not be scalar for bits_and");
}

TEST_F(vector_refusal, tensor_scalar_reduce) {
  const tile sums = nc.sbuf(64, 1);
  EXPECT_EQ(refusal(nc, tensor_scalar_reduce{.out = out, .reduced = sums, .in = wide}),
            not_40_elements);
  EXPECT_EQ(refusal(nc, tensor_scalar_reduce{.out = out, .reduced = y, .in = x}),
            "reduced: must be a (64, 1) tile, is (64, 40)");
  expect_overlap(tensor_scalar_reduce{.out = out, .reduced = out->columns(3, 1), .in = x},
                 "reduced: overlaps out");
  expect_overlap(tensor_scalar_reduce{.out = out, .reduced = x->columns(3, 1), .in = x},
                 "reduced: overlaps in without being the same elements");
  EXPECT_EQ(
      refusal(nc,
              tensor_scalar_reduce{.out = out, .reduced = sums, .in = x, .op = alu_op::bits_or}),
      "op: must not be bitwise, is bits_or");
  EXPECT_EQ(refusal(nc,
                    tensor_scalar_reduce{
                        .out = out, .reduced = sums, .in = x, .reduce_op = alu_op::divide}),
            "reduce_op: does not reduce numbers: divide");
  EXPECT_EQ(refusal(nc,
                    tensor_scalar_reduce{
                        .out = out, .reduced = sums, .in = x, .op = alu_op::add, .operand = y}),
            "operand: must be a (64, 1) tile, is (64, 40)");
}

TEST_F(vector_refusal, scalar_tensor_tensor) {
  EXPECT_EQ(refusal(nc, scalar_tensor_tensor{.out = out, .in = half, .right = x}), not_64_rows);
  EXPECT_EQ(refusal(nc, scalar_tensor_tensor{.out = out, .in = x, .right = wide}),
            "right: must have the 40 elements a partition of out, has 80");
  EXPECT_EQ(refusal(nc, scalar_tensor_tensor{.out = out, .in = p0, .right = p1}),
            "right: is in PSUM as in is: one of the two must be in SBUF");
  EXPECT_EQ(
      refusal(nc, scalar_tensor_tensor{.out = out, .in = x, .right = y, .op0 = alu_op::bits_or}),
      "op0: must not be bitwise, is bits_or");
  EXPECT_EQ(
      refusal(nc, scalar_tensor_tensor{.out = out, .in = x, .right = y, .op1 = alu_op::bits_or}),
      "op1: must not be bitwise, is bits_or");
  EXPECT_EQ(refusal(nc, scalar_tensor_tensor{.out = out, .in = x, .right = y, .operand0 = y}),
            "operand0: must be a (64, 1) tile, is (64, 40)");
  expect_overlap(
      scalar_tensor_tensor{
          .out = x->columns(1, 39), .in = y->columns(0, 39), .right = x->columns(0, 39)},
      "out: overlaps right");
}

TEST_F(vector_refusal, tensor_tensor_scan) {
  EXPECT_EQ(refusal(nc, tensor_tensor_scan{.out = out, .left = x, .right = half}),
            "right: must have the 64 partitions of out, has 32");
  EXPECT_EQ(refusal(nc, tensor_tensor_scan{.out = out, .left = wide, .right = x}),
            "left: must have the 40 elements a partition of out, has 80");
  EXPECT_EQ(refusal(nc, tensor_tensor_scan{.out = out, .left = p0, .right = p1}),
            "right: is in PSUM as left is: one of the two must be in SBUF");
  EXPECT_EQ(
      refusal(nc, tensor_tensor_scan{.out = out, .left = x, .right = y, .op0 = alu_op::bits_or}),
      "op0: must not be bitwise, is bits_or");
  EXPECT_EQ(refusal(nc, tensor_tensor_scan{.out = out, .left = x, .right = y, .initial = y}),
            "initial: must be a (64, 1) tile, is (64, 40)");
}

TEST_F(vector_refusal, tensor_copy_predicated) {
  const auto copy = [](const tile_view& to, const tile_view& from, const tile_view& given) {
    return tensor_copy_predicated{.out = to, .in = from, .predicate = given};
  };
  EXPECT_EQ(refusal(nc, copy(x, half, bytes)), not_64_rows);
  EXPECT_EQ(refusal(nc, copy(x, y, y)), "predicate: must be int32 or uint8, is fp32");
  EXPECT_EQ(refusal(nc, copy(words, y, bytes)), "in: must be int32, is fp32");
  EXPECT_EQ(refusal(nc, copy(x, p0, psum_words)),
            "predicate: is in PSUM as in is: one of the two must be in SBUF");
  EXPECT_EQ(refusal(nc, copy(x, y, bytes->columns(0, 20))),
            "predicate: must have the 40 elements a partition of out, has 20");
  EXPECT_NE(refusal(nc, copy(out, y, bytes)).find("out: reads what nobody wrote"),
            std::string::npos);
}

TEST_F(vector_refusal, select) {
  const auto pick = [](const tile_view& to, const tile_view& given, const tile_view& yes,
                       const tile_view& no) {
    return engine::select{.out = to, .predicate = given, .on_true = yes, .on_false = no};
  };
  EXPECT_EQ(refusal(nc, pick(out, x, x, y)), "predicate: must be int32 or uint8, is fp32");
  EXPECT_EQ(refusal(nc, pick(out, bytes, words, y)), "on_true: must be fp32, is int32");
  EXPECT_EQ(refusal(nc, pick(out, bytes, x, words)), "on_false: must be fp32, is int32");
  EXPECT_EQ(refusal(nc, pick(out, bytes, x, wide)),
            "on_false: must have the 40 elements a partition of out, has 80");
  EXPECT_EQ(refusal(nc, pick(out, psum_words, p0, y)),
            "predicate: is in PSUM as on_true is: one of the two must be in SBUF");
}

TEST_F(vector_refusal, select_reduce) {
  const auto pick = [&](const tile_view& most, const tile_view& given) {
    return engine::select_reduce{
        .out = out, .reduced = most, .predicate = given, .on_true = x, .on_false = 0};
  };
  EXPECT_EQ(refusal(nc, pick(y, bytes)), "reduced: must be a (64, 1) tile, is (64, 40)");
  EXPECT_EQ(refusal(nc, pick(column, y)), "predicate: must be int32 or uint8, is fp32");
  expect_overlap(pick(out->columns(0, 1), bytes), "reduced: overlaps out");
  engine::select_reduce wrong = pick(column, bytes);
  wrong.reduce_op = alu_op::less;
  EXPECT_EQ(refusal(nc, wrong), "reduce_op: does not reduce numbers: less");
  wrong.reduce_op = alu_op::maximum;
  wrong.on_false = y;
  EXPECT_EQ(refusal(nc, wrong), "on_false: must be a (64, 1) tile, is (64, 40)");
}

TEST_F(vector_refusal, reciprocal_and_dropout) {
  EXPECT_EQ(refusal(nc, reciprocal{.out = out, .in = wide}), not_40_elements);
  EXPECT_EQ(refusal(nc, dropout{.out = out, .in = half}), not_64_rows);
  EXPECT_EQ(refusal(nc, dropout{.out = out, .in = x, .probability = 1.5}),
            "probability: must be in [0, 1], got 1.5");
  EXPECT_EQ(refusal(nc, dropout{.out = out, .in = x, .probability = y}),
            "probability: must be a (64, 1) tile, is (64, 40)");
}

TEST_F(vector_refusal, memset) {
  EXPECT_EQ(refusal(nc, engine::memset{.out = out, .on = unit::scalar}),
            "on: must be vector or gpsimd, is scalar");
  EXPECT_EQ(refusal(nc, engine::memset{.out = p0, .on = unit::gpsimd}),
            "out: is in PSUM, which gpsimd cannot reach");
  EXPECT_EQ(refusal(nc, engine::memset{.out = bytes, .value = 256}),
            "value: must be an integer that uint8 holds, got 256");
  EXPECT_EQ(refusal(nc, engine::memset{.out = words, .value = 0.5}),
            "value: must be an integer that int32 holds, got 0.5");
  EXPECT_EQ(refusal(nc, engine::memset{.out = out->columns(0, 1).spread(3)}),
            "out: is written through a stride of 0");
  // Elements 0, 1, 2 and 1, 2, 3: those that the rows share would be written in any order.
  EXPECT_EQ(
      refusal(nc, engine::memset{.out = out->pattern(0, {{2, 1}, {3, 1}})}).substr(0, 87),
      "out: levels of the pattern reach into one another, and a place would be written twice: ");
  EXPECT_EQ(refusal(nc, engine::memset{.out = out->pattern(0, {{2, 20}, {3, 1}})}), "(accepted)");
  // Elements 0, 2, 4 and 3, 5, 7 reach into one another, and none is met twice.
  EXPECT_EQ(refusal(nc, engine::memset{.out = out->pattern(0, {{2, 3}, {3, 2}})}), "(accepted)");
}

TEST_F(vector_refusal, range_select) {
  const tile x = filled2(64, 40), y = filled2(64, 40), half = filled2(32, 40),
             out = nc2.sbuf(64, 40);
  EXPECT_EQ(refusal(nc2, range_select{.out = out, .in = half}), not_64_rows);
  EXPECT_EQ(refusal(nc2, range_select{.out = out, .in = x, .op0 = alu_op::add}),
            "op0: must be a comparison, is add");
  EXPECT_EQ(refusal(nc2, range_select{.out = out, .in = x, .op1 = alu_op::logical_and}),
            "op1: must be a comparison, is logical_and");
  EXPECT_EQ(refusal(nc2, range_select{.out = out, .in = x, .bound0 = y}),
            "bound0: must be a (64, 1) tile, is (64, 40)");
  EXPECT_EQ(refusal(nc2, range_select{.out = out, .reduced = y, .in = x}),
            "reduced: must be a (64, 1) tile, is (64, 40)");
}

TEST_F(vector_refusal, stream_shuffle) {
  using lanes = std::array<std::uint8_t, 32>;
  const auto shuffle = [](const tile_view& to, const tile_view& from, const lanes& mask) {
    return engine::stream_shuffle{.out = to, .in = from, .mask = mask};
  };
  const lanes first{};
  EXPECT_EQ(refusal(nc, shuffle(y, x, {0, 32})), "mask: entries must be in [0, 32) or 255, got 32");
  EXPECT_EQ(refusal(nc, shuffle(y, x, {254})), "mask: entries must be in [0, 32) or 255, got 254");
  machine_spec wider = trainium1();
  wider.vector.shuffle_mask_entries = 64;
  core other(wider, {.mode = run_mode::dry_run, .strict = false});
  const tile a = other.sbuf(64, 40), b = other.sbuf(64, 40);
  EXPECT_EQ(refusal(other, shuffle(a, b, first)), "mask: entries must be 64, got 32");
  EXPECT_EQ(refusal(nc, shuffle(out, wide, first)), not_40_elements);
  EXPECT_EQ(refusal(nc, shuffle(out, words, first)), "in: must be fp32, is int32");
  EXPECT_EQ(refusal(nc, shuffle(out->partition_range(0, 20), x->partition_range(0, 20), first)),
            "out: partitions must be a multiple of 32, are 20");
}

// A refusal comes before anything is computed.
TEST_F(vector_refusal, leaves_the_output_alone) {
  const std::vector<float> before = read(nc, y);
  EXPECT_NE(refusal(nc, tensor_scalar{.out = y, .in = wide}), "(accepted)");
  EXPECT_EQ(bits_of(read(nc, y)), bits_of(before));
}

}  // namespace
}  // namespace papilio::engine::test
