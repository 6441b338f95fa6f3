#include "papilio/contract/contract_many.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"
#include "papilio/contract/einsum.hpp"
#include "support/oracle.hpp"

namespace papilio::test {
namespace {

using operands = std::vector<tensor_view<const float>>;

struct some_arrays {
  std::vector<float> memory = random_real<float>(4096, 9);
  tensor_view<const float> a{memory.data(), std::vector<std::size_t>{8, 9}},
      b{memory.data() + 100, std::vector<std::size_t>{9, 10}},
      c{memory.data() + 300, std::vector<std::size_t>{10, 7}},
      d{memory.data() + 500, std::vector<std::size_t>{10, 6}},
      wide{memory.data() + 700, std::vector<std::size_t>{4, 9, 5}};
};

void expect_as_alone(const std::vector<contraction<float>>& list,
                     const contract_many_options& options = {}) {
  const auto results = contract_many<float>(list, options);
  ASSERT_EQ(results.size(), list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const tensor<float> wanted = contract_detail::einsum<float>(
        list[i].subscripts, list[i].operands,
        {.conjugate = list[i].conjugate, .path = options.path, .on = options.on});
    ASSERT_TRUE(std::ranges::equal(results[i].extents(), wanted.extents())) << i;
    ASSERT_EQ(0, std::memcmp(results[i].data(), wanted.data(), wanted.size() * sizeof(float)))
        << list[i].subscripts;
  }
}

TEST(contract_many, gives_what_each_alone_gives) {
  const some_arrays s;
  const std::vector<contraction<float>> list{{"ij,jk,kl->il", {s.a, s.b, s.c}},
                                             {"ij,jk,kl->li", {s.a, s.b, s.d}},
                                             {"ij->ji", {s.a}},
                                             {"ij,ij->", {s.a, s.a}},
                                             {"ij,kjl->kil", {s.a, s.wide}},
                                             {"ij,kjl->ikl", {s.a, s.wide}}};
  expect_as_alone(list);
  contract_many_options two;
  two.on.threads = 2;
  expect_as_alone(list, two);
  expect_as_alone({});
}

TEST(contract_many, runs_what_is_sliced_for_itself) {
  const some_arrays s;
  const tensor_view<const float> cube{s.memory.data(), std::vector<std::size_t>{6, 5, 7}},
      other{s.memory.data() + 300, std::vector<std::size_t>{7, 5, 4}},
      flat{s.memory.data() + 600, std::vector<std::size_t>{4, 6}};
  expect_as_alone({{"abc,cbd,da->ab", {cube, other, flat}}, {"abc->cab", {cube}}},
                  {.path = {.largest_intermediate = 210}});
  expect_as_alone({{"abc,cbd,da->ab", {cube, other, flat}}},
                  {.path = {.largest_intermediate = 30}});
}

TEST(contract_many, common_steps_run_once) {
  const some_arrays s;
  contraction_sharing told;
  // Labels have other names in the second.
  const std::vector<contraction<float>> list{
      {"ij,jk->ik", {s.a, s.b}}, {"xy,yz->xz", {s.a, s.b}}, {"xy,yz->zx", {s.a, s.b}}};
  contract_many<float>(list, {}, &told);
  EXPECT_EQ(told.steps, 3u);
  EXPECT_EQ(told.distinct, 2u);
  EXPECT_EQ(told.grouped, 2u);
}

TEST(contract_many, common_intermediates_are_computed_once) {
  const some_arrays s;
  const tensor_view<const float> thin{s.memory.data(), std::vector<std::size_t>{2, 9}};
  contraction_sharing told;
  // (thin b) is the cheaper first step of both.
  const std::vector<contraction<float>> list{{"ij,jk,kl->il", {thin, s.b, s.c}},
                                             {"ij,jk,kl->il", {thin, s.b, s.d}}};
  contract_many<float>(list, {}, &told);
  EXPECT_EQ(told.steps, 4u);
  EXPECT_EQ(told.distinct, 3u);
  expect_as_alone(list);
}

TEST(contract_many, copies_of_operands_are_made_once) {
  const std::vector<float> memory = random_real<float>(400000, 2);
  const tensor_view<const float> mixed{memory.data(), std::vector<std::size_t>{16, 24, 16, 24}},
      left{memory.data() + 5, std::vector<std::size_t>{24, 24, 100}},
      right{memory.data() + 77, std::vector<std::size_t>{24, 24, 90}};
  contraction_sharing told;
  const std::vector<contraction<float>> list{{"iajb,abc->ijc", {mixed, left}},
                                             {"iajb,abc->ijc", {mixed, right}}};
  contract_many<float>(list, {}, &told);
  EXPECT_EQ(told.shared_copies, 1u);
  expect_as_alone(list);
}

TEST(contract_many, operands_at_other_addresses_are_others) {
  const some_arrays s;
  contraction_sharing told;
  const tensor_view<const float> other{s.memory.data() + 1, std::vector<std::size_t>{8, 9}};
  contract_many<float>(
      std::vector<contraction<float>>{{"ij,jk->ik", {s.a, s.b}}, {"ij,jk->ik", {other, s.b}}}, {},
      &told);
  EXPECT_EQ(told.distinct, 2u);
}

TEST(contract_many, names_the_contraction_that_is_wrong) {
  const some_arrays s;
  try {
    contract_many<float>(
        std::vector<contraction<float>>{{"ij,jk->ik", {s.a, s.b}}, {"ij,jk->ik", {s.a, s.c}}});
    FAIL();
  } catch (const shape_error& e) {
    EXPECT_NE(std::string(e.what()).find("contraction 1"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace papilio::test
