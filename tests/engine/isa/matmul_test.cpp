#include <cmath>

#include "engine/support.hpp"

namespace papilio::engine::test {
namespace {

using matmuls = fixture;

struct product {
  std::vector<float> stationary, moving;
  std::size_t k, m, n;

  // One fma a row, from row 0 on.
  float fused(std::size_t i, std::size_t j) const {
    float sum = 0;
    for (std::size_t r = 0; r < k; ++r)
      sum = std::fma(stationary[r * m + i], moving[r * n + j], sum);
    return sum;
  }
  float rounded(std::size_t i, std::size_t j) const {
    float sum = 0;
    for (std::size_t r = 0; r < k; ++r) {
      const float p = stationary[r * m + i] * moving[r * n + j];
      sum = sum + p;
    }
    return sum;
  }
  // The sum in double, and the largest error of k roundings.
  double exact(std::size_t i, std::size_t j, double& bound) const {
    double sum = 0, size = 0;
    for (std::size_t r = 0; r < k; ++r) {
      const double p = double(stationary[r * m + i]) * double(moving[r * n + j]);
      sum += p;
      size += std::fabs(p);
    }
    bound = size * double(k) * 0x1p-24;
    return sum;
  }
};

TEST_F(matmuls, sum_row_by_row_with_one_fma_each) {
  for (const auto& [k, m, n] : {std::array{128, 128, 512}, {1, 1, 1}, {77, 31, 201}}) {
    const tile s = filled(k, m), x = filled(k, n, dtype::fp32, 2), p = nc.psum(m, n);
    nc.issue(matmul{.out = p, .stationary = s, .moving = x});
    const product by_hand{read(nc, s), read(nc, x), std::size_t(k), std::size_t(m), std::size_t(n)};
    const std::vector<float> result = read(nc, p);
    for (std::size_t i = 0; i < by_hand.m; ++i)
      for (std::size_t j = 0; j < by_hand.n; ++j) {
        ASSERT_EQ(result[i * by_hand.n + j], by_hand.fused(i, j));
        double bound;
        const double exact = by_hand.exact(i, j, bound);
        ASSERT_LE(std::fabs(result[i * by_hand.n + j] - exact), bound);
      }
  }
}

TEST_F(matmuls, are_the_same_on_any_number_of_threads) {
  std::vector<float> results[2];
  for (const int threads : {1, 3}) {
    core many(trainium1(), {.threads = threads});
    const tile s = many.sbuf(128, 128), x = many.sbuf(128, 512), p = many.psum(128, 512);
    load(many, s, values_between(-1, 1, 128 * 128, 5));
    load(many, x, values_between(-1, 1, 128 * 512, 6));
    many.issue(matmul{.out = p, .stationary = s, .moving = x});
    results[threads == 3] = read(many, p);
  }
  EXPECT_EQ(bits_of(results[0]), bits_of(results[1]));
}

TEST_F(matmuls, may_round_products) {
  machine_spec machine = trainium1();
  machine.tensor.products_rounded = true;
  core rounding(machine, {});
  const tile s = rounding.sbuf(100, 40), x = rounding.sbuf(100, 60), p = rounding.psum(40, 60);
  load(rounding, s, values_between(-1, 1, 100 * 40, 5));
  load(rounding, x, values_between(-1, 1, 100 * 60, 6));
  rounding.issue(matmul{.out = p, .stationary = s, .moving = x});
  const product by_hand{read(rounding, s), read(rounding, x), 100, 40, 60};
  const std::vector<float> result = read(rounding, p);
  int differ = 0;
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t j = 0; j < 60; ++j) {
      ASSERT_EQ(result[i * 60 + j], by_hand.rounded(i, j));
      differ += by_hand.rounded(i, j) != by_hand.fused(i, j);
    }
  EXPECT_GT(differ, 100);
}

TEST_F(matmuls, round_operands_to_their_types) {
  for (const dtype type :
       {dtype::bf16, dtype::fp16, dtype::tf32, dtype::fp8_e4m3, dtype::fp8_e5m2}) {
    const std::vector<float> a = values_between(-2, 2, 50 * 20, 7),
                             b = values_between(-2, 2, 50 * 30, 8);
    const tile s = nc.sbuf(50, 20, type), x = nc.sbuf(50, 30, type), p = nc.psum(20, 30);
    load(nc, s, a);
    load(nc, x, b);
    nc.issue(matmul{.out = p, .stationary = s, .moving = x});
    product by_hand{a, b, 50, 20, 30};
    for (float& v : by_hand.stationary) v = round_to(type, v);
    for (float& v : by_hand.moving) v = round_to(type, v);
    const std::vector<float> result = read(nc, p);
    for (std::size_t i = 0; i < 20; ++i)
      for (std::size_t j = 0; j < 30; ++j)
        ASSERT_EQ(result[i * 30 + j], by_hand.fused(i, j)) << to_string(type);
  }
}

TEST_F(matmuls, take_tf32_from_words_of_full_width) {
  const tile s = filled(16, 8), x = filled(16, 8, dtype::fp32, 2), p = nc.psum(8, 8);
  product by_hand{read(nc, s), read(nc, x), 16, 8, 8};
  for (float& v : by_hand.stationary) v = round_to(dtype::tf32, v);
  for (float& v : by_hand.moving) v = round_to(dtype::tf32, v);
  nc.issue(matmul{.out = p, .stationary = s->as(dtype::tf32), .moving = x->as(dtype::tf32)});
  const std::vector<float> result = read(nc, p);
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = 0; j < 8; ++j) ASSERT_EQ(result[i * 8 + j], by_hand.fused(i, j));
}

TEST_F(matmuls, read_patterns) {
  const tile s = filled(32, 64), x = filled(32, 64, dtype::fp32, 2), p = nc.psum(32, 32);
  const tile_view even = s->slice(1, 0, 32, 2), backwards = x->slice(1, 63, 32, -1);
  nc.issue(matmul{.out = p, .stationary = even, .moving = backwards});
  const product by_hand{read(nc, even), read(nc, backwards), 32, 32, 32};
  const std::vector<float> result = read(nc, p);
  for (std::size_t i = 0; i < 32; ++i)
    for (std::size_t j = 0; j < 32; ++j) ASSERT_EQ(result[i * 32 + j], by_hand.fused(i, j));
}

TEST_F(matmuls, accumulate_by_adding_the_sum) {
  const tile s = filled(128, 16), x = filled(128, 32, dtype::fp32, 2), p = nc.psum(16, 32);
  nc.issue(matmul{.out = p, .stationary = s, .moving = x});
  const std::vector<float> before = read(nc, p);
  nc.issue(matmul{.out = p, .stationary = s, .moving = x, .accumulate = true});
  const std::vector<float> after = read(nc, p);
  for (std::size_t i = 0; i < after.size(); ++i) ASSERT_EQ(after[i], before[i] + before[i]);
  EXPECT_NE(
      refusal(nc, matmul{.out = nc.psum(16, 32), .stationary = s, .moving = x, .accumulate = true})
          .find("reads what nobody wrote"),
      std::string::npos);
}

TEST_F(matmuls, check_operands_flagged_as_zeros_and_ones) {
  const tile s = filled(8, 8), ones = nc.sbuf(8, 8), p = nc.psum(8, 8);
  std::vector<float> identity(64);
  for (std::size_t i = 0; i < 8; ++i) identity[9 * i] = 1;
  load(nc, ones, identity);
  nc.issue(matmul{.out = p, .stationary = s, .moving = ones, .onezero = true});
  nc.issue(matmul{.out = p, .stationary = ones, .moving = s, .onezero = true});
  EXPECT_EQ(read(nc, p), read(nc, s));
  EXPECT_EQ(refusal(nc, matmul{.out = p, .stationary = s, .moving = s, .onezero = true}),
            "onezero: neither stationary nor moving holds only zeros and ones");
  const tile half = filled(8, 8, dtype::bf16);
  EXPECT_EQ(refusal(nc, matmul{.out = p, .stationary = half, .moving = half, .onezero = true}),
            "onezero: is for fp32, operands are bf16");
}

double cycles(core& nc, int m, int n, dtype type, bool onezero = false) {
  const tile s = nc.sbuf(128, m, type), x = nc.sbuf(128, n, type), p = nc.psum(m, n);
  return documented_cycles(matmul{.out = p, .stationary = s, .moving = x, .onezero = onezero},
                           nc.machine());
}

TEST_F(matmuls, documented_cost_of_16_and_8_bit_types) {
  for (const dtype type : {dtype::bf16, dtype::fp16, dtype::tf32, dtype::fp8_e4m3}) {
    EXPECT_EQ(cycles(nc, 128, 512, type), 512) << to_string(type);
    EXPECT_EQ(cycles(nc, 128, 65, type), 65);
    EXPECT_EQ(cycles(nc, 128, 1, type), 64);
  }
}
TEST_F(matmuls, documented_cost_of_fp32) {
  EXPECT_EQ(cycles(nc, 128, 512, dtype::fp32), 4 * 512);
  EXPECT_EQ(cycles(nc, 128, 1, dtype::fp32), 4 * 64);
}
TEST_F(matmuls, documented_cost_of_fp32_with_zeros_and_ones) {
  EXPECT_EQ(cycles(nc, 128, 512, dtype::fp32, true), 2 * 512);
}
TEST_F(matmuls, documented_cost_of_load_stationary) {
  const tile s = nc.sbuf(128, 128, dtype::bf16), x = nc.sbuf(128, 256, dtype::bf16),
             p = nc.psum(128, 256);
  const auto load_cycles = [&](int m) {
    return matmul{.out = p->partition_range(0, m), .stationary = s->columns(0, m), .moving = x}
        .cost(trainium1())
        .load_cycles;
  };
  EXPECT_EQ(load_cycles(128), 64);
  EXPECT_EQ(load_cycles(32), 32);
}
TEST_F(matmuls, documented_initiation_interval) {
  EXPECT_EQ(cycles(nc, 16, 16, dtype::bf16), 64);
  EXPECT_EQ(cycles(nc, 16, 100, dtype::bf16), 100);
}
TEST_F(matmuls, of_fp8_take_the_time_of_bf16_without_double_rows) {
  EXPECT_EQ(cycles(nc2, 128, 512, dtype::fp8_e4m3), 512);
  EXPECT_EQ(cycles(nc2, 128, 512, dtype::bf16), 512);
}

TEST_F(matmuls, refuse_what_the_array_has_no_room_for) {
  const tile s = filled(128, 256, dtype::bf16), x = filled(128, 1024, dtype::bf16);
  const tile p = nc.psum(128, 512), wide = nc.psum(128, 1024);
  const auto refused = [&](const tile_view& out, const tile_view& a, const tile_view& b) {
    return refusal(nc, matmul{.out = out, .stationary = a, .moving = b});
  };
  const tile_view a = s->columns(0, 128), b = x->columns(0, 512);
  EXPECT_EQ(refused(p, s, b), "stationary: free size must be at most 128, got 256");
  EXPECT_EQ(refused(wide, a, x), "moving: free size must be at most 512, got 1024");
  EXPECT_EQ(refused(p, a.partition_range(0, 64), b),
            "moving: partitions (as stationary) must be 64, got 128");
  EXPECT_EQ(refused(p->partition_range(0, 64), a, b),
            "out: partitions (free size of stationary) must be 128, got 64");
  EXPECT_EQ(refused(p->columns(0, 256), a, b),
            "out: elements a partition (free size of moving) must be 512, got 256");
  EXPECT_NE(refused(wide->columns(256, 512), a, b).find("cross a PSUM bank of 2048"),
            std::string::npos);
  EXPECT_NE(refused(wide->slice(1, 0, 512, 2), a, b).find("out: must lie in one run"),
            std::string::npos);
}

TEST_F(matmuls, refuse_memories_and_types) {
  const tile s = filled(128, 128), x = filled(128, 64), p = nc.psum(128, 64), o = nc.sbuf(128, 64);
  const tile psum = filled_psum(128, 64), half = filled(128, 64, dtype::bf16),
             whole = filled(128, 64, dtype::int32), narrow = nc.psum(128, 64, dtype::bf16);
  const auto refused = [&](const tile_view& out, const tile_view& a, const tile_view& b) {
    return refusal(nc, matmul{.out = out, .stationary = a, .moving = b});
  };
  EXPECT_EQ(refused(o, s, x), "out: must be in PSUM, is in SBUF");
  EXPECT_EQ(refused(p, s, psum), "moving: must be in SBUF, is in PSUM");
  EXPECT_EQ(refused(p->partition_range(0, 64), psum, x), "stationary: must be in SBUF, is in PSUM");
  EXPECT_EQ(refused(narrow, s, x), "out: must be fp32 on NeuronCore-v2, is bf16");
  EXPECT_EQ(refused(p, s, half), "moving: is bf16, stationary is fp32: fp32 multiplies only fp32");
  EXPECT_EQ(refused(p->partition_range(0, 64), whole, x),
            "stationary: must be a floating-point type, is int32");
}

TEST(accumulation_groups, are_one_a_bank_and_partition) {
  core nc(trainium1(), {});
  const tile s = nc.sbuf(128, 64), x = nc.sbuf(128, 256), p = nc.psum(128, 1024);
  nc.issue(memset{.out = s});
  nc.issue(memset{.out = x});
  const auto product = [&](int partition, std::int64_t column, bool accumulate) {
    return refusal(nc, matmul{.out = p->partition_range(partition, 64).columns(column, 256),
                              .stationary = s,
                              .moving = x,
                              .accumulate = accumulate});
  };
  EXPECT_EQ(product(0, 0, false), "(accepted)");
  EXPECT_EQ(product(64, 256, false), "(accepted)");  // other partitions
  EXPECT_EQ(product(0, 512, false), "(accepted)");   // another bank
  EXPECT_EQ(product(0, 0, true), "(accepted)");
  EXPECT_EQ(product(0, 256, false), "(accepted)");
  EXPECT_EQ(product(0, 256, true), "(accepted)");
  EXPECT_EQ(product(64, 256, true), "(accepted)");
  EXPECT_EQ(product(0, 512, true), "(accepted)");
  EXPECT_EQ(product(0, 0, true),
            "out: adds to psum tile 0 [0:64, 256@1] fp32, where another accumulation group has "
            "begun since");
}

// On NeuronCore-v2 and -v3 a sum goes on only from what a product has put there.
struct sums : testing::Test {
  core nc{trainium1(), {}};
  tile s = nc.sbuf(128, 64), x = nc.sbuf(128, 256), p = nc.psum(64, 256);

  sums() {
    nc.issue(memset{.out = s, .value = 1});
    nc.issue(memset{.out = x, .value = 2});
  }
  std::string add(std::int64_t column = 0, std::int64_t columns = 256) {
    return refusal(nc, matmul{.out = p->columns(column, columns),
                              .stationary = s,
                              .moving = x->columns(0, columns),
                              .accumulate = true});
  }
  void begin() { nc.issue(matmul{.out = p, .stationary = s, .moving = x}); }
};
const std::string onto_nothing =
    "out: adds to what no product has put there: the first product of a sum has accumulate = false "
    "(NeuronCore-v2, K:nc_matmul)";

TEST_F(sums, begin_with_a_product) {
  nc.issue(memset{.out = p});
  EXPECT_EQ(add(), onto_nothing);
  nc.issue(tensor_copy{.out = p, .in = x->partition_range(0, 64)});
  EXPECT_EQ(add(), onto_nothing);
  nc.issue(activation{.out = p, .in = x->partition_range(0, 64)});
  EXPECT_EQ(add(), onto_nothing);
  begin();
  EXPECT_EQ(add(), "(accepted)");
  EXPECT_EQ(read(nc, p), std::vector<float>(64 * 256, 512));
  EXPECT_EQ(add(), "(accepted)") << "a read ends no sum";
}

TEST_F(sums, may_begin_with_a_transpose) {
  nc.issue(transpose{.out = p->columns(0, 128), .in = s});
  EXPECT_EQ(add(0, 128), "(accepted)");
}

TEST_F(sums, end_where_another_engine_writes) {
  begin();
  nc.issue(memset{.out = p->columns(100, 20)});
  EXPECT_EQ(add(0, 100), "(accepted)");
  EXPECT_EQ(add(120, 136), "(accepted)");
  EXPECT_EQ(add(0, 101), onto_nothing);
  EXPECT_EQ(add(), onto_nothing);
  begin();
  EXPECT_EQ(add(), "(accepted)");
  nc.issue(memset{.out = p});
  EXPECT_EQ(add(0, 1), onto_nothing);
}

TEST_F(sums, of_a_tile_that_a_pool_gives_again_begin_anew) {
  tile_pool pool = nc.psum_pool(1, 64, 256);
  const matmul first{.out = pool.next(), .stationary = s, .moving = x};
  nc.issue(first);
  const tile_view again = pool.next();
  nc.issue(memset{.out = again});
  EXPECT_EQ(refusal(nc, matmul{.out = again, .stationary = s, .moving = x, .accumulate = true}),
            onto_nothing);
}

// Products of `rows` rows of the array each, one after the other in the program: how long all take.
double products_ns(const machine_spec& machine, int rows, bool row_tiled) {
  core nc(machine, {.mode = run_mode::dry_run, .strict = false});
  const int tiles = machine.tensor.rows / rows;
  const tile s = nc.sbuf(128, 64, dtype::bf16), x = nc.sbuf(128, 512, dtype::bf16),
             out = nc.psum(64, 2048);
  for (int i = 0; i < 64; ++i)
    for (int t = 0; t < tiles; ++t)
      nc.issue(matmul{.out = out->columns(t * 512, 512),
                      .stationary = s->partition_range(t * rows, rows),
                      .moving = x->partition_range(t * rows, rows),
                      .row_tiled = row_tiled});
  return nc.summary().value("total_time") * 1e9;
}

// I:nc_matmul: two products of 64 rows on trainium1, four of 32 on trainium2.
TEST(row_tiles, work_side_by_side) {
  for (machine_spec machine : {trainium1(), trainium2()}) {
    machine.tensor.throttle_rate = 0;
    const int rows = machine.tensor.min_tile_rows, tiles = machine.tensor.rows / rows;
    const double alone = products_ns(machine, rows, false),
                 together = products_ns(machine, rows, true);
    // The first load, and that products begin one load behind each other.
    const double loads = tiles * 64 / machine.tensor.clock_hz * 1e9;
    EXPECT_NEAR(together, alone / tiles, loads + 1e-3 * alone) << machine.name;
  }
}

TEST(row_tiles, multiply_as_products_of_the_whole_array_do) {
  core nc(trainium1(), {});
  const tile s = nc.sbuf(128, 40), x = nc.sbuf(128, 50), out = nc.psum(40, 1024);
  load(nc, s, values_between(-1, 1, 128 * 40, 3));
  load(nc, x, values_between(-1, 1, 128 * 50, 4));
  for (int t = 0; t < 2; ++t) {
    const tile_view a = s->partition_range(64 * t, 64), b = x->partition_range(64 * t, 64);
    nc.issue(matmul{.out = out->columns(0, 50), .stationary = a, .moving = b, .row_tiled = true});
    nc.issue(matmul{.out = out->columns(512, 50), .stationary = a, .moving = b});
    EXPECT_EQ(bits_of(read(nc, out->columns(0, 50))), bits_of(read(nc, out->columns(512, 50))));
  }
}

// Batches of sums of products of `rows` x 32 by `rows` x 512, out[j, h] = sum over i of
// left[j, i, h]^T right[i, h]: batch h lies on a row tile of the array, so that all tiles work at
// once. Inputs of all batches are the same, whatever the rows.
struct batch_run {
  double seconds;
  std::vector<float> values;
};
constexpr std::int64_t sums = 4, terms = 8, wide = 512, tall = 32;

batch_run run_batch(const machine_spec& machine, bool row_tiled, const std::vector<float>& a,
                    const std::vector<float>& b) {
  core nc(machine, {});
  const int rows = machine.tensor.min_tile_rows, batches = machine.tensor.rows / rows;
  const hbm_view left = nc.hbm({sums, terms, 128, tall}), right = nc.hbm({terms, 128, wide}),
                 out = nc.hbm({sums, batches, tall, wide});
  nc.write_tensor(left, std::as_bytes(std::span(a)));
  nc.write_tensor(right, std::as_bytes(std::span(b)));
  const tile rights = nc.sbuf(128, terms * wide);
  for (std::int64_t i = 0; i < terms; ++i)
    nc.issue(dma_copy{.out = rights->columns(i * wide, wide), .in = right.slice(0, i, 1)});
  tile_pool lefts = nc.sbuf_pool(4, 128, tall), results = nc.sbuf_pool(4, tall, wide),
            banks = nc.psum_pool(8, tall, wide);
  for (std::int64_t j = 0; j < sums; ++j) {
    std::vector<tile_view> bank;
    for (int h = 0; h < batches; ++h) bank.push_back(banks.next());
    for (std::int64_t i = 0; i < terms; ++i) {
      const tile_view l = lefts.next();
      nc.issue(dma_copy{.out = l, .in = left.slice(0, j, 1).slice(1, i, 1)});
      for (int h = 0; h < batches; ++h)
        nc.issue(matmul{.out = bank[h],
                        .stationary = l.partition_range(rows * h, rows),
                        .moving = rights->partition_range(rows * h, rows).columns(i * wide, wide),
                        .accumulate = i > 0,
                        .row_tiled = row_tiled});
    }
    for (int h = 0; h < batches; ++h) {
      const tile_view result = results.next();
      nc.issue(copy(result, bank[h], unit::scalar));
      nc.issue(dma_copy{.out = out.slice(0, j, 1).slice(1, h, 1), .in = result});
    }
  }
  batch_run run{nc.summary().value("total_time"),
                std::vector<float>(static_cast<std::size_t>(sums * batches * tall * wide))};
  nc.read_tensor(out, std::as_writable_bytes(std::span(run.values)));
  return run;
}

TEST(row_tiles, make_batches_of_small_products_faster) {
  const std::vector<float> a = values_between(-1, 1, sums * terms * 128 * tall, 3),
                           b = values_between(-1, 1, terms * 128 * wide, 4);
  for (const machine_spec& machine : {trainium1(), trainium2()}) {
    const batch_run whole = run_batch(machine, false, a, b), tiled = run_batch(machine, true, a, b);
    EXPECT_EQ(bits_of(tiled.values), bits_of(whole.values));
    EXPECT_LT(tiled.seconds, 0.7 * whole.seconds) << machine.name;
  }
}

// By hand nothing but the queue orders products: they do not run side by side then.
TEST(row_tiles, take_the_whole_array_where_order_is_by_hand) {
  double end_ns[2];
  for (const bool by_hand : {false, true}) {
    core nc(trainium1(), {.mode = run_mode::dry_run, .strict = false});
    const tile s = nc.sbuf(128, 64), x = nc.sbuf(128, 512), out = nc.psum(64, 1024);
    if (by_hand) nc.order_by_hand();
    for (int t = 0; t < 2; ++t)
      nc.issue(matmul{.out = out->columns(t * 512, 512),
                      .stationary = s->partition_range(64 * t, 64),
                      .moving = x->partition_range(64 * t, 64),
                      .row_tiled = true});
    end_ns[by_hand] = nc.summary().value("total_time");
  }
  // One multiply more, whose load follows the other's instead of its start.
  EXPECT_NEAR(end_ns[true], end_ns[false] + 4 * 512 / 2.8e9, 1e-12);
}

// On trainium1 every pass follows its load: N + 64 cycles. On trainium2 the load runs behind the
// multiply before.
TEST_F(matmuls, follow_their_loads_where_the_machine_does_not_hide_them) {
  const auto cycles = [](machine_spec machine, dtype type, std::int64_t columns, int count) {
    machine.tensor.throttle_rate = 0;
    core one(machine, {.mode = run_mode::dry_run, .strict = false});
    const tile s = one.sbuf(128, columns, type), x = one.sbuf(128, 512, type),
               out = one.psum(int(columns), 512);
    for (int i = 0; i < count; ++i)
      one.issue(matmul{.out = out, .stationary = s, .moving = x, .accumulate = i > 0});
    return one.summary().value("total_time") * machine.tensor.clock_hz;
  };
  EXPECT_NEAR(cycles(trainium1(), dtype::bf16, 128, 10), 10 * (512 + 64), 1e-6);
  EXPECT_NEAR(cycles(trainium1(), dtype::fp32, 128, 10), 10 * 4 * (512 + 64), 1e-6);
  EXPECT_NEAR(cycles(trainium1(), dtype::bf16, 32, 10), 10 * (512 + 32), 1e-6);
  EXPECT_NEAR(cycles(trainium2(), dtype::bf16, 128, 10), 10 * 512 + 64, 1e-6);
  machine_spec half = trainium1();
  half.tensor.exposed_load_cycles = 32;
  EXPECT_NEAR(cycles(half, dtype::bf16, 128, 10), 10 * (512 + 32) + 32, 1e-6);
}

// The floor's products have their loads too.
TEST(tensor_engine, least_cycles_are_those_of_full_passes) {
  EXPECT_DOUBLE_EQ(trainium1().tensor.least_cycles(128.0 * 128 * 512 * 3, 4), 4 * 3 * (512 + 64));
  EXPECT_DOUBLE_EQ(trainium2().tensor.least_cycles(128.0 * 128 * 512 * 3), 3 * 512);
}

TEST_F(matmuls, of_row_tiles_stay_within_one) {
  const tile s = filled(128, 32), x = filled(128, 32, dtype::fp32, 2), p = nc.psum(32, 32);
  const auto refused = [&](int stationary, int moving, int rows) {
    return refusal(nc, matmul{.out = p,
                              .stationary = s->partition_range(stationary, rows),
                              .moving = x->partition_range(moving, rows),
                              .row_tiled = true});
  };
  EXPECT_EQ(refused(64, 64, 64), "(accepted)");
  EXPECT_EQ(refused(32, 32, 32), "(accepted)");
  EXPECT_EQ(refused(0, 0, 128), "moving: partitions of a row tile must be at most 64, got 128");
  EXPECT_EQ(refused(0, 64, 64),
            "stationary: first partition (as moving, of a row tile) must be 64, got 0");
}

// A1: half the rate where neighbours are more than 16 bytes apart.
TEST_F(matmuls, read_far_strides_at_half_the_rate) {
  const tile s = nc.sbuf(128, 640), x = nc.sbuf(128, 2560), p = nc.psum(128, 512);
  const auto ns = [&](const tile_view& stationary, const tile_view& moving) {
    return cost_ns(matmul{.out = p, .stationary = stationary, .moving = moving}, nc.machine());
  };
  const tile_view near_s = s->slice(1, 0, 128, 4), far_s = s->slice(1, 0, 128, 5),
                  near_x = x->slice(1, 0, 512, 4), far_x = x->slice(1, 0, 512, 5);
  const double cycle = 1e9 / nc.machine().tensor.clock_hz;
  EXPECT_NEAR(ns(near_s, near_x), (4 * 64 + 4 * 512) * cycle, 1e-9);
  EXPECT_NEAR(ns(far_s, near_x), (2 * 4 * 64 + 4 * 512) * cycle, 1e-9);
  EXPECT_NEAR(ns(near_s, far_x), (4 * 64 + 2 * 4 * 512) * cycle, 1e-9);
}

// Products of `columns` columns of the array, or of rows and columns, that go round its tiles.
double column_products_ns(const machine_spec& machine, bool rows_too, bool tiled) {
  core nc(machine, {.mode = run_mode::dry_run, .strict = false});
  const int side = machine.tensor.min_tile_rows, tiles = machine.tensor.rows / side;
  const tile s = nc.sbuf(128, side, dtype::bf16), x = nc.sbuf(128, 512, dtype::bf16),
             out = nc.psum(128, 2048);
  for (int i = 0; i < 256; ++i) {
    const int c = i % tiles, r = i / tiles % tiles, partitions = rows_too ? side : 128;
    nc.issue(matmul{.out = out->partition_range(c * side, side).columns(r * 512, 512),
                    .stationary = s->partition_range(rows_too ? r * side : 0, partitions),
                    .moving = x->partition_range(rows_too ? r * side : 0, partitions),
                    .row_tiled = tiled && rows_too,
                    .column_tiled = tiled});
  }
  return nc.summary().value("total_time") * 1e9;
}

// I:nc_matmul: as row tiles, and with them tiles of both.
TEST(column_tiles, work_side_by_side) {
  for (machine_spec machine : {trainium1(), trainium2()}) {
    machine.tensor.throttle_rate = 0;
    const int side = machine.tensor.min_tile_rows, tiles = machine.tensor.rows / side;
    const double alone = column_products_ns(machine, false, false),
                 loads_ns = tiles * 64 / machine.tensor.clock_hz * 1e9;
    EXPECT_NEAR(column_products_ns(machine, false, true), alone / tiles, loads_ns + 1e-3 * alone)
        << machine.name;
    // Loads follow one another also where products are on different tiles.
    const double every = 256.0 * side / machine.tensor.clock_hz * 1e9,
                 least = std::max(alone / tiles / tiles, every);
    EXPECT_NEAR(column_products_ns(machine, true, true), least,
                tiles * tiles * 600 / machine.tensor.clock_hz * 1e9)
        << machine.name;
  }
}

TEST(column_tiles, multiply_as_products_of_the_whole_array_do) {
  core nc(trainium2(), {});
  const tile s = nc.sbuf(128, 128), x = nc.sbuf(128, 50), out = nc.psum(128, 1024);
  load(nc, s, values_between(-1, 1, 128 * 128, 3));
  load(nc, x, values_between(-1, 1, 128 * 50, 4));
  nc.issue(matmul{.out = out->columns(512, 50), .stationary = s, .moving = x});
  for (int t = 0; t < 4; ++t)
    nc.issue(matmul{.out = out->partition_range(32 * t, 32).columns(0, 50),
                    .stationary = s->columns(32 * t, 32),
                    .moving = x,
                    .column_tiled = true});
  EXPECT_EQ(bits_of(read(nc, out->columns(0, 50))), bits_of(read(nc, out->columns(512, 50))));
}

TEST_F(matmuls, of_column_tiles_stay_within_one) {
  const tile s = filled(128, 128), x = filled(128, 32, dtype::fp32, 2), p = nc.psum(128, 32);
  const auto refused = [&](int first, int columns) {
    return refusal(nc, matmul{.out = p->partition_range(first, columns),
                              .stationary = s->columns(0, columns),
                              .moving = x,
                              .column_tiled = true});
  };
  EXPECT_EQ(refused(64, 64), "(accepted)");
  EXPECT_EQ(refused(32, 32), "(accepted)");
  EXPECT_EQ(refused(0, 128), "stationary: free size in a column tile must be at most 64, got 128");
}

// K:nc_matmul: two rows of fp8 in a cell and column tiles exclude each other.
TEST(column_tiles, have_no_double_rows) {
  core nc(trainium2(), {.mode = run_mode::dry_run, .strict = false});
  const tile s = nc.sbuf(128, 32, dtype::fp8_e4m3), x = nc.sbuf(128, 512, dtype::fp8_e4m3),
             p = nc.psum(16, 256);
  matmul product{.out = p,
                 .stationary = s->pattern(0, {{2, 16}, {16, 1}}),
                 .moving = x->pattern(0, {{2, 256}, {256, 1}}),
                 .double_row = true};
  nc.issue(product);
  product.column_tiled = true;
  EXPECT_THROW(nc.issue(product), kernel_error);
}

}  // namespace
}  // namespace papilio::engine::test
