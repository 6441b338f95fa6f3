// A factor or an element that is not finite reaches all that depends on it, and a factor nothing else:
// every function, type and argument, by one table.
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "blas/naive.hpp"

namespace papilio::test {
namespace {

constexpr std::size_t scalar_count = 2, matrix_count = 3;

// What a function is given, and what it has written: its third matrix, whose first column is its
// vector's result.
template <class T>
struct arguments {
  T scalars[scalar_count];
  array<T, 2> matrices[matrix_count];

  view<T, 1> vector(std::size_t i) {
    array<T, 2>& m = matrices[i];
    return {m.data(), {m.extent(0)}, {static_cast<std::ptrdiff_t>(m.extent(1))}};
  }
};

template <class T>
struct blas_function {
  const char* name;
  std::size_t scalars;   // that it takes: the first of them
  std::size_t matrices;  // that it reads: the last of them
  bool real_scalars[scalar_count];
  std::function<void(arguments<T>&)> run;
};

template <class T>
std::vector<blas_function<T>> blas_functions() {
  using A = arguments<T>;
  constexpr auto real = [](const T& x) { return std::real(x); };
  constexpr auto lower = matrix_triangle::lower;
  std::vector<blas_function<T>> all{
      {"axpy", 1, 2, {}, [](A& a) { axpy(a.scalars[0], a.vector(1), a.vector(2)); }},
      {"scal", 1, 1, {}, [](A& a) { scal(a.scalars[0], a.vector(2)); }},
      {"dot", 0, 3, {}, [](A& a) { a.matrices[2](0, 0) += dot(a.vector(0), a.vector(1)); }},
      {"dotc", 0, 3, {}, [](A& a) { a.matrices[2](0, 0) += dotc(a.vector(0), a.vector(1)); }},
      {"nrm2", 0, 2, {}, [](A& a) { a.matrices[2](0, 0) += nrm2(a.vector(1)); }},
      {"asum", 0, 2, {}, [](A& a) { a.matrices[2](0, 0) += asum(a.vector(1)); }},
      {"rot",
       2,
       2,
       {true, false},
       [real](A& a) { rot(a.vector(1), a.vector(2), real(a.scalars[0]), a.scalars[1]); }},
      {"gemv",
       2,
       3,
       {},
       [](A& a) { gemv(a.scalars[0], a.matrices[0], a.vector(1), a.scalars[1], a.vector(2)); }},
      {"gemv of the transpose",
       2,
       3,
       {},
       [](A& a) {
         gemv(a.scalars[0], a.matrices[0], a.vector(1), a.scalars[1], a.vector(2),
              matrix_op::transpose);
       }},
      {"ger", 1, 3, {}, [](A& a) { ger(a.scalars[0], a.vector(0), a.vector(1), a.matrices[2]); }},
      {"gerc", 1, 3, {}, [](A& a) { gerc(a.scalars[0], a.vector(0), a.vector(1), a.matrices[2]); }},
      {"symv",
       2,
       3,
       {},
       [](A& a) { symv(a.scalars[0], a.matrices[0], a.vector(1), a.scalars[1], a.vector(2)); }},
      {"hemv",
       2,
       3,
       {},
       [](A& a) {
         hemv(a.scalars[0], a.matrices[0], a.vector(1), a.scalars[1], a.vector(2), lower);
       }},
      {"syr", 1, 2, {}, [](A& a) { syr(a.scalars[0], a.vector(1), a.matrices[2]); }},
      {"her",
       1,
       2,
       {true, true},
       [real](A& a) { her(real(a.scalars[0]), a.vector(1), a.matrices[2], lower); }},
      {"syr2",
       1,
       3,
       {},
       [](A& a) { syr2(a.scalars[0], a.vector(0), a.vector(1), a.matrices[2], lower); }},
      {"her2", 1, 3, {}, [](A& a) { her2(a.scalars[0], a.vector(0), a.vector(1), a.matrices[2]); }},
      {"gemm",
       2,
       3,
       {},
       [](A& a) { gemm(a.scalars[0], a.matrices[0], a.matrices[1], a.scalars[1], a.matrices[2]); }},
      {"gemmt",
       2,
       3,
       {},
       [](A& a) {
         gemmt(a.scalars[0], a.matrices[0], a.matrices[1], a.scalars[1], a.matrices[2],
               matrix_triangle::upper);
       }},
      {"symm",
       2,
       3,
       {},
       [](A& a) { symm(a.scalars[0], a.matrices[0], a.matrices[1], a.scalars[1], a.matrices[2]); }},
      {"hemm",
       2,
       3,
       {},
       [](A& a) {
         hemm(a.scalars[0], a.matrices[0], a.matrices[1], a.scalars[1], a.matrices[2],
              {.side = matrix_side::right, .triangle = lower});
       }},
      {"syrk",
       2,
       2,
       {},
       [](A& a) { syrk(a.scalars[0], a.matrices[1], a.scalars[1], a.matrices[2]); }},
      {"syrk of the lower half",
       2,
       2,
       {},
       [](A& a) {
         syrk(a.scalars[0], a.matrices[1], a.scalars[1], a.matrices[2],
              {.a = matrix_op::transpose, .triangle = lower});
       }},
      {"herk",
       2,
       2,
       {true, true},
       [real](A& a) {
         herk(real(a.scalars[0]), a.matrices[1], real(a.scalars[1]), a.matrices[2]);
       }},
      {"syr2k",
       2,
       3,
       {},
       [](A& a) {
         syr2k(a.scalars[0], a.matrices[0], a.matrices[1], a.scalars[1], a.matrices[2]);
       }},
      {"her2k",
       2,
       3,
       {false, true},
       [real](A& a) {
         her2k(a.scalars[0], a.matrices[0], a.matrices[1], real(a.scalars[1]), a.matrices[2],
               {.triangle = lower});
       }},
      {"trmm",
       1,
       2,
       {},
       [](A& a) { trmm(matrix_side::left, a.scalars[0], a.matrices[1], a.matrices[2]); }},
      {"trsm",
       1,
       2,
       {},
       [](A& a) { trsm(matrix_side::right, a.scalars[0], a.matrices[1], a.matrices[2]); }},
      {"trmv", 0, 2, {}, [](A& a) { trmv(a.matrices[1], a.vector(2)); }},
      {"trsv", 0, 2, {}, [](A& a) { trsv(a.matrices[1], a.vector(2)); }},
  };
  if constexpr (std::is_floating_point_v<T>)
    all.push_back({"rotm", 2, 2, {}, [](A& a) {
                     rotm(a.vector(1), a.vector(2),
                          {.h11 = T(2), .h12 = a.scalars[0], .h21 = a.scalars[1], .h22 = T(3)});
                   }});
  else
    all.push_back({"gemm_three_products", 2, 3, {}, [](A& a) {
                     gemm_three_products(a.scalars[0], a.matrices[0], a.matrices[1], a.scalars[1],
                                         a.matrices[2]);
                   }});
  return all;
}

// Diagonals are large enough for systems of equations; nothing is 0.
template <class T>
arguments<T> sample_arguments(std::size_t n) {
  random_source<T> random(1);
  arguments<T> made{{T(2), T(3)}, {array<T, 2>({n, n}), array<T, 2>({n, n}), array<T, 2>({n, n})}};
  for (array<T, 2>& m : made.matrices)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) m(i, j) = random() + (i == j ? T(10) : T(0));
  return made;
}

template <class T>
bool is_finite(T x) {
  return std::isfinite(std::real(x)) && std::isfinite(std::imag(x));
}

// What depends on an argument is what becomes another number with another value of it.
template <class T>
void expect_reached(const blas_function<T>& function, const arguments<T>& sample, T value,
                    const std::function<T&(arguments<T>&)>& place, bool is_factor,
                    const std::string& what) {
  const auto result_with = [&](std::optional<T> at_place) {
    arguments<T> given = sample;
    if (at_place) place(given) = *at_place;
    function.run(given);
    return std::move(given.matrices[2]);
  };
  arguments<T> as_it_was = sample;
  const T other = T(1.5) * place(as_it_was) + T(1);
  const array<T, 2> usual = result_with({}), moved = result_with(other), found = result_with(value);
  for (std::size_t i = 0; i < usual.size(); ++i) {
    const T before = usual.data()[i], now = found.data()[i];
    const bool depends = before != moved.data()[i];
    ASSERT_FALSE(depends && is_finite(now))
        << function.name << ", " << what << ", element " << i << ": " << now;
    // Kernels of triangles multiply by the zeros that they put in the other half.
    if (!depends && is_factor) {
      ASSERT_EQ(before, now) << function.name << ", " << what << ", element " << i;
    }
  }
}

template <class T>
class not_finite : public testing::Test {};
using element_types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(not_finite, element_types);

TYPED_TEST(not_finite, factors_reach_all_that_they_multiply) {
  using T = TypeParam;
  using R = real_of<T>;
  for (const std::size_t n : {1, 3, 37})
    for (const blas_function<T>& function : blas_functions<T>())
      for (std::size_t s = 0; s < function.scalars; ++s)
        for (const R value :
             {std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::infinity(),
              -std::numeric_limits<R>::infinity()}) {
          const std::function<T&(arguments<T>&)> place = [s](arguments<T>& a) -> T& {
            return a.scalars[s];
          };
          const std::string what = base_detail::message("factor ", s, " = ", value, ", n = ", n);
          const auto sample = sample_arguments<T>(n);
          expect_reached<T>(function, sample, T(value), place, true, what);
          if constexpr (!std::is_floating_point_v<T>)
            if (!function.real_scalars[s])
              expect_reached<T>(function, sample, T(1, value), place, true, what + " i");
        }
}

TYPED_TEST(not_finite, elements_that_are_no_numbers_reach_all_that_is_made_of_them) {
  using T = TypeParam;
  constexpr std::size_t n = 9;
  for (const blas_function<T>& function : blas_functions<T>())
    for (std::size_t m = matrix_count - function.matrices; m < matrix_count; ++m)
      for (const std::size_t at : {0, 1, 9, 10, 44, 72, 80})
        expect_reached<T>(
            function, sample_arguments<T>(n), not_a_number<T>(),
            [m, at](arguments<T>& a) -> T& { return a.matrices[m].data()[at]; }, false,
            base_detail::message("element ", at, " of matrix ", m));
}

}  // namespace
}  // namespace papilio::test
