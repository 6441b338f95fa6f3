// Memory that one rank cannot have: all ranks throw the same, and none waits for another.

#include "mpi/ranks.hpp"
#include "support/granted_memory.hpp"

namespace papilio {
namespace {

// Calls work() with none, one, two ... allocations granted to the last rank until it needs no more.
template <class Work>
void expect_agreement(const Work& work) {
  const std::string expected = test::ranks() == 1
                                   ? "refused"
                                   : base_detail::message("refused (on rank ", test::ranks() - 1,
                                                          " of ", test::ranks(), ")");
  for (long count = 0;; ++count) {
    ASSERT_LT(count, 1000);
    if (test::rank() == test::ranks() - 1) granted = count;
    std::string refusal = "nothing was refused";
    try {
      work();
    } catch (const resource_error& e) {
      refusal = e.what();
    }
    granted = all;
    if (refusal == "nothing was refused") {
      EXPECT_GT(count, 0);
      return;
    }
    EXPECT_EQ(refusal, expected) << count;
  }
}

TEST(no_memory_on_one_rank, is_every_ranks_refusal_of_a_plan) {
  expect_agreement([] { mpi::fftn_plan<double>(MPI_COMM_WORLD, {14, 10, 9}); });
  expect_agreement([] { mpi::fftn_plan<float>(MPI_COMM_WORLD, {64}); });
  expect_agreement([] { mpi::rfftn_plan<float>(MPI_COMM_WORLD, {14, 12}); });
}

TEST(no_memory_on_one_rank, is_every_ranks_refusal_of_more_threads) {
  const auto x = test::random_complex<double>(14 * 10, 1);
  mpi::fftn_plan<double> plan(MPI_COMM_WORLD, {14, 10});
  const auto in = test::box_of(x, plan.input(), {14, 10});
  auto out = mpi::make_array<std::complex<double>>(plan.output());
  expect_agreement([&] { plan.forward(in, out, 3); });
}

}  // namespace
}  // namespace papilio
