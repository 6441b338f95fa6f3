// One rank's refusal is every rank's, and nothing hangs.
#include <csignal>

#include "mpi/communicator.hpp"
#include "mpi/ranks.hpp"

namespace papilio {
namespace {

using test::refusal_of;

TEST(agreement, one_ranks_refusal_is_thrown_by_all) {
  const mpi::communicator all(MPI_COMM_WORLD, "test");
  const int last = test::ranks() - 1;
  const std::string expected =
      test::ranks() == 1
          ? "too large"
          : base_detail::message("too large (on rank ", last, " of ", test::ranks(), ")");
  EXPECT_EQ(refusal_of([&] {
              all.agree([&] {
                if (test::rank() == last) throw shape_error("too large");
              });
            }),
            expected);
  EXPECT_THROW(all.agree([&] {
    if (test::rank() == last) throw resource_error("no memory");
  }),
               resource_error);
  EXPECT_NO_THROW(all.agree([] {}));
}

TEST(agreement, a_wrong_view_on_one_rank_is_refused_by_all) {
  mpi::fftn_plan<float> plan(MPI_COMM_WORLD, {8, 6});
  auto in = mpi::make_array<std::complex<float>>(plan.input());
  auto out = mpi::make_array<std::complex<float>>(plan.output());
  tensor<std::complex<float>> wrong({3, 5});
  EXPECT_THROW(plan.forward(in, test::rank() == test::ranks() - 1 ? wrong : out), shape_error);
  EXPECT_THROW(plan.forward(in, out, test::rank() == 0 ? -1 : 1), invalid_argument);
  plan.forward(in, out);  // and the plan goes on
}

// Alone, by ctest, which expects that the run fails soon.
TEST(agreement, DISABLED_a_rank_is_killed) {
  mpi::fftn_plan<float> plan(MPI_COMM_WORLD, {8, 6});
  auto in = mpi::make_array<std::complex<float>>(plan.input());
  auto out = mpi::make_array<std::complex<float>>(plan.output());
  if (test::rank() == 1) std::raise(SIGKILL);
  plan.forward(in, out);
}

TEST(agreement, arguments_that_differ_are_refused) {
  if (test::ranks() == 1) GTEST_SKIP() << "one rank agrees with itself";
  const std::size_t n = test::rank() == 1 ? 9 : 8;
  EXPECT_NE(refusal_of([&] {
              mpi::fftn_plan<double>(MPI_COMM_WORLD, {n, 8});
            }).find("the arguments differ from those of rank 0 (on rank 1"),
            std::string::npos);
}

TEST(agreement, plans_refuse_what_they_cannot_do) {
  EXPECT_THROW(mpi::fftn_plan<double>(MPI_COMM_WORLD, {}), invalid_argument);
  EXPECT_THROW(mpi::fftn_plan<double>(MPI_COMM_WORLD, std::vector<std::size_t>(9, 2)),
               invalid_argument);
  EXPECT_THROW(mpi::fftn_plan<double>(MPI_COMM_WORLD, {8, 0}), invalid_argument);
  EXPECT_THROW(mpi::fftn_plan<double>(MPI_COMM_WORLD, {8, 8}, {.grid = {test::ranks() + 1, 1}}),
               invalid_argument);
  EXPECT_THROW(mpi::rfftn_plan<double>(MPI_COMM_WORLD, {8, 8}, {.grid = {1, test::ranks() + 1}}),
               invalid_argument);
  EXPECT_THROW(mpi::fftn_plan<double>(MPI_COMM_NULL, {8, 8}), invalid_argument);
  EXPECT_THROW(
      mpi::rfftn_plan<float>(MPI_COMM_WORLD, {8, 8}, {.norm = static_cast<normalization>(9)}),
      invalid_argument);
}

}  // namespace
}  // namespace papilio
