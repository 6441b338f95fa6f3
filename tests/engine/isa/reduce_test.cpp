#include <cmath>
#include <limits>

#include "engine/isa/alu_oracle.hpp"
#include "engine/support.hpp"

namespace papilio::engine::test {
namespace {

using reduce = fixture;

std::vector<float> part(const std::vector<float>& values, std::size_t first, std::size_t count) {
  return {values.begin() + std::ptrdiff_t(first), values.begin() + std::ptrdiff_t(first + count)};
}

TEST_F(reduce, sums_in_the_documented_order) {
  for (const std::int64_t n : {1, 2, 7, 15, 16, 17, 31, 32, 100, 1000, 4096}) {
    const tile x = filled(16, n, dtype::fp32, std::uint64_t(n)), sums = nc.sbuf(16, 1);
    nc.issue(tensor_reduce{.out = sums, .in = x});
    const std::vector<float> in = read(nc, x), result = read(nc, sums);
    for (std::size_t p = 0; p < 16; ++p)
      ASSERT_EQ(result[p], summed_in_order(part(in, p * std::size_t(n), std::size_t(n)))) << n;
  }
}

TEST_F(reduce, is_near_the_exact_sum) {
  const tile x = filled(128, 5000), sums = nc.sbuf(128, 1);
  nc.issue(tensor_reduce{.out = sums, .in = x, .negate = true});
  const std::vector<float> in = read(nc, x), result = read(nc, sums);
  for (std::size_t p = 0; p < 128; ++p) {
    double exact = 0, magnitude = 0;
    for (const float v : part(in, p * 5000, 5000)) {
      exact += v;
      magnitude += std::abs(v);
    }
    // A sum passes through at most ceil(5000 / 16) + 4 roundings of half a unit each.
    ASSERT_NEAR(result[p], -exact, 317 * 0x1p-24 * magnitude);
  }
}

TEST_F(reduce, has_each_operation) {
  const tile x = filled(32, 37), out = nc.sbuf(32, 1);
  const std::vector<float> in = read(nc, x);
  for (const alu_op op : {alu_op::maximum, alu_op::minimum, alu_op::absolute_maximum,
                          alu_op::logical_and, alu_op::logical_or, alu_op::logical_xor}) {
    nc.issue(tensor_reduce{.out = out, .in = x, .op = op});
    const std::vector<float> result = read(nc, out);
    for (std::size_t p = 0; p < 32; ++p) {
      const std::vector<float> row = part(in, p * 37, 37);
      float expected = op == alu_op::logical_or || op == alu_op::logical_xor ? 0 : row[0];
      for (const float v : row) expected = alu_oracle(op, expected, v);
      ASSERT_EQ(result[p], expected) << to_string(op);
    }
  }
  nc.issue(tensor_reduce{.out = out, .in = x, .op = alu_op::multiply});
  const std::vector<float> result = read(nc, out);
  for (std::size_t p = 0; p < 32; ++p) {
    double product = 1;
    for (const float v : part(in, p * 37, 37)) product *= v;
    ASSERT_NEAR(result[p], product, 37 * 0x1p-23 * std::abs(product));
  }
}

TEST_F(reduce, keeps_nan_and_the_sign_of_zero) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::size_t at : {std::size_t(0), std::size_t(5), std::size_t(20)}) {
    const tile x = nc.sbuf(1, 21), out = nc.sbuf(1, 1);
    std::vector<float> values(21, 1);
    values[at] = nan;
    load(nc, x, values);
    for (const alu_op op : {alu_op::maximum, alu_op::minimum, alu_op::absolute_maximum}) {
      nc.issue(tensor_reduce{.out = out, .in = x, .op = op});
      ASSERT_TRUE(std::isnan(read(nc, out)[0])) << at;
    }
    load(nc, x, std::vector<float>(21, -0.0f));
    nc.issue(tensor_reduce{.out = out, .in = x});
    ASSERT_TRUE(std::signbit(read(nc, out)[0]));
  }
}

TEST_F(reduce, takes_the_last_levels) {
  const tile x = filled(128, 3 * 4 * 5), rows = nc.sbuf(128, 12), blocks = nc.psum(128, 3);
  const tile columns = nc.sbuf(128, 5);
  const std::vector<float> in = read(nc, x);
  const tile_view cube = x->reshape({3, 4, 5});
  nc.issue(tensor_reduce{.out = rows, .in = cube});
  nc.issue(tensor_reduce{.out = blocks, .in = cube, .levels = 2});
  nc.issue(tensor_reduce{
      .out = columns, .in = cube.permute({3, 1, 2}), .op = alu_op::maximum, .levels = 2});
  const std::vector<float> by_row = read(nc, rows), by_block = read(nc, blocks),
                           by_column = read(nc, columns);
  for (std::size_t p = 0; p < 128; ++p) {
    for (std::size_t j = 0; j < 12; ++j)
      ASSERT_EQ(by_row[p * 12 + j], summed_in_order(part(in, p * 60 + j * 5, 5)));
    for (std::size_t j = 0; j < 3; ++j)
      ASSERT_EQ(by_block[p * 3 + j], summed_in_order(part(in, p * 60 + j * 20, 20)));
    for (std::size_t j = 0; j < 5; ++j) {
      float largest = -10;
      for (std::size_t i = 0; i < 12; ++i) largest = std::max(largest, in[p * 60 + i * 5 + j]);
      ASSERT_EQ(by_column[p * 5 + j], largest);
    }
  }
}

TEST_F(reduce, broadcasts_and_integers) {
  const tile x = nc.sbuf(32, 9, dtype::int32), out = nc.sbuf(32, 1, dtype::int32);
  const std::vector<std::int32_t> in = integers_between(-1000, 1000, 32 * 9);
  load_integers(nc, x, in);
  nc.issue(tensor_reduce{.out = out, .in = x->repeat(10), .levels = 2});
  std::vector<std::int32_t> result = read_integers(nc, out);
  for (std::size_t p = 0; p < 32; ++p) {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < 9; ++i) sum += in[p * 9 + i];
    ASSERT_EQ(result[p], 10 * sum);
  }
  for (const alu_op op : {alu_op::bits_and, alu_op::bits_or, alu_op::bits_xor}) {
    nc.issue(tensor_reduce{.out = out, .in = x, .op = op});
    result = read_integers(nc, out);
    for (std::size_t p = 0; p < 32; ++p) {
      std::int32_t bits = in[p * 9];
      for (std::size_t i = 1; i < 9; ++i) {
        const std::int32_t next = in[p * 9 + i];
        bits = op == alu_op::bits_and  ? bits & next
               : op == alu_op::bits_or ? bits | next
                                       : bits ^ next;
      }
      ASSERT_EQ(result[p], bits) << to_string(op);
    }
  }
}

TEST_F(reduce, accumulates_bf16_in_fp32) {
  const tile x = filled(128, 700, dtype::bf16), out = nc.sbuf(128, 1, dtype::bf16);
  nc.issue(tensor_reduce{.out = out, .in = x});
  const std::vector<float> in = read(nc, x), result = read(nc, out);
  for (std::size_t p = 0; p < 128; ++p)
    ASSERT_EQ(result[p], round_to(dtype::bf16, summed_in_order(part(in, p * 700, 700))));
}

TEST_F(reduce, refuses) {
  const tile x = filled(64, 40), y = nc.sbuf(64, 4), narrow = nc.sbuf(32, 1), one = nc.sbuf(64, 1);
  const tile bits = filled(64, 40, dtype::int32), bit = nc.sbuf(64, 1, dtype::int32);
  EXPECT_EQ(refusal(nc, tensor_reduce{.out = one, .in = x, .levels = 2}),
            "levels: must be in [1, 1], got 2");
  EXPECT_EQ(refusal(nc, tensor_reduce{.out = one, .in = x, .levels = 0}),
            "levels: must be at least 1, got 0");
  EXPECT_EQ(refusal(nc, tensor_reduce{.out = narrow, .in = x}),
            "out: partitions (as in) must be 64, got 32");
  EXPECT_EQ(refusal(nc, tensor_reduce{.out = y, .in = x}),
            "out: elements a partition (of the levels of in that are left) must be 1, got 4");
  EXPECT_EQ(refusal(nc, tensor_reduce{.out = one, .in = x, .op = alu_op::subtract}),
            "op: does not reduce: subtract");
  EXPECT_EQ(refusal(nc, tensor_reduce{.out = one, .in = x, .op = alu_op::bits_or}),
            "out: must be an integer type for bits_or, is fp32");
  EXPECT_EQ(refusal(nc, tensor_reduce{.out = bit, .in = x, .op = alu_op::bits_or}),
            "in: must be an integer type for bits_or, is fp32");
  EXPECT_EQ(
      refusal(nc, tensor_reduce{.out = bit, .in = bits, .op = alu_op::bits_or, .negate = true}),
      "negate: does not go with bits_or");
  EXPECT_NE(refusal(nc, tensor_reduce{.out = x->columns(3, 1), .in = x}).find("out: overlaps in"),
            std::string::npos);
}

}  // namespace
}  // namespace papilio::engine::test
