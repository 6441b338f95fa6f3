// What is refused, by which error, and that the message says which.
#include <functional>
#include <string>

#include "decompose/sample.hpp"

namespace papilio::test {
namespace {

const tensor<float> x = normal_tensor<float>({4, 5, 3}, 1);
const tensor<float> vector = normal_tensor<float>({7}, 1);
const tensor<float> empty({3, 0, 2});
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(bad_input, of_cp) {
  expect_refusal<invalid_argument>([] { cp_als(x, 0); }, "cp_als: rank must be at least 1");
  expect_refusal<shape_error>([] { cp_als(vector, 1); }, "at least 2 modes, got 1");
  expect_refusal<shape_error>([] { cp_als(empty, 1); }, "x is empty: extent 0 of mode 1");
  expect_refusal<invalid_argument>([] { cp_als(x, 1, {.max_iterations = 0}); }, "max_iterations");
  for (const double tolerance : {1e-8, -1.0, nan})
    expect_refusal<invalid_argument>([&] { cp_als(x, 1, {.tolerance = tolerance}); },
                                     "tolerance must be 0 or at least 1.19209e-07");
  expect_refusal<invalid_argument>([] { cp_als(x, 1, {.on = {.threads = -1}}); }, "thread");
  expect_refusal<resource_error>([] { cp_als(x, std::size_t{1} << 62); }, "");
}

TEST(bad_input, of_masks) {
  tensor<bool> mask({4, 5, 3});
  expect_refusal<invalid_argument>([&] { cp_als(x, 1, {.mask = mask.view()}); },
                                   "the mask leaves no element");
  const tensor<bool> other({4, 5, 2});
  expect_refusal<shape_error>([&] { cp_als(x, 1, {.mask = other.view()}); },
                              "the mask must have the extents of x");
}

TEST(bad_input, of_warm_starts) {
  cp_model<float> warm = normal_cp<float>({4, 5, 3}, 2, 1);
  const auto call = [&] { cp_als(x, 2, {.warm_start = &warm}); };
  warm.factors[1] = normal_matrix<float>(6, 2, 1);
  expect_refusal<shape_error>(call, "warm start's factor of mode 1 is 6 x 2; must be 5 x 2");
  warm.factors.pop_back();
  expect_refusal<shape_error>(call, "the warm start has 2 factors");
  warm = normal_cp<float>({4, 5, 3}, 2, 1);
  warm.factors[2](1, 1) = std::numeric_limits<float>::infinity();
  expect_refusal<invalid_argument>(call, "warm start's factor of mode 2 is not finite");
  warm = normal_cp<float>({4, 5, 3}, 2, 1);
  warm.weights(0) = std::numeric_limits<float>::quiet_NaN();
  expect_refusal<invalid_argument>(call, "weight of the warm start");
}

TEST(bad_input, of_elements_that_are_not_finite) {
  for (const float value :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    tensor<float> y = x;
    y.data()[(2 * 5 + 4) * 3 + 1] = value;
    expect_refusal<invalid_argument>([&] { cp_als(y, 1); }, "x[2, 4, 1] is not finite");
    expect_refusal<invalid_argument>(
        [&] {
          tucker_sthosvd(y, {.ranks = {1, 1, 1}});
        },
        "tucker_sthosvd: x[2, 4, 1] is not finite");
    expect_refusal<invalid_argument>(
        [&] {
          tucker_hooi(y, {.ranks = {1, 1, 1}});
        },
        "tucker_hooi: x[2, 4, 1] is not finite");
    expect_refusal<invalid_argument>([&] { tt_svd(y); }, "tt_svd: x[2, 4, 1] is not finite");
    const view<const float, 2> matrix(y.data(), {20, 3});
    expect_refusal<invalid_argument>([&] { randomized_svd(matrix, 1); }, "x[14, 1] is not finite");
  }
}

TEST(bad_input, of_tucker) {
  expect_refusal<invalid_argument>([] { tucker_sthosvd(x, {}); }, "neither ranks nor a tolerance");
  expect_refusal<invalid_argument>(
      [] {
        tucker_sthosvd(x, {.ranks = {4, 6, 3}});
      },
      "the rank of mode 1 must be from 1 to its extent 5, got 6");
  expect_refusal<invalid_argument>([] { tucker_sthosvd(x, {.ranks = {4, 0, 3}}); }, "got 0");
  expect_refusal<shape_error>([] { tucker_sthosvd(x, {.ranks = {4, 3}}); }, "2 ranks");
  // 8 modes epsilon
  expect_refusal<invalid_argument>([] { tucker_sthosvd(x, {.tolerance = 2e-6}); },
                                   "tolerance must be at least 2.86102e-06");
  for (const double tolerance : {1.0, nan, -0.1})
    EXPECT_THROW(tucker_sthosvd(x, {.tolerance = tolerance}), invalid_argument);
  expect_refusal<shape_error>([] { tucker_sthosvd(vector, {.tolerance = 0.1}); }, "2 modes");
  expect_refusal<shape_error>([] { tucker_sthosvd(empty, {.ranks = {1, 1, 1}}); }, "empty");
  expect_refusal<invalid_argument>(
      [] {
        tucker_hooi(x, {.ranks = {1, 1, 1}, .max_iterations = 0});
      },
      "max_iterations");
  expect_refusal<invalid_argument>(
      [] {
        tucker_hooi(x, {.ranks = {1, 1, 1}, .change = 1e-9});
      },
      "change must be 0 or at least");
}

TEST(bad_input, of_tensor_trains) {
  expect_refusal<invalid_argument>([] { tt_svd(x, {.max_ranks = {2, 0}}); }, "max_ranks[1]");
  expect_refusal<shape_error>([] { tt_svd(x, {.max_ranks = {2, 2, 2}}); }, "one for each of 2");
  expect_refusal<invalid_argument>([] { tt_svd(x, {.tolerance = 1e-7}); }, "at least 2.86102e-06");
  expect_refusal<shape_error>([] { tt_svd(vector); }, "2 modes");
  expect_refusal<shape_error>([] { tt_svd(empty); }, "empty");
  auto train = normal_train<float>({3, 4, 5}, {2, 2}, 1);
  expect_refusal<invalid_argument>([&] { tt_round(train, {.max_ranks = {0}}); }, "max_ranks[0]");
  train.cores[1](1, 1, 1) = std::numeric_limits<float>::quiet_NaN();
  expect_refusal<invalid_argument>([&] { tt_round(train); }, "core 1 is not finite");
  train.cores[2] = array<float, 3>({3, 5, 1});
  expect_refusal<shape_error>([&] { tt_round(train); }, "core 2 must begin with a bond of 2");
  expect_refusal<shape_error>([&] { reconstruct(train); }, "core 2 must begin with a bond of 2");
  EXPECT_THROW(reconstruct(tensor_train<float>()), shape_error);
}

TEST(bad_input, of_randomized_svds) {
  const auto a = normal_matrix<float>(4, 6, 1);
  expect_refusal<invalid_argument>([&] { randomized_svd(a, 5); }, "rank must be from 1 to 4");
  EXPECT_THROW(randomized_svd(a, 0), invalid_argument);
  expect_refusal<shape_error>([] { randomized_svd(x, 1); }, "a must be a matrix");
}

TEST(bad_input, of_models_and_indices) {
  auto m = normal_cp<float>({4, 5, 3}, 2, 1);
  array<std::size_t, 2> indices({2, 3});
  indices(1, 2) = 3;
  expect_refusal<invalid_argument>([&] { reconstruct_at(m, indices.view()); },
                                   "index 3 of mode 2 in row 1 must be below 3");
  const array<std::size_t, 2> narrow({2, 2});
  expect_refusal<shape_error>([&] { reconstruct_at(m, narrow.view()); }, "[count, 3]");
  expect_refusal<shape_error>([&] { relative_error(vector, m); }, "extents of the model");
  m.factors[0] = normal_matrix<float>(4, 3, 1);
  expect_refusal<shape_error>([&] { reconstruct(m); }, "factor of mode 0 has 3 columns");
  auto t = normal_tucker<float>({4, 5, 3}, {2, 2, 2}, 1);
  t.factors[2] = normal_matrix<float>(3, 1, 1);
  expect_refusal<shape_error>([&] { reconstruct(t); }, "factor of mode 2 has 1 columns");
}

}  // namespace
}  // namespace papilio::test
