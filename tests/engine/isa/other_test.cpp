#include <algorithm>
#include <cstring>

#include "engine/support.hpp"

namespace papilio::engine::test {
namespace {

using registers = fixture;

TEST_F(registers, move_load_and_store) {
  const engine_register a = nc.make_register(unit::vector), b = nc.make_register(unit::vector);
  const tile in = nc.sbuf(1, 3, dtype::int32), out = nc.sbuf(1, 3, dtype::int32);
  load_integers(nc, in, std::vector<std::int32_t>{7, -2000000000, 9});
  nc.issue(register_load{.out = a, .in = in->columns(1, 1)});
  nc.issue(register_store{.out = out->columns(0, 1), .in = a});
  nc.issue(register_move{.out = b, .value = 0, .from = a});
  nc.issue(register_move{.out = a, .value = 41});
  nc.issue(register_store{.out = out->columns(1, 1), .in = a});
  nc.issue(register_store{.out = out->columns(2, 1), .in = b});
  EXPECT_EQ(read_integers(nc, out), (std::vector<std::int32_t>{-2000000000, 41, -2000000000}));
}

TEST_F(registers, cost_what_the_shortest_instruction_costs) {
  const register_move move{.out = nc.make_register(unit::scalar), .value = 1};
  EXPECT_EQ(documented_cycles(move, trainium1()), 64);
  EXPECT_DOUBLE_EQ(cost_ns(move, trainium1()), (64 + 100) / 1.4);
}

TEST_F(registers, end_at_64_an_engine) {
  for (int i = 0; i < 64; ++i) EXPECT_EQ(nc.make_register(unit::gpsimd).index, i);
  try {
    nc.make_register(unit::gpsimd);
    FAIL();
  } catch (const kernel_error& e) {
    EXPECT_STREQ(e.what(), "kernel (none): register: all 64 of gpsimd are taken");
  }
  EXPECT_EQ(nc.make_register(unit::sync).index, 0);
  EXPECT_THROW(nc.make_register(unit::dma), invalid_argument);
  EXPECT_THROW(nc.make_register(unit::collective), invalid_argument);
}

TEST_F(registers, refuse_what_they_cannot_be) {
  const engine_register a = nc.make_register(unit::vector), b = nc.make_register(unit::scalar);
  const tile in = filled(1, 2, dtype::int32), real = filled(1, 1);
  EXPECT_EQ(refusal(nc, register_load{.out = a, .in = in}), "in: must be a (1, 1) tile, is (1, 2)");
  EXPECT_EQ(refusal(nc, register_load{.out = a, .in = real}), "in: must be int32, is fp32");
  EXPECT_EQ(refusal(nc, register_store{.out = in->columns(0, 1), .in = a}),
            "in: reads register 0 of vector, which nobody wrote");
  EXPECT_EQ(refusal(nc, register_load{.out = {}, .in = in->columns(0, 1)}),
            "out: is no register of this core");
  nc.issue(register_move{.out = b, .value = 3});
  EXPECT_EQ(refusal(nc, register_move{.out = a, .value = 0, .from = b}),
            "from: is a register of scalar, the instruction is of vector");
  EXPECT_EQ(refusal(nc, register_move{.out = b, .value = 4, .from = b}),
            "value: is given as well as from: 4");
}

TEST_F(registers, name_where_a_dynamic_copy_begins) {
  const tile in = filled(128, 100), piece = nc.sbuf(128, 10),
             out = filled(128, 100, dtype::fp32, 2);
  for (const unit on : {unit::vector, unit::scalar, unit::gpsimd}) {
    const engine_register at = nc.make_register(on);
    nc.issue(register_move{.out = at, .value = 37});
    nc.issue(tensor_copy_dynamic{.out = piece, .in = in, .offset = at});
    EXPECT_EQ(read(nc, piece), read(nc, in->columns(37, 10)));
    nc.issue(register_move{.out = at, .value = 90});
    std::vector<float> expected = read(nc, out);
    nc.issue(tensor_copy_dynamic{
        .out = out, .in = piece, .offset = at, .side = dynamic_side::destination});
    const std::vector<float> moved = read(nc, piece);
    for (std::size_t p = 0; p < 128; ++p)
      std::copy_n(moved.begin() + std::ptrdiff_t(p * 10), 10,
                  expected.begin() + std::ptrdiff_t(p * 100 + 90));
    EXPECT_EQ(read(nc, out), expected);
  }
}

TEST_F(registers, documented_cost_of_a_dynamic_copy) {
  const tile in = nc.sbuf(128, 2000), out = nc.sbuf(128, 1000);
  const engine_register v = nc.make_register(unit::vector), g = nc.make_register(unit::gpsimd);
  const auto cycles = [&](std::int64_t n, const engine_register& at) {
    return documented_cycles(tensor_copy_dynamic{.out = out->columns(0, n), .in = in, .offset = at},
                             trainium1());
  };
  EXPECT_EQ(cycles(1000, v), 1000);
  EXPECT_EQ(cycles(10, v), 600);
  EXPECT_EQ(cycles(10, g), 150 + 600);
  EXPECT_EQ(documented_cycles(tensor_copy_dynamic{.out = in,
                                                  .in = out->columns(0, 700),
                                                  .offset = v,
                                                  .side = dynamic_side::destination},
                              trainium1()),
            700);
}

TEST_F(registers, refuse_a_dynamic_copy_that_leaves_its_tile) {
  const tile in = filled(128, 100), out = nc.sbuf(128, 10), unwritten = nc.sbuf(128, 100);
  const engine_register at = nc.make_register(unit::vector), t = nc.make_register(unit::tensor);
  nc.issue(register_move{.out = at, .value = 91});
  nc.issue(register_move{.out = t, .value = 1});
  const auto copy = [&](const tile_view& to, const tile_view& from, engine_register by,
                        dynamic_side side = dynamic_side::source) {
    return refusal(nc, tensor_copy_dynamic{.out = to, .in = from, .offset = by, .side = side});
  };
  EXPECT_EQ(copy(out, in, at), "offset: must be in [0, 90], register 0 of vector holds 91");
  EXPECT_EQ(copy(out, in, t), "on: must be vector or scalar or gpsimd, is tensor");
  EXPECT_EQ(copy(out, in->partition_range(0, 64), at),
            "in: partitions (as out) must be 128, got 64");
  EXPECT_EQ(copy(out, in->columns(0, 5), at),
            "out: elements a partition (of the side with the offset) must be at most 5, got 10");
  EXPECT_EQ(copy(out, in->reshape({10, 10}), at), "in: levels of the pattern must be 1, got 2");
  EXPECT_EQ(copy(in->columns(0, 10), in->columns(5, 20), at).substr(0, 16), "out: overlaps in");
  EXPECT_NE(copy(unwritten, in->columns(0, 10), at, dynamic_side::destination)
                .find("reads what nobody wrote"),
            std::string::npos);
}

TEST_F(registers, need_no_values_in_a_dry_run) {
  core dry(trainium1(), {.mode = run_mode::dry_run, .strict = false});
  const tile in = dry.sbuf(128, 100), out = dry.sbuf(128, 10), word = dry.sbuf(1, 1, dtype::int32);
  const engine_register at = dry.make_register(unit::vector);
  EXPECT_EQ(refusal(dry, register_load{.out = at, .in = word}), "(accepted)");
  EXPECT_EQ(refusal(dry, tensor_copy_dynamic{.out = out, .in = in, .offset = at}), "(accepted)");
}

using cores = fixture;

TEST_F(cores, barrier_costs_hops) {
  EXPECT_EQ(cost_ns(core_barrier{.cores = 1}, trainium1()), 0);
  EXPECT_EQ(cost_ns(core_barrier{.cores = 2}, trainium1()), 1000);
  EXPECT_EQ(cost_ns(core_barrier{.cores = 5}, trainium1()), 3 * 2000);
  EXPECT_EQ(cost_ns(core_barrier{.cores = 64}, trainium1()),
            5 * 15000 + 16000);  // 16 cores further on is 8 chips of 2000 away
  EXPECT_EQ(cost_ns(core_barrier{.cores = 8}, trainium2()), 3 * 1000);
  EXPECT_EQ(refusal(nc2, core_barrier{.cores = 0}), "cores: must be in [1, 4096], got 0");
}

TEST_F(cores, barrier_orders_what_no_semaphore_does) {
  const tile x = filled2(128, 16), y = nc2.sbuf(128, 16);
  nc2.order_by_hand();
  nc2.issue(tensor_copy{.out = y, .in = x, .on = unit::vector});
  const tensor_copy back{.out = x, .in = y, .on = unit::scalar};
  EXPECT_NE(refusal(nc2, back).find("no semaphore orders the two"), std::string::npos);
  nc2.issue(core_barrier{.cores = 1});
  EXPECT_EQ(refusal(nc2, back), "(accepted)");
}

TEST_F(cores, collectives_cost_steps_of_a_ring) {
  const auto cost = [](collective_kind kind, int n) {
    return cost_ns(collective{.kind = kind, .cores = n, .bytes = 1 << 20}, trainium1());
  };
  const double chunk = double(1 << 20) / 2 / 272;
  EXPECT_DOUBLE_EQ(cost(collective_kind::all_reduce, 2), 2 * (1000 + chunk));
  EXPECT_DOUBLE_EQ(cost(collective_kind::all_gather, 2), 1000 + chunk);
  EXPECT_DOUBLE_EQ(cost(collective_kind::reduce_scatter, 8), 7 * (2000 + (1 << 20) / 8.0 / 366));
  // 15, 16, 17 and 47, 48, 49 cores further on is 8 chips away for some; else the other node is
  // the slowest.
  EXPECT_NEAR(cost(collective_kind::all_to_all, 64),
              6 * (8 * 2000 + 16384 / 366.0) + 57 * (15000 + 16384 / 100.0), 1e-6);
  EXPECT_EQ(cost(collective_kind::all_reduce, 1), 0);
  EXPECT_EQ(refusal(nc, collective{.cores = 0}), "cores: must be in [1, 4096], got 0");
  EXPECT_EQ(refusal(nc, collective{.bytes = -1}), "bytes: must be at least 0, got -1");
  EXPECT_EQ(refusal(nc, collective{.bytes = 100}), "(accepted)");
}

TEST_F(cores, exchange_what_they_are_connected_for) {
  const tile x = filled2(64, 20, dtype::bf16), y = nc2.sbuf(64, 20, dtype::bf16);
  const tile_view sent = x->slice(1, 0, 10, 2), received = y->columns(5, 10);
  const send_receive exchange{.out = received, .in = sent, .to = 1, .from = 2};
  EXPECT_EQ(refusal(nc2, exchange),
            "to: core 1 cannot be reached: core::connect() joins the cores of a group");
  nc2.connect([](int to, int from, std::span<const std::byte> out, std::span<std::byte> in) {
    EXPECT_EQ(to, 1);
    EXPECT_EQ(from, 2);
    ASSERT_EQ(in.size(), 64 * 10 * 2u);
    std::memcpy(in.data(), out.data(), in.size());
  });
  nc2.issue(exchange);
  EXPECT_EQ(read(nc2, received), read(nc2, sent));
  EXPECT_DOUBLE_EQ(cost_ns(exchange, trainium1()), 1000 + 64 * 10 * 2 / 272.0);
}

TEST_F(cores, refuse_exchanges_of_unlike_tiles) {
  const tile x = filled2(64, 20), y = nc2.sbuf(64, 20, dtype::bf16), z = nc2.sbuf(64, 10);
  EXPECT_EQ(refusal(nc2, send_receive{.out = y, .in = x}), "out: must be fp32, is bf16");
  EXPECT_EQ(refusal(nc2, send_receive{.out = z, .in = x}),
            "out: must have the 20 elements a partition of in, has 10");
  EXPECT_EQ(refusal(nc2, send_receive{.out = nc2.psum(64, 20), .in = x}),
            "out: must be in SBUF, is in PSUM");
  EXPECT_EQ(refusal(nc2, send_receive{.out = x, .in = x, .to = -1}),
            "to: must be at least 0, got -1");
}

}  // namespace
}  // namespace papilio::engine::test
