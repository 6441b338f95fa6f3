// Gradients of convolutions: linear in each operand, so that <f(d, y), g> = <d, vjp_x> for any d.
#include <gtest/gtest.h>

#include <algorithm>

#include "papilio/base.hpp"
#include "papilio/transform.hpp"
#include "support/adjoint.hpp"
#include "support/device_case.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

template <class V, std::size_t Rank>
array<V, Rank> random_array(const extents_type<Rank>& extents, unsigned seed) {
  array<V, Rank> x(extents);
  if constexpr (std::is_floating_point_v<V>)
    std::ranges::copy(test::random_real<V>(x.size(), seed), x.begin());
  else
    std::ranges::copy(test::random_complex<typename V::value_type>(x.size(), seed), x.begin());
  return x;
}

template <class X, class Y, std::size_t Rank>
void expect_vjp(const extents_type<Rank>& of_x, const extents_type<Rank>& of_y,
                const convolution_options& options) {
  const auto x = random_array<X>(of_x, 1), dx = random_array<X>(of_x, 2);
  const auto y = random_array<Y>(of_y, 3), dy = random_array<Y>(of_y, 4);
  const auto by_dx = fftconvolve(dx, y, options), by_dy = fftconvolve(x, dy, options);
  using E = typename std::remove_cvref_t<decltype(by_dx)>::value_type;
  const auto g = random_array<E>(by_dx.extents(), 5);
  const auto by = fftconvolve_vjp(x, y, g, options);
  EXPECT_EQ(by.x.extents(), of_x);
  EXPECT_EQ(by.y.extents(), of_y);
  static_assert(std::is_same_v<typename decltype(by.x)::value_type, X>);
  EXPECT_LE(test::adjoint_error(by_dx, g, dx, by.x), 1e-14);
  EXPECT_LE(test::adjoint_error(by_dy, g, dy, by.y), 1e-14);
}

TEST(convolution_vjp, of_every_mode_and_type) {
  using C = std::complex<double>;
  for (const convolution_mode mode :
       {convolution_mode::full, convolution_mode::same, convolution_mode::valid}) {
    for (const auto& [n, m] :
         {std::pair<std::size_t, std::size_t>{9, 4}, {4, 9}, {5, 5}, {7, 1}, {1, 6}, {1, 1}}) {
      expect_vjp<double, double, 1>({n}, {m}, {.mode = mode});
      expect_vjp<C, double, 1>({n}, {m}, {.mode = mode});
      expect_vjp<double, C, 1>({n}, {m}, {.mode = mode});
      expect_vjp<C, C, 1>({n}, {m}, {.mode = mode});
    }
    expect_vjp<double, C, 2>({6, 7}, {3, 2}, {.mode = mode});
    // Along other axes than those of the convolution, equal extents or repeated operands.
    expect_vjp<C, C, 2>({3, 7}, {3, 4}, {.mode = mode, .axes = {1}});
    expect_vjp<C, double, 2>({3, 7}, {1, 4}, {.mode = mode, .axes = {-1}});
    expect_vjp<double, double, 2>({1, 7}, {5, 4}, {.mode = mode, .axes = {1}});
  }
}

// One dispatch for both gradients, against the host in double: three times the error of a transform,
// as of a convolution, of the points of one.
template <class X, class Y, std::size_t Rank>
void expect_vjp_on_device(const extents_type<Rank>& of_x, const extents_type<Rank>& of_y,
                          convolution_options options) {
  const auto x = test::random_array<X, Rank>(of_x, 1);
  const auto y = test::random_array<Y, Rank>(of_y, 2);
  using E = transform_detail::convolution_element<array<X, Rank>, array<Y, Rank>>;
  const auto g = test::random_array<E, Rank>(fftconvolve(x, y, options).extents(), 3);
  const auto by = fftconvolve_vjp(test::widened_array<X, Rank>(x.view()),
                                  test::widened_array<Y, Rank>(y.view()),
                                  test::widened_array<E, Rank>(g.view()), options);
  engine::device dev;
  options.on = {.where = policy::device, .on = &dev};
  fftconvolve_vjp(x, y, g, options);  // copies tables up too
  dev.reset_record();
  const auto got = fftconvolve_vjp(x, y, g, options);
  EXPECT_EQ(dev.record().launches, 1u);
  EXPECT_EQ(dev.record().upload.tensors, 1u);
  EXPECT_EQ(dev.record().fetch.tensors, 1u);
  EXPECT_EQ(last_run().backend, "device");
  extents_type<Rank> whole;
  for (std::size_t k = 0; k < Rank; ++k) whole[k] = of_x[k] + of_y[k];
  const double tolerance = 3 * test::device_tolerance(whole);
  test::expect_near(got.x, by.x, tolerance);
  test::expect_near(got.y, by.y, tolerance);
}

TEST(convolution_vjp, in_one_dispatch) {
  using C = std::complex<float>;
  for (const convolution_mode mode :
       {convolution_mode::full, convolution_mode::same, convolution_mode::valid}) {
    expect_vjp_on_device<float, float, 1>({50}, {7}, {.mode = mode});
    expect_vjp_on_device<C, float, 1>({9}, {9}, {.mode = mode});
    expect_vjp_on_device<float, C, 2>({12, 9}, {3, 4}, {.mode = mode});
  }
  expect_vjp_on_device<float, float, 2>({70, 12}, {1, 5}, {.axes = {1}});
  expect_vjp_on_device<C, C, 3>({1, 8, 3}, {2, 4, 1}, {.axes = {-2}});
  expect_vjp_on_device<float, float, 2>({5, 1}, {1, 6}, {});
}

TEST(convolution_vjp, of_no_elements) {
  const array<double, 2> x({0, 3}), y({2, 3}), g(fftconvolve(x, y));
  const auto by = fftconvolve_vjp(x, y, g);
  EXPECT_EQ(by.x.extents(), x.extents());
  EXPECT_EQ(by.y.extents(), y.extents());
  EXPECT_THROW(fftconvolve_vjp(x, y, y), shape_error);
  EXPECT_THROW(fftconvolve_vjp(x, y, g, {.on = {.where = policy::device}}), device_error);
}

TEST(convolution_vjp, refuses_another_gradient) {
  const auto x = random_array<double, 1>({5}, 1), y = random_array<double, 1>({3}, 2);
  EXPECT_EQ(test::message_of<shape_error>([&] { fftconvolve_vjp(x, y, x); }),
            "fftconvolve_vjp: gradient must have extents 7, got 5");
  EXPECT_NO_THROW(fftconvolve_vjp(x, y, x, {.mode = convolution_mode::same}));
}

}  // namespace
}  // namespace papilio
