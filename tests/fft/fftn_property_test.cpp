#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <numbers>
#include <numeric>

#include "papilio/base.hpp"
#include "papilio/fft.hpp"
#include "support/nd.hpp"

namespace papilio {
namespace {

using namespace test;

// The same cases in every run; RC_PARAMS in the environment overrides it.
const int seeded = setenv("RC_PARAMS", "seed=20260229 max_success=500", 0);

template <class T>
class fftn_property : public testing::Test {};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(fftn_property, precisions);

// Text of what failed, with the counter-example; empty if nothing did.
template <class Property>
void check(const char* name, const Property& property) {
  ASSERT_EQ(seeded, 0);
  EXPECT_TRUE(rc::check(name, property));
}

std::size_t below(std::size_t bound) { return *rc::gen::inRange<std::size_t>(0, bound); }

sizes permutation(std::size_t rank) {
  sizes order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = rank; i-- > 1;) std::swap(order[i], order[below(i + 1)]);
  return order;
}

// A problem: extents of rank 1 to 4 and some of the axes, in any order.
struct problem {
  sizes extents, axes;
};

problem any_problem(std::size_t fewest_axes) {
  problem p;
  const std::size_t rank = 1 + below(4);
  const std::size_t largest[] = {97, 31, 13, 8};
  for (std::size_t axis = 0; axis < rank; ++axis) p.extents.push_back(1 + below(largest[rank - 1]));
  p.axes = permutation(rank);
  p.axes.resize(fewest_axes + below(rank + 1 - fewest_axes));
  RC_LOG() << "extents " << testing::PrintToString(p.extents) << ", axes "
           << testing::PrintToString(p.axes) << '\n';
  return p;
}

layout any_layout(const sizes& extents, bool is_input) {
  std::vector<axis_layout> axes;
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    axes.push_back({1 + below(3), below(2) == 1, is_input && below(6) == 0});
  const layout found = lay_out(extents, permutation(extents.size()), axes);
  RC_LOG() << (is_input ? "in" : "out") << " strides " << testing::PrintToString(found.strides)
           << '\n';
  return found;
}

direction any_direction() { return below(2) == 0 ? direction::forward : direction::inverse; }

normalization any_norm() {
  return *rc::gen::element(normalization::backward, normalization::orthonormal,
                           normalization::forward, normalization::none);
}

int any_threads() { return *rc::gen::inRange(1, 4); }

// The factor that the transform of so many points carries.
long double factor(normalization norm, direction dir, std::size_t points) {
  const auto n = static_cast<long double>(points);
  if (norm == normalization::orthonormal) return 1 / std::sqrt(n);
  if (norm == normalization::backward && dir == direction::inverse) return 1 / n;
  if (norm == normalization::forward && dir == direction::forward) return 1 / n;
  return 1;
}

std::size_t points(const problem& p) {
  std::size_t product = 1;
  for (const std::size_t axis : p.axes) product *= p.extents[axis];
  return product;
}

template <class T>
std::vector<T> random_of(std::size_t n) {
  const auto seed = *rc::gen::arbitrary<unsigned>();
  if constexpr (std::is_floating_point_v<T>) {
    return random_real<T>(n, seed);
  } else {
    return random_complex<typename T::value_type>(n, seed);
  }
}

template <class T>
double norm_of(const std::vector<T>& x) {
  long double sum = 0;
  for (const T& v : x) sum += std::norm(exact(v));
  return static_cast<double>(std::sqrt(sum));
}

// Elements of an operand in row-major order.
template <class T>
std::vector<T> elements(const std::vector<T>& memory, const sizes& extents, const layout& where) {
  std::vector<T> dense;
  for (const std::size_t at : offsets(extents, where)) dense.push_back(memory[at]);
  return dense;
}

TYPED_TEST(fftn_property, is_the_dft_for_any_axes_strides_and_threads) {
  using T = TypeParam;
  using complex = std::complex<T>;
  check("fftn is the DFT", [] {
    const problem p = any_problem(0);
    const direction dir = any_direction();
    const normalization norm = any_norm();
    const layout from = any_layout(p.extents, true), to = any_layout(p.extents, false);
    auto memory = random_of<complex>(from.size);
    const auto before = memory;
    std::vector<complex> out(to.size);
    const fftn_plan<T> plan(p.extents, as_signed(p.axes), dir, {.norm = norm});
    with_rank(p.extents.size(), [&]<std::size_t Rank>() {
      plan.execute(as_view<Rank>(memory, p.extents, from), as_view<Rank>(out, p.extents, to),
                   any_threads());
    });
    RC_ASSERT(memory == before);
    const auto x = elements(memory, p.extents, from);
    auto expected = dftn(widened<T>(std::span<const complex>(x)), p.extents, p.axes,
                         dir == direction::forward ? -1 : 1);
    for (exact& v : expected) v *= factor(norm, dir, points(p));
    const double error = relative_error(elements(out, p.extents, to), expected);
    RC_ASSERT(error <= fftn_tolerance<T>(p.extents, p.axes));
  });
}

TYPED_TEST(fftn_property, real_is_half_of_the_dft_and_comes_back) {
  using T = TypeParam;
  using complex = std::complex<T>;
  check("rfftn is half of the DFT", [] {
    const problem p = any_problem(1);
    const std::size_t halved = p.axes.back();
    const rfftn_plan<T> plan(p.extents, as_signed(p.axes));
    const sizes& bins = plan.spectrum_extents();
    const layout from = any_layout(p.extents, true), to = any_layout(bins, false);
    const layout again = any_layout(p.extents, false);
    auto memory = random_of<T>(from.size);
    std::vector<complex> spectrum(to.size);
    std::vector<T> back(again.size);
    const double tolerance = fftn_tolerance<T>(p.extents, p.axes);
    const auto x = widened<T>(std::span<const T>(elements(memory, p.extents, from)));
    const auto expected =
        first_along(dftn(x, p.extents, p.axes, -1), p.extents, halved, bins[halved]);
    with_rank(p.extents.size(), [&]<std::size_t Rank>() {
      plan.forward(as_view<Rank>(memory, p.extents, from), as_view<Rank>(spectrum, bins, to),
                   any_threads());
      RC_ASSERT(relative_error(elements(spectrum, bins, to), expected) <= tolerance);
      plan.inverse(as_view<Rank>(spectrum, bins, to), as_view<Rank>(back, p.extents, again),
                   any_threads());
    });
    RC_ASSERT(relative_error(elements(back, p.extents, again), x) <= 2 * tolerance);
  });
}

template <class T>
std::vector<std::complex<T>> transformed(const problem& p, std::vector<std::complex<T>> x,
                                         direction dir = direction::forward) {
  std::vector<std::complex<T>> out(x.size());
  const fftn_plan<T> plan(p.extents, as_signed(p.axes), dir);
  with_rank(p.extents.size(), [&]<std::size_t Rank>() {
    plan.execute(as_view<Rank>(x, p.extents, row_major(p.extents)),
                 as_view<Rank>(out, p.extents, row_major(p.extents)));
  });
  return out;
}

// Calls body(row-major position, index of every axis).
template <class Body>
void for_each_index(const sizes& extents, const Body& body) {
  sizes index(extents.size());
  for (std::size_t at = 0; at < count(extents); ++at) {
    std::size_t rest = at;
    for (std::size_t axis = extents.size(); axis-- > 0; rest /= extents[axis])
      index[axis] = rest % extents[axis];
    body(at, index);
  }
}

std::size_t position(const sizes& extents, const sizes& index) {
  std::size_t at = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) at = at * extents[axis] + index[axis];
  return at;
}

TYPED_TEST(fftn_property, is_linear) {
  using T = TypeParam;
  using complex = std::complex<T>;
  check("F(x + c y) = F x + c F y", [] {
    const problem p = any_problem(1);
    const auto x = random_of<complex>(count(p.extents)), y = random_of<complex>(count(p.extents));
    const complex c = random_of<complex>(1)[0];
    auto sum = x;
    for (std::size_t i = 0; i < x.size(); ++i) sum[i] += c * y[i];
    const auto left = transformed(p, sum), fx = transformed(p, x), fy = transformed(p, y);
    std::vector<exact> difference;
    for (std::size_t i = 0; i < x.size(); ++i)
      difference.push_back(exact(left[i]) - exact(fx[i]) - exact(c) * exact(fy[i]));
    const double size = norm_of(fx) + static_cast<double>(std::abs(exact(c))) * norm_of(fy);
    RC_ASSERT(norm_of(difference) <= 2 * fftn_tolerance<T>(p.extents, p.axes) * size);
  });
}

TYPED_TEST(fftn_property, a_shift_turns_the_phase) {
  using T = TypeParam;
  using complex = std::complex<T>;
  check("shift theorem", [] {
    const problem p = any_problem(1);
    const auto x = random_of<complex>(count(p.extents));
    sizes shift(p.extents.size());
    for (const std::size_t axis : p.axes) shift[axis] = below(p.extents[axis]);
    auto shifted = x;
    for_each_index(p.extents, [&](std::size_t at, sizes index) {
      for (std::size_t axis = 0; axis < index.size(); ++axis)
        index[axis] = (index[axis] + shift[axis]) % p.extents[axis];
      shifted[position(p.extents, index)] = x[at];
    });
    std::vector<exact> expected = widened<T>(std::span<const complex>(transformed(p, x)));
    for_each_index(p.extents, [&](std::size_t at, const sizes& index) {
      for (const std::size_t axis : p.axes) {
        const std::size_t n = p.extents[axis];
        const auto turns =
            static_cast<long double>(index[axis] * shift[axis] % n) / static_cast<long double>(n);
        expected[at] *= std::polar(1.0L, -2 * std::numbers::pi_v<long double> * turns);
      }
    });
    RC_ASSERT(relative_error(transformed(p, shifted), expected) <=
              2 * fftn_tolerance<T>(p.extents, p.axes));
  });
}

TYPED_TEST(fftn_property, products_of_spectra_are_convolutions) {
  using T = TypeParam;
  using complex = std::complex<T>;
  check("convolution theorem", [] {
    problem p = any_problem(1);
    for (std::size_t& e : p.extents) e = (e + 1) / 2;  // the direct sum is of all pairs
    p.axes = permutation(p.extents.size());
    const auto x = random_of<complex>(count(p.extents)), y = random_of<complex>(count(p.extents));
    std::vector<exact> difference(x.size());
    for_each_index(p.extents, [&](std::size_t i, const sizes& a) {
      for_each_index(p.extents, [&](std::size_t j, sizes b) {
        for (std::size_t axis = 0; axis < b.size(); ++axis)
          b[axis] = (a[axis] + b[axis]) % p.extents[axis];
        difference[position(p.extents, b)] -= exact(x[i]) * exact(y[j]);
      });
    });
    auto product = transformed(p, x);
    const auto other = transformed(p, y);
    for (std::size_t i = 0; i < x.size(); ++i) product[i] *= other[i];
    const auto got = transformed(p, product, direction::inverse);
    for (std::size_t i = 0; i < x.size(); ++i) difference[i] += exact(got[i]);
    // Errors of both spectra and of the way back, each of the size of |x| |y|.
    RC_ASSERT(norm_of(difference) <=
              3 * fftn_tolerance<T>(p.extents, p.axes) * norm_of(x) * norm_of(y));
  });
}

}  // namespace
}  // namespace papilio
