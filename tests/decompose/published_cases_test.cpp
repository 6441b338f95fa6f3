// The published acceptance cases of a tensor library for accelerators that are of decompositions,
// by their numbers there, on the host and on an accelerator; where an input is not said, normally
// distributed.
#include <algorithm>
#include <ostream>
#include <string>

#include "decompose/sample.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"

namespace papilio::test {
namespace {

constexpr float single = std::numeric_limits<float>::epsilon();

void cp_of_rank_1(const execution& on) {
  const auto x = naive_tensor<float>(normal_cp<float>({4, 5, 3}, 1, 1));
  EXPECT_LT(naive_error(x, cp_als(x, 1, {.tolerance = 1e-4, .on = on})), 1e-2);
}

void cp_of_rank_3(const execution& on) {
  const auto x = naive_tensor<float>(normal_cp<float>({8, 6, 4}, 3, 42));
  EXPECT_LT(naive_error(x, cp_als(x, 3, {.max_iterations = 200, .tolerance = 1e-4, .on = on})),
            0.05);
}

void cp_of_rank_2(const execution& on) {
  const auto x = naive_tensor<float>(normal_cp<float>({6, 5, 4}, 2, 7));
  EXPECT_LT(naive_error(x, cp_als(x, 2, {.max_iterations = 300, .tolerance = 1e-5, .on = on})),
            0.05);
}

void cp_of_zeros(const execution& on) {
  const tensor<float> x({4, 5, 3});
  const cp_result<float> m = cp_als(x, 2, {.max_iterations = 10, .on = on});
  const tensor<float> zeros = reconstruct(m);
  for (const float v : zeros.flat()) EXPECT_EQ(v, 0.0f);
  EXPECT_EQ(m.relative_error, 0);
  for (const auto& f : m.factors)
    for (const float v : f) EXPECT_TRUE(std::isfinite(v));
}

void cp_of_a_rank_above_the_extents(const execution& on) {
  const auto x = normal_tensor<float>({3, 4, 5}, 1);
  const cp_result<float> m = cp_als(x, 6, {.on = on});
  for (std::size_t mode = 0; mode < 3; ++mode) {
    EXPECT_EQ(m.factors[mode].extents(), (extents_type<2>{x.extent(mode), 6}));
    for (const float v : m.factors[mode]) EXPECT_TRUE(std::isfinite(v));
  }
  for (const float v : m.weights) EXPECT_TRUE(std::isfinite(v));
}

void cp_shapes(const execution& on) {
  const cp_result<float> m = cp_als(normal_tensor<float>({5, 4, 3}, 1), 2, {.on = on});
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

void nonnegative_cp(const execution& on) {
  expect_nonnegative(cp_als(normal_tensor<float>({4, 5, 3}, 1), 3,
                            {.max_iterations = 50, .tolerance = 0, .nonnegative = true, .on = on}));
}

void nonnegative_cp_from_a_warm_start_with_negatives(const execution& on) {
  const cp_model<float> warm = normal_cp<float>({4, 5, 3}, 2, 5);
  expect_nonnegative(
      cp_als(normal_tensor<float>({4, 5, 3}, 1), 2,
             {.max_iterations = 30, .nonnegative = true, .warm_start = &warm, .on = on}));
}

// Of magnitudes: factors that are not negative cannot be near half of normally distributed numbers.
void nonnegative_cp_is_near(const execution& on) {
  auto x = normal_tensor<float>({5, 4, 3}, 1);
  for (float& v : x.flat()) v = std::abs(v);
  const auto m = cp_als(x, 4, {.max_iterations = 200, .nonnegative = true, .on = on});
  expect_nonnegative(m);
  EXPECT_LT(naive_error(x, m), 0.5);
}

void cp_from_a_warm_start(const execution& on) {
  const auto x = normal_tensor<float>({4, 5, 3}, 1);
  const cp_model<float> warm = normal_cp<float>({4, 5, 3}, 2, 5);
  const cp_result<float> m = cp_als(x, 2, {.warm_start = &warm, .on = on});
  EXPECT_EQ(m.factors[1].extents(), (extents_type<2>{5, 2}));
  try {
    cp_als(x, 3, {.warm_start = &warm, .on = on});
    FAIL() << "another rank was taken";
  } catch (const shape_error& e) {
    EXPECT_NE(std::string(e.what()).find("warm start"), std::string::npos) << e.what();
  }
}

void tucker_of_full_ranks(const execution& on) {
  const auto x = normal_tensor<float>({4, 3, 5}, 1);
  const tensor<float> y = reconstruct(tucker_sthosvd(x, {.ranks = {4, 3, 5}, .on = on}));
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(y.data()[i], x.data()[i], 1e-4);
}

void tucker_of_lower_ranks(const execution& on) {
  const auto x = normal_tensor<float>({10, 8, 6}, 1);
  const tucker_result<float> m = tucker_sthosvd(x, {.ranks = {3, 3, 3}, .on = on});
  EXPECT_EQ(m.ranks(), (sizes{3, 3, 3}));
  EXPECT_LT(naive_error(x, m), 1);
}

// Rounded to float each element of a column is wrong by half an epsilon of it at most.
void expect_orthonormal(const tucker_model<float>& m) {
  for (const auto& f : m.factors) EXPECT_LT(orthogonality_error(f.view()), 2 * single);
}

void tucker_factors_are_orthonormal(const execution& on) {
  expect_orthonormal(
      tucker_sthosvd(normal_tensor<float>({8, 6, 4}, 1), {.ranks = {3, 3, 3}, .on = on}));
}

void tucker_factors_of_other_ranks_are_orthonormal(const execution& on) {
  expect_orthonormal(
      tucker_sthosvd(normal_tensor<float>({10, 8, 6}, 1), {.ranks = {4, 3, 2}, .on = on}));
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

void tensor_train_of_more_ranks_than_there_are(const execution& on) {
  expect_bonds(tt_svd(normal_tensor<float>({4, 5, 3}, 1), {.max_ranks = {10}, .on = on}), {4, 5, 3},
               10);
}

void tensor_train_of_rank_2(const execution& on) {
  expect_bonds(tt_svd(normal_tensor<float>({5, 6, 4}, 1), {.max_ranks = {2}, .on = on}), {5, 6, 4},
               2);
}

void tensor_train_of_order_4(const execution& on) {
  expect_bonds(tt_svd(normal_tensor<float>({3, 4, 5, 2}, 1), {.max_ranks = {6}, .on = on}),
               {3, 4, 5, 2}, 6);
}

void tensor_train_and_back(const execution& on) {
  const auto x = normal_tensor<float>({4, 5, 3}, 1);
  EXPECT_LT(naive_error(x, tt_svd(x, {.max_ranks = {20}, .on = on})), 1e-2);
}

void tensor_train_of_rank_1(const execution& on) {
  const auto x = naive_tensor<float>(normal_cp<float>({4, 5, 3}, 1, 1));
  EXPECT_LT(naive_error(x, tt_svd(x, {.max_ranks = {1}, .on = on})), 1e-4);
}

struct published_case {
  const char* id;
  void (*run)(const execution& on);
};
std::ostream& operator<<(std::ostream& out, const published_case& c) { return out << c.id; }
std::string name_of(const testing::TestParamInfo<published_case>& info) {
  std::string name = info.param.id;
  std::ranges::replace(name, '-', '_');
  return name;
}

constexpr published_case all[] = {
    {"trntensor-053", cp_of_rank_1},
    {"trntensor-054", cp_of_rank_3},
    {"trntensor-055", cp_of_rank_2},
    {"trntensor-056", cp_of_zeros},
    {"trntensor-057", cp_of_a_rank_above_the_extents},
    {"trntensor-058", cp_shapes},
    {"trntensor-059", nonnegative_cp},
    {"trntensor-060", nonnegative_cp_from_a_warm_start_with_negatives},
    {"trntensor-061", nonnegative_cp_is_near},
    {"trntensor-062", cp_from_a_warm_start},
    {"trntensor-063", tucker_of_full_ranks},
    {"trntensor-064", tucker_of_lower_ranks},
    {"trntensor-065", tucker_factors_are_orthonormal},
    {"trntensor-066", tucker_factors_of_other_ranks_are_orthonormal},
    {"trntensor-067", tensor_train_of_more_ranks_than_there_are},
    {"trntensor-068", tensor_train_of_rank_2},
    {"trntensor-069", tensor_train_of_order_4},
    {"trntensor-070", tensor_train_and_back},
    {"trntensor-071", tensor_train_of_rank_1},
};

class published_decomposition : public testing::TestWithParam<published_case> {};

TEST_P(published_decomposition, by_the_host) {
  GetParam().run({.where = policy::host});
  EXPECT_EQ(last_run().backend, "host");
}

TEST_P(published_decomposition, by_an_accelerator) {
  engine::device device;
  GetParam().run({.where = policy::device, .on = &device});
  EXPECT_EQ(last_run().backend, "device");
  EXPECT_EQ(last_run().machine, device.name());
}

INSTANTIATE_TEST_SUITE_P(trntensor, published_decomposition, testing::ValuesIn(all), name_of);

}  // namespace
}  // namespace papilio::test
