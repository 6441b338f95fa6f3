// Transforms of arrays in boxes: the bits of one process, whatever the ranks and the grid.
#include <cstdio>

#include "mpi/ranks.hpp"

namespace papilio {
namespace {

using test::all_grids;
using test::box_of;
using test::different;

const std::vector<std::vector<std::size_t>> shapes{{12, 10},     {3, 64},    {8, 1, 5},
                                                   {5, 7, 1},    {6, 11, 4}, {13, 16, 32},
                                                   {2, 3, 4, 5}, {1, 1, 7},  {100, 50, 6}};

template <class T>
class mpi_fftn_plan : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(mpi_fftn_plan, element_types);

TYPED_TEST(mpi_fftn_plan, has_the_bits_of_one_process) {
  using T = TypeParam;
  for (const auto& extents : shapes) {
    const auto x = test::random_complex<T>(test::product(extents), 1);
    std::vector<std::complex<T>> y(x.size()), back(x.size());
    const auto run = [&](direction dir, const auto& in, auto& out) {
      // By the plans of one process, axis after axis from the last: the definition of its order.
      out = in;
      for (std::size_t axis = extents.size(); axis-- > 0;) {
        std::size_t inner = 1, outer = 1;
        for (std::size_t a = axis + 1; a < extents.size(); ++a) inner *= extents[a];
        for (std::size_t a = 0; a < axis; ++a) outer *= extents[a];
        const view<std::complex<T>, 3> lines(out.data(), {outer, extents[axis], inner});
        fft_plan<T>(extents[axis], dir, {.norm = normalization::orthonormal})
            .template execute_axis<3>(lines, lines, 1);
      }
    };
    run(direction::forward, x, y);
    run(direction::inverse, y, back);
    for (const auto& grid : all_grids(extents.size())) {
      for (const mpi::order output : {mpi::order::natural, mpi::order::transposed}) {
        for (const mpi::exchange_method exchanges :
             {mpi::exchange_method::messages, mpi::exchange_method::windows}) {
          mpi::fftn_plan<T> plan(MPI_COMM_WORLD, extents,
                                 {.grid = grid,
                                  .output = output,
                                  .norm = normalization::orthonormal,
                                  .exchanges = exchanges});
          const auto in = box_of(x, plan.input(), extents);
          auto out = mpi::make_array<std::complex<T>>(plan.output());
          plan.forward(in, out, 2);
          EXPECT_EQ(different(out, y, plan.output(), extents), 0u) << plan.explain();
          auto again = mpi::make_array<std::complex<T>>(plan.input());
          plan.inverse(out, again);
          if (output == mpi::order::natural) {
            EXPECT_EQ(different(again, back, plan.input(), extents), 0u) << plan.explain();
          } else {
            const T bound = std::numeric_limits<T>::epsilon() * 40;
            for (std::size_t i = 0; i < in.size(); ++i)
              ASSERT_LT(std::abs(again.flat()[i] - in.flat()[i]), bound * 4) << plan.explain();
          }
        }
      }
    }
  }
}

TEST(mpi_fftn_plan_of_doubles, equals_the_plan_of_one_process_and_the_sums) {
  const std::vector<std::size_t> extents{6, 10, 9};
  const auto x = test::random_complex<double>(540, 2);
  std::vector<std::complex<double>> y(540);
  const fftn_plan<double> one({6, 10, 9});
  one.execute<3>(view<const std::complex<double>, 3>(x.data(), {6, 10, 9}),
                 view<std::complex<double>, 3>(y.data(), {6, 10, 9}));
  mpi::fftn_plan<double> plan(MPI_COMM_WORLD, extents);
  auto out = mpi::make_array<std::complex<double>>(plan.output());
  plan.forward(box_of(x, plan.input(), extents), out);
  EXPECT_EQ(different(out, y, plan.output(), extents), 0u);
  // Every bin by its definition, axis after axis.
  std::vector<test::exact> sums(x.begin(), x.end());
  const std::size_t inner[] = {90, 9, 1};
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t first = 0; first < 540; ++first) {
      if (first / inner[axis] % extents[axis] != 0) continue;
      std::vector<test::exact> line(extents[axis]);
      for (std::size_t j = 0; j < line.size(); ++j) line[j] = sums[first + j * inner[axis]];
      const std::vector<test::exact> bins = test::dft(line, -1);
      for (std::size_t j = 0; j < line.size(); ++j) sums[first + j * inner[axis]] = bins[j];
    }
  EXPECT_LT(test::relative_error(y, sums), test::fft_tolerance<double>(540));
}

// Ghost cells around a box, and the box itself as its result.
void transforms_among_ghost_cells(mpi::exchange_method exchanges) {
  const std::vector<std::size_t> extents{9, 8, 6};
  const auto x = test::random_complex<double>(432, 3);
  mpi::fftn_plan<double> plan(MPI_COMM_WORLD, extents, {.exchanges = exchanges});
  auto expected = mpi::make_array<std::complex<double>>(plan.output());
  const auto in = box_of(x, plan.input(), extents);
  plan.forward(in, expected);

  const auto& e = plan.input().extents;
  tensor<std::complex<double>> room({e[0] + 2, e[1] + 2, 2 * e[2] + 2});
  const view<std::complex<double>, 3> whole = room.as<3>();
  const view<std::complex<double>, 3> ghosts(&whole(1, 1, 1), {e[0], e[1], e[2]},
                                             {whole.stride(0), whole.stride(1), 2});
  for (std::size_t i = 0; i < in.size(); ++i)
    ghosts(i / (e[1] * e[2]), i / e[2] % e[1], i % e[2]) = in.flat()[i];
  plan.forward(ghosts, ghosts);
  std::size_t wrong = 0, outside = 0;
  for (std::size_t i = 0; i < in.size(); ++i)
    wrong += ghosts(i / (e[1] * e[2]), i / e[2] % e[1], i % e[2]) != expected.flat()[i];
  for (std::size_t i = 0; i < whole.extent(0); ++i)
    for (std::size_t j = 0; j < whole.extent(1); ++j) outside += whole(i, j, 0) != 0.0;
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(outside, 0u);
}

TEST(mpi_fftn_plan_of_doubles, takes_any_strides_and_transforms_in_place) {
  transforms_among_ghost_cells(mpi::exchange_method::messages);
  transforms_among_ghost_cells(mpi::exchange_method::windows);
}

TEST(mpi_fftn_plan_of_doubles, explains_steps_and_what_the_model_predicts) {
  const std::vector<std::size_t> extents{64, 32, 16};
  mpi::fftn_plan<double> plan(MPI_COMM_WORLD, extents, {.output = mpi::order::transposed});
  const std::string text = plan.explain();
  EXPECT_NE(text.find(to_string(plan.design())), std::string::npos) << text;
  const mpi::network_model network;
  const mpi::network_estimate found = mpi::estimate(network, plan.design(), false, 16);
  char expected[200];
  std::snprintf(expected, sizeof(expected),
                "model of the network Jean Zay: %.3g s forward, of which exchanges %.0f %%; %.0f "
                "bytes a rank with its arrays; pays up to %d rank",
                found.seconds(), 100 * found.exchange_seconds / found.seconds(), found.rank_bytes,
                mpi::ranks_that_pay(extents, mpi::order::transposed, network, false, 16));
  EXPECT_NE(text.find(expected), std::string::npos) << text;
  const std::string line = mpi::fftn_plan<float>(MPI_COMM_WORLD, {1 << 14}).explain();
  EXPECT_NE(line.find("one axis as a matrix of 128 x 128"), std::string::npos) << line;
}

TEST(mpi_fftn_plan_of_doubles, is_the_adjoint_of_its_inverse_with_the_norm_none) {
  const std::vector<std::size_t> extents{10, 6, 8};
  mpi::fftn_plan<double> plan(MPI_COMM_WORLD, extents,
                              {.output = mpi::order::transposed, .norm = normalization::none});
  const auto x = box_of(test::random_complex<double>(480, 4), plan.input(), extents);
  const auto y = box_of(test::random_complex<double>(480, 5), plan.output(), extents);
  auto ax = mpi::make_array<std::complex<double>>(plan.output());
  auto ay = mpi::make_array<std::complex<double>>(plan.input());
  plan.forward(x, ax);
  plan.inverse(y, ay);
  std::complex<double> sums[2] = {}, all[2];
  for (std::size_t i = 0; i < y.size(); ++i) sums[0] += std::conj(ax.flat()[i]) * y.flat()[i];
  for (std::size_t i = 0; i < x.size(); ++i) sums[1] += std::conj(x.flat()[i]) * ay.flat()[i];
  MPI_Allreduce(sums, all, 2, MPI_CXX_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_LT(std::abs(all[0] - all[1]), 1e-13 * 480 * 22);
}

}  // namespace
}  // namespace papilio
