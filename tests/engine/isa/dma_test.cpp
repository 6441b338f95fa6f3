#include <algorithm>
#include <cmath>

#include "engine/support.hpp"

namespace papilio::engine::test {
namespace {

struct transfers : fixture {
  hbm_view tensor(std::initializer_list<std::int64_t> extents, std::uint64_t seed = 1) {
    const hbm_view t = nc.hbm(extents);
    const auto values = values_between(-2, 2, std::size_t(t.elements()), seed);
    nc.write_tensor(t, std::as_bytes(std::span(values)));
    return t;
  }
  std::vector<float> values(const hbm_view& whole) {
    std::vector<float> result(std::size_t(whole.elements()));
    nc.read_tensor(whole, std::as_writable_bytes(std::span(result)));
    return result;
  }
};

TEST_F(transfers, take_any_pattern_of_a_tensor) {
  const hbm_view t = tensor({40, 50, 6});
  const std::vector<float> all = values(t);
  // Every third row backwards, columns 7, 9, ..., the last axis in the middle.
  const hbm_view part = t.slice(0, 39, 13, -3).slice(1, 7, 20, 2).permute({0, 2, 1});
  const tile x = nc.sbuf(13, 6 * 20);
  nc.issue(dma_copy{.out = x.whole(), .in = part});
  const std::vector<float> got = read(nc, x);
  for (std::size_t i = 0; i < 13; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      for (std::size_t k = 0; k < 20; ++k)
        ASSERT_EQ(got[(i * 6 + j) * 20 + k], all[((39 - 3 * i) * 50 + 7 + 2 * k) * 6 + j]);
}

TEST_F(transfers, cut_partitions_where_the_tile_does) {
  const hbm_view t = tensor({24});
  const tile x = nc.sbuf(4, 6), y = nc.sbuf(2, 12);
  nc.issue(dma_copy{.out = x.whole(), .in = t});
  EXPECT_EQ(read(nc, x), values(t));
  nc.issue(dma_copy{.out = y.whole(), .in = x.whole()});
  EXPECT_EQ(read(nc, y), values(t));
  nc.issue(dma_copy{.out = y->slice(1, 11, 12, -1), .in = x.whole()});
  std::vector<float> expected = values(t);
  std::reverse(expected.begin(), expected.begin() + 12);
  std::reverse(expected.begin() + 12, expected.end());
  EXPECT_EQ(read(nc, y), expected);
}

TEST_F(transfers, broadcast_from_hbm) {
  const hbm_view row = tensor({1, 30});
  const tile x = nc.sbuf(128, 30);
  nc.issue(dma_copy{.out = x.whole(), .in = row.reshape({30}).repeat(128)});
  const std::vector<float> got = read(nc, x), one = values(row);
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], one[i % 30]);
}

TEST_F(transfers, go_from_hbm_to_hbm) {
  const hbm_view a = tensor({64, 100}), b = tensor({100, 64}, 2);
  nc.issue(dma_copy{.out = b.permute({1, 0}), .in = a});
  const std::vector<float> from = values(a), to = values(b);
  for (std::size_t i = 0; i < 64; ++i)
    for (std::size_t j = 0; j < 100; ++j) ASSERT_EQ(to[j * 64 + i], from[i * 100 + j]);
}

TEST_F(transfers, convert_through_fp32) {
  const hbm_view t = tensor({16, 3000});
  const std::vector<float> exact = values(t);
  for (const dtype type :
       {dtype::bf16, dtype::fp16, dtype::tf32, dtype::fp8_e4m3, dtype::fp8_e5m2, dtype::int32}) {
    const tile x = nc.sbuf(16, 3000, type);
    nc.issue(dma_copy{.out = x.whole(), .in = t});
    const std::vector<float> got = read(nc, x);
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(got[i], round_to(type, exact[i])) << to_string(type);
  }
}

TEST_F(transfers, round_each_element_by_its_own_draw) {
  const hbm_view t = tensor({16, 3000});
  const std::vector<float> exact = values(t);
  nc.round_by({rounding_mode::stochastic, 9});
  const tile x = nc.sbuf(16, 3000, dtype::bf16);
  nc.issue(dma_copy{.out = x.whole(), .in = t});
  nc.round_by({});
  const std::vector<float> got = read(nc, x);
  double error = 0;
  int nearest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    error += double(got[i]) - double(exact[i]);
    nearest += got[i] == round_to(dtype::bf16, exact[i]);
    ASSERT_LE(std::abs(got[i] - exact[i]), 0x1p-7f);
  }
  // Steps of at most 2^-7, so a standard error of at most 2^-8 / sqrt(48000) a sum's mean.
  EXPECT_LT(std::abs(error / 48000), 5 * 0x1p-8 / std::sqrt(48000.0));
  EXPECT_LT(nearest, 48000);
}

TEST_F(transfers, give_the_same_on_any_number_of_threads) {
  std::vector<float> results[2];
  for (const int threads : {1, 3}) {
    core many(trainium1(), {.threads = threads});
    many.round_by({rounding_mode::stochastic, 4});
    const tile x = many.sbuf(128, 2000, dtype::bf16);
    load(many, x, values_between(-1, 1, 128 * 2000, 5));
    results[threads == 3] = read(many, x);
  }
  EXPECT_EQ(bits_of(results[0]), bits_of(results[1]));
}

instruction_cost cost(const dma_operand& out, const dma_operand& in) {
  return dma_copy{.out = out, .in = in}.cost(trainium1());
}

TEST_F(transfers, are_lists_of_buffers) {
  const tile x = nc.sbuf(128, 1024), half = nc.sbuf(128, 1024, dtype::bf16), one = nc.sbuf(1, 4096);
  const hbm_view t = nc.hbm({128, 1024}), wide = nc.hbm({128, 4096});
  EXPECT_EQ(cost(x.whole(), t).dma_buffers, 128u);
  EXPECT_EQ(cost(x.whole(), t).dma_buffer_bytes, 4096);
  EXPECT_EQ(cost(t, x.whole()).dma_buffers, 128u);
  EXPECT_EQ(cost(x->columns(0, 1), t.slice(1, 0, 1)).dma_buffers, 128u);
  EXPECT_EQ(cost(x->columns(0, 1), t.slice(1, 0, 1)).dma_buffer_bytes, 4);
  EXPECT_EQ(cost(x.whole(), wide.slice(1, 100, 1024)).dma_buffers, 128u);
  EXPECT_EQ(cost(x.whole(), wide.slice(1, 0, 1024, 4)).dma_buffers, 128u * 1024);
  EXPECT_EQ(cost(x->slice(1, 0, 512, 2), t.slice(1, 0, 512)).dma_buffers, 128u * 512);
  // One partition of a contiguous tensor is one run.
  EXPECT_EQ(cost(one.whole(), t.slice(0, 0, 4)).dma_buffers, 1u);
  EXPECT_EQ(cost(x->reshape({4, 256}), wide.slice(1, 0, 1024)).dma_buffers, 128u);
  // Conversion: the larger side counts.
  EXPECT_EQ(cost(half.whole(), t).dma_buffer_bytes, 4096);
  // From HBM to HBM nothing cuts but the size of a good transfer.
  EXPECT_EQ(cost(nc.hbm({128, 1024}), t).dma_buffers, 16u);
  EXPECT_EQ(cost(nc.hbm({10}), nc.hbm({10})).dma_buffers, 1u);
}

TEST_F(transfers, documented_cost_of_a_transfer) {
  const tile x = nc.sbuf(128, 1024);
  const hbm_view t = nc.hbm({128, 1024});
  const auto ns = [&](const tile_view& out, const hbm_view& in) {
    return cost_ns(dma_copy{.out = out, .in = in}, trainium1());
  };
  // 8 rows of 4096 bytes an engine, at 17 bytes a nanosecond.
  EXPECT_DOUBLE_EQ(ns(x, t), 1300 + 8 * 4096 / 17.0);
  EXPECT_DOUBLE_EQ(ns(x->columns(0, 114), t.slice(1, 0, 114)), 1300 + 8 * 27);
  EXPECT_DOUBLE_EQ(ns(x->columns(0, 115), t.slice(1, 0, 115)), 1300 + 8 * 460 / 17.0);
  // Rows below a burst of HBM.
  EXPECT_DOUBLE_EQ(ns(x->columns(0, 16), t.slice(1, 0, 16)), 1300 + 8 * 27);
  EXPECT_DOUBLE_EQ(ns(x->columns(0, 15), t.slice(1, 0, 15)), 1300 + 8 * 80);
  EXPECT_DOUBLE_EQ(ns(x->columns(0, 1), t.slice(1, 0, 1)), 1300 + 8 * 80);
  EXPECT_DOUBLE_EQ(ns(x->partition_range(0, 16), t.slice(0, 0, 16)), 1300 + 4096 / 17.0);
  EXPECT_DOUBLE_EQ(ns(x->partition_range(0, 17), t.slice(0, 0, 17)), 1300 + 2 * 4096 / 17.0);
  EXPECT_EQ(documented_cycles(dma_copy{.out = x.whole(), .in = t}, trainium1()), 0);
}

TEST_F(transfers, documented_cost_on_trainium2) {
  const tile x = nc2.sbuf(128, 1024);
  const hbm_view t = nc2.hbm({128, 1024});
  EXPECT_DOUBLE_EQ(cost_ns(dma_copy{.out = x.whole(), .in = t}, trainium2()),
                   1300 + 8 * 4096 / 23.0);
  EXPECT_DOUBLE_EQ(cost_ns(dma_copy{.out = x->columns(0, 8), .in = t.slice(1, 0, 8)}, trainium2()),
                   1300 + 8 * 107);
}

TEST_F(transfers, refuse_psum_and_what_does_not_fit) {
  const tile p = filled_psum(128, 16), x = nc.sbuf(128, 16);
  const hbm_view t = tensor({128, 16});
  const auto refused = [&](const dma_operand& out, const dma_operand& in, int queue = 0) {
    return refusal(nc, dma_copy{.out = out, .in = in, .queue = queue});
  };
  EXPECT_EQ(refused(t, p.whole()),
            "in: is in PSUM, which DMA does not reach: copy it to SBUF first");
  EXPECT_EQ(refused(p.whole(), t),
            "out: is in PSUM, which DMA does not reach: copy it to SBUF first");
  EXPECT_EQ(refused(x->columns(0, 8), t), "in: has 2048 elements, out has 1024");
  EXPECT_EQ(refused(x.whole(), t, 16), "queue: must be in [0, 16), got 16");
  EXPECT_EQ(refused(x.whole(), t, -2), "queue: must be at least -1, got -2");
  EXPECT_EQ(refused(t.slice(0, 0, 64), t.slice(0, 32, 64)),
            "out: overlaps in: what is read would depend on the order");
  EXPECT_EQ(refused(t.slice(0, 0, 64), t.slice(0, 64, 64)), "(accepted)");
  EXPECT_EQ(refused(t.slice(1, 0, 8), t.slice(1, 8, 8)), "(accepted)");
  EXPECT_EQ(refused(t.slice(0, 0, 1).repeat(128), x.whole()),
            "out: is written through a stride of 0");
  machine_spec plain = trainium1();
  plain.dma.casts = false;
  core narrow(plain, {});
  const tile y = narrow.sbuf(1, 8, dtype::bf16);
  const hbm_view z = narrow.hbm({8});
  narrow.write_tensor(z, std::as_bytes(std::span<const float>(std::vector<float>(8))));
  EXPECT_EQ(refusal(narrow, dma_copy{.out = y.whole(), .in = z}),
            "out: is bf16, in is fp32: this machine's DMA does not convert");
}

TEST_F(transfers, transpose_on_trainium2) {
  for (const dtype type : {dtype::fp32, dtype::bf16}) {
    const tile in = filled2(50, 100, type), out = nc2.sbuf(100, 50, type),
               back = nc2.sbuf(50, 100, type);
    const hbm_view t = nc2.hbm({100, 50}, type);
    nc2.issue(dma_transpose{.out = out, .in = in.whole()});
    const std::vector<float> from = read(nc2, in), to = read(nc2, out);
    for (std::size_t i = 0; i < 50; ++i)
      for (std::size_t j = 0; j < 100; ++j) ASSERT_EQ(to[j * 50 + i], from[i * 100 + j]);
    nc2.issue(dma_copy{.out = t, .in = out.whole()});
    nc2.issue(dma_transpose{.out = back, .in = t});
    EXPECT_EQ(read(nc2, back), from);
  }
}

TEST_F(transfers, documented_cost_of_a_transposing_transfer) {
  const hbm_view t = nc2.hbm({1024, 128}, dtype::bf16);
  const tile out = nc2.sbuf(128, 1024, dtype::bf16), in = nc2.sbuf(128, 128),
             square = nc2.sbuf(128, 128);
  EXPECT_DOUBLE_EQ(cost_ns(dma_transpose{.out = out, .in = t}, trainium2()),
                   1300 + 64 * 107.0);  // rows of 256 bytes: the descriptor's time
  const hbm_view wide = nc2.hbm({128, 128});
  machine_spec fast = trainium2();
  fast.dma.descriptor_ns = 1;
  EXPECT_DOUBLE_EQ(cost_ns(dma_transpose{.out = square, .in = wide}, fast),
                   1300 + 8 * 512 / (0.9 * 23));
  EXPECT_DOUBLE_EQ(cost_ns(dma_transpose{.out = square, .in = in.whole()}, fast),
                   1300 + 8 * 512 / (0.5 * 23));
}

TEST_F(transfers, refuse_to_transpose_where_they_cannot) {
  const tile out = nc.sbuf(100, 50);
  const hbm_view t = tensor({50, 100});
  EXPECT_EQ(refusal(nc, dma_transpose{.out = out, .in = t}),
            "in: DMA of trainium1 does not transpose: transposing_loader loads the rows and "
            "transposes them on the vector engine");
  const tile in = filled2(50, 100), wrong = nc2.sbuf(100, 49),
             half = nc2.sbuf(100, 50, dtype::bf16), square = filled2(32, 32);
  const auto refused = [&](const tile_view& to, const tile_view& from) {
    return refusal(nc2, dma_transpose{.out = to, .in = from});
  };
  EXPECT_EQ(refused(wrong, in), "out: elements a partition (rows of in) must be 50, got 49");
  EXPECT_EQ(refused(half, in), "out: must be fp32, is bf16");
  EXPECT_EQ(refused(nc2.sbuf(99, 50), in), "out: partitions (columns of in) must be 100, got 99");
  EXPECT_EQ(refused(nc2.psum(100, 50), in), "out: must be in SBUF, is in PSUM");
  EXPECT_EQ(refused(square, square), "out: must be another tile than in");
}

TEST_F(transfers, gather_rows_by_index) {
  const hbm_view t = tensor({1000, 3, 20});
  const tile out = nc.sbuf(128, 60, dtype::bf16), rows = nc.sbuf(128, 1, dtype::int32);
  const std::vector<std::int32_t> at = integers_between(0, 1000, 128, 3);
  load_integers(nc, rows, at);
  nc.issue(dma_gather{.out = out, .in = t, .indices = rows});
  const std::vector<float> all = values(t), got = read(nc, out);
  for (std::size_t p = 0; p < 128; ++p)
    for (std::size_t i = 0; i < 60; ++i)
      ASSERT_EQ(got[p * 60 + i], round_to(dtype::bf16, all[std::size_t(at[p]) * 60 + i]));
}

TEST_F(transfers, cost_of_a_gather_has_the_descriptors_of_gpsimd) {
  const hbm_view t = nc.hbm({1000, 512});
  const tile out = nc.sbuf(128, 512), rows = nc.sbuf(128, 1, dtype::int32);
  const dma_gather gather{.out = out, .in = t, .indices = rows};
  EXPECT_EQ(gather.cost(trainium1()).dma_buffers, 128u);
  EXPECT_EQ(gather.cost(trainium1()).descriptor_cycles, 128 * 16);
  EXPECT_DOUBLE_EQ(cost_ns(gather, trainium1()),
                   (150 + 128 * 16) / 1.4 + 1300 + 8 * 512 * 4 / 17.0);
  machine_spec slow = trainium1();
  slow.dma.indirect_descriptor_ns = 500;
  EXPECT_DOUBLE_EQ(cost_ns(gather, slow), (150 + 128 * 16) / 1.4 + 1300 + 8 * 500);
}

TEST_F(transfers, refuse_a_gather_beyond_the_tensor) {
  const hbm_view t = tensor({10, 20});
  const tile out = nc.sbuf(4, 20), rows = nc.sbuf(4, 1, dtype::int32), real = filled(4, 1);
  load_integers(nc, rows, std::vector<std::int32_t>{0, 9, 10, 3});
  const auto refused = [&](const tile_view& to, const hbm_view& from, const tile_view& at) {
    return refusal(nc, dma_gather{.out = to, .in = from, .indices = at});
  };
  EXPECT_EQ(refused(out, t, rows), "indices: must be in [0, 10), partition 2 holds 10");
  load_integers(nc, rows, std::vector<std::int32_t>{0, -1, 1, 3});
  EXPECT_EQ(refused(out, t, rows), "indices: must be in [0, 10), partition 1 holds -1");
  EXPECT_EQ(refused(out, t, real), "indices: must be int32, is fp32");
  EXPECT_EQ(refused(out->columns(0, 19), t, rows),
            "out: elements a partition (of a row of in) must be 20, got 19");
  EXPECT_EQ(refused(out->partition_range(0, 3), t, rows),
            "indices: must be a (3, 1) tile, is (4, 1)");
  EXPECT_EQ(refused(out, t.reshape({200}), rows),
            "in: must have a row axis and another, has 1 axes");
  EXPECT_EQ(refused(nc.psum(4, 20), t, rows), "out: must be in SBUF, is in PSUM");
}

TEST_F(transfers, add_two_operands_in_fp32_and_round_once) {
  const tile x = nc.sbuf(16, 300, dtype::bf16), y = nc.sbuf(16, 300), z = nc.sbuf(16, 300);
  load(nc, x, values_between(-2, 2, 16 * 300, 7));
  load(nc, y, values_between(-2, 2, 16 * 300, 8));
  const hbm_view t = tensor({16, 300}, 9), u = nc.hbm({16, 300}, dtype::bf16);
  const std::vector<float> a = read(nc, x), b = read(nc, y), c = values(t);
  nc.issue(dma_compute{.out = z.whole(), .left = x.whole(), .right = t});
  const std::vector<float> sum = read(nc, z);
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(sum[i], a[i] + c[i]);
  nc.issue(dma_compute{.out = y.whole(), .left = y.whole(), .right = t});  // in place
  const std::vector<float> again = read(nc, y);
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(again[i], b[i] + c[i]);
  nc.issue(dma_compute{.out = u, .left = y.whole(), .right = y.whole()});
  const tile back = nc.sbuf(16, 300);
  nc.issue(dma_copy{.out = back.whole(), .in = u});
  const std::vector<float> halved = read(nc, back);
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_EQ(halved[i], round_to(dtype::bf16, again[i] + again[i]));
}

TEST_F(transfers, add_rows_that_indices_name) {
  const hbm_view table = tensor({40, 64}, 11);
  const std::vector<float> before = values(table);
  const tile x = nc.sbuf(8, 64), at = nc.sbuf(8, 1, dtype::int32);
  load(nc, x, values_between(-2, 2, 8 * 64, 12));
  const std::vector<std::int32_t> rows{39, 0, 7, 12, 3, 38, 20, 21};
  load_integers(nc, at, rows);
  const std::vector<float> added = read(nc, x);
  nc.issue(dma_compute{.out = table, .left = table, .right = x.whole(), .indices = at});
  const std::vector<float> after = values(table);
  std::vector<float> expected = before;
  for (std::size_t p = 0; p < 8; ++p)
    for (std::size_t j = 0; j < 64; ++j)
      expected[std::size_t(rows[p]) * 64 + j] += added[p * 64 + j];
  EXPECT_EQ(bits_of(after), bits_of(expected));
  load_integers(nc, at, std::vector<std::int32_t>{5, 5, 5, 1, 2, 3, 4, 0});
  nc.issue(dma_compute{.out = x.whole(), .left = x.whole(), .right = table, .indices = at});
  const std::vector<float> got = read(nc, x);
  for (std::size_t j = 0; j < 64; ++j) {
    EXPECT_EQ(got[j], added[j] + after[5 * 64 + j]);
    EXPECT_EQ(got[7 * 64 + j], added[7 * 64 + j] + after[j]);
  }
  EXPECT_EQ(
      refusal(nc, dma_compute{.out = table, .left = table, .right = x.whole(), .indices = at}),
      "indices: must differ where out is in HBM: partition 1 holds 5 again");
  load_integers(nc, at, std::vector<std::int32_t>{0, 1, 2, 40, 4, 5, 6, 7});
  EXPECT_EQ(
      refusal(nc, dma_compute{.out = table, .left = table, .right = x.whole(), .indices = at}),
      "indices: must be in [0, 40), partition 3 holds 40");
}

// Only rows that indices name move: 8 of 4000, which are read with what is added, and written.
TEST_F(transfers, count_the_rows_that_indices_name) {
  core bare(trainium1(), {.mode = run_mode::dry_run, .strict = false});
  const hbm_view table = bare.hbm({4000, 64});
  const tile x = bare.sbuf(8, 64), at = bare.sbuf(8, 1, dtype::int32);
  bare.issue(dma_compute{.out = table, .left = table, .right = x.whole(), .indices = at});
  EXPECT_EQ(bare.summary().value("hbm_read_bytes"), 8 * 64 * 4);
  EXPECT_EQ(bare.summary().value("hbm_write_bytes"), 8 * 64 * 4);
  bare.issue(dma_gather{.out = x, .in = table, .indices = at});
  EXPECT_EQ(bare.summary().value("hbm_read_bytes"), 2 * 8 * 64 * 4);
}

TEST_F(transfers, that_convert_refuse_packed_types) {
  core v4(trainium3(), {.mode = run_mode::dry_run, .strict = false});
  const tile x = v4.sbuf(8, 64), y = v4.sbuf(8, 64, dtype::fp8_e4m3fn_x4),
             at = v4.sbuf(8, 1, dtype::int32);
  const hbm_view t = v4.hbm({8, 64}, dtype::fp8_e4m3fn_x4);
  const char* const why =
      ": has four numbers an element, fp8_e4m3fn_x4, which the transfer does not convert or add";
  EXPECT_EQ(refusal(v4, dma_compute{.out = x.whole(), .left = x.whole(), .right = y.whole()}),
            std::string("right") + why);
  EXPECT_EQ(refusal(v4, dma_gather{.out = x, .in = t, .indices = at}), std::string("in") + why);
  const tile p = v4.sbuf(8, 64, dtype::fp4_e2m1fn_x4);
  EXPECT_EQ(refusal(v4, select{.out = x, .predicate = p, .on_true = x, .on_false = x}),
            "predicate: must be int32 or uint8, is fp4_e2m1fn_x4");
}

// A3: adding in DMA runs at half the rate of copies.
TEST_F(transfers, add_at_half_the_rate_of_copies) {
  const tile x = nc.sbuf(128, 4096), y = nc.sbuf(128, 4096), z = nc.sbuf(128, 4096);
  const machine_spec m = trainium1();
  const double copied = cost_ns(dma_copy{.out = z.whole(), .in = x.whole()}, m),
               added =
                   cost_ns(dma_compute{.out = z.whole(), .left = x.whole(), .right = y.whole()}, m);
  EXPECT_NEAR(added - m.dma.start_ns, 2 * (copied - m.dma.start_ns), 1e-9 * added);
}

TEST_F(transfers, that_add_refuse_what_they_cannot_reach_or_order) {
  const tile x = filled(8, 64), y = filled(8, 64), at = nc.sbuf(8, 1, dtype::int32);
  const hbm_view t = tensor({8, 64});
  load_integers(nc, at, std::vector<std::int32_t>(8, 0));
  EXPECT_EQ(
      refusal(nc, dma_compute{.out = x.whole(), .left = x.whole(), .right = y->columns(0, 9)}),
      "right: has 72 elements, out has 512");
  EXPECT_EQ(refusal(nc, dma_compute{.out = x->columns(1, 32),
                                    .left = x->columns(0, 32),
                                    .right = y->columns(0, 32)}),
            "out: overlaps left without being the same elements");
  EXPECT_EQ(
      refusal(nc, dma_compute{.out = x.whole(), .left = t, .right = y.whole(), .indices = at}),
      "left: must be out, whose rows indices name");
  EXPECT_EQ(
      refusal(nc,
              dma_compute{.out = x.whole(), .left = x.whole(), .right = y.whole(), .indices = at}),
      "right: must be a tensor in HBM, out is not");
  machine_spec none = trainium1();
  none.dma.compute_rate = 0;
  core bare(none, {.mode = run_mode::dry_run, .strict = false});
  const tile a = bare.sbuf(8, 8), b = bare.sbuf(8, 8);
  EXPECT_EQ(refusal(bare, dma_compute{.out = a.whole(), .left = a.whole(), .right = b.whole()}),
            "out: this machine's DMA does not add");
}

}  // namespace
}  // namespace papilio::engine::test
