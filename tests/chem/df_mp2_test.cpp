// Energies of made orbitals against four loops in long double, and what they must not depend on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "chem/made_orbitals.hpp"

namespace papilio::test {
namespace {

template <class T>
class df_mp2_of : public testing::Test {};
using reals = testing::Types<float, double>;
TYPED_TEST_SUITE(df_mp2_of, reals);

// One pair, one virtual orbital, whole vectors and rests of them, several pairs in a block.
constexpr extents_type<3> shapes[] = {{1, 1, 1},   {1, 5, 3},   {2, 3, 5},  {3, 8, 7},
                                      {4, 16, 20}, {5, 19, 24}, {7, 9, 11}, {3, 33, 40}};

TYPED_TEST(df_mp2_of, closed_shells_are_four_loops) {
  unsigned seed = 1;
  for (const auto& shape : shapes) {
    SCOPED_TRACE(testing::Message() << shape[0] << " x " << shape[1] << " x " << shape[2]);
    const made_orbitals<TypeParam> made(shape, seed += 10);
    expect_energies<TypeParam>(df_mp2(made.b, made.occupied, made.virtuals),
                               exact_closed(made.orbitals()), shape[2]);
  }
}

TYPED_TEST(df_mp2_of, open_shells_are_four_loops) {
  const extents_type<3> others[] = {{1, 2, 1},  {2, 1, 3},   {1, 4, 5},   {4, 7, 7},
                                    {2, 9, 20}, {4, 20, 24}, {6, 10, 11}, {2, 34, 40}};
  for (std::size_t k = 0; k < std::size(shapes); ++k) {
    SCOPED_TRACE(k);
    const made_orbitals<TypeParam> up(shapes[k], 100 + 10 * unsigned(k)),
        down(others[k], 200 + 10 * unsigned(k));
    expect_energies<TypeParam>(df_mp2(up.orbitals(), down.orbitals()),
                               exact_open(up.orbitals(), down.orbitals()), shapes[k][2]);
  }
}

// More virtual orbitals than a tile has, of one spin or of both.
TYPED_TEST(df_mp2_of, many_virtual_orbitals_are_cut_into_tiles) {
  const made_orbitals<TypeParam> wide({2, 517, 3}, 7), narrow({3, 11, 3}, 8);
  expect_energies<TypeParam>(df_mp2(wide.b, wide.occupied, wide.virtuals),
                             exact_closed(wide.orbitals()), 3);
  expect_energies<TypeParam>(df_mp2(wide.orbitals(), narrow.orbitals()),
                             exact_open(wide.orbitals(), narrow.orbitals()), 3);
  expect_energies<TypeParam>(df_mp2(narrow.orbitals(), wide.orbitals()),
                             exact_open(narrow.orbitals(), wide.orbitals()), 3);
}

TYPED_TEST(df_mp2_of, frozen_orbitals_are_left_out) {
  const made_orbitals<TypeParam> up({5, 9, 12}, 3), down({4, 10, 12}, 4);
  for (const std::size_t frozen : {1u, 2u, 4u}) {
    expect_energies<TypeParam>(df_mp2(up.b, up.occupied, up.virtuals, {.frozen_core = frozen}),
                               exact_closed(up.orbitals(), frozen), 12);
    expect_energies<TypeParam>(df_mp2(up.orbitals(), down.orbitals(), {.frozen_core = frozen}),
                               exact_open(up.orbitals(), down.orbitals(), frozen), 12);
  }
  EXPECT_EQ(df_mp2(up.b, up.occupied, up.virtuals, {.frozen_core = 5}), mp2_energies{});
}

// A spin of fewer occupied orbitals than are frozen has none left; a hydrogen atom has no energy.
TYPED_TEST(df_mp2_of, more_orbitals_are_frozen_than_one_spin_has) {
  const made_orbitals<TypeParam> up({4, 9, 12}, 3), down({1, 10, 12}, 4), none({0, 5, 12}, 5);
  expect_energies<TypeParam>(df_mp2(up.orbitals(), down.orbitals(), {.frozen_core = 2}),
                             exact_open(up.orbitals(), down.orbitals(), 2), 12);
  expect_energies<TypeParam>(df_mp2(down.orbitals(), up.orbitals(), {.frozen_core = 3}),
                             exact_open(down.orbitals(), up.orbitals(), 3), 12);
  EXPECT_EQ(df_mp2(down.orbitals(), none.orbitals(), {.frozen_core = 1}), mp2_energies{});
}

// The energies of a closed shell are those of two equal spins, but for roundings.
TYPED_TEST(df_mp2_of, equal_spins_are_a_closed_shell) {
  const made_orbitals<TypeParam> made({5, 13, 17}, 5);
  const mp2_energies closed = df_mp2(made.b, made.occupied, made.virtuals);
  const mp2_energies open = df_mp2(made.orbitals(), made.orbitals());
  const double bound =
      8 * std::numeric_limits<TypeParam>::epsilon() * std::abs(closed.opposite_spin);
  EXPECT_NEAR(open.opposite_spin, closed.opposite_spin, bound);
  EXPECT_NEAR(open.alpha_alpha, closed.alpha_alpha, bound);
  EXPECT_EQ(open.alpha_alpha, open.beta_beta);
  EXPECT_EQ(closed.alpha_alpha, closed.beta_beta);
}

TYPED_TEST(df_mp2_of, threads_and_memory_change_no_bit) {
  const made_orbitals<TypeParam> made({9, 70, 64}, 6), other({4, 520, 64}, 7);
  for (const auto* orbitals : {&made, &other}) {
    const mp2_energies expected =
        df_mp2(orbitals->b, orbitals->occupied, orbitals->virtuals, {.on = {.threads = 1}});
    for (const int threads : {0, 2, 3, 8})
      EXPECT_EQ(
          df_mp2(orbitals->b, orbitals->occupied, orbitals->virtuals, {.on = {.threads = threads}}),
          expected)
          << threads;
    for (const std::size_t megabytes : {6u, 9u, 16u})
      EXPECT_EQ(df_mp2(orbitals->b, orbitals->occupied, orbitals->virtuals,
                       {.memory_bytes = megabytes << 20, .on = {.threads = 4}}),
                expected)
          << megabytes;
  }
  const mp2_energies open = df_mp2(made.orbitals(), other.orbitals(), {.on = {.threads = 1}});
  EXPECT_EQ(df_mp2(made.orbitals(), other.orbitals(), {.on = {.threads = 4}}), open);
}

// Blocks by any processes, added in their order.
TYPED_TEST(df_mp2_of, blocks_in_order_have_the_bits_of_the_whole) {
  const made_orbitals<TypeParam> made({9, 70, 64}, 6), other({4, 520, 64}, 7);
  const std::size_t closed = df_mp2_block_count(made.b.extents(), 1),
                    open = df_mp2_block_count(made.b.extents(), other.b.extents(), 1);
  ASSERT_GT(closed, 3u);
  ASSERT_GT(open, closed);
  const mp2_energies expected[] = {df_mp2(made.b, made.occupied, made.virtuals, {.frozen_core = 1}),
                                   df_mp2(made.orbitals(), other.orbitals(), {.frozen_core = 1})};
  for (const std::size_t parts : {1u, 2u, 3u, 7u}) {
    std::size_t counts[2] = {};
    mp2_energies in_order[2], of_parts[2];
    for (std::size_t p = 0; p < parts; ++p) {
      const auto options = [&](std::size_t all) {
        return df_mp2_options{.frozen_core = 1,
                              .blocks = {.first = all * p / parts, .last = all * (p + 1) / parts}};
      };
      const auto blocks = df_mp2_by_block(made.b, made.occupied, made.virtuals, options(closed));
      const auto open_blocks = df_mp2_by_block(made.orbitals(), other.orbitals(), options(open));
      for (const mp2_energies& block : blocks) in_order[0] += block;
      for (const mp2_energies& block : open_blocks) in_order[1] += block;
      counts[0] += blocks.size();
      counts[1] += open_blocks.size();
      of_parts[0] += df_mp2(made.b, made.occupied, made.virtuals, options(closed));
      of_parts[1] += df_mp2(made.orbitals(), other.orbitals(), options(open));
    }
    EXPECT_EQ(counts[0], closed);
    EXPECT_EQ(counts[1], open);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(in_order[i], expected[i]) << parts;
      // Sums of doubles in another order.
      EXPECT_NEAR(of_parts[i].correlation(), expected[i].correlation(),
                  -1e-14 * expected[i].correlation());
    }
  }
  EXPECT_EQ(df_mp2_block_count({3, 0, 4}), 0u);
  EXPECT_TRUE(df_mp2_by_block(made.b, made.occupied, made.virtuals, {.frozen_core = 9}).empty());
}

// Copies of the same numbers in other orders of memory: with gaps, auxiliary functions first (which
// BLAS takes in place), and strides that it does not take: reversed, every third.
template <class T>
std::vector<std::pair<array<T, 1>, view<const T, 3>>> other_layouts(const view<const T, 3>& b) {
  const auto [n, v, q] = b.extents();
  const auto step = [](std::size_t s) { return static_cast<std::ptrdiff_t>(s); };
  const strides_type<3> strides[] = {{step(v * (q + 3)), step(q + 3), 1},
                                     {step((v + 2) * q), step(q), 1},
                                     {step(v), 1, step(n * v)},
                                     {1, step(n), step(n * v)},
                                     {step(3 * v * q), step(3 * q), step(3)},
                                     {step(v * q), step(q), -1},
                                     {-step(v * q), -step(q), 1}};
  std::vector<std::pair<array<T, 1>, view<const T, 3>>> result;
  for (const auto& s : strides) {
    std::ptrdiff_t low = 0, high = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::ptrdiff_t reach = step(b.extent(axis) - 1) * s[axis];
      (reach < 0 ? low : high) += reach;
    }
    array<T, 1> memory(static_cast<std::size_t>(high - low) + 1);
    std::ranges::fill(memory, std::numeric_limits<T>::quiet_NaN());
    const view<T, 3> here(memory.data() - low, b.extents(), s);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t a = 0; a < v; ++a)
        for (std::size_t p = 0; p < q; ++p) here(i, a, p) = b(i, a, p);
    result.emplace_back(std::move(memory), here);
  }
  return result;
}

TYPED_TEST(df_mp2_of, any_strides_give_the_same) {
  const made_orbitals<TypeParam> made({5, 13, 10}, 8), down({3, 14, 10}, 9);
  const exact_energies expected = exact_closed(made.orbitals());
  const exact_energies open = exact_open(made.orbitals(), down.orbitals());
  std::size_t layout = 0;
  for (const auto& [memory, b] : other_layouts<TypeParam>(made.b)) {
    SCOPED_TRACE(layout++);
    expect_energies<TypeParam>(df_mp2(b, made.occupied, made.virtuals), expected, 10);
    expect_energies<TypeParam>(
        df_mp2(mp2_orbitals<TypeParam>{b, made.occupied, made.virtuals}, down.orbitals()), open,
        10);
  }
}

TYPED_TEST(df_mp2_of, tiles_of_strided_integrals_are_copied) {
  const made_orbitals<TypeParam> made({2, 600, 2}, 18);
  array<TypeParam, 3> wide({2, 600, 4});
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t a = 0; a < 600; ++a)
      for (std::size_t q = 0; q < 2; ++q) wide(i, a, 2 * q) = made.b(i, a, q);
  const view<const TypeParam, 3> every_other(wide.data(), {2, 600, 2}, {2400, 4, 2});
  expect_energies<TypeParam>(df_mp2(every_other, made.occupied, made.virtuals),
                             exact_closed(made.orbitals()), 2);
}

TYPED_TEST(df_mp2_of, nothing_to_correlate_is_zero) {
  for (const extents_type<3>& shape :
       {extents_type<3>{0, 3, 4}, extents_type<3>{3, 0, 4}, extents_type<3>{2, 3, 0}}) {
    const made_orbitals<TypeParam> made(shape, 1), one({1, 2, 4}, 2);
    EXPECT_EQ(df_mp2(made.b, made.occupied, made.virtuals), mp2_energies{});
    EXPECT_EQ(df_mp2(made.orbitals(), one.orbitals()), mp2_energies{});
    EXPECT_EQ(df_mp2(one.orbitals(), made.orbitals()), mp2_energies{});
  }
}

TEST(mp2_energies, scale_the_parts) {
  const mp2_energies e{.opposite_spin = -3, .alpha_alpha = -0.5, .beta_beta = -0.25};
  EXPECT_DOUBLE_EQ(e.same_spin(), -0.75);
  EXPECT_DOUBLE_EQ(e.correlation(), -3.75);
  EXPECT_DOUBLE_EQ(e.scs(), -3.85);
  EXPECT_DOUBLE_EQ(e.sos(), -3.9);
}

TEST(df_mp2_progress, counts_every_pair_and_may_stop) {
  const made_orbitals<double> made({9, 70, 64}, 6);
  std::size_t calls = 0, last = 0;
  df_mp2(made.b, made.occupied, made.virtuals,
         {.on = {.threads = 2}, .progress = [&](std::size_t done, std::size_t total) {
            EXPECT_EQ(total, 45u);
            EXPECT_GT(done, last);
            last = done;
            ++calls;
          }});
  EXPECT_EQ(last, 45u);
  EXPECT_GT(calls, 3u);
  const auto stop = [](std::size_t, std::size_t) { throw std::domain_error("enough"); };
  EXPECT_THROW(df_mp2(made.b, made.occupied, made.virtuals, {.progress = stop}), std::domain_error);
}

}  // namespace
}  // namespace papilio::test
