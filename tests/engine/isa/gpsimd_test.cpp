#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/support.hpp"

namespace papilio::engine::test {
namespace {

using gpsimd = fixture;
using words = std::vector<std::int32_t>;

affine_pattern line(std::int64_t count, std::int64_t base = 0, std::int64_t partition_step = 0,
                    std::int64_t step = 1) {
  return {base, partition_step, {{{count, step}}}};
}

TEST_F(gpsimd, iota_counts_by_partition_and_level) {
  const affine_pattern pattern{-5, 100, {{{3, 7}, {4, -1}, {1, 9}, {2, 50}}}};
  const tile out = nc.sbuf(128, 24, dtype::int32), half = nc.sbuf(128, 24, dtype::bf16);
  nc.issue(iota{.out = out, .pattern = pattern});
  nc.issue(iota{.out = half, .pattern = pattern});
  const words got = read_integers(nc, out);
  const std::vector<float> rounded = read(nc, half);
  for (int p = 0; p < 128; ++p)
    for (int i = 0; i < 24; ++i) {
      const int expected = -5 + 100 * p + 7 * (i / 8) - (i / 2) % 4 + 50 * (i % 2);
      ASSERT_EQ(got[std::size_t(p * 24 + i)], expected);
      ASSERT_EQ(rounded[std::size_t(p * 24 + i)], round_to(dtype::bf16, float(expected)));
    }
}

TEST_F(gpsimd, documented_cost_of_iota) {
  const tile out = nc.sbuf(128, 300, dtype::int32);
  EXPECT_EQ(documented_cycles(iota{.out = out, .pattern = line(300)}, trainium1()), 150 + 300);
  EXPECT_DOUBLE_EQ(cost_ns(iota{.out = out, .pattern = line(300)}, trainium1()), 450 / 1.4);
}

TEST_F(gpsimd, iota_refuses_what_its_type_cannot_hold) {
  const tile out = nc.sbuf(128, 10, dtype::uint8), word = nc.sbuf(128, 10, dtype::int32);
  EXPECT_EQ(refusal(nc, iota{.out = out, .pattern = line(10, 0, 2)}),
            "pattern: values [0, 263] must be within [0, 255]");
  EXPECT_EQ(refusal(nc, iota{.out = out, .pattern = line(10, 0, 1)}), "(accepted)");
  EXPECT_EQ(refusal(nc, iota{.out = word, .pattern = line(10, 2147483640)}),
            "pattern: values [2147483640, 2147483649] must be within [-2147483648, 2147483647]");
  EXPECT_EQ(refusal(nc, iota{.out = word, .pattern = line(9)}),
            "pattern: elements (as out) must be 10, got 9");
  EXPECT_EQ(refusal(nc, iota{.out = word, .pattern = line(11)}),
            "pattern: extent of a level must be in [1, 10], got 11");
  EXPECT_EQ(refusal(nc, iota{.out = nc.psum(128, 10, dtype::int32), .pattern = line(10)}),
            "out: is in PSUM, which gpsimd cannot reach");
}

TEST_F(gpsimd, affine_select_cuts_triangles) {
  const tile in = filled(128, 128), out = nc.sbuf(128, 128);
  const std::vector<float> from = read(nc, in);
  const auto keeps = [](alu_op op, int v) {
    return op == alu_op::equal           ? v == 0
           : op == alu_op::not_equal     ? v != 0
           : op == alu_op::greater       ? v > 0
           : op == alu_op::greater_equal ? v >= 0
           : op == alu_op::less          ? v < 0
                                         : v <= 0;
  };
  for (const alu_op op : {alu_op::equal, alu_op::not_equal, alu_op::greater, alu_op::greater_equal,
                          alu_op::less, alu_op::less_equal}) {
    nc.issue(affine_select{
        .out = out, .in = in, .pattern = line(128, 3, 1, -1), .compare = op, .otherwise = -7});
    const std::vector<float> got = read(nc, out);
    for (int p = 0; p < 128; ++p)
      for (int i = 0; i < 128; ++i) {
        const auto at = std::size_t(p * 128 + i);
        ASSERT_EQ(got[at], keeps(op, 3 + p - i) ? from[at] : -7) << to_string(op);
      }
  }
}

TEST_F(gpsimd, affine_select_keeps_the_bits_of_integers) {
  const tile in = nc.sbuf(1, 4, dtype::int32), out = nc.sbuf(1, 4, dtype::int32);
  load_integers(nc, in, words{2147483647, 16777217, -16777219, 5});
  nc.issue(affine_select{
      .out = out, .in = in, .pattern = line(4, -2), .compare = alu_op::less, .otherwise = 9});
  EXPECT_EQ(read_integers(nc, out), (words{2147483647, 16777217, 9, 9}));
}

TEST_F(gpsimd, documented_cost_of_affine_select) {
  const tile in = nc.sbuf(128, 300), out = nc.sbuf(128, 300);
  EXPECT_EQ(
      documented_cycles(affine_select{.out = out, .in = in, .pattern = line(300)}, trainium1()),
      150 + 300);
}

TEST_F(gpsimd, affine_select_refuses_other_operations) {
  const tile in = filled(128, 30), out = nc.sbuf(128, 30);
  EXPECT_EQ(
      refusal(nc, affine_select{.out = out, .in = in, .pattern = line(30), .compare = alu_op::add}),
      "compare: must be a comparison, is add");
  EXPECT_EQ(refusal(nc, affine_select{.out = out->columns(0, 20), .in = in, .pattern = line(20)}),
            "in: must have the 20 elements a partition of out, has 30");
}

TEST_F(gpsimd, local_gather_shares_indices_among_16_partitions) {
  for (const int e : {1, 4}) {
    const tile in = filled(64, 60), index = nc.sbuf(64, 2, dtype::int32), out = nc.sbuf(64, 25 * e);
    const words at = integers_between(0, 60 / e, 128, 9);
    load_integers(nc, index, at);
    nc.issue(local_gather{.out = out, .in = in, .indices = index, .elements_per_index = e});
    const std::vector<float> from = read(nc, in), got = read(nc, out);
    for (int p = 0; p < 64; ++p)
      for (int i = 0; i < 25; ++i) {
        const int j = at[std::size_t((p / 16 * 16 + i % 16) * 2 + i / 16)];
        for (int k = 0; k < e; ++k)
          ASSERT_EQ(got[std::size_t(p * 25 * e + i * e + k)],
                    from[std::size_t(p * 60 + j * e + k)]);
      }
  }
}

TEST_F(gpsimd, documented_cost_of_local_gather) {
  const auto cycles = [&](dtype type, int e, int valid) {
    const tile in = nc.sbuf(128, 64, type), index = nc.sbuf(128, 64, dtype::int32),
               out = nc.sbuf(128, valid * e, type);
    return documented_cycles(
        local_gather{.out = out, .in = in, .indices = index, .elements_per_index = e}, trainium1());
  };
  // C = (28 + 4) / 4 / min(4 / 4, 1) = 8.
  EXPECT_DOUBLE_EQ(cycles(dtype::fp32, 1, 64), 150 + 64 / 8.0);
  // C = (28 + 8) / 8 / min(4 / 2, 2) = 2.25.
  EXPECT_DOUBLE_EQ(cycles(dtype::bf16, 2, 100), 150 + 200 / 2.25);
  // C = (28 + 16) / 16 / min(4 / 1, 4) = 0.6875.
  EXPECT_DOUBLE_EQ(cycles(dtype::uint8, 4, 10), 150 + 40 / 0.6875);
}

TEST_F(gpsimd, local_gather_refuses_what_its_processors_cannot_do) {
  const tile in = filled(32, 10), out = nc.sbuf(32, 20), index = nc.sbuf(32, 1, dtype::int32);
  words at(32, 3);
  at[20] = 10;
  load_integers(nc, index, at);
  const auto refused = [&](const tile_view& to, const tile_view& from, const tile_view& by, int e) {
    return refusal(nc, local_gather{.out = to, .in = from, .indices = by, .elements_per_index = e});
  };
  EXPECT_EQ(refused(out->columns(0, 16), in, index, 1),
            "indices: index 4 of partitions 16 ... must be in [0, 10), is 10");
  EXPECT_EQ(refused(out->columns(0, 4), in, index, 1), "(accepted)");
  EXPECT_EQ(refused(out->columns(0, 17), in, index, 1), "out: indices must be at most 16, got 17");
  EXPECT_EQ(refused(out->columns(0, 4), in, index, 4),
            "in: elements a partition must be a multiple of 4, got 10");
  EXPECT_EQ(refused(out->columns(0, 5), in, index, 2),
            "out: elements a partition must be a multiple of 2, got 5");
  EXPECT_EQ(refused(out->partition_range(0, 20), in->partition_range(0, 20),
                    index->partition_range(0, 20), 1),
            "in: partitions must be a multiple of 16, got 20");
  EXPECT_EQ(refused(out, in->partition_range(0, 16), index, 1),
            "out: partitions (as in) must be 16, got 32");
  EXPECT_EQ(refused(out, in, filled(32, 1), 1), "indices: must be int32, is fp32");
  EXPECT_EQ(refused(nc.sbuf(32, 4, dtype::bf16), in, index, 1), "out: must be fp32, is bf16");
  EXPECT_EQ(refused(in, in, index, 1), "out: must be another tile than in and indices");
}

TEST_F(gpsimd, topk_sorts_and_says_where) {
  const tile in = nc.sbuf(16, 100), values = nc.sbuf(16, 12), at = nc.sbuf(16, 12, dtype::int32);
  std::vector<float> numbers = values_between(-4, 4, 1600);
  for (float& v : numbers) v = std::round(v * 8);  // many are equal
  numbers[57] = std::nanf("");
  load(nc, in, numbers);
  nc.issue(topk{.values = values, .indices = at, .in = in});
  const std::vector<float> got = read(nc, values);
  const words where = read_integers(nc, at);
  EXPECT_EQ(where[0], 57);
  for (std::size_t p = 0; p < 16; ++p) {
    std::vector<int> order(100);
    std::iota(order.begin(), order.end(), 0);
    const auto size = [&](int i) {
      const float v = numbers[p * 100 + std::size_t(i)];
      return std::isnan(v) ? 1e30f : v;
    };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return size(a) > size(b); });
    for (std::size_t k = 0; k < 12; ++k) {
      ASSERT_EQ(where[p * 12 + k], order[k]);
      if (p == 0 && k == 0) continue;  // NaN
      ASSERT_EQ(got[p * 12 + k], size(order[k]));
    }
  }
}

TEST_F(gpsimd, documented_cost_of_topk) {
  const tile in = nc.sbuf(16, 100), values = nc.sbuf(16, 12), at = nc.sbuf(16, 12, dtype::int32);
  const topk best{.values = values, .indices = at, .in = in};
  EXPECT_EQ(best.cost(trainium1()).cycles, 4 * 100 + 12);
  EXPECT_EQ(documented_cycles(best, trainium1()), 150 + 4 * 100 + 12);
}

TEST_F(gpsimd, topk_refuses_more_than_there_are) {
  const tile in = filled(16, 10), values = nc.sbuf(16, 12), at = nc.sbuf(16, 12, dtype::int32);
  EXPECT_EQ(refusal(nc, topk{.values = values, .indices = at, .in = in}),
            "values: elements a partition (as in has) must be at most 10, got 12");
  EXPECT_EQ(
      refusal(nc, topk{.values = values->columns(0, 4), .indices = at->columns(0, 5), .in = in}),
      "indices: must have the 4 elements a partition of values, has 5");
  EXPECT_EQ(refusal(nc, topk{.values = values, .indices = values, .in = in}),
            "indices: must be int32, is fp32");
}

TEST_F(gpsimd, partition_reduce_folds_processors_then_pairs) {
  for (const int partitions : {128, 100, 16, 5}) {
    const tile in = filled(partitions, 40), out = nc.sbuf(1, 40);
    const std::vector<float> from = read(nc, in);
    const auto reduced = [&](auto f) {
      std::vector<float> result;
      for (std::size_t i = 0; i < 40; ++i) {
        std::vector<float> each;
        for (int p = 0; p < partitions; ++p) {
          const float v = from[std::size_t(p) * 40 + i];
          if (p % 16 == 0)
            each.push_back(v);
          else
            each.back() = f(each.back(), v);
        }
        for (std::size_t half : {4u, 2u, 1u})
          for (std::size_t j = 0; j < half; ++j)
            if (j + half < each.size()) each[j] = f(each[j], each[j + half]);
        result.push_back(each[0]);
      }
      return result;
    };
    const auto run = [&](alu_op op) {
      nc.issue(partition_reduce{.out = out, .in = in, .op = op});
      return read(nc, out);
    };
    EXPECT_EQ(run(alu_op::add), reduced([](float a, float b) { return a + b; }));
    EXPECT_EQ(run(alu_op::multiply), reduced([](float a, float b) { return a * b; }));
    EXPECT_EQ(run(alu_op::maximum), reduced([](float a, float b) { return std::max(a, b); }));
    EXPECT_EQ(run(alu_op::minimum), reduced([](float a, float b) { return std::min(a, b); }));
  }
}

TEST_F(gpsimd, cost_of_partition_reduce) {
  const tile in = nc.sbuf(128, 40), out = nc.sbuf(1, 40);
  EXPECT_EQ(documented_cycles(partition_reduce{.out = out, .in = in}, trainium1()), 150 + 4 * 40);
}

TEST_F(gpsimd, partition_reduce_refuses_other_operations_and_shapes) {
  const tile in = filled(128, 40), out = nc.sbuf(1, 40), two = nc.sbuf(2, 40);
  EXPECT_EQ(refusal(nc, partition_reduce{.out = out, .in = in, .op = alu_op::subtract}),
            "op: must be add, multiply, maximum or minimum, is subtract");
  EXPECT_EQ(refusal(nc, partition_reduce{.out = two, .in = in}),
            "out: partitions must be 1, got 2");
  EXPECT_EQ(refusal(nc, partition_reduce{.out = out->columns(0, 4), .in = in}),
            "out: elements a partition (as in) must be 40, got 4");
}

TEST_F(gpsimd, sequence_bounds_find_where_segments_begin_and_end) {
  const tile in = nc.sbuf(1, 9, dtype::int32), out = nc.sbuf(1, 18, dtype::int32),
             real = nc.sbuf(1, 9), bounds = nc.sbuf(1, 18);
  const words segments{0, 1, 1, 2, 2, 2, 0, 3, 3};
  const words expected{9, 1, 1, 3, 3, 3, 9, 7, 7, -1, 3, 3, 6, 6, 6, -1, 9, 9};
  load_integers(nc, in, segments);
  load(nc, real, std::vector<float>(segments.begin(), segments.end()));
  nc.issue(sequence_bounds{.out = out, .in = in});
  nc.issue(sequence_bounds{.out = bounds, .in = real});
  EXPECT_EQ(read_integers(nc, out), expected);
  EXPECT_EQ(read(nc, bounds), std::vector<float>(expected.begin(), expected.end()));
}

TEST_F(gpsimd, cost_and_refusals_of_sequence_bounds) {
  const tile in = filled(4, 90, dtype::int32), out = nc.sbuf(4, 180, dtype::int32);
  EXPECT_EQ(documented_cycles(sequence_bounds{.out = out, .in = in}, trainium1()), 150 + 90);
  EXPECT_EQ(refusal(nc, sequence_bounds{.out = out->columns(0, 90), .in = in}),
            "out: elements a partition (twice in's) must be 180, got 90");
  EXPECT_EQ(refusal(nc, sequence_bounds{.out = out, .in = filled(4, 90, dtype::bf16)}),
            "in: must be int32 or fp32, is bf16");
}

TEST(affine_select_of_bytes, saturates) {
  core nc(trainium1(), {});
  const tile in = nc.sbuf(1, 2, dtype::uint8), out = nc.sbuf(1, 2, dtype::uint8);
  load_integers(nc, in, std::vector<std::int32_t>{7, 8});
  affine_select one{.out = out, .in = in, .otherwise = 300};
  one.pattern.base = -1;
  one.pattern.levels[3] = {2, 1};
  nc.issue(one);
  EXPECT_EQ(read_integers(nc, out), (std::vector<std::int32_t>{255, 8}));
}

TEST(integers_from_numbers, saturate) {
  core nc(trainium1(), {});
  const tile in = nc.sbuf(1, 2, dtype::int32), out = nc.sbuf(1, 2, dtype::int32);
  load_integers(nc, in, std::vector<std::int32_t>{7, 8});
  affine_select one{.out = out, .in = in, .otherwise = 1e30f};
  one.pattern.base = -1;
  one.pattern.levels[3] = {2, 1};
  nc.issue(one);
  EXPECT_EQ(read_integers(nc, out), (std::vector<std::int32_t>{0x7fffffff, 8}));
}

TEST_F(gpsimd, n_gather_takes_elements_of_its_own_partition) {
  const int count = 700;
  const tile places = nc.sbuf(5, count, dtype::int32);
  const words at = integers_between(0, 24, std::size_t(5 * count), 3);
  load_integers(nc, places, at);
  for (const dtype type : {dtype::fp32, dtype::bf16, dtype::int32}) {
    const tile in = nc.sbuf(5, 48, type), out = nc.sbuf(5, count, type);
    const words values = integers_between(-100, 100, 5 * 48, 4);
    if (type == dtype::int32)
      load_integers(nc, in, values);
    else
      load(nc, in, std::vector<float>(values.begin(), values.end()));
    // Every other element, so that the pattern counts and not the place in memory.
    nc.issue(n_gather{.out = out, .in = in->slice(1, 0, 24, 2), .indices = places});
    const std::vector<float> got = type == dtype::int32 ? std::vector<float>{} : read(nc, out);
    const words integers = type == dtype::int32 ? read_integers(nc, out) : words{};
    for (std::size_t i = 0; i < at.size(); ++i) {
      const std::int32_t expected = values[i / count * 48 + std::size_t(2 * at[i])];
      ASSERT_EQ(type == dtype::int32 ? integers[i] : std::int32_t(got[i]), expected);
    }
  }
}

TEST_F(gpsimd, n_gather_costs_a_start_for_each_512_indices) {
  const tile in = nc.sbuf(128, 100), out = nc.sbuf(128, 1100),
             at = nc.sbuf(128, 1100, dtype::int32);
  const auto cycles = [&](std::int64_t n) {
    return documented_cycles(
        n_gather{.out = out->columns(0, n), .in = in, .indices = at->columns(0, n)}, trainium1());
  };
  EXPECT_EQ(cycles(512), 150 + 512);
  EXPECT_EQ(cycles(513), 2 * 150 + 513);
  EXPECT_EQ(cycles(1100), 3 * 150 + 1100);
}

TEST_F(gpsimd, n_gather_refuses_indices_beyond_its_input) {
  const tile in = filled(4, 10), out = nc.sbuf(4, 3), at = nc.sbuf(4, 3, dtype::int32);
  load_integers(nc, at, words{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0});
  EXPECT_EQ(refusal(nc, n_gather{.out = out, .in = in, .indices = at}),
            "indices: must be in [0, 10), partition 3 holds 10");
  EXPECT_NE(refusal(nc, n_gather{.out = in->columns(0, 3), .in = in, .indices = at}), "(accepted)");
}

}  // namespace
}  // namespace papilio::engine::test
