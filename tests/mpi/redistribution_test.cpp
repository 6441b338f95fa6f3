// Boxes and their exchanges.
#include "mpi/exchange.hpp"
#include "mpi/ranks.hpp"

namespace papilio {
namespace {

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
