// One axis among ranks: long double, and the same bits for any ranks.
#include "mpi/ranks.hpp"

namespace papilio {
namespace {

template <class T>
class mpi_one_axis : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(mpi_one_axis, element_types);

// The part of the vector that a plan names; in transposed order the rows (k1, k2) of a matrix.
template <class E>
tensor<E> part_of(const std::vector<E>& x, const mpi::box& part, std::size_t n1) {
  tensor<E> own = mpi::make_array<E>(part);
  for (std::size_t i = 0; i < own.size(); ++i)
    own.flat()[i] = part.first.size() == 1
                        ? x[part.first[0] + i]
                        : x[part.first[0] + i / part.extents[1] + n1 * (i % part.extents[1])];
  return own;
}

// Squares, smooth, with prime factors, and one of which a rank has several chunks.
constexpr std::size_t lengths[] = {49, 64, 90, 143, 1000, 7 * 101, 256 * 384};

// By the definition, of many points by the plan of one line; orthonormal.
std::vector<test::exact> transformed(const std::vector<test::exact>& x) {
  std::vector<test::exact> bins(x.size());
  if (x.size() > 1000) {
    fft_plan<long double>(x.size(), direction::forward, {.norm = normalization::orthonormal})
        .execute(x, bins);
    return bins;
  }
  bins = test::dft(x, -1);
  for (test::exact& bin : bins) bin /= std::sqrt(static_cast<long double>(x.size()));
  return bins;
}

TYPED_TEST(mpi_one_axis, is_the_transform_with_the_bits_of_one_rank) {
  using complex = std::complex<TypeParam>;
  for (const std::size_t n : lengths) {
    const auto x = test::random_complex<TypeParam>(n, 1);
    const std::vector<test::exact> wide(x.begin(), x.end()), exact = transformed(wide);
    for (const mpi::order output : {mpi::order::natural, mpi::order::transposed}) {
      const mpi::plan_options options{.output = output, .norm = normalization::orthonormal};
      mpi::fftn_plan<TypeParam> alone(MPI_COMM_SELF, {n}, {.norm = options.norm}),
          plan(MPI_COMM_WORLD, {n}, options);
      const std::size_t n1 = plan.design().input.extents()[0];
      std::vector<complex> y(n), back(n);
      alone.forward(view<const complex, 1>(x), view<complex, 1>(y));
      alone.inverse(view<const complex, 1>(y), view<complex, 1>(back));
      EXPECT_LT(test::relative_error(y, exact), test::fft_tolerance<TypeParam>(n)) << n;
      EXPECT_LT(test::relative_error(back, wide), 2 * test::fft_tolerance<TypeParam>(n));

      const tensor<complex> in = part_of(x, plan.input(), n1);
      auto out = mpi::make_array<complex>(plan.output());
      plan.forward(in, out, 2);
      EXPECT_TRUE(std::ranges::equal(out.flat(), part_of(y, plan.output(), n1).flat()))
          << plan.explain();
      auto again = mpi::make_array<complex>(plan.input());
      plan.inverse(out, again);
      EXPECT_TRUE(std::ranges::equal(again.flat(), part_of(back, plan.input(), n1).flat()));
      std::size_t points = out.size(), all = 0;
      MPI_Allreduce(&points, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
      EXPECT_EQ(all, n);
    }
  }
}

TEST(mpi_one_axis_of_doubles, takes_strides_and_transforms_in_place) {
  mpi::fftn_plan<double> plan(MPI_COMM_WORLD, {7 * 7}, {.grid = {test::ranks()}});
  const auto x = test::random_complex<double>(49, 2);
  const tensor<std::complex<double>> in = part_of(x, plan.input(), 7);
  auto expected = mpi::make_array<std::complex<double>>(plan.output());
  plan.forward(in, expected);
  std::vector<std::complex<double>> room(3 * in.size());
  const view<std::complex<double>, 1> every_third(room.data(), {in.size()}, {3});
  for (std::size_t i = 0; i < in.size(); ++i) every_third(i) = in.flat()[i];
  plan.forward(every_third, every_third);
  for (std::size_t i = 0; i < in.size(); ++i) EXPECT_EQ(every_third(i), expected.flat()[i]);
}

TEST(mpi_one_axis_of_doubles, refuses_lengths_with_less_rows_than_ranks) {
  const auto make = [](std::size_t n, std::vector<int> grid = {}) {
    mpi::fftn_plan<double>(MPI_COMM_WORLD, {n}, {.grid = std::move(grid)});
  };
  EXPECT_THROW(make(0), invalid_argument);
  EXPECT_THROW(make(64, {test::ranks() + 1}), invalid_argument);
  EXPECT_THROW(make(64, {test::ranks(), 1}), invalid_argument);
  EXPECT_NE(test::refusal_of([] {
              mpi::rfftn_plan<double>(MPI_COMM_WORLD, {64});
            }).find("mpi::fftn_plan transforms it as complex"),
            std::string::npos);
  if (test::ranks() == 1) {
    EXPECT_NO_THROW(make(1));
    EXPECT_NO_THROW(make(101));
  } else {
    EXPECT_NE(
        test::refusal_of([&] { make(101); }).find("101 = 1 x 101 has less than a row for each"),
        std::string::npos);
  }
}

}  // namespace
}  // namespace papilio
