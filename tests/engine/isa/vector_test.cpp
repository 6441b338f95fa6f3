#include "engine/isa/alu_oracle.hpp"

#include <algorithm>

#include "engine/support.hpp"

namespace papilio::engine::test {
namespace {

using vector = fixture;

TEST_F(vector, loads_and_reads_back_strided_psum) {
  const tile t = nc.psum(40, 64);
  const tile_view view = t->slice(1, 3, 20, 3);
  const std::vector<float> values = values_between(-1, 1, 40 * 20);
  load(nc, view, values);
  EXPECT_EQ(bits_of(read(nc, view)), bits_of(values));
}

TEST_F(vector, tensor_scalar_has_every_operation) {
  const tile x = filled(128, 40), s = filled(128, 1, dtype::fp32, 2), out = nc.sbuf(128, 40);
  const std::vector<float> in = read(nc, x), column = read(nc, s);
  for (const alu_op op : arithmetic_ops)
    for (const bool reverse : {false, true})
      for (const bool constant : {false, true}) {
        const scalar_operand by = constant ? scalar_operand(0.75) : scalar_operand(s);
        nc.issue(
            tensor_scalar{.out = out, .in = x, .op0 = op, .operand0 = by, .reverse0 = reverse});
        const std::vector<float> result = read(nc, out);
        for (std::size_t i = 0; i < in.size(); ++i) {
          const float b = constant ? 0.75f : column[i / 40];
          const float expected = reverse ? alu_oracle(op, b, in[i]) : alu_oracle(op, in[i], b);
          if (std::isnan(expected))
            ASSERT_TRUE(std::isnan(result[i])) << to_string(op);
          else
            ASSERT_EQ(result[i], expected) << to_string(op) << " " << in[i] << " " << b;
        }
      }
}

TEST_F(vector, tensor_scalar_rounds_after_each_operation) {
  const tile x = filled(64, 100), s = filled(64, 1, dtype::fp32, 2);
  const tile out = nc.sbuf(64, 100, dtype::bf16);
  const std::vector<float> in = read(nc, x), column = read(nc, s);
  nc.issue(tensor_scalar{.out = out,
                         .in = x,
                         .op0 = alu_op::multiply,
                         .operand0 = 1.1,
                         .op1 = alu_op::subtract,
                         .operand1 = s,
                         .reverse1 = true});
  const std::vector<float> result = read(nc, out);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto product = float(double(in[i]) * double(1.1f));
    const auto difference = float(double(column[i / 100]) - double(product));
    ASSERT_EQ(result[i], round_to(dtype::bf16, difference)) << i;
  }
}

TEST_F(vector, tensor_scalar_second_operation_alone) {
  const tile x = filled(32, 10), out = nc.sbuf(32, 10);
  nc.issue(tensor_scalar{.out = out, .in = x, .op1 = alu_op::add, .operand1 = 1});
  const std::vector<float> in = read(nc, x), result = read(nc, out);
  for (std::size_t i = 0; i < in.size(); ++i) ASSERT_EQ(result[i], in[i] + 1);
  nc.issue(tensor_scalar{.out = out, .in = x});
  EXPECT_EQ(bits_of(read(nc, out)), bits_of(in));
  nc.issue(tensor_scalar{.out = out, .in = x, .op0 = alu_op::add, .operand1 = 7, .reverse1 = true});
  for (const float v : read(nc, out)) ASSERT_EQ(v, 7);
}

TEST_F(vector, tensor_scalar_works_on_bits) {
  const tile x = nc.sbuf(32, 20, dtype::int32), out = nc.sbuf(32, 20, dtype::int32);
  const std::vector<std::int32_t> in = integers_between(-2147483647 - 1, 2147483647, 32 * 20);
  load_integers(nc, x, in);
  nc.issue(tensor_scalar{.out = out,
                         .in = x,
                         .op0 = alu_op::shift_right,
                         .operand0 = 3,
                         .op1 = alu_op::bits_xor,
                         .operand1 = 0x90000001});
  std::vector<std::int32_t> result = read_integers(nc, out);
  for (std::size_t i = 0; i < in.size(); ++i)
    ASSERT_EQ(static_cast<std::uint32_t>(result[i]),
              (static_cast<std::uint32_t>(in[i]) >> 3) ^ 0x90000001u);

  const tile shifts = nc.sbuf(32, 20, dtype::uint8), one = nc.sbuf(32, 1, dtype::int32);
  const std::vector<std::int32_t> by = integers_between(0, 40, 32 * 20);
  load_integers(nc, shifts, by);
  load_integers(nc, one, std::vector<std::int32_t>(32, 5));
  nc.issue(tensor_scalar{
      .out = out, .in = shifts, .op0 = alu_op::shift_left, .operand0 = one, .reverse0 = true});
  result = read_integers(nc, out);
  for (std::size_t i = 0; i < by.size(); ++i)
    ASSERT_EQ(static_cast<std::uint32_t>(result[i]), by[i] > 31 ? 0u : 5u << by[i]);
}

TEST_F(vector, tensor_scalar_converts_integers) {
  const tile x = nc.sbuf(32, 50, dtype::int32), out = nc.sbuf(32, 50, dtype::uint8);
  const std::vector<std::int32_t> in = integers_between(-300, 300, 32 * 50);
  load_integers(nc, x, in);
  nc.issue(tensor_scalar{.out = out, .in = x, .op0 = alu_op::add, .operand0 = 10});
  const std::vector<std::int32_t> result = read_integers(nc, out);
  for (std::size_t i = 0; i < in.size(); ++i) ASSERT_EQ(result[i], std::clamp(in[i] + 10, 0, 255));
}

TEST_F(vector, tensor_scalar_takes_patterns_and_either_memory) {
  const tile x = filled_psum(128, 6 * 32), out = nc.sbuf(128, 400);
  const std::vector<float> in = read(nc, x);
  // Written transposed, with gaps; read through a broadcast of every second element.
  const tile_view from = x->slice(1, 1, 48, 2).repeat(2);
  const tile_view to = out->columns(4, 192).reshape({48, 2, 2}).slice(3, 0, 1).permute({2, 1, 3});
  nc.issue(tensor_scalar{.out = to, .in = from, .op0 = alu_op::multiply, .operand0 = 2});
  const std::vector<float> result = read(nc, to);
  for (std::size_t p = 0; p < 128; ++p)
    for (std::size_t i = 0; i < 96; ++i)
      ASSERT_EQ(result[p * 96 + i], 2 * in[p * 192 + 1 + 2 * (i % 48)]) << p << " " << i;
}

TEST_F(vector, tensor_scalar_is_the_same_on_each_unit) {
  const tile x = filled(128, 30), out = nc.sbuf(128, 30);
  std::vector<std::vector<std::uint32_t>> results;
  for (const unit on : {unit::vector, unit::scalar, unit::gpsimd}) {
    nc.issue(tensor_scalar{
        .out = out, .in = x, .op0 = alu_op::divide, .operand0 = 3, .reverse0 = true, .on = on});
    results.push_back(bits_of(read(nc, out)));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST_F(vector, tensor_scalar_reduce_sums_before_rounding) {
  const tile x = filled(128, 300), sums = nc.sbuf(128, 1), out = nc.sbuf(128, 300, dtype::bf16);
  nc.issue(tensor_scalar_reduce{.out = out,
                                .reduced = sums,
                                .in = x,
                                .op = alu_op::multiply,
                                .operand = 3.3,
                                .reduce_op = alu_op::add});
  const std::vector<float> in = read(nc, x), result = read(nc, out), total = read(nc, sums);
  for (std::size_t p = 0; p < 128; ++p) {
    std::vector<float> row;
    for (std::size_t i = 0; i < 300; ++i) {
      row.push_back(in[p * 300 + i] * 3.3f);
      ASSERT_EQ(result[p * 300 + i], round_to(dtype::bf16, row.back()));
    }
    ASSERT_EQ(total[p], summed_in_order(row)) << p;
  }
}

TEST_F(vector, scalar_tensor_tensor_in_every_order) {
  const tile x = filled(128, 60), y = filled_psum(128, 60, dtype::fp32, 2);
  const tile s = filled(128, 1, dtype::fp32, 3), out = nc.sbuf(128, 60);
  const std::vector<float> a = read(nc, x), b = read(nc, y), c = read(nc, s);
  for (const bool reverse0 : {false, true})
    for (const bool reverse1 : {false, true}) {
      nc.issue(scalar_tensor_tensor{.out = out,
                                    .in = x,
                                    .right = y,
                                    .op0 = alu_op::subtract,
                                    .operand0 = s,
                                    .reverse0 = reverse0,
                                    .op1 = alu_op::divide,
                                    .reverse1 = reverse1});
      const std::vector<float> result = read(nc, out);
      for (std::size_t i = 0; i < a.size(); ++i) {
        const float inner = reverse0 ? c[i / 60] - a[i] : a[i] - c[i / 60];
        ASSERT_EQ(result[i], reverse1 ? b[i] / inner : inner / b[i]) << i;
      }
    }
}

TEST_F(vector, scalar_tensor_tensor_in_place_of_the_right_operand) {
  const tile x = filled(32, 3000), y = filled(32, 3000, dtype::fp32, 2);
  const std::vector<float> a = read(nc, x), b = read(nc, y);
  nc.issue(scalar_tensor_tensor{
      .out = y, .in = x, .right = y, .op0 = alu_op::multiply, .operand0 = 2, .op1 = alu_op::add});
  const std::vector<float> result = read(nc, y);
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(result[i], 2 * a[i] + b[i]) << i;
}

TEST_F(vector, tensor_tensor_scan_carries_fp32) {
  const tile x = filled(128, 50), y = filled_psum(128, 50, dtype::fp32, 2);
  const tile s = filled(128, 1, dtype::fp32, 3), out = nc.sbuf(128, 50, dtype::bf16);
  const std::vector<float> a = read(nc, x), b = read(nc, y), c = read(nc, s);
  const std::array<std::array<alu_op, 2>, 6> pairs{{{alu_op::multiply, alu_op::add},
                                                    {alu_op::add, alu_op::add},
                                                    {alu_op::add, alu_op::maximum},
                                                    {alu_op::maximum, alu_op::add},
                                                    {alu_op::subtract, alu_op::multiply},
                                                    {alu_op::divide, alu_op::subtract}}};
  for (const auto& [op0, op1] : pairs)
    for (const int flags : {0, 1, 2, 3}) {
      const bool reverse0 = (flags & 1) != 0, reverse1 = (flags & 2) != 0;
      nc.issue(tensor_tensor_scan{.out = out,
                                  .left = x,
                                  .right = y,
                                  .initial = flags == 0 ? scalar_operand(0.5) : scalar_operand(s),
                                  .op0 = op0,
                                  .op1 = op1,
                                  .reverse0 = reverse0,
                                  .reverse1 = reverse1});
      const std::vector<float> result = read(nc, out);
      for (std::size_t p = 0; p < 128; ++p) {
        float carried = flags == 0 ? 0.5f : c[p];
        for (std::size_t i = p * 50; i < (p + 1) * 50; ++i) {
          const float inner =
              reverse0 ? alu_oracle(op0, carried, a[i]) : alu_oracle(op0, a[i], carried);
          carried = reverse1 ? alu_oracle(op1, b[i], inner) : alu_oracle(op1, inner, b[i]);
          ASSERT_EQ(result[i], round_to(dtype::bf16, carried)) << to_string(op0) << " " << i;
        }
      }
    }
}

TEST_F(vector, tensor_tensor_scan_in_place) {
  const tile x = nc.sbuf(4, 100), y = nc.sbuf(4, 100);
  load(nc, x, std::vector<float>(400, 1));
  load(nc, y, std::vector<float>(400, 1));
  nc.issue(tensor_tensor_scan{
      .out = x, .left = x, .right = y, .op0 = alu_op::multiply, .op1 = alu_op::add});
  const std::vector<float> result = read(nc, x);
  for (std::size_t i = 0; i < 400; ++i) ASSERT_EQ(result[i], float(i % 100 + 1));
}

TEST_F(vector, reciprocal_is_correctly_rounded) {
  const tile x = filled(128, 70), out = nc.psum(128, 70);
  nc.issue(reciprocal{.out = out, .in = x});
  const std::vector<float> in = read(nc, x), result = read(nc, out);
  for (std::size_t i = 0; i < in.size(); ++i) ASSERT_EQ(result[i], float(1 / double(in[i])));
}

TEST_F(vector, copies_of_integers_saturate) {
  const tile in = nc.sbuf(1, 4, dtype::int32), out = nc.sbuf(1, 4, dtype::uint8);
  load_integers(nc, in, std::vector<std::int32_t>{-7, 200, 300, 0x7fffffff});
  nc.issue(tensor_copy{.out = out, .in = in});
  EXPECT_EQ(read_integers(nc, out), (std::vector<std::int32_t>{0, 200, 255, 255}));
}

}  // namespace
}  // namespace papilio::engine::test
