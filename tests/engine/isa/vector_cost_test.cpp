#include "engine/support.hpp"

// One test a row of the vendor's cost table, named after the row; the numbers are the table's, in
// cycles for N elements a partition.
namespace papilio::engine::test {
namespace {

struct vector_cost : fixture {
  double cycles(const instruction& i) { return documented_cycles(i, trainium1()); }
  double cycles2(const instruction& i) { return documented_cycles(i, trainium2()); }

  tile f32 = nc.sbuf(128, 500), g32 = nc.sbuf(128, 500), h32 = nc.sbuf(128, 500);
  tile psum32 = nc.psum(128, 500);
  tile b16 = nc.sbuf(128, 500, dtype::bf16), c16 = nc.sbuf(128, 500, dtype::bf16),
       d16 = nc.sbuf(128, 500, dtype::bf16), psum16 = nc.psum(128, 500, dtype::bf16);
  tile column = nc.sbuf(128, 1), column16 = nc.sbuf(128, 1, dtype::bf16);
  tile bits = nc.sbuf(128, 500, dtype::uint8), psum_bits = nc.psum(128, 500, dtype::int32);

  static tile_view few(const tile& t) { return t->columns(0, 10); }
};

TEST_F(vector_cost, tensor_tensor_split_between_psum_and_sbuf) {
  EXPECT_EQ(cycles(tensor_tensor{.out = f32, .left = psum32, .right = g32}), 500);
  EXPECT_EQ(cycles(tensor_tensor{.out = few(f32), .left = few(g32), .right = few(psum32)}), 64);
}

TEST_F(vector_cost, tensor_tensor_all_bf16_in_sbuf) {
  EXPECT_EQ(cycles(tensor_tensor{.out = b16, .left = c16, .right = d16}), 500);
  EXPECT_EQ(cycles(tensor_tensor{.out = b16, .left = c16, .right = d16, .op = alu_op::divide}),
            1000);
}

TEST_F(vector_cost, tensor_tensor_otherwise) {
  EXPECT_EQ(cycles(tensor_tensor{.out = f32, .left = g32, .right = h32}), 1000);
  EXPECT_EQ(cycles(tensor_tensor{.out = few(f32), .left = few(g32), .right = few(h32)}), 64);
}

TEST_F(vector_cost, tensor_scalar) {
  const auto both = [](const tile_view& out, const tile_view& in, unit on = unit::vector) {
    return tensor_scalar{.out = out,
                         .in = in,
                         .op0 = alu_op::multiply,
                         .operand0 = 2,
                         .op1 = alu_op::add,
                         .operand1 = 1,
                         .on = on};
  };
  EXPECT_EQ(cycles(both(f32, g32)), 500);
  EXPECT_EQ(cycles(both(f32, g32, unit::scalar)), 500);
  EXPECT_EQ(cycles(both(f32, g32, unit::gpsimd)), 650);
  EXPECT_EQ(cycles(both(few(f32), few(g32))), 64);
  EXPECT_EQ(
      cycles(tensor_scalar{.out = f32, .in = psum32, .op0 = alu_op::multiply, .operand0 = column}),
      500);
  EXPECT_EQ(cycles(both(b16, c16)), 500);  // no performance mode on trainium1
}

TEST_F(vector_cost, tensor_scalar_in_the_performance_mode) {
  const auto copy = [](const tile_view& out, const tile_view& in) {
    return tensor_scalar{.out = out, .in = in, .op0 = alu_op::add, .operand0 = 1};
  };
  const tile_view even = b16->slice(1, 0, 250, 2);
  EXPECT_EQ(cycles2(copy(b16, c16)), 125);
  EXPECT_EQ(cycles2(copy(c16->columns(0, 250), even)), 125);
  EXPECT_EQ(cycles2(copy(b16, psum16)), 250);
  EXPECT_EQ(cycles2(copy(psum16->columns(0, 250), even)), 250);
  EXPECT_EQ(cycles2(copy(f32, g32)), 500);
  EXPECT_EQ(cycles2(copy(b16, g32)), 500);
  tensor_scalar elsewhere = copy(b16, c16);
  elsewhere.on = unit::scalar;
  EXPECT_EQ(cycles2(elsewhere), 500);
}

TEST_F(vector_cost, tensor_copy_in_the_performance_mode) {
  EXPECT_EQ(cycles2(tensor_copy{.out = b16, .in = c16}), 125);
  EXPECT_EQ(cycles2(tensor_copy{.out = b16, .in = psum16}), 250);
  EXPECT_EQ(cycles2(tensor_copy{.out = f32, .in = psum32}), 500);
  EXPECT_EQ(cycles2(tensor_tensor{.out = b16, .left = c16, .right = d16, .op = alu_op::divide}),
            500);
}

TEST_F(vector_cost, tensor_scalar_reduce) {
  EXPECT_EQ(cycles(tensor_scalar_reduce{.out = f32, .reduced = column, .in = g32}), 564);
  EXPECT_EQ(cycles(tensor_scalar_reduce{.out = few(f32), .reduced = column, .in = few(g32)}), 128);
}

TEST_F(vector_cost, scalar_tensor_tensor) {
  const auto with = [](const tile_view& out, const tile_view& in, const tile_view& right,
                       alu_op op0 = alu_op::subtract, alu_op op1 = alu_op::multiply) {
    return scalar_tensor_tensor{
        .out = out, .in = in, .right = right, .op0 = op0, .operand0 = 1, .op1 = op1};
  };
  EXPECT_EQ(cycles(with(f32, g32, h32)), 1000);
  EXPECT_EQ(cycles(with(few(f32), few(g32), few(h32))), 20);
  EXPECT_EQ(cycles(with(b16, c16, d16)), 500);
  EXPECT_EQ(cycles(with(b16, c16, d16, alu_op::add)), 1000);
  EXPECT_EQ(cycles(with(b16, c16, d16, alu_op::subtract, alu_op::add)), 1000);
  EXPECT_EQ(cycles(with(b16, c16, g32)), 1000);
  EXPECT_EQ(cycles(with(b16->columns(0, 499), c16->columns(0, 499), d16->columns(0, 499))), 998);
}

TEST_F(vector_cost, tensor_tensor_scan) {
  EXPECT_EQ(cycles(tensor_tensor_scan{.out = f32, .left = g32, .right = h32}), 1000);
  EXPECT_EQ(cycles(tensor_tensor_scan{.out = few(f32), .left = few(g32), .right = few(h32)}), 64);
}

TEST_F(vector_cost, tensor_reduce) {
  EXPECT_EQ(cycles(tensor_reduce{.out = column, .in = f32}), 500);
  EXPECT_EQ(cycles(tensor_reduce{.out = column, .in = few(f32)}), 10);
  EXPECT_EQ(cycles(tensor_reduce{.out = column16, .in = b16}), 250);
  EXPECT_EQ(cycles(tensor_reduce{.out = column16, .in = b16, .op = alu_op::maximum}), 250);
  EXPECT_EQ(cycles(tensor_reduce{.out = column16, .in = b16, .op = alu_op::minimum}), 500);
  EXPECT_EQ(cycles(tensor_reduce{.out = column, .in = b16}), 500);
}

TEST_F(vector_cost, tensor_copy_predicated) {
  EXPECT_EQ(cycles(tensor_copy_predicated{.out = f32, .in = g32, .predicate = bits}), 1000);
  EXPECT_EQ(cycles(tensor_copy_predicated{.out = f32, .in = psum32, .predicate = bits}), 500);
  EXPECT_EQ(cycles(tensor_copy_predicated{.out = f32, .in = g32, .predicate = psum_bits}), 500);
  EXPECT_EQ(cycles(tensor_copy_predicated{.out = few(f32), .in = few(g32), .predicate = few(bits)}),
            64);
}

TEST_F(vector_cost, select_as_a_copy_and_a_predicated_copy) {
  EXPECT_EQ(cycles(select{.out = f32, .predicate = bits, .on_true = g32, .on_false = h32}), 1500);
  EXPECT_EQ(cycles(select{.out = f32, .predicate = bits, .on_true = psum32, .on_false = h32}),
            1000);
  EXPECT_EQ(cycles2(select{.out = b16, .predicate = bits, .on_true = c16, .on_false = d16}), 1125);
}

TEST_F(vector_cost, select_reduce) {
  EXPECT_EQ(cycles(select_reduce{.out = f32, .predicate = bits, .on_true = g32}), 1000);
  EXPECT_EQ(cycles(select_reduce{.out = f32, .reduced = column, .predicate = bits, .on_true = g32}),
            1064);
  EXPECT_EQ(cycles(select_reduce{.out = few(f32), .predicate = few(bits), .on_true = few(g32)}),
            64);
}

TEST_F(vector_cost, reciprocal) {
  EXPECT_EQ(cycles(reciprocal{.out = f32, .in = g32}), 1300);
  EXPECT_EQ(cycles(reciprocal{.out = column, .in = column}), 64);
}

TEST_F(vector_cost, memset) {
  EXPECT_EQ(cycles(engine::memset{.out = f32}), 500);
  EXPECT_EQ(cycles(engine::memset{.out = b16}), 250);
  EXPECT_EQ(cycles(engine::memset{.out = b16, .value = 1}), 500);
  EXPECT_EQ(cycles(engine::memset{.out = few(b16)}), 64);
  EXPECT_EQ(cycles(engine::memset{.out = f32, .on = unit::gpsimd}), 650);
}

TEST_F(vector_cost, range_select) {
  EXPECT_EQ(cycles(range_select{.out = f32, .in = g32}), 500);
  EXPECT_EQ(cycles(range_select{.out = f32, .reduced = column, .in = g32}), 500);
  EXPECT_EQ(cycles(range_select{.out = few(f32), .in = few(g32)}), 64);
}

TEST_F(vector_cost, nc_stream_shuffle) {
  EXPECT_EQ(cycles(stream_shuffle{.out = f32, .in = g32}), 500);
  EXPECT_EQ(cycles(stream_shuffle{.out = few(f32), .in = few(g32)}), 64);
}

TEST_F(vector_cost, dropout) {
  EXPECT_EQ(cycles(engine::dropout{.out = f32, .in = g32, .probability = 0.5}), 500);
  EXPECT_EQ(cycles(engine::dropout{.out = few(f32), .in = few(g32), .probability = 0.5}), 64);
}

TEST_F(vector_cost, nc_matmul) {
  const auto product = [&](const tile_view& stationary, const tile_view& moving) {
    return matmul{
        .out = psum32->columns(0, moving.elements()).partition_range(0, int(stationary.elements())),
        .stationary = stationary,
        .moving = moving};
  };
  EXPECT_EQ(cycles(product(b16->columns(0, 128), c16)), 500);
  EXPECT_EQ(cycles(product(b16->columns(0, 128), few(c16))), 64);
  EXPECT_EQ(cycles(product(b16->columns(0, 16), few(c16))), 64);  // initiation interval (A1)
  EXPECT_EQ(cycles(product(f32->columns(0, 128), g32)), 2000);
  matmul flagged = product(f32->columns(0, 128), g32);
  flagged.onezero = true;
  EXPECT_EQ(cycles(flagged), 1000);
}

// cost_ns: what an instruction takes alone, on the engine's own clock.
TEST_F(vector_cost, time_has_static_cycles) {
  const machine_spec m = trainium1();
  EXPECT_DOUBLE_EQ(cost_ns(reciprocal{.out = f32, .in = g32}, m), (1300 + 100) / 1.12);
  EXPECT_DOUBLE_EQ(cost_ns(copy(f32, g32, unit::scalar), m), (500 + 100) / 1.4);
  EXPECT_DOUBLE_EQ(cost_ns(engine::memset{.out = f32, .on = unit::gpsimd}, m), (500 + 150) / 1.4);
  EXPECT_DOUBLE_EQ(cost_ns(reciprocal{.out = f32, .in = g32}, trainium2()), (1300 + 100) / 0.96);
}

TEST_F(vector_cost, time_doubles_where_a_stride_is_far) {
  const machine_spec m = trainium1();
  const tile_view near = f32->slice(1, 0, 100, 4), far = f32->slice(1, 0, 100, 5);
  const tile_view dense = g32->columns(0, 100);
  EXPECT_DOUBLE_EQ(cost_ns(tensor_copy{.out = dense, .in = near}, m), (100 + 100) / 1.12);
  EXPECT_DOUBLE_EQ(cost_ns(tensor_copy{.out = dense, .in = far}, m), (200 + 100) / 1.12);
  EXPECT_DOUBLE_EQ(cost_ns(tensor_copy{.out = far, .in = dense}, m), (200 + 100) / 1.12);
  EXPECT_EQ(cycles(tensor_copy{.out = far, .in = dense}), 100);  // as documented
}

TEST_F(vector_cost, time_of_a_product_has_its_load) {
  const matmul product{.out = psum32, .stationary = b16->columns(0, 128), .moving = c16};
  EXPECT_DOUBLE_EQ(cost_ns(product, trainium1()), (64 + 500) / 2.8);
}

TEST_F(vector_cost, time_of_a_transfer_has_its_latency) {
  const machine_spec m = trainium1();
  const hbm_view wide = nc.hbm({128, 500}), thin = nc.hbm({128, 1});
  EXPECT_DOUBLE_EQ(cost_ns(dma_copy{.out = f32.whole(), .in = wide}, m), 1300 + 8 * (2000 / 17.0));
  EXPECT_DOUBLE_EQ(cost_ns(dma_copy{.out = column.whole(), .in = thin}, m), 1300 + 8 * 80);
  EXPECT_EQ(cycles(dma_copy{.out = column.whole(), .in = thin}), 0);
  EXPECT_EQ(cost_ns(semaphore_wait{.which = {0}}, m), 0);
}

}  // namespace
}  // namespace papilio::engine::test
