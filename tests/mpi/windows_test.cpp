// Exchanges by windows: chosen where there is room, and results in memory that ranks share.
#include "mpi/node_memory.hpp"
#include "mpi/ranks.hpp"

namespace papilio {
namespace {

using mpi::exchange_method;
using test::different;
using test::refusal_of;

const std::vector<std::size_t> extents{11, 9, 20};

// So many bytes free on the last rank, which all must hear of.
class little_room {
 public:
  explicit little_room(std::size_t bytes) {
    if (test::rank() == test::ranks() - 1) mpi::most_window_bytes() = bytes;
  }
  ~little_room() { mpi::most_window_bytes() = std::numeric_limits<std::size_t>::max(); }
  little_room(const little_room&) = delete;
  little_room& operator=(const little_room&) = delete;
};

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(mpi_windows, are_chosen_where_there_is_room) {
  if (test::ranks() == 1) GTEST_SKIP() << "one rank exchanges nothing";
  EXPECT_TRUE(has(mpi::fftn_plan<double>(MPI_COMM_WORLD, extents).explain(),
                  "exchanges by windows that the node's ranks share\n"));
  const little_room room(std::size_t{1} << 20);
  mpi::fftn_plan<double> plan(MPI_COMM_WORLD, extents);
  EXPECT_TRUE(has(plan.explain(),
                  "exchanges by messages: /dev/shm has 1048576 bytes free, and windows need "))
      << plan.explain();
  EXPECT_TRUE(has(refusal_of([] {
                    mpi::rfftn_plan<float>(MPI_COMM_WORLD, extents,
                                           {.exchanges = exchange_method::windows});
                  }),
                  "mpi::rfftn_plan: exchanges cannot go by windows: /dev/shm has 1048576 bytes"));
  EXPECT_FALSE(mpi::make_array<double>(MPI_COMM_WORLD, plan.output()).memory().is_shared());
  EXPECT_THROW(mpi::fftn_plan<float>(MPI_COMM_WORLD, extents,
                                     {.exchanges = static_cast<exchange_method>(7)}),
               invalid_argument);
}

// The bits of messages, in memory of every kind, whatever the other ranks have; twice, since windows
// are used again.
TEST(mpi_windows, write_results_where_they_belong) {
  const auto x = test::random_complex<double>(test::product(extents), 7);
  std::vector<std::complex<double>> y(x.size());
  const fftn_plan<double> one({11, 9, 20});
  one.execute<3>(view<const std::complex<double>, 3>(x.data(), {11, 9, 20}),
                 view<std::complex<double>, 3>(y.data(), {11, 9, 20}));
  for (const auto& grid : test::all_grids(3)) {
    mpi::fftn_plan<double> plan(MPI_COMM_WORLD, extents,
                                {.grid = grid, .exchanges = exchange_method::windows});
    const auto in = test::box_of(x, plan.input(), extents);
    auto own = mpi::make_array<std::complex<double>>(plan.output());
    auto first = mpi::make_array<std::complex<double>>(MPI_COMM_WORLD, plan.output());
    auto second = mpi::make_array<std::complex<double>>(MPI_COMM_WORLD, plan.output());
    auto alone = mpi::make_array<std::complex<double>>(MPI_COMM_SELF, plan.output());
    EXPECT_TRUE(first.memory().is_shared());
    const auto expect_y = [&](auto& out, const char* kind) {
      tensor<std::complex<double>> copy(out.extents());
      std::ranges::copy(out.flat(), copy.data());
      EXPECT_EQ(different(copy, y, plan.output(), extents), 0u) << kind << '\n' << plan.explain();
      std::ranges::fill(out.flat(), 0.0);
      MPI_Barrier(MPI_COMM_WORLD);  // before others write it again
    };
    for (int time = 0; time < 2; ++time) {
      plan.forward(in, first, 2);
      expect_y(first, "shared");
      plan.forward(in, own);
      expect_y(own, "of the rank");
      plan.forward(in, alone);
      expect_y(alone, "shared with nobody");
    }
    // Ranks that name different arrays each have the result in their own.
    auto& mine = test::rank() == 0 ? first : second;
    plan.forward(in, mine);
    expect_y(mine, "the one or the other");
    if (test::rank() == 0) {
      plan.forward(in, own);
    } else {
      plan.forward(in, first);
    }
    if (test::rank() == 0)
      expect_y(own, "of the rank");
    else
      expect_y(first, "shared");
    // In place, and back.
    std::ranges::copy(in.flat(), first.data());
    plan.forward(first, first);
    plan.inverse(first, first);
    for (std::size_t i = 0; i < in.size(); ++i)
      ASSERT_LT(std::abs(first.flat()[i] - in.flat()[i]), 1e-14);
  }
}

}  // namespace
}  // namespace papilio
