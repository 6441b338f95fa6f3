// One program's results, bit by bit: with one and two threads, and with every instruction set that
// this build and this machine have.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <cmath>
#include <random>

#include "papilio/engine.hpp"

namespace papilio::engine {
namespace {

constexpr std::int64_t depth = 2 * 128 - 3;  // of two products, the second on fewer rows
constexpr std::int64_t rows = 125, columns = 509, side = 128;

using bits = std::vector<std::uint32_t>;

array<float, 2> values(std::int64_t height, std::int64_t width, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  array<float, 2> made({std::size_t(height), std::size_t(width)});
  for (std::size_t i = 0; i < made.size(); ++i)
    made.data()[i] = float(engine() >> 40) * 0x1p-23f - 1;
  return made;
}

/// Of two products, summed.
struct operands {
  array<float, 2> left = values(depth, rows, 1), right = values(depth, columns, 2);
};

// sum[rows, columns] = left^T right in PSUM, odd sizes, so that every tail of a vector is used.
void multiply(core& nc, const kernel_arguments& t, const tile_view& sum) {
  for (std::int64_t first = 0; first < depth; first += side) {
    const std::int64_t count = std::min(side, depth - first);
    const tile left = nc.sbuf(int(count), rows, t.in(0).type());
    const tile right = nc.sbuf(int(count), columns, t.in(1).type());
    nc.issue(dma_copy{.out = left.whole(), .in = t.in(0).slice(0, first, count)});
    nc.issue(dma_copy{.out = right.whole(), .in = t.in(1).slice(0, first, count)});
    nc.issue(matmul{.out = sum, .stationary = left, .moving = right, .accumulate = first > 0});
  }
}

// out 0: the product; 1: a function of it, an element-wise chain; 2: its sums by row; 3: bf16 by
// stochastic rounding.
kernel program() {
  return {.name = "bits", .body = [](core& nc, const kernel_arguments& t) {
            const tile sum = nc.psum(int(rows), columns);
            multiply(nc, t, sum);
            const tile product = nc.sbuf(int(rows), columns), shaped = nc.sbuf(int(rows), columns);
            const tile total = nc.sbuf(int(rows), 1);
            nc.issue(tensor_copy{.out = product, .in = sum});
            nc.issue(dma_copy{.out = t.out(0), .in = product.whole()});
            nc.issue(activation{
                .out = shaped, .in = sum, .function = activation_function::gelu, .scale = 0.3f});
            nc.issue(tensor_tensor{
                .out = shaped, .left = shaped, .right = product, .op = alu_op::multiply});
            nc.issue(tensor_scalar{.out = shaped,
                                   .in = shaped,
                                   .op0 = alu_op::multiply,
                                   .operand0 = 1.1,
                                   .op1 = alu_op::add,
                                   .operand1 = 0.7});
            nc.issue(dma_copy{.out = t.out(1), .in = shaped.whole()});
            nc.issue(tensor_reduce{.out = total, .in = shaped, .op = alu_op::add});
            nc.issue(dma_copy{.out = t.out(2), .in = total.whole()});
            nc.round_by({rounding_mode::stochastic, 42});
            const tile narrow = nc.sbuf(int(rows), columns, dtype::bf16);
            nc.issue(tensor_copy{.out = narrow, .in = product});
            nc.issue(dma_copy{.out = t.out(3), .in = narrow.whole()});
          }};
}

bits results(dtype type, bool products_rounded, int threads) {
  machine_spec machine = trainium1();
  machine.tensor.products_rounded = products_rounded;
  const operands in;
  array<float, 2> product({rows, columns}), shaped({rows, columns}), sums({rows, 1}),
      narrow({rows, columns});
  device dev(machine, sdk_2_24(), {.threads = threads});
  dev.launch(program(), {launch_input(in.left, type), launch_input(in.right, type)},
             {product, shaped, sums, launch_output(narrow, dtype::bf16)});
  bits all;
  for (const auto* part : {&product, &shaped, &sums, &narrow})
    for (std::size_t i = 0; i < part->size(); ++i)
      all.push_back(std::bit_cast<std::uint32_t>(part->data()[i]));
  return all;
}

struct variant {
  dtype type;
  bool products_rounded;
};
constexpr variant variants[] = {{dtype::fp32, false},
                                {dtype::fp32, true},
                                {dtype::bf16, false},
                                {dtype::bf16, true},
                                {dtype::fp16, false}};

class engine_bits : public testing::Test {
 protected:
  // Dispatch looks the target up at the next product.
  static void choose(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().DeInit();
  }
  void TearDown() override { choose(0); }
};

TEST_F(engine_bits, do_not_depend_on_threads) {
  for (const variant& v : variants)
    EXPECT_EQ(results(v.type, v.products_rounded, 1), results(v.type, v.products_rounded, 2))
        << to_string(v.type) << v.products_rounded;
}

// Were the switch without effect, the test below would compare less than it says.
TEST_F(engine_bits, depend_on_how_products_are_rounded) {
  EXPECT_NE(results(dtype::fp32, false, 1), results(dtype::fp32, true, 1));
}

// Sums as documented, one operation at a time: from row 0 on, and each product's sum on what PSUM
// holds.
bits expected_product(const variant& v) {
  const operands in;
  bits expected;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      float held = 0;
      for (std::int64_t first = 0; first < depth; first += side) {
        float sum = 0;
        for (std::int64_t k = first; k < std::min(first + side, depth); ++k) {
          const float left = round_to(v.type, in.left.data()[k * rows + i]);
          const float right = round_to(v.type, in.right.data()[k * columns + j]);
          sum = v.products_rounded ? sum + left * right : std::fma(left, right, sum);
        }
        held = first == 0 ? sum : held + sum;
      }
      expected.push_back(std::bit_cast<std::uint32_t>(held));
    }
  return expected;
}

TEST_F(engine_bits, of_a_product_are_those_of_scalar_arithmetic) {
  for (const variant& v : variants) {
    const bits expected = expected_product(v);
    bits got = results(v.type, v.products_rounded, 1);
    got.resize(expected.size());
    EXPECT_EQ(got, expected) << to_string(v.type) << v.products_rounded;
  }
}

TEST_F(engine_bits, do_not_depend_on_the_instruction_set) {
  const std::int64_t supported = hwy::SupportedTargets();
  std::vector<bits> expected;
  for (const variant& v : variants) expected.push_back(results(v.type, v.products_rounded, 1));
  int compared = 0;
  for (const std::int64_t target : {PAPILIO_HIGHWAY_TARGETS}) {
    if ((supported & target) == 0) continue;
    choose(target);
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_EQ(results(variants[i].type, variants[i].products_rounded, 1), expected[i])
          << hwy::TargetName(target) << " " << to_string(variants[i].type)
          << variants[i].products_rounded;
    ++compared;
  }
  if (compared < 2) GTEST_SKIP() << "this build or this machine has one instruction set";
}

}  // namespace
}  // namespace papilio::engine
