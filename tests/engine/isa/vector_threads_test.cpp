#include <array>
#include <functional>

#include "engine/support.hpp"

namespace papilio::engine::test {
namespace {

// Enough work that two threads share it.
constexpr int partitions = 128;
constexpr std::int64_t columns = 1100;
constexpr std::size_t count = std::size_t(partitions * columns);

/// Operands that every case may use.
struct operands {
  tile x, y, out, column, predicate;
};

using body = std::function<void(core&, const operands&)>;

std::vector<std::uint32_t> bits_with(int threads, dtype type, const body& run) {
  core nc(trainium2(), {.threads = threads});  // which has range_select
  nc.round_by({rounding_mode::stochastic, 7});
  operands o{nc.sbuf(partitions, columns), nc.sbuf(partitions, columns),
             nc.sbuf(partitions, columns, type), nc.sbuf(partitions, 1),
             nc.sbuf(partitions, columns, dtype::uint8)};
  load(nc, o.x, values_between(-2, 2, count, 1));
  load(nc, o.y, values_between(-2, 2, count, 2));
  load(nc, o.out, values_between(-2, 2, count, 3));
  load(nc, o.column, values_between(-2, 2, partitions, 4));
  load_integers(nc, o.predicate, integers_between(0, 2, count, 5));
  run(nc, o);
  std::vector<std::uint32_t> bits = bits_of(read(nc, o.out));
  const std::vector<std::uint32_t> more = bits_of(read(nc, o.column));
  bits.insert(bits.end(), more.begin(), more.end());
  return bits;
}

void same_bits(const body& run) {
  for (const dtype type : {dtype::fp32, dtype::bf16})
    EXPECT_EQ(bits_with(1, type, run), bits_with(2, type, run)) << to_string(type);
}

TEST(vector_threads, tensor_scalar) {
  same_bits([](core& nc, const operands& o) {
    nc.issue(tensor_scalar{.out = o.out,
                           .in = o.x,
                           .op0 = alu_op::multiply,
                           .operand0 = o.column,
                           .op1 = alu_op::add,
                           .operand1 = 0.1});
  });
}

TEST(vector_threads, tensor_scalar_reduce) {
  same_bits([](core& nc, const operands& o) {
    nc.issue(tensor_scalar_reduce{
        .out = o.out, .reduced = o.column, .in = o.x, .op = alu_op::multiply, .operand = 1.7});
  });
}

TEST(vector_threads, tensor_scalar_cumulative) {
  same_bits([](core& nc, const operands& o) {
    nc.issue(tensor_scalar_cumulative{
        .out = o.y, .in = o.x, .op0 = alu_op::multiply, .operand0 = o.column});
    nc.issue(tensor_scalar_cumulative{.out = o.out, .in = o.x, .command = reduce_command::reduce});
  });
}

TEST(vector_threads, scalar_tensor_tensor) {
  same_bits([](core& nc, const operands& o) {
    nc.issue(scalar_tensor_tensor{.out = o.out,
                                  .in = o.x,
                                  .right = o.y,
                                  .op0 = alu_op::subtract,
                                  .operand0 = o.column,
                                  .op1 = alu_op::multiply});
  });
}

TEST(vector_threads, tensor_tensor_scan) {
  same_bits([](core& nc, const operands& o) {
    nc.issue(tensor_tensor_scan{.out = o.out,
                                .left = o.x,
                                .right = o.y,
                                .initial = o.column,
                                .op0 = alu_op::minimum,
                                .op1 = alu_op::add});
  });
}

TEST(vector_threads, tensor_reduce) {
  same_bits([](core& nc, const operands& o) {
    nc.issue(tensor_reduce{.out = o.column, .in = o.x});
    nc.issue(tensor_reduce{.out = o.out->columns(0, 11), .in = o.y->reshape({11, 100})});
  });
}

TEST(vector_threads, choices) {
  same_bits([](core& nc, const operands& o) {
    if (o.out->type() == dtype::fp32) {
      nc.issue(tensor_copy_predicated{.out = o.out, .in = o.x, .predicate = o.predicate});
      nc.issue(select{.out = o.x, .predicate = o.predicate, .on_true = o.out, .on_false = o.y});
    }
    nc.issue(select_reduce{.out = o.out,
                           .reduced = o.column,
                           .predicate = o.predicate,
                           .on_true = o.x,
                           .on_false = 0.3,
                           .reduce_op = alu_op::add});
  });
}

TEST(vector_threads, range_select_and_reciprocal) {
  same_bits([](core& nc, const operands& o) {
    nc.issue(reciprocal{.out = o.y, .in = o.x});
    nc.issue(
        range_select{.out = o.out, .reduced = o.column, .in = o.y, .bound0 = 100, .bound1 = 600});
  });
}

TEST(vector_threads, stream_shuffle) {
  same_bits([](core& nc, const operands& o) {
    std::array<std::uint8_t, 32> mask{};
    for (int i = 0; i < 32; ++i) mask[std::size_t(i)] = std::uint8_t(31 - i);
    nc.issue(stream_shuffle{.out = o.x, .in = o.x, .mask = mask});
    nc.issue(tensor_copy{.out = o.out, .in = o.x});
  });
}

TEST(vector_threads, memset_and_dropout) {
  same_bits([](core& nc, const operands& o) {
    nc.issue(memset{.out = o.y, .value = 0.7});
    nc.issue(dropout{.out = o.out, .in = o.y, .probability = 0.3, .seed = 9});
  });
}

}  // namespace
}  // namespace papilio::engine::test
