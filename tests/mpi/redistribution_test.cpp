// Boxes and their exchanges.
#include "mpi/exchange.hpp"
#include "mpi/ranks.hpp"

namespace papilio {
namespace {

TEST(distribution, cuts_every_element_once) {
  const mpi::distribution cut({7, 2, 5}, {3, 4, 1});
  EXPECT_EQ(cut.ranks(), 12);
  std::vector<int> seen(70);
  for (int rank = 0; rank < 12; ++rank) {
    const mpi::box part = cut.box_of(rank);
    for (const std::size_t place : test::places_of(part, cut.extents())) ++seen[place];
    if (!part.empty()) {
      EXPECT_EQ(cut.owners_of(part), std::vector<int>{rank});
    }
  }
  EXPECT_EQ(seen, std::vector<int>(70, 1));
  EXPECT_EQ(cut.box_of(0), (mpi::box{{0, 0, 0}, {3, 1, 5}}));  // the first are one longer
  EXPECT_EQ(cut.box_of(4), (mpi::box{{3, 0, 0}, {2, 1, 5}}));
  EXPECT_TRUE(cut.box_of(3).empty());
  EXPECT_EQ(cut.owners_of({{2, 0, 0}, {2, 2, 5}}), (std::vector<int>{0, 1, 4, 5}));
  EXPECT_THROW(mpi::distribution({4, 0}, {1, 1}), invalid_argument);
  EXPECT_THROW(mpi::distribution({4, 4}, {2, 0}), invalid_argument);
  EXPECT_THROW(mpi::distribution({4, 4}, {2}), invalid_argument);
  EXPECT_THROW(mpi::distribution({}, {}), invalid_argument);
  EXPECT_THROW(mpi::distribution({4, 4}, {1 << 20, 1 << 12}), resource_error);
  EXPECT_THROW(cut.box_of(12), invalid_argument);
}

TEST(fft_design, goes_from_the_last_axis_to_the_first) {
  const mpi::distribution slabs({8, 8, 8}, {4, 1, 1}), pencils({8, 8, 8}, {2, 3, 1});
  const mpi::fft_design natural = mpi::design_forward(slabs, mpi::order::natural);
  ASSERT_EQ(natural.steps.size(), 2u);
  EXPECT_EQ(natural.steps[0].axes, (std::vector<std::size_t>{2, 1}));
  EXPECT_EQ(natural.steps[0].next.grid(), (std::vector<int>{1, 4, 1}));
  EXPECT_EQ(natural.steps[1].axes, (std::vector<std::size_t>{0}));
  EXPECT_EQ(natural.output(), slabs);
  const mpi::fft_design two = mpi::design_forward(pencils, mpi::order::transposed);
  ASSERT_EQ(two.steps.size(), 3u);
  EXPECT_EQ(two.steps[0].next.grid(), (std::vector<int>{2, 1, 3}));
  EXPECT_EQ(two.output().grid(), (std::vector<int>{1, 2, 3}));
  const mpi::fft_design back = mpi::design_inverse(pencils, mpi::order::transposed);
  EXPECT_EQ(back.input, two.output());
  EXPECT_EQ(back.output(), pencils);
  EXPECT_EQ(back.steps[1].next, pencils);
  EXPECT_THROW(mpi::design_forward({{4, 4}, {1, 2}}, mpi::order::natural), invalid_argument);
  EXPECT_EQ(to_string(two).substr(0, 12), "array 2x3x1\n");
}

TEST(fft_design, grids_are_slabs_as_long_as_these_are_even) {
  using grid = std::vector<int>;
  EXPECT_EQ(mpi::best_grid({512, 512, 512}, 16, mpi::order::natural), (grid{16, 1, 1}));
  EXPECT_EQ(mpi::best_grid({64, 64, 64}, 4096, mpi::order::natural), (grid{64, 64, 1}));
  EXPECT_EQ(mpi::best_grid({100, 100}, 7, mpi::order::transposed), (grid{7, 1}));
  EXPECT_THROW(mpi::best_grid({8, 8}, 0, mpi::order::natural), invalid_argument);
  EXPECT_THROW(mpi::best_grid({64}, 2, mpi::order::natural), invalid_argument);
}

// Counts beyond 2^31 elements are fewer rows.
TEST(exchange_rows, are_the_most_that_divide_all_counts) {
  const std::size_t large = std::size_t{1} << 33;
  const std::vector<std::size_t> counts{large, 0, 3 * large};
  const mpi::row_counts rows = mpi::in_rows(counts);
  EXPECT_EQ(rows.counts[0] * rows.row, large);
  EXPECT_EQ(rows.counts, (std::vector<int>{rows.counts[0], 0, 3 * rows.counts[0]}));
  EXPECT_EQ(rows.places, (std::vector<int>{0, rows.counts[0], rows.counts[0]}));
  EXPECT_LT(rows.row, std::size_t{1} << 31);
  const std::vector<std::size_t> odd{(std::size_t{1} << 32) + 1, 2};
  EXPECT_THROW(mpi::in_rows(odd), resource_error);
  EXPECT_EQ(mpi::in_rows(std::vector<std::size_t>{0, 0}).row, 1u);
}

TEST(redistribution, moves_every_element_to_its_place) {
  for (const std::vector<std::size_t>& extents :
       {std::vector<std::size_t>{9, 5, 7}, {3, 1, 20}, {4, 6, 1}}) {
    std::vector<double> whole(test::product(extents));
    std::iota(whole.begin(), whole.end(), 1.0);
    for (const auto& grid : test::all_grids(3)) {
      const std::vector<int> turned{grid[2], grid[0], grid[1]};
      const mpi::distribution from(extents, grid), to(extents, turned);
      mpi::redistribution<double> there(MPI_COMM_WORLD, from, to), back(MPI_COMM_WORLD, to, from);
      const auto in = test::box_of(whole, there.input(), extents);
      auto out = mpi::make_array<double>(there.output());
      there.execute(in, out);
      EXPECT_EQ(test::different(out, whole, there.output(), extents), 0u) << to_string(to);
      auto again = mpi::make_array<double>(back.output());
      back.execute(out, again);
      EXPECT_EQ(test::different(again, whole, back.output(), extents), 0u);
    }
  }
}

TEST(redistribution, refuses_other_ranks_and_extents) {
  const mpi::distribution own({8, 8}, {test::ranks(), 1}), more({8, 8}, {test::ranks() + 1, 1});
  EXPECT_THROW(mpi::redistribution<float>(MPI_COMM_WORLD, own, more), invalid_argument);
  const mpi::distribution other({8, 9}, {test::ranks(), 1});
  EXPECT_THROW(mpi::redistribution<float>(MPI_COMM_WORLD, own, other), invalid_argument);
  mpi::redistribution<float> same(MPI_COMM_WORLD, own, own);
  tensor<float> right(same.input().extents), wrong({1, 9});
  EXPECT_THROW(same.execute(right, wrong), shape_error);
}

}  // namespace
}  // namespace papilio
