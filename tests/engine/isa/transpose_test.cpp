#include "engine/support.hpp"

namespace papilio::engine::test {
namespace {

using transposes = fixture;

void expect_transposed(core& nc, const tile_view& in, const tile_view& out) {
  const std::vector<float> from = read(nc, in), to = read(nc, out);
  const auto rows = std::size_t(in.partitions()), columns = std::size_t(in.elements());
  for (std::size_t p = 0; p < rows; ++p)
    for (std::size_t f = 0; f < columns; ++f)
      ASSERT_EQ(to[f * rows + p], from[p * columns + f]) << p << " " << f;
}

TEST_F(transposes, on_the_tensor_engine_go_from_sbuf_to_psum) {
  for (const auto& [p, f] : {std::array{128, 128}, {1, 5}, {64, 100}}) {
    for (const dtype type : {dtype::fp32, dtype::bf16, dtype::fp8_e5m2}) {
      const tile in = filled(p, f, type), out = nc.psum(f, p);
      nc.issue(transpose{.out = out, .in = in});
      expect_transposed(nc, in, out);
    }
  }
}

TEST_F(transposes, keep_16_bits_in_psum_in_trainium2_s_mode) {
  const tile in = filled2(64, 32, dtype::bf16), out = nc2.psum(32, 64, dtype::bf16);
  nc2.issue(transpose{.out = out, .in = in});
  expect_transposed(nc2, in, out);
}

TEST_F(transposes, on_the_vector_engine_go_anywhere) {
  for (const dtype type : {dtype::fp32, dtype::bf16, dtype::uint8, dtype::int32}) {
    const tile in = filled(30, 17, type), out = nc.sbuf(17, 30, type), psum = nc.psum(17, 30, type);
    nc.issue(transpose{.out = out, .in = in, .on = unit::vector});
    nc.issue(transpose{.out = psum, .in = in, .on = unit::vector});
    if (is_float(type)) {
      expect_transposed(nc, in, out);
      expect_transposed(nc, in, psum);
    } else {
      const std::vector<std::int32_t> from = read_integers(nc, in), to = read_integers(nc, out);
      for (std::size_t p = 0; p < 30; ++p)
        for (std::size_t f = 0; f < 17; ++f) ASSERT_EQ(to[f * 30 + p], from[p * 17 + f]);
    }
  }
}

TEST_F(transposes, in_place_and_in_patterns) {
  const tile square = filled(32, 64);
  const tile_view left = square->columns(0, 32), odd = square->slice(1, 1, 32, 2);
  const std::vector<float> before = read(nc, left);
  nc.issue(transpose{.out = left, .in = left, .on = unit::vector});
  const std::vector<float> after = read(nc, left);
  for (std::size_t p = 0; p < 32; ++p)
    for (std::size_t f = 0; f < 32; ++f) ASSERT_EQ(after[f * 32 + p], before[p * 32 + f]);
  const tile out = nc.sbuf(32, 32);
  nc.issue(transpose{.out = out, .in = odd, .on = unit::vector});
  expect_transposed(nc, odd, out);
}

double cycles(core& nc, int p, int f, unit on) {
  const tile in = nc.sbuf(p, f);
  if (on == unit::tensor)
    return documented_cycles(transpose{.out = nc.psum(f, p), .in = in, .on = on}, nc.machine());
  return documented_cycles(transpose{.out = nc.sbuf(f, p), .in = in, .on = on}, nc.machine());
}

TEST_F(transposes, documented_cost_on_the_tensor_engine) {
  const int passes = trainium1().tensor.fp32_transpose_passes;
  EXPECT_EQ(cycles(nc, 128, 128, unit::tensor), 128 * passes);
  EXPECT_EQ(cycles(nc, 32, 128, unit::tensor), 64 * passes);
  EXPECT_EQ(cycles(nc, 32, 48, unit::tensor), 48 * passes);
  EXPECT_EQ(cycles(nc, 40, 8, unit::tensor), 40 * passes);
}
TEST_F(transposes, documented_cost_on_the_vector_engine) {
  EXPECT_EQ(cycles(nc, 32, 32, unit::vector), 64);
  EXPECT_EQ(cycles(nc, 5, 7, unit::vector), 64);
}

// A product with the identity: the data are stationary, and 128 rows of the identity go by.
TEST_F(transposes, of_fp32_take_the_passes_of_a_flagged_product) {
  const tile in = filled(128, 96), moving = filled(128, 128), psum = nc.psum(96, 128);
  const instruction product =
      matmul{.out = psum, .stationary = in, .moving = moving, .onezero = true};
  EXPECT_EQ(cost_ns(transpose{.out = psum, .in = in}, nc.machine()),
            cost_ns(product, nc.machine()));
  machine_spec full = trainium1();
  full.tensor.fp32_transpose_passes = 4;
  EXPECT_EQ(cost_ns(transpose{.out = psum, .in = in}, full),
            2 * cost_ns(transpose{.out = psum, .in = in}, nc.machine()));
}

// A1: half the rate where neighbours are more than 16 bytes apart. The data are loaded as the
// stationary operand, 64 cycles a pass; the identity that goes by lies side by side.
TEST_F(transposes, load_far_strides_at_half_the_rate) {
  const tile in = filled(128, 640);
  const auto ns = [&](std::int64_t stride) {
    return cost_ns(transpose{.out = nc.psum(128, 128), .in = in->slice(1, 0, 128, stride)},
                   nc.machine());
  };
  const machine_spec& m = nc.machine();
  EXPECT_NEAR(ns(5) - ns(4), 64 * m.tensor.fp32_transpose_passes * 1e9 / m.tensor.clock_hz, 1e-9);
}

TEST_F(transposes, of_a_strip_are_the_compiler_s) {
  const tile in = filled(32, 112), out = nc.sbuf(112, 32);
  const transpose strip{.out = out, .in = in, .on = unit::vector, .strip = true};
  nc.issue(strip);
  expect_transposed(nc, in, out);
  EXPECT_EQ(documented_cycles(strip, nc.machine()), 4 * 64);  // blocks of 32 x 32, the last in part
  EXPECT_EQ(refusal(nc, transpose{.out = nc.psum(112, 32), .in = in, .strip = true}),
            "strip: is of the vector engine");
  EXPECT_EQ(
      refusal(nc,
              transpose{
                  .out = nc.sbuf(32, 64), .in = filled(64, 32), .on = unit::vector, .strip = true}),
      "in: partitions must be at most 32, got 64");
}

TEST_F(transposes, refuse_what_does_not_fit) {
  const tile in = filled(128, 129), out = nc.psum(128, 128), sbuf = nc.sbuf(128, 128);
  const auto refused = [&](const tile_view& to, const tile_view& from, unit on) {
    return refusal(nc, transpose{.out = to, .in = from, .on = on});
  };
  EXPECT_EQ(refused(out, in, unit::tensor),
            "in: elements a partition must be at most 128, got 129");
  const tile_view x = in->columns(0, 128);
  EXPECT_EQ(refused(out->columns(0, 64), x, unit::tensor),
            "out: elements a partition (partitions of in) must be 128, got 64");
  EXPECT_EQ(refused(out->partition_range(0, 64), x, unit::tensor),
            "out: partitions (elements of in) must be 128, got 64");
  EXPECT_EQ(refused(sbuf, x, unit::tensor), "out: must be in PSUM, is in SBUF");
  EXPECT_EQ(refused(out, filled_psum(128, 128), unit::tensor), "in: must be in SBUF, is in PSUM");
  EXPECT_EQ(refused(sbuf, x, unit::scalar), "on: must be tensor or vector, is scalar");
  EXPECT_EQ(refused(out, filled(128, 128, dtype::int32), unit::tensor),
            "in: must be a floating-point type, is int32");
  EXPECT_EQ(refused(nc.psum(128, 128, dtype::bf16), filled(128, 128, dtype::bf16), unit::tensor),
            "out: must be fp32, is bf16");
  EXPECT_EQ(refused(sbuf, x, unit::vector), "in: partitions must be at most 32, got 128");
  EXPECT_EQ(refused(sbuf->columns(0, 32), in->columns(0, 128).partition_range(0, 32), unit::vector),
            "in: elements a partition must be at most 32, got 128");
  EXPECT_EQ(refused(nc.sbuf(32, 32), filled(32, 32, dtype::bf16), unit::vector),
            "out: must be bf16, is fp32");
}

TEST(transpose_on_the_tensor_engine, stays_in_a_bank) {
  core nc(trainium1(), {});
  const tile in = nc.sbuf(64, 64), out = nc.psum(64, 1024);
  nc.issue(memset{.out = in});
  EXPECT_EQ(refusal(nc, transpose{.out = out->columns(448, 64), .in = in}), "(accepted)");
  EXPECT_EQ(refusal(nc, transpose{.out = out->columns(480, 64), .in = in}),
            "out: bytes [1920, 2176) of a partition cross a PSUM bank of 2048");
}

}  // namespace
}  // namespace papilio::engine::test
