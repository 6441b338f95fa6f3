// Real arrays in boxes: the bits of papilio::rfftn_plan, both ways.
#include "mpi/ranks.hpp"

namespace papilio {
namespace {

using test::box_of;
using test::different;

template <class T, std::size_t Rank>
void expect_the_plan_of_one_process(const extents_type<Rank>& e) {
  const std::vector<std::size_t> extents(e.begin(), e.end());
  const rfftn_plan<T> one(extents);
  const std::vector<std::size_t>& bins = one.spectrum_extents();
  const auto x = test::random_real<T>(test::product(extents), 6);
  std::vector<std::complex<T>> y(test::product(bins));
  std::vector<T> back(x.size());
  extents_type<Rank> b;
  std::ranges::copy(bins, b.begin());
  one.template forward<Rank>(view<const T, Rank>(x.data(), e),
                             view<std::complex<T>, Rank>(y.data(), b));
  one.template inverse<Rank>(view<const std::complex<T>, Rank>(y.data(), b),
                             view<T, Rank>(back.data(), e));
  for (const auto& grid : test::all_grids(Rank)) {
    for (const mpi::order output : {mpi::order::natural, mpi::order::transposed}) {
      for (const mpi::exchange_method exchanges :
           {mpi::exchange_method::messages, mpi::exchange_method::windows}) {
        mpi::rfftn_plan<T> plan(MPI_COMM_WORLD, extents,
                                {.grid = grid, .output = output, .exchanges = exchanges});
        auto out = mpi::make_array<std::complex<T>>(plan.output());
        plan.forward(box_of(x, plan.input(), extents), out);
        EXPECT_EQ(different(out, y, plan.output(), bins), 0u) << plan.explain();
        auto again = mpi::make_array<T>(plan.input());
        plan.inverse(out, again, 2);
        EXPECT_EQ(different(again, back, plan.input(), extents), 0u) << plan.explain();
      }
    }
  }
}

TEST(mpi_rfftn_plan, has_the_bits_of_one_process) {
  expect_the_plan_of_one_process<double, 2>({12, 10});
  expect_the_plan_of_one_process<float, 2>({5, 1});
  expect_the_plan_of_one_process<double, 3>({6, 11, 4});
  expect_the_plan_of_one_process<float, 3>({13, 16, 33});
  expect_the_plan_of_one_process<double, 3>({1, 2, 7});
  expect_the_plan_of_one_process<double, 4>({2, 3, 4, 6});
}

}  // namespace
}  // namespace papilio
