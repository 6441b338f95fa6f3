// The published acceptance cases of a tensor library for accelerators that are of decompositions,
// by their numbers there; where an input is not said, normally distributed.
#include "decompose/sample.hpp"

namespace papilio::test {
namespace {

constexpr float single = std::numeric_limits<float>::epsilon();

TEST(trntensor_053, cp_of_rank_1) {
  const auto x = naive_tensor<float>(normal_cp<float>({4, 5, 3}, 1, 1));
  EXPECT_LT(naive_error(x, cp_als(x, 1, {.tolerance = 1e-4})), 1e-2);
}

TEST(trntensor_054, cp_of_rank_3) {
  const auto x = naive_tensor<float>(normal_cp<float>({8, 6, 4}, 3, 42));
  EXPECT_LT(naive_error(x, cp_als(x, 3, {.max_iterations = 200, .tolerance = 1e-4})), 0.05);
}

TEST(trntensor_055, cp_of_rank_2) {
  const auto x = naive_tensor<float>(normal_cp<float>({6, 5, 4}, 2, 7));
  EXPECT_LT(naive_error(x, cp_als(x, 2, {.max_iterations = 300, .tolerance = 1e-5})), 0.05);
}

TEST(trntensor_056, cp_of_zeros) {
  const tensor<float> x({4, 5, 3});
  const cp_result<float> m = cp_als(x, 2, {.max_iterations = 10});
  const tensor<float> zeros = reconstruct(m);
  for (const float v : zeros.flat()) EXPECT_EQ(v, 0.0f);
  EXPECT_EQ(m.relative_error, 0);
  for (const auto& f : m.factors)
    for (const float v : f) EXPECT_TRUE(std::isfinite(v));
}

TEST(trntensor_057, cp_of_a_rank_above_the_extents) {
  const auto x = normal_tensor<float>({3, 4, 5}, 1);
  const cp_result<float> m = cp_als(x, 6);
  for (std::size_t mode = 0; mode < 3; ++mode) {
    EXPECT_EQ(m.factors[mode].extents(), (extents_type<2>{x.extent(mode), 6}));
    for (const float v : m.factors[mode]) EXPECT_TRUE(std::isfinite(v));
  }
  for (const float v : m.weights) EXPECT_TRUE(std::isfinite(v));
}

TEST(trntensor_058, cp_shapes) {
  const cp_result<float> m = cp_als(normal_tensor<float>({5, 4, 3}, 1), 2);
  ASSERT_EQ(m.order(), 3u);
  EXPECT_EQ(m.factors[0].extents(), (extents_type<2>{5, 2}));
  EXPECT_EQ(m.factors[1].extents(), (extents_type<2>{4, 2}));
  EXPECT_EQ(m.factors[2].extents(), (extents_type<2>{3, 2}));
  EXPECT_EQ(m.weights.extent(0), 2u);
}

void expect_nonnegative(const cp_model<float>& m) {
  for (const float w : m.weights) EXPECT_GE(w, 0.0f);
  for (const auto& f : m.factors)
    for (const float v : f) EXPECT_GE(v, 0.0f);
}

TEST(trntensor_059, nonnegative_cp) {
  expect_nonnegative(cp_als(normal_tensor<float>({4, 5, 3}, 1), 3,
                            {.max_iterations = 50, .tolerance = 0, .nonnegative = true}));
}

TEST(trntensor_060, nonnegative_cp_from_a_warm_start_with_negatives) {
  const cp_model<float> warm = normal_cp<float>({4, 5, 3}, 2, 5);
  expect_nonnegative(cp_als(normal_tensor<float>({4, 5, 3}, 1), 2,
                            {.max_iterations = 30, .nonnegative = true, .warm_start = &warm}));
}

// Of magnitudes: factors that are not negative cannot be near half of normally distributed numbers.
TEST(trntensor_061, nonnegative_cp_is_near) {
  auto x = normal_tensor<float>({5, 4, 3}, 1);
  for (float& v : x.flat()) v = std::abs(v);
  const auto m = cp_als(x, 4, {.max_iterations = 200, .nonnegative = true});
  expect_nonnegative(m);
  EXPECT_LT(naive_error(x, m), 0.5);
}

TEST(trntensor_062, cp_from_a_warm_start) {
  const auto x = normal_tensor<float>({4, 5, 3}, 1);
  const cp_model<float> warm = normal_cp<float>({4, 5, 3}, 2, 5);
  const cp_result<float> m = cp_als(x, 2, {.warm_start = &warm});
  EXPECT_EQ(m.factors[1].extents(), (extents_type<2>{5, 2}));
  try {
    cp_als(x, 3, {.warm_start = &warm});
    FAIL() << "another rank was taken";
  } catch (const shape_error& e) {
    EXPECT_NE(std::string(e.what()).find("warm start"), std::string::npos) << e.what();
  }
}

TEST(trntensor_063, tucker_of_full_ranks) {
  const auto x = normal_tensor<float>({4, 3, 5}, 1);
  const tensor<float> y = reconstruct(tucker_sthosvd(x, {.ranks = {4, 3, 5}}));
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(y.data()[i], x.data()[i], 1e-4);
}

TEST(trntensor_064, tucker_of_lower_ranks) {
  const auto x = normal_tensor<float>({10, 8, 6}, 1);
  const tucker_result<float> m = tucker_sthosvd(x, {.ranks = {3, 3, 3}});
  EXPECT_EQ(m.ranks(), (sizes{3, 3, 3}));
  EXPECT_LT(naive_error(x, m), 1);
}

// Rounded to float each element of a column is wrong by half an epsilon of it at most.
void expect_orthonormal(const tucker_model<float>& m) {
  for (const auto& f : m.factors) EXPECT_LT(orthogonality_error(f.view()), 2 * single);
}

TEST(trntensor_065, tucker_factors_are_orthonormal) {
  expect_orthonormal(tucker_sthosvd(normal_tensor<float>({8, 6, 4}, 1), {.ranks = {3, 3, 3}}));
}

TEST(trntensor_066, tucker_factors_of_other_ranks_are_orthonormal) {
  expect_orthonormal(tucker_sthosvd(normal_tensor<float>({10, 8, 6}, 1), {.ranks = {4, 3, 2}}));
}

void expect_bonds(const tensor_train<float>& train, const sizes& extents, std::size_t most) {
  const sizes ranks = train.ranks();
  ASSERT_EQ(ranks.size(), extents.size() + 1);
  EXPECT_EQ(ranks.front(), 1u);
  EXPECT_EQ(ranks.back(), 1u);
  for (std::size_t mode = 0; mode < extents.size(); ++mode) {
    EXPECT_EQ(train.cores[mode].extents(),
              (extents_type<3>{ranks[mode], extents[mode], ranks[mode + 1]}));
    EXPECT_LE(ranks[mode], most);
  }
}

TEST(trntensor_067, tensor_train_of_more_ranks_than_there_are) {
  expect_bonds(tt_svd(normal_tensor<float>({4, 5, 3}, 1), {.max_ranks = {10}}), {4, 5, 3}, 10);
}

TEST(trntensor_068, tensor_train_of_rank_2) {
  expect_bonds(tt_svd(normal_tensor<float>({5, 6, 4}, 1), {.max_ranks = {2}}), {5, 6, 4}, 2);
}

TEST(trntensor_069, tensor_train_of_order_4) {
  expect_bonds(tt_svd(normal_tensor<float>({3, 4, 5, 2}, 1), {.max_ranks = {6}}), {3, 4, 5, 2}, 6);
}

TEST(trntensor_070, tensor_train_and_back) {
  const auto x = normal_tensor<float>({4, 5, 3}, 1);
  EXPECT_LT(naive_error(x, tt_svd(x, {.max_ranks = {20}})), 1e-2);
}

TEST(trntensor_071, tensor_train_of_rank_1) {
  const auto x = naive_tensor<float>(normal_cp<float>({4, 5, 3}, 1, 1));
  EXPECT_LT(naive_error(x, tt_svd(x, {.max_ranks = {1}})), 1e-4);
}

}  // namespace
}  // namespace papilio::test
