// Products that are shared between modes are those of the definition, with factors that change as
// alternating least squares changes them.
#include "decompose/partial_products.hpp"

#include <functional>
#include <memory>

#include "decompose/device_products.hpp"
#include "decompose/product_plan.hpp"
#include "decompose/sample.hpp"
#include "papilio/engine.hpp"

namespace papilio::test {
namespace {

using namespace decompose_detail;

template <class T>
void check(const sizes& extents, std::size_t rank,
           const std::function<std::unique_ptr<mode_products<T>>(const prepared_operand<T>&)>& of) {
  const auto x = normal_tensor<T>(extents, 1);
  const prepared_operand<T> p = prepare<T>("test", x.view());
  std::vector<array<T, 2>> factors;
  unsigned seed = 2;
  for (const std::size_t e : extents) factors.push_back(normal_matrix<T>(rank, e, seed++));
  const std::unique_ptr<mode_products<T>> products = of(p);
  for (std::size_t position = 0; position < 3 * extents.size(); ++position) {
    const std::size_t mode = position % extents.size();
    const T* const got = products->at(position, factors);
    std::vector<long double> expected(rank * extents[mode]), scale(rank);
    for (std::size_t at = 0; at < x.size(); ++at) {
      const sizes index = index_of(extents, at);
      for (std::size_t r = 0; r < rank; ++r) {
        long double product = x.data()[at];
        for (std::size_t m = 0; m < extents.size(); ++m)
          if (m != mode) product *= factors[m](r, index[m]);
        expected[r * extents[mode] + index[mode]] += product;
        scale[r] += product * product;
      }
    }
    // Sums of products of normally distributed numbers: rounding errors add up in quadrature.
    const double bound = 64 * std::numeric_limits<T>::epsilon();
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(got[i], double(expected[i]), bound * double(std::sqrt(scale[i / extents[mode]])))
          << "position " << position;
    factors[mode] = normal_matrix<T>(rank, extents[mode], seed++);
  }
}

template <class T>
void check(const sizes& extents, std::size_t rank, int threads) {
  check<T>(extents, rank, [&](const prepared_operand<T>& x) {
    return std::make_unique<partial_products<T>>(x, rank, threads);
  });
}

TEST(partial_products, are_those_of_the_definition) {
  for (const sizes& extents :
       {sizes{5, 7}, sizes{4, 5, 6}, sizes{17, 1, 33}, sizes{3, 4, 5, 6}, sizes{2, 3, 2, 4, 3},
        sizes{2, 2, 3, 2, 2, 3}, sizes{2, 1, 2, 3, 1, 2, 2}})
    for (const std::size_t rank : {std::size_t{1}, std::size_t{3}, std::size_t{10}}) {
      check<float>(extents, rank, 1);
      check<double>(extents, rank, 1);
    }
}

TEST(device_products, are_those_of_the_definition) {
  for (const sizes& extents : {sizes{5, 7}, sizes{4, 5, 6}, sizes{17, 1, 33}, sizes{3, 4, 5, 6},
                               sizes{2, 3, 2, 4, 3}, sizes{2, 2, 3, 2, 2, 3}, sizes{150, 3, 140}})
    for (const std::size_t rank : {std::size_t{1}, std::size_t{6}}) {
      engine::device dev;
      runner on("test", {.where = policy::device, .on = &dev}, real_type::single_precision,
                [](runner&) {});
      check<float>(extents, rank, [&](const prepared_operand<float>& x) {
        return std::make_unique<device_products<float>>(on, on.up(x.data, x.extents), x.extents,
                                                        rank);
      });
    }
}

// Of two long modes and a short one the Khatri-Rao product of the long ones would be larger than
// the array; of a cube of order 4 that of two modes is small, and the array is read by one product.
TEST(product_plan, makes_nothing_larger_than_what_one_factor_leaves) {
  const auto largest = [](const contraction_problem& p) {
    std::size_t most = 0;
    for (const contraction_problem::step& s : p.steps) {
      std::size_t size = 1;
      for (const int label : s.labels) size *= p.sizes[static_cast<std::size_t>(label)];
      most = std::max(most, size);
    }
    return most;
  };
  EXPECT_EQ(largest(product_plans(sizes{300, 300, 3}, 4)[2].problem), 300u * 3 * 4);
  for (const product_plan& plan : product_plans(sizes{20, 20, 20, 20}, 4))
    EXPECT_EQ(largest(plan.problem), plan.source ? 20u * 4 : 20u * 20 * 4);
}

// Arrays that are not turned, and matrices that are left to BLAS.
TEST(partial_products, of_large_arrays_are_the_same) {
  check<double>({44, 40, 45}, 3, 2);
  check<float>({20, 17, 15, 16}, 2, 2);
}

}  // namespace
}  // namespace papilio::test
