#include <gtest/gtest.h>

#include <limits>

#include "papilio/base.hpp"
#include "papilio/fft.hpp"
#include "support/nd.hpp"

namespace papilio {
namespace {

using namespace test;

template <class T>
class axis_test : public testing::Test {};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(axis_test, precisions);

// Lines of [before, n, behind] one by one through `one`, which takes and returns a vector.
template <class Out, class In, class One>
std::vector<Out> line_by_line(const std::vector<In>& x, std::size_t before, std::size_t n,
                              std::size_t behind, std::size_t out_n, const One& one) {
  std::vector<Out> y(before * out_n * behind);
  for (std::size_t a = 0; a < before; ++a)
    for (std::size_t b = 0; b < behind; ++b) {
      std::vector<In> line(n);
      for (std::size_t j = 0; j < n; ++j) line[j] = x[(a * n + j) * behind + b];
      const std::vector<Out> done = one(line);
      for (std::size_t j = 0; j < out_n; ++j) y[(a * out_n + j) * behind + b] = done[j];
    }
  return y;
}

// More lines than a tile holds, fewer, and one; short lines and ones that fill the tile's memory.
// Lengths whose columns, if they have any, run the recipe of a line.
struct shape {
  std::size_t before, n, behind;
};
constexpr shape shapes[] = {{3, 11, 37}, {1, 7, 5},    {4, 1, 6},   {5, 30, 1},
                            {1, 1, 1},   {2, 101, 16}, {2, 8192, 3}};

TYPED_TEST(axis_test, complex_lines_are_single_transforms) {
  using T = TypeParam;
  using complex = std::complex<T>;
  for (const shape& s : shapes) {
    const std::size_t before = s.before, n = s.n, behind = s.behind;
    const fft_plan<T> plan(n);
    const auto x = random_complex<T>(before * n * behind, 1);
    const auto expected = line_by_line<complex>(x, before, n, behind, n, [&](const auto& line) {
      std::vector<complex> out(n);
      plan.execute(line, out);
      return out;
    });
    for (const int threads : {1, 2, 3}) {
      std::vector<complex> out(x.size(), {NAN, NAN}), in_place = x;
      plan.execute_axis(view<const complex, 3>(x.data(), {before, n, behind}),
                        view<complex, 3>(out.data(), {before, n, behind}), 1, threads);
      EXPECT_EQ(out, expected);
      const view<complex, 3> whole(in_place.data(), {before, n, behind});
      plan.execute_axis(whole, whole, 1, threads);
      EXPECT_EQ(in_place, expected);
    }
  }
}

TYPED_TEST(axis_test, real_lines_are_single_transforms) {
  using T = TypeParam;
  using complex = std::complex<T>;
  for (const shape& s : shapes) {
    const std::size_t before = s.before, n = s.n, behind = s.behind;
    const rfft_plan<T> plan(n);
    const std::size_t bins = plan.bins();
    const auto x = random_real<T>(before * n * behind, 1);
    const auto spectrum = line_by_line<complex>(x, before, n, behind, bins, [&](const auto& line) {
      std::vector<complex> out(bins);
      plan.forward(line, out);
      return out;
    });
    const auto back = line_by_line<T>(spectrum, before, bins, behind, n, [&](const auto& line) {
      std::vector<T> out(n);
      plan.inverse(line, out);
      return out;
    });
    for (const int threads : {1, 2, 3}) {
      std::vector<complex> out(spectrum.size(), {NAN, NAN});
      const view<complex, 3> bins_view(out.data(), {before, bins, behind});
      plan.forward_axis(view<const T, 3>(x.data(), {before, n, behind}), bins_view, 1, threads);
      EXPECT_EQ(out, spectrum);
      std::vector<T> again(x.size(), NAN);
      plan.inverse_axis(bins_view, view<T, 3>(again.data(), {before, n, behind}), 1, threads);
      EXPECT_EQ(again, back);
      EXPECT_EQ(out, spectrum);
    }
  }
}

// The first axis, the last, and one that is contiguous in one operand only.
TYPED_TEST(axis_test, any_axis_and_strides) {
  using T = TypeParam;
  using complex = std::complex<T>;
  const sizes extents{6, 5, 4, 9};
  const auto x = random_complex<T>(count(extents), 1);
  for (std::size_t axis = 0; axis < 4; ++axis) {
    const fft_plan<T> plan(extents[axis]);
    const auto exactly = dftn(widened<T>(std::span<const complex>(x)), extents, {axis}, -1);
    for (const sizes& order : {sizes{0, 1, 2, 3}, sizes{3, 2, 1, 0}, sizes{2, 0, 3, 1}}) {
      auto in = x;
      const layout to = lay_out(extents, order, {{2, true}, {1}, {3}, {1, true}});
      const auto at = offsets(extents, to);
      std::vector<complex> out(to.size), dense(x.size());
      plan.execute_axis(as_view<4>(in, extents, row_major(extents)), as_view<4>(out, extents, to),
                        axis, 2);
      for (std::size_t j = 0; j < x.size(); ++j) dense[j] = out[at[j]];
      EXPECT_LT(relative_error(dense, exactly), fftn_tolerance<T>(extents, {axis}));
      std::vector<complex> again(x.size());
      plan.execute_axis(as_view<4>(out, extents, to),
                        as_view<4>(again, extents, row_major(extents)), axis);
      EXPECT_LT(relative_error(
                    again, dftn(widened<T>(std::span<const complex>(dense)), extents, {axis}, -1)),
                fftn_tolerance<T>(extents, {axis}));
      EXPECT_EQ(in, x);
    }
  }
}

TYPED_TEST(axis_test, overlapping_operands_are_copied_first) {
  using T = TypeParam;
  using complex = std::complex<T>;
  const rfft_plan<T> plan(8);
  const auto x = random_real<T>(48, 1);
  std::vector<complex> expected(30), memory(30);
  plan.forward_axis(view<const T, 2>(x.data(), {8, 6}), view<complex, 2>(expected.data(), {5, 6}),
                    0);
  T* const reals = reinterpret_cast<T*>(memory.data());
  std::copy(x.begin(), x.end(), reals);
  plan.forward_axis(view<const T, 2>(reals, {8, 6}), view<complex, 2>(memory.data(), {5, 6}), 0, 2);
  EXPECT_EQ(memory, expected);
}

TYPED_TEST(axis_test, refuses_what_it_cannot_do) {
  using T = TypeParam;
  using complex = std::complex<T>;
  const fft_plan<T> plan(8);
  array<complex, 3> a({3, 8, 4}), b({3, 8, 4}), wide({3, 8, 5});
  EXPECT_NO_THROW(plan.execute_axis(a, b.view(), 1));
  EXPECT_THROW(plan.execute_axis(a, b.view(), 3), invalid_argument);
  EXPECT_THROW(plan.execute_axis(a, b.view(), 1, -1), invalid_argument);
  EXPECT_THROW(plan.execute_axis(a, b.view(), 0), shape_error);
  EXPECT_THROW(plan.execute_axis(a, wide.view(), 1), shape_error);
  const auto strided_out = [&](std::ptrdiff_t x, std::ptrdiff_t y, std::ptrdiff_t z) {
    plan.execute_axis(a, view<complex, 3>(wide.data(), {3, 8, 4}, {x, y, z}), 1);
  };
  EXPECT_NO_THROW(strided_out(40, 5, 1));
  EXPECT_THROW(strided_out(40, 3, 1), shape_error);
  EXPECT_THROW(strided_out(0, 4, 1), shape_error);
  EXPECT_THROW(strided_out(31, 4, 1), shape_error);
  EXPECT_THROW(strided_out(8, 1, 8), shape_error);
  EXPECT_THROW(strided_out(std::numeric_limits<std::ptrdiff_t>::max() / 2, 4, 1), resource_error);
  EXPECT_THROW(strided_out(std::numeric_limits<std::ptrdiff_t>::min(), 4, 1), resource_error);
  // An input of which the bytes cannot be counted.
  const view<const complex, 3> far(a.data(), {3, 8, 4},
                                   {std::numeric_limits<std::ptrdiff_t>::max() / 8, 4, 1});
  EXPECT_THROW(plan.execute_axis(far, b.view(), 1), resource_error);

  array<complex, 3> none({0, 8, 4}), other({0, 7, 4});
  EXPECT_NO_THROW(plan.execute_axis(none, none.view(), 1));
  EXPECT_THROW(plan.execute_axis(other, other.view(), 1), shape_error);

  const rfft_plan<T> real(8);
  array<T, 2> x({8, 2});
  array<complex, 2> bins({5, 2}), more({8, 2});
  EXPECT_NO_THROW(real.forward_axis(x, bins.view(), 0));
  EXPECT_THROW(real.forward_axis(x, more.view(), 0), shape_error);
  EXPECT_THROW(real.inverse_axis(more, x.view(), 0), shape_error);
  EXPECT_THROW(real.inverse_axis(bins, x.view(), 2), invalid_argument);
  EXPECT_THROW(real.inverse_axis(bins, view<T, 2>(x.data(), {8, 2}, {1, 1}), 0), shape_error);
}

}  // namespace
}  // namespace papilio
