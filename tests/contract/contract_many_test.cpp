#include "papilio/contract/einsum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"
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
  expect_as_alone(list);
}

TEST(contract_many, a_result_is_given_that_another_needs_on_its_way) {
  const some_arrays s;
  const tensor_view<const float> thin{s.memory.data(), std::vector<std::size_t>{2, 9}};
  contraction_sharing told;
  const std::vector<contraction<float>> list{
      {"ij,jk->ik", {thin, s.b}}, {"ij,jk,kl->il", {thin, s.b, s.c}}, {"ij,jk->ik", {thin, s.b}}};
  contract_many<float>(list, {}, &told);
  EXPECT_EQ(told.steps, 4u);
  EXPECT_EQ(told.distinct, 2u);
  expect_as_alone(list);
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

// 24 products of one shape, of operands that overlap in memory at no even distance, and some of
// other shapes and layouts.
std::vector<contraction<float>> many_products(const std::vector<float>& memory) {
  const auto at = [&](std::size_t offset, std::size_t m, std::size_t n) {
    return tensor_view<const float>{memory.data() + offset, std::vector<std::size_t>{m, n}};
  };
  std::vector<contraction<float>> list;
  for (std::size_t i = 0; i < 24; ++i)
    list.push_back({"ij,jk->ik", {at(i * i, 17, 23), at(1000 + 7 * i * i, 23, 19)}});
  for (std::size_t i = 0; i < 3; ++i)
    list.push_back({"ij,kj->ik", {at(i * i, 17, 23), at(1000 + 7 * i, 19, 23)}});
  list.push_back({"ij,jk->ik", {at(3, 17, 29), at(999, 29, 19)}});
  return list;
}

// Sums of k products in double, of operands row-major; with_b_transposed: B lies as [n, k].
double plain_sum(const tensor_view<const float>& a, const tensor_view<const float>& b,
                 std::size_t i, std::size_t j, bool b_transposed, double& of_magnitudes) {
  const std::size_t k = a.extent(1), n = b.extent(1);
  double sum = 0;
  of_magnitudes = 0;
  for (std::size_t l = 0; l < k; ++l) {
    const double x = double(a.data()[i * k + l]) *
                     double(b_transposed ? b.data()[j * k + l] : b.data()[l * n + j]);
    sum += x;
    of_magnitudes += std::abs(x);
  }
  return sum;
}

TEST(contract_many, products_of_one_shape_are_one_batched_product) {
  const std::vector<float> memory = random_real<float>(8192, 21);
  const auto list = many_products(memory);
  contraction_sharing told;
  contract_many<float>(list, {}, &told);
  EXPECT_EQ(told.steps, 28u);
  EXPECT_EQ(told.grouped, 28u);
  EXPECT_EQ(told.batches, 3u);  // one shape, the same with B transposed, and another shape
}

TEST(contract_many, batched_products_have_the_values_of_plain_loops_for_any_threads) {
  const std::vector<float> memory = random_real<float>(8192, 22);
  const auto list = many_products(memory);
  const auto results = contract_many<float>(list);
  for (std::size_t p = 0; p < list.size(); ++p) {
    const bool b_transposed = list[p].subscripts == "ij,kj->ik";
    const std::size_t m = results[p].extent(0), n = results[p].extent(1);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        double magnitudes = 0;
        const double wanted =
            plain_sum(list[p].operands[0], list[p].operands[1], i, j, b_transposed, magnitudes);
        // At most k roundings of products and of sums each, to first order.
        const double bound = 2.0 * double(list[p].operands[0].extent(1)) * 0x1p-24 * magnitudes;
        ASSERT_NEAR(results[p].data()[i * n + j], wanted, bound) << p << ' ' << i << ' ' << j;
      }
  }
  contract_many_options two;
  two.on.threads = 2;
  expect_as_alone(list, two);
  expect_as_alone(list);
}

TEST(contract_many, blocks_of_large_products_are_shared_by_threads_in_one_batch) {
  const std::vector<float> memory = random_real<float>(600000, 23);
  std::vector<contraction<float>> list;
  for (std::size_t i = 0; i < 3; ++i)
    list.push_back(
        {"ij,jk->ik",
         {tensor_view<const float>{memory.data() + 100 * i, std::vector<std::size_t>{390, 410}},
          tensor_view<const float>{memory.data() + 300000 + 77 * i,
                                   std::vector<std::size_t>{410, 370}}}});
  contract_many_options three;
  three.on.threads = 3;
  contraction_sharing told;
  contract_many<float>(list, three, &told);
  EXPECT_EQ(told.grouped, 3u);
  EXPECT_EQ(told.batches, 1u);
  expect_as_alone(list, three);
}

TEST(contract_many, products_that_conjugate_otherwise_are_another_batch) {
  const std::vector<std::complex<double>> memory = random_complex<double>(400, 24);
  const tensor_view<const std::complex<double>> a{memory.data(), std::vector<std::size_t>{9, 8}},
      b{memory.data() + 100, std::vector<std::size_t>{8, 7}},
      c{memory.data() + 200, std::vector<std::size_t>{8, 7}};
  const std::vector<contraction<std::complex<double>>> list{{"ij,jk->ik", {a, b}, {false, true}},
                                                            {"ij,jk->ik", {a, c}, {false, true}},
                                                            {"ij,jk->ik", {a, b}, {true, false}}};
  contraction_sharing told;
  const auto results = contract_many<std::complex<double>>(list, {}, &told);
  EXPECT_EQ(told.batches, 2u);
  for (std::size_t p = 0; p < list.size(); ++p)
    for (std::size_t i = 0; i < 9; ++i)
      for (std::size_t k = 0; k < 7; ++k) {
        std::complex<double> wanted = 0;
        for (std::size_t j = 0; j < 8; ++j) {
          const auto x = list[p].operands[0].data()[i * 8 + j];
          const auto y = list[p].operands[1].data()[j * 7 + k];
          wanted += p < 2 ? x * std::conj(y) : std::conj(x) * y;
        }
        // 8 products of magnitudes below 2, of some 10 roundings of 2^-53.
        EXPECT_NEAR(std::abs(results[p].data()[i * 7 + k] - wanted), 0, 160 * 0x1p-52);
      }
}

TEST(contract_many, what_is_no_product_of_matrices_is_not_counted_as_one) {
  const some_arrays s;
  contraction_sharing told;
  contract_many<float>(
      std::vector<contraction<float>>{{"ij,ij->ij", {s.a, s.a}}, {"ij->ji", {s.a}}}, {}, &told);
  EXPECT_EQ(told.grouped, 0u);
  EXPECT_EQ(told.batches, 0u);
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
