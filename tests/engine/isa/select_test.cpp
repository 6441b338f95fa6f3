#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/support.hpp"

namespace papilio::engine::test {
namespace {

using choose = fixture;

TEST_F(choose, tensor_copy_predicated_keeps_the_rest) {
  const tile x = filled(128, 60), out = filled(128, 60, dtype::fp32, 2);
  const tile predicate = nc.sbuf(128, 60, dtype::int32);
  const std::vector<std::int32_t> given = integers_between(-1, 2, 128 * 60);
  load_integers(nc, predicate, given);
  const std::vector<float> in = read(nc, x), old = read(nc, out);
  nc.issue(tensor_copy_predicated{.out = out, .in = x, .predicate = predicate});
  std::vector<float> result = read(nc, out);
  for (std::size_t i = 0; i < in.size(); ++i) ASSERT_EQ(result[i], given[i] != 0 ? in[i] : old[i]);
  load(nc, out, old);
  nc.issue(tensor_copy_predicated{.out = out, .in = x, .predicate = predicate, .reverse = true});
  result = read(nc, out);
  for (std::size_t i = 0; i < in.size(); ++i) ASSERT_EQ(result[i], given[i] == 0 ? in[i] : old[i]);
}

TEST_F(choose, tensor_copy_predicated_moves_integers_and_narrow_types) {
  const std::vector<std::int32_t> given = integers_between(0, 2, 32 * 40);
  const tile predicate = nc.sbuf(32, 40, dtype::uint8);
  load_integers(nc, predicate, given);
  const std::vector<std::int32_t> a = integers_between(-2147483647, 2147483647, 32 * 40, 2),
                                  b = integers_between(-2147483647, 2147483647, 32 * 40, 3);
  const tile x = nc.sbuf(32, 40, dtype::int32), out = nc.psum(32, 80, dtype::int32);
  const tile_view strided = out->slice(1, 79, 40, -2);
  load_integers(nc, x, a);
  load_integers(nc, strided, b);
  nc.issue(tensor_copy_predicated{.out = strided, .in = x, .predicate = predicate});
  const std::vector<std::int32_t> result = read_integers(nc, strided);
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(result[i], given[i] != 0 ? a[i] : b[i]);

  const tile y = filled(32, 40, dtype::bf16), z = filled(32, 40, dtype::bf16, 2);
  const std::vector<float> yes = read(nc, y), no = read(nc, z);
  nc.issue(tensor_copy_predicated{.out = z, .in = y, .predicate = predicate});
  const std::vector<float> chosen = read(nc, z);
  for (std::size_t i = 0; i < yes.size(); ++i) ASSERT_EQ(chosen[i], given[i] != 0 ? yes[i] : no[i]);
}

TEST_F(choose, select_takes_broadcasts_and_works_in_place) {
  const tile x = filled(64, 1), y = filled_psum(64, 50, dtype::fp32, 2), out = nc.sbuf(64, 50);
  const tile predicate = nc.sbuf(64, 50, dtype::uint8);
  const std::vector<std::int32_t> given = integers_between(0, 2, 64 * 50);
  load_integers(nc, predicate, given);
  const std::vector<float> yes = read(nc, x), no = read(nc, y);
  nc.issue(select{.out = out, .predicate = predicate, .on_true = x->spread(50), .on_false = y});
  nc.issue(select{.out = y, .predicate = predicate, .on_true = x->spread(50), .on_false = y});
  const std::vector<float> result = read(nc, out);
  for (std::size_t i = 0; i < no.size(); ++i)
    ASSERT_EQ(result[i], given[i] != 0 ? yes[i / 50] : no[i]);
  EXPECT_EQ(read(nc, y), result);
}

TEST_F(choose, select_of_integers) {
  const tile x = nc.sbuf(32, 8, dtype::int32), y = nc.sbuf(32, 8, dtype::int32);
  const tile out = nc.sbuf(32, 8, dtype::int32), predicate = nc.sbuf(32, 8, dtype::int32);
  const std::vector<std::int32_t> a = integers_between(-2147483647, 2147483647, 256, 2),
                                  b = integers_between(-2147483647, 2147483647, 256, 3),
                                  given = integers_between(0, 2, 256);
  load_integers(nc, x, a);
  load_integers(nc, y, b);
  load_integers(nc, predicate, given);
  nc.issue(select{.out = out, .predicate = predicate, .on_true = x, .on_false = y});
  const std::vector<std::int32_t> result = read_integers(nc, out);
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(result[i], given[i] != 0 ? a[i] : b[i]);
}

TEST_F(choose, select_reduce_takes_the_maximum_before_rounding) {
  const tile x = filled(128, 90), out = nc.sbuf(128, 90, dtype::bf16), most = nc.sbuf(128, 1);
  const tile other = filled(128, 1, dtype::fp32, 5), predicate = nc.sbuf(128, 90, dtype::uint8);
  const std::vector<std::int32_t> given = integers_between(0, 2, 128 * 90);
  load_integers(nc, predicate, given);
  const std::vector<float> in = read(nc, x), rest = read(nc, other);
  for (const bool reverse : {false, true}) {
    nc.issue(select_reduce{.out = out,
                           .reduced = most,
                           .predicate = predicate,
                           .on_true = x,
                           .on_false = other,
                           .reverse = reverse});
    const std::vector<float> result = read(nc, out), largest = read(nc, most);
    for (std::size_t p = 0; p < 128; ++p) {
      float expected = -10;
      for (std::size_t i = p * 90; i < (p + 1) * 90; ++i) {
        const float value = (given[i] != 0) != reverse ? in[i] : rest[p];
        expected = std::max(expected, value);
        ASSERT_EQ(result[i], round_to(dtype::bf16, value));
      }
      ASSERT_EQ(largest[p], expected);
    }
  }
  nc.issue(select_reduce{.out = out, .predicate = predicate, .on_true = x, .on_false = -3});
  const std::vector<float> result = read(nc, out);
  for (std::size_t i = 0; i < in.size(); ++i)
    ASSERT_EQ(result[i], given[i] != 0 ? round_to(dtype::bf16, in[i]) : -3);
}

TEST_F(choose, range_select_makes_a_causal_mask) {
  const tile x = filled2(128, 128), out = nc2.sbuf(128, 128), most = nc2.sbuf(128, 1);
  const tile last = nc2.sbuf(128, 1);
  std::vector<float> rows(128);
  for (std::size_t p = 0; p < 128; ++p) rows[p] = float(p);
  load(nc2, last, rows);
  nc2.issue(range_select{.out = out,
                         .reduced = most,
                         .in = x,
                         .op0 = alu_op::greater_equal,
                         .bound0 = 10,
                         .op1 = alu_op::less_equal,
                         .bound1 = last,
                         .start = 4});
  const std::vector<float> in = read(nc2, x), result = read(nc2, out), largest = read(nc2, most);
  constexpr float lowest = std::numeric_limits<float>::lowest();
  for (std::size_t p = 0; p < 128; ++p) {
    float expected = lowest;
    for (std::size_t i = 0; i < 128; ++i) {
      const float value = i + 4 >= 10 && i + 4 <= p ? in[p * 128 + i] : lowest;
      expected = std::max(expected, value);
      ASSERT_EQ(result[p * 128 + i], value) << p << " " << i;
    }
    ASSERT_EQ(largest[p], expected);
  }
}

TEST_F(choose, stream_shuffle_moves_rows_within_groups) {
  const tile x = filled(64, 30), out = filled(64, 30, dtype::fp32, 2);
  const std::vector<float> in = read(nc, x), old = read(nc, out);
  std::array<std::uint8_t, 32> mask{};
  for (int i = 0; i < 32; ++i) mask[std::size_t(i)] = std::uint8_t(i % 5 == 0 ? 255 : (i * 7) % 32);
  nc.issue(stream_shuffle{.out = out, .in = x, .mask = mask});
  nc.issue(stream_shuffle{.out = x, .in = x, .mask = mask});
  const std::vector<float> result = read(nc, out), in_place = read(nc, x);
  for (std::size_t p = 0; p < 64; ++p)
    for (std::size_t i = 0; i < 30; ++i) {
      const std::size_t lane = p % 32, from = (p - lane + (lane * 7) % 32) * 30 + i;
      ASSERT_EQ(result[p * 30 + i], lane % 5 == 0 ? old[p * 30 + i] : in[from]) << p;
      ASSERT_EQ(in_place[p * 30 + i], lane % 5 == 0 ? in[p * 30 + i] : in[from]) << p;
    }
}

TEST_F(choose, stream_shuffle_of_integers_writes_a_fresh_tile) {
  const tile x = nc.sbuf(32, 3, dtype::int32), out = nc.sbuf(32, 3, dtype::int32);
  const std::vector<std::int32_t> in = integers_between(-2147483647, 2147483647, 96);
  load_integers(nc, x, in);
  std::array<std::uint8_t, 32> mask{};
  mask.fill(31);  // one lane to all
  nc.issue(stream_shuffle{.out = out, .in = x, .mask = mask});
  const std::vector<std::int32_t> result = read_integers(nc, out);
  for (std::size_t i = 0; i < 96; ++i) ASSERT_EQ(result[i], in[93 + i % 3]);
  const tile fresh = nc.sbuf(32, 3, dtype::int32);
  mask[4] = 255;
  EXPECT_NE(refusal(nc, stream_shuffle{.out = fresh, .in = x, .mask = mask})
                .find("out: reads what nobody wrote"),
            std::string::npos);
}

TEST_F(choose, memset_of_each_type) {
  for (const dtype type : {dtype::fp32, dtype::bf16, dtype::fp16, dtype::tf32, dtype::fp8_e4m3}) {
    const tile out = nc.sbuf(128, 9, type);
    nc.issue(memset{.out = out, .value = 0.3});
    for (const float v : read(nc, out)) ASSERT_EQ(v, round_to(type, 0.3f)) << to_string(type);
  }
  const tile words = nc.psum(128, 20, dtype::int32);
  const tile_view odd = words->slice(1, 1, 10, 2);
  nc.issue(memset{.out = words, .value = -2147483648.0});
  nc.issue(memset{.out = odd, .value = 2147483647});
  const std::vector<std::int32_t> result = read_integers(nc, words);
  for (std::size_t i = 0; i < result.size(); ++i)
    ASSERT_EQ(result[i], i % 2 == 1 ? 2147483647 : -2147483647 - 1);
  const tile bytes = nc.sbuf(32, 5, dtype::uint8);
  nc.issue(memset{.out = bytes, .value = 255, .on = unit::gpsimd});
  for (const std::int32_t v : read_integers(nc, bytes)) ASSERT_EQ(v, 255);
}

TEST_F(choose, dropout_drops_the_given_share) {
  constexpr std::size_t columns = 2000;
  const tile x = nc.sbuf(128, columns), out = nc.sbuf(128, columns);
  nc.issue(memset{.out = x, .value = 3});
  const auto kept = [&](double probability, std::uint64_t seed) {
    nc.issue(dropout{.out = out, .in = x, .probability = probability, .seed = seed});
    const std::vector<float> result = read(nc, out);
    std::vector<bool> is_kept;
    for (const float v : result) {
      EXPECT_TRUE(v == 3 || v == 0);
      is_kept.push_back(v == 3);
    }
    return is_kept;
  };
  const std::vector<bool> first = kept(0.25, 1), again = kept(0.25, 1), second = kept(0.25, 2);
  EXPECT_EQ(first, again);
  // Counts of 256000 draws: six standard deviations of a binomial.
  const double n = 128 * columns;
  EXPECT_NEAR(double(std::ranges::count(first, true)), 0.75 * n, 6 * std::sqrt(0.1875 * n));
  double equal = 0, neighbours = 0;
  for (std::size_t i = 0; i < first.size(); ++i) equal += first[i] == second[i] ? 1 : 0;
  for (std::size_t i = 1; i < first.size(); ++i) neighbours += first[i] == first[i - 1] ? 1 : 0;
  EXPECT_NEAR(equal, 0.625 * n, 6 * std::sqrt(0.234375 * n));
  EXPECT_NEAR(neighbours, 0.625 * n, 12 * std::sqrt(0.234375 * n));
  EXPECT_EQ(std::ranges::count(kept(0, 1), true), std::ptrdiff_t(n));
  EXPECT_EQ(std::ranges::count(kept(1, 1), true), 0);
}

TEST_F(choose, dropout_with_a_probability_for_each_partition) {
  const tile x = nc.sbuf(32, 100), out = nc.sbuf(32, 100), probability = nc.sbuf(32, 1);
  nc.issue(memset{.out = x, .value = 1});
  std::vector<float> shares(32, 0);
  shares[7] = 1;
  load(nc, probability, shares);
  nc.issue(dropout{.out = out, .in = x, .probability = probability});
  const std::vector<float> result = read(nc, out);
  for (std::size_t i = 0; i < result.size(); ++i) ASSERT_EQ(result[i], i / 100 == 7 ? 0 : 1);
}

}  // namespace
}  // namespace papilio::engine::test
