#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/support.hpp"

// What NeuronCore-v4 does otherwise than the cores before it.

namespace papilio::engine::test {
namespace {

constexpr int depth = 96, rows = 16;

// To the nearest number of 8 significant bits, ties to even, on the bits of the number.
float nearest_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u);
}

/// A product of random operands, and what the array sums, one fma a row.
struct random_product {
  core& nc;
  std::int64_t columns;
  tile stationary, moving;
  std::vector<float> sums;

  random_product(core& on, std::int64_t n, std::uint64_t seed)
      : nc(on),
        columns(n),
        stationary(on.sbuf(depth, rows)),
        moving(on.sbuf(depth, n)),
        sums(std::size_t(rows * n)) {
    const std::vector<float> s = values_between(-1, 1, std::size_t(depth * rows), seed),
                             m = values_between(-1, 1, std::size_t(depth * n), seed + 1);
    load(on, stationary, s);
    load(on, moving, m);
    for (std::size_t i = 0; i < std::size_t(rows); ++i)
      for (std::size_t j = 0; j < std::size_t(n); ++j) {
        float sum = 0;
        for (std::size_t k = 0; k < std::size_t(depth); ++k)
          sum = std::fma(s[k * std::size_t(rows) + i], m[k * std::size_t(n) + j], sum);
        sums[i * std::size_t(n) + j] = sum;
      }
  }
  void issue(const tile& out, bool accumulate) const {
    nc.issue(
        matmul{.out = out, .stationary = stationary, .moving = moving, .accumulate = accumulate});
  }
};

TEST(trainium3_products, leave_bf16_in_psum_rounded_once_and_add_to_it_in_fp32) {
  core nc(trainium3(), {});
  const std::int64_t columns = 1024;  // of a bank
  const random_product first(nc, columns, 1), second(nc, columns, 3);
  const tile out = nc.psum(rows, columns, dtype::bf16);
  std::vector<float> expected(first.sums.size());
  std::ranges::transform(first.sums, expected.begin(), nearest_bf16);
  first.issue(out, false);
  EXPECT_EQ(bits_of(read(nc, out)), bits_of(expected));
  for (std::size_t i = 0; i < expected.size(); ++i)
    expected[i] = nearest_bf16(expected[i] + second.sums[i]);
  second.issue(out, true);
  EXPECT_EQ(bits_of(read(nc, out)), bits_of(expected));
}

TEST(trainium3_products, stay_in_a_bank_and_are_fp32_before) {
  const auto said = [](const machine_spec& machine, std::int64_t columns, dtype type) {
    core nc(machine, {.mode = run_mode::dry_run, .strict = false});
    const tile s = nc.sbuf(depth, rows, dtype::bf16), x = nc.sbuf(depth, columns, dtype::bf16);
    return refusal(nc, matmul{.out = nc.psum(rows, columns, type), .stationary = s, .moving = x});
  };
  EXPECT_EQ(said(trainium3(), 1024, dtype::bf16), "(accepted)");
  EXPECT_EQ(said(trainium3(), 1025, dtype::bf16),
            "moving: free size must be at most 1024, got 1025");
  EXPECT_EQ(said(trainium3(), 513, dtype::fp32), "moving: free size must be at most 512, got 513");
  EXPECT_EQ(said(trainium3(), 8, dtype::fp16),
            "out: must be fp32 or bf16 on NeuronCore-v4, is fp16");
  EXPECT_EQ(said(trainium2(), 8, dtype::bf16), "out: must be fp32 on NeuronCore-v3, is bf16");
  EXPECT_EQ(said(trainium1(), 8, dtype::bf16), "out: must be fp32 on NeuronCore-v2, is bf16");
}

// Cycles of the tensor engine from the first load on, without its throttle.
template <class Issue>
double cycles(machine_spec machine, const Issue& issue) {
  machine.tensor.throttle_rate = 0;
  core nc(machine, {.mode = run_mode::dry_run, .strict = false});
  issue(nc);
  return nc.summary().value("total_time") * machine.tensor.clock_hz;
}

// Eight transposes of 128 cycles behind a load of 64: one after the other, or two at a time, each of
// which starts when its load, behind the start of the one before, has ended.
TEST(trainium3_transposes, take_half_the_time_in_chains) {
  const auto chain = [](core& nc) {
    const tile in = nc.sbuf(128, 128, dtype::bf16), out = nc.psum(128, 1024, dtype::bf16);
    for (int i = 0; i < 8; ++i) nc.issue(transpose{.out = out->columns(128 * i, 128), .in = in});
  };
  EXPECT_NEAR(cycles(trainium2(), chain), 64 + 8 * 128, 1e-6);
  EXPECT_NEAR(cycles(trainium3(), chain), 64 + 7 * 64 + 128, 1e-6);
  machine_spec without = trainium3();
  without.tensor.background_transposes = 0;
  EXPECT_NEAR(cycles(without, chain), 64 + 8 * 128, 1e-6);
}

TEST(trainium3_transposes, hide_behind_products) {
  const auto between = [](core& nc) {
    const tile in = nc.sbuf(128, 128, dtype::bf16), x = nc.sbuf(128, 512, dtype::bf16),
               turned = nc.psum(128, 128, dtype::bf16), one = nc.psum(128, 512),
               two = nc.psum(128, 512);
    nc.issue(matmul{.out = one, .stationary = in, .moving = x});
    nc.issue(transpose{.out = turned, .in = in});
    nc.issue(matmul{.out = two, .stationary = in, .moving = x});
  };
  EXPECT_NEAR(cycles(trainium2(), between), 64 + 512 + 128 + 512, 1e-6);
  EXPECT_NEAR(cycles(trainium3(), between), 64 + 512 + 512, 1e-6);
}

// A transpose that needs the product before it waits for it, in the background too.
TEST(trainium3_transposes, wait_for_their_operands) {
  const auto dependent = [](core& nc) {
    const tile in = nc.sbuf(128, 128, dtype::bf16), x = nc.sbuf(128, 512, dtype::bf16),
               out = nc.psum(128, 512);
    nc.issue(matmul{.out = out, .stationary = in, .moving = x});
    nc.issue(transpose{.out = out->columns(0, 128), .in = in});
  };
  EXPECT_NEAR(cycles(trainium3(), dependent), 64 + 512 + 128, 1e-6);
}

// tensor_copy and tensor_scalar of 16 bits take half on the scalar engine.
TEST(trainium3_scalar_engine, copies_16_bits_at_twice_the_rate) {
  const auto cycles_of = [](const machine_spec& machine, dtype type, std::int64_t stride) {
    core nc(machine, {.mode = run_mode::dry_run, .strict = false});
    const tile x = nc.sbuf(128, 1024, type), y = nc.sbuf(128, 1024, type);
    const std::int64_t count = 1024 / stride;
    const tile_view in = x.whole().pattern(0, {{count, stride}}),
                    out = y.whole().pattern(0, {{count, stride}});
    const double copy =
        documented_cycles(tensor_copy{.out = out, .in = in, .on = unit::scalar}, machine);
    EXPECT_EQ(
        copy,
        documented_cycles(
            tensor_scalar{
                .out = out, .in = in, .op0 = alu_op::multiply, .operand0 = 2, .on = unit::scalar},
            machine));
    return copy;
  };
  EXPECT_EQ(cycles_of(trainium2(), dtype::bf16, 1), 1024);
  EXPECT_EQ(cycles_of(trainium3(), dtype::bf16, 1), 512);
  EXPECT_EQ(cycles_of(trainium3(), dtype::fp32, 1), 1024);
  EXPECT_EQ(cycles_of(trainium3(), dtype::bf16, 4), 256);
}

}  // namespace
}  // namespace papilio::engine::test
