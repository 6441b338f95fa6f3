#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "naive.hpp"
#include "random_view.hpp"

namespace papilio::test {
namespace {

template <class T>
void check_any_strides() {
  const auto extent = [] { return *rc::gen::inRange<std::size_t>(0, 9); };
  const std::size_t m = extent(), n = extent(), k = extent();
  const auto op = [] {
    return *rc::gen::element(matrix_op::none, matrix_op::transpose, matrix_op::conjugate,
                             matrix_op::conjugate_transpose);
  };
  const gemm_options options{.a = op(), .b = op()};
  const auto turns = [](matrix_op o) {
    return o == matrix_op::transpose || o == matrix_op::conjugate_transpose;
  };
  random_source<T> random(*rc::gen::arbitrary<unsigned>());
  const auto a =
      turns(options.a) ? any_view<T>(k, m, false, random) : any_view<T>(m, k, false, random);
  const auto b =
      turns(options.b) ? any_view<T>(n, k, false, random) : any_view<T>(k, n, false, random);
  auto c = any_view<T>(m, n, true, random);
  const T alpha = *rc::gen::arbitrary<bool>() ? random() : T(1);
  const T beta = *rc::gen::arbitrary<bool>() ? random() : T(0);
  std::vector<T> old = c.memory;
  gemm(alpha, a.v, b.v, beta, c.v, options);
  const view<const T, 2> left(a.v), right(b.v);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      auto expected = product_element(alpha, left, options.a, right, options.b, k, i, j);
      T& before = old[static_cast<std::size_t>(&c.v(i, j) - c.memory.data())];
      expected.value += exact_of(beta) * exact_of(before);
      expected.magnitude += std::abs(exact_of(beta) * exact_of(before));
      RC_ASSERT(is_within(c.v(i, j), expected, k));
      before = not_a_number<T>();
      c.v(i, j) = not_a_number<T>();
    }
  for (const T& x : c.memory) RC_ASSERT(std::isnan(std::real(x)));  // nothing else was written
}

RC_GTEST_PROP(gemm_property, any_strides_float, ()) { check_any_strides<float>(); }
RC_GTEST_PROP(gemm_property, any_strides_double, ()) { check_any_strides<double>(); }
RC_GTEST_PROP(gemm_property, any_strides_complex_float, ()) {
  check_any_strides<std::complex<float>>();
}
RC_GTEST_PROP(gemm_property, any_strides_complex_double, ()) {
  check_any_strides<std::complex<double>>();
}

// Two views of one small memory: shared elements found by looking at all of them.
RC_GTEST_PROP(gemm_property, shared_memory_is_refused_and_nothing_else, ()) {
  std::vector<double> memory(400, 1.0);
  const auto part = [&](bool is_output) {
    const auto rows = *rc::gen::inRange<std::size_t>(1, 4);
    const auto step = *rc::gen::inRange<std::ptrdiff_t>(is_output ? 1 : -3, 4);
    const auto pitch = 3 * step + *rc::gen::inRange<std::ptrdiff_t>(1, 20);
    return view<double, 2>(memory.data() + *rc::gen::inRange(40, 120), {rows, 3}, {pitch, step});
  };
  const view<double, 2> a = part(false), c = part(true);
  const array<double, 2> b({3, 3});
  bool shares = false;
  for (std::size_t i = 0; i < a.extent(0) * 3; ++i)
    for (std::size_t j = 0; j < c.extent(0) * 3; ++j)
      shares = shares || &a(i / 3, i % 3) == &c(j / 3, j % 3);
  RC_PRE(a.extent(0) == c.extent(0));
  if (shares)
    RC_ASSERT_THROWS_AS(gemm(1, a, b, 0, c), invalid_argument);
  else
    gemm(1, a, b, 0, c);
}

}  // namespace
}  // namespace papilio::test
