// Half transforms against sums over both indices in long double, and what they must not depend on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "chem/made_orbitals.hpp"
#include "papilio/blas.hpp"
#include "support/oracle.hpp"

namespace papilio::test {
namespace {

template <class T>
class ao_to_mo_of : public testing::Test {};
using reals = testing::Types<float, double>;
TYPED_TEST_SUITE(ao_to_mo_of, reals);

template <class T, std::size_t Rank>
array<T, Rank> normal(const extents_type<Rank>& extents, unsigned seed) {
  array<T, Rank> a(extents);
  std::ranges::copy(random_real<T>(a.size(), seed), a.data());
  return a;
}

/// nbf, nocc, nvir, naux.
struct sizes {
  std::size_t nbf, nocc, nvir, naux;
};
// One of everything, more virtual or more occupied orbitals, several blocks of auxiliary functions.
constexpr sizes shapes[] = {
    {1, 1, 1, 1}, {4, 1, 3, 5}, {7, 2, 5, 9}, {6, 4, 2, 70}, {9, 3, 6, 130}};

template <class T>
struct made_integrals {
  array<T, 3> eri;  ///< symmetric in the first two
  array<T, 2> triangle, c_occ, c_vir;

  explicit made_integrals(const sizes& s, bool is_symmetric = true)
      : eri(normal<T, 3>({s.nbf, s.nbf, s.naux}, 1)),
        triangle({s.nbf * (s.nbf + 1) / 2, s.naux}),
        c_occ(normal<T, 2>({s.nbf, s.nocc}, 2)),
        c_vir(normal<T, 2>({s.nbf, s.nvir}, 3)) {
    for (std::size_t m = 0; m < s.nbf; ++m)
      for (std::size_t n = 0; n <= m; ++n)
        for (std::size_t p = 0; p < s.naux; ++p) {
          if (is_symmetric) eri(n, m, p) = eri(m, n, p);
          triangle(m * (m + 1) / 2 + n, p) = eri(m, n, p);
        }
  }
};

/// Element by element: the sum over both indices, and that of the magnitudes. A result passes
/// through two sums of nbf roundings.
template <class T>
void expect_transformed(const array<T, 3>& got, const made_integrals<T>& made) {
  const std::size_t nbf = made.eri.extent(0), naux = made.eri.extent(2);
  const extents_type<3> expected{made.c_occ.extent(1), made.c_vir.extent(1), naux};
  ASSERT_EQ(got.extents(), expected);
  const long double unit = std::numeric_limits<T>::epsilon();
  for (std::size_t i = 0; i < expected[0]; ++i)
    for (std::size_t a = 0; a < expected[1]; ++a)
      for (std::size_t p = 0; p < naux; ++p) {
        long double sum = 0, magnitude = 0;
        for (std::size_t m = 0; m < nbf; ++m)
          for (std::size_t n = 0; n < nbf; ++n) {
            const long double term =
                static_cast<long double>(made.c_occ(m, i)) * made.c_vir(n, a) * made.eri(m, n, p);
            sum += term;
            magnitude += std::abs(term);
          }
        ASSERT_LE(std::abs(got(i, a, p) - sum), (double(nbf) + 2) * unit * magnitude)
            << i << ' ' << a << ' ' << p;
      }
}

TYPED_TEST(ao_to_mo_of, both_indices_are_transformed) {
  for (const sizes& s : shapes) {
    SCOPED_TRACE(testing::Message() << s.nbf << ' ' << s.nocc << ' ' << s.nvir << ' ' << s.naux);
    const made_integrals<TypeParam> made(s), uneven(s, false);
    expect_transformed(ao_to_mo(made.eri, made.c_occ, made.c_vir), made);
    expect_transformed(ao_to_mo(made.triangle, made.c_occ, made.c_vir), made);
    expect_transformed(ao_to_mo(uneven.eri, uneven.c_occ, uneven.c_vir), uneven);
  }
}

TYPED_TEST(ao_to_mo_of, threads_and_memory_change_no_bit) {
  const made_integrals<TypeParam> made({40, 9, 30, 200});
  array<double, 2> metric({200, 200});
  for (std::size_t p = 0; p < 200; ++p) {
    metric(p, p) = 3;
    if (p > 0) metric(p, p - 1) = metric(p - 1, p) = 1;
  }
  const auto b =
      ao_to_mo(made.eri, made.c_occ, made.c_vir, {.metric = metric, .on = {.threads = 1}});
  const auto rows =
      ao_to_mo(made.triangle, made.c_occ, made.c_vir, {.metric = metric, .on = {.threads = 1}});
  for (const int threads : {0, 2, 5})
    for (const std::size_t bytes : {std::size_t{2} << 20, std::size_t{3} << 20, SIZE_MAX}) {
      const ao_to_mo_options options{
          .metric = metric, .memory_bytes = bytes, .on = {.threads = threads}};
      EXPECT_TRUE(std::ranges::equal(ao_to_mo(made.eri, made.c_occ, made.c_vir, options), b));
      EXPECT_TRUE(
          std::ranges::equal(ao_to_mo(made.triangle, made.c_occ, made.c_vir, options), rows));
    }
}

TYPED_TEST(ao_to_mo_of, any_strides_give_the_same) {
  const made_integrals<TypeParam> made({6, 2, 3, 8});
  const auto reversed = [](const auto& a) {
    auto copy = a;
    std::ranges::reverse(copy);
    return copy;
  };
  const auto eri = reversed(made.eri);
  const auto triangle = reversed(made.triangle);
  const auto occ = reversed(made.c_occ), vir = reversed(made.c_vir);
  const view<const TypeParam, 3> eri_back(eri.data() + eri.size() - 1, {6, 6, 8}, {-48, -8, -1});
  const view<const TypeParam, 2> triangle_back(triangle.data() + triangle.size() - 1, {21, 8},
                                               {-8, -1});
  const view<const TypeParam, 2> occ_back(occ.data() + occ.size() - 1, {6, 2}, {-2, -1});
  const view<const TypeParam, 2> vir_back(vir.data() + vir.size() - 1, {6, 3}, {-3, -1});
  expect_transformed(ao_to_mo(eri_back, occ_back, vir_back), made);
  expect_transformed(ao_to_mo(triangle_back, occ_back, vir_back), made);
}

TYPED_TEST(ao_to_mo_of, nothing_gives_nothing) {
  const made_integrals<TypeParam> made({4, 2, 2, 3});
  const array<TypeParam, 2> none({4, 0});
  EXPECT_EQ(ao_to_mo(made.eri, none, made.c_vir).extents(), (extents_type<3>{0, 2, 3}));
  EXPECT_EQ(ao_to_mo(made.triangle, made.c_occ, none).extents(), (extents_type<3>{2, 0, 3}));
  const array<TypeParam, 3> no_basis({0, 0, 2});
  const array<TypeParam, 2> no_rows({0, 1});
  const auto zeros = ao_to_mo(no_basis, no_rows, no_rows);
  EXPECT_EQ(zeros.extents(), (extents_type<3>{1, 1, 2}));
  for (const TypeParam x : zeros) EXPECT_EQ(x, 0);
}

// R V R = 1, to a rounding for each of n terms and the condition of R.
TEST(inverse_square_root, is_the_root_of_the_inverse) {
  constexpr std::size_t n = 30;
  const array<double, 2> a = normal<double, 2>({n, n}, 5);
  array<double, 2> v({n, n});
  gemm(1.0, a, a, 0.0, v, {.b = matrix_op::transpose});
  for (std::size_t p = 0; p < n; ++p) v(p, p) += 0.1;
  const array<double, 2> r = inverse_square_root(v);
  array<double, 2> rv({n, n}), one({n, n});
  gemm(1.0, r, v, 0.0, rv);
  gemm(1.0, rv, r, 0.0, one);
  for (std::size_t p = 0; p < n; ++p)
    for (std::size_t q = 0; q < n; ++q) {
      EXPECT_NEAR(one(p, q), p == q ? 1 : 0, 1e-11);
      EXPECT_NEAR(r(p, q), r(q, p), 1e-14);
    }
}

// Sums over the metric in double of what the transformation alone gives.
TYPED_TEST(ao_to_mo_of, the_root_of_the_metric_is_applied_in_double) {
  const made_integrals<TypeParam> made({7, 3, 4, 20});
  const array<double, 2> a = normal<double, 2>({20, 20}, 5);
  array<double, 2> v({20, 20});
  gemm(1.0, a, a, 0.0, v, {.b = matrix_op::transpose});
  for (std::size_t p = 0; p < 20; ++p) v(p, p) += 1e-3;
  const array<double, 2> r = inverse_square_root(v);
  const auto plain = ao_to_mo(made.eri, made.c_occ, made.c_vir);
  const auto b = ao_to_mo(made.eri, made.c_occ, made.c_vir, {.metric = v});
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t c = 0; c < 4; ++c)
      for (std::size_t q = 0; q < 20; ++q) {
        long double sum = 0, magnitude = 0;
        for (std::size_t p = 0; p < 20; ++p) {
          sum += static_cast<long double>(plain(i, c, p)) * r(p, q);
          magnitude += std::abs(static_cast<long double>(plain(i, c, p)) * r(p, q));
        }
        // One rounding to T of the result, twenty of double on the way.
        const long double bound = std::numeric_limits<TypeParam>::epsilon() / 2 * std::abs(sum) +
                                  22 * 0x1p-53L * magnitude;
        EXPECT_LE(std::abs(b(i, c, q) - sum), bound);
      }
}

}  // namespace
}  // namespace papilio::test
