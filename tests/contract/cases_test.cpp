// The published acceptance cases of a tensor library for accelerators that are for the host and of
// contractions, in its own precision and with its own tolerances where those are the stricter ones,
// by their numbers there.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "contract/published_case.hpp"
#include "papilio/engine.hpp"
#include "support/case_list.hpp"

namespace papilio::test {
namespace {

constexpr tolerance tight{1e-7, 1e-5}, usual{1e-7, 1e-4}, device{1e-4, 1e-3};

void check_many(const std::vector<contraction<float>>& all, tolerance bound) {
  const std::vector<tensor<float>> results = contract_many<float>(all);
  ASSERT_EQ(results.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    operands o;
    for (const tensor_view<const float>& v : all[i].operands) {
      o.emplace_back(v.extents());
      std::copy_n(v.data(), v.size(), o.back().data());  // row-major
    }
    expect_close(results[i], naive_sums(all[i].subscripts, o), bound);
  }
}

// out = alpha sum + beta out.
void check_scaled(float alpha, float beta) {
  const operands o = normal({{4, 3}, {3, 5}});
  const tensor<float> before = normal({{4, 5}}, 7)[0];
  tensor<float> out = before;
  einsum_into("ij,jk->ik", out, o[0], o[1], einsum_options{.alpha = alpha, .beta = beta});
  expect_close(out, naive_sums("ij,jk->ik", o), tight, alpha, beta, &before);
}

void check_implicit(const std::string& subscripts, const std::string& expected,
                    const shapes& extents) {
  const contraction_network network = parse_einsum(subscripts, extents).network;
  std::string got;
  for (int label : network.output) got += network.names[static_cast<std::size_t>(label)];
  EXPECT_EQ(got, expected);
}

const published_case einsums[] = {
    {"trntensor-001",
     [] {
       check_normal("ij,jk->ik", {{4, 3}, {3, 5}}, tight);
     }},
    {"trntensor-002",
     [] {
       check_normal("ji,jk->ik", {{3, 4}, {3, 5}}, tight);
     }},
    {"trntensor-003",
     [] {
       check_normal("ij,kj->ik", {{4, 3}, {5, 3}}, tight);
     }},
    {"trntensor-004",
     [] {
       check_normal("i,i->", {{10}, {10}}, tight);
     }},
    {"trntensor-005",
     [] {
       check_normal("i,j->ij", {{3}, {4}}, tight);
     }},
    {"trntensor-006",
     [] {
       check_normal("ii->", {{5, 5}}, tight);
     }},
    {"trntensor-007",
     [] {
       check_normal("bij,bjk->bik", {{8, 4, 3}, {8, 3, 5}}, usual);
     }},
    {"trntensor-008",
     [] {
       check_normal("ap,bp->ab", {{5, 10}, {5, 10}}, usual);
     }},
    {"trntensor-009",
     [] {
       check_normal("mi,mnP->inP", {{6, 2}, {6, 6, 8}}, usual);
     }},
    {"trntensor-010",
     [] {
       check_normal("ijk,jkl->il", {{3, 4, 5}, {4, 5, 6}}, usual);
     }},
    {"trntensor-011",
     [] {
       const auto o = normal({{4, 3}, {3, 5}, {5, 2}});
       check_many({{"ij,jk->ik", {o[0], o[1]}}, {"ij,jk->ik", {o[1], o[2]}}}, tight);
     }},
    {"trntensor-012",
     [] {
       const auto b = normal({{5, 8}, {5, 8}, {5, 8}});
       std::vector<contraction<float>> pairs;
       for (const tensor<float>& left : b)
         for (const tensor<float>& right : b) pairs.push_back({"ap,bp->ab", {left, right}});
       check_many(pairs, tight);
     }},
    {"trntensor-013",
     [] {
       const auto o = normal({{4, 3}, {3, 5}, {5, 2}, {2, 6}});
       check_many({{"ij,jk->ik", {o[0], o[1]}}, {"ij,jk->ik", {o[2], o[3]}}}, tight);
     }},
    {"trntensor-014",
     [] {
       check_normal("ij,jk,kl->il", {{3, 4}, {4, 5}, {5, 2}}, usual);
     }},
    {"trntensor-015",
     [] {
       const auto o = normal({{3, 4}, {4, 5}, {5, 2}});
       check_many({{"ij,jk,kl->il", {o[0], o[1], o[2]}}, {"ij,ij->", {o[0], o[0]}}}, usual);
     }},
    {"trntensor-016",
     [] {
       check_normal("ij,jk,kl->il", {{5, 8}, {8, 6}, {6, 4}}, usual);
     }},
    {"trntensor-017",
     [] {
       check_normal("ij,jk,kl,lm->im", {{3, 5}, {5, 4}, {4, 6}, {6, 2}}, usual);
     }},
    {"trntensor-018",
     [] {
       check_normal("ij,ik,il->jkl", {{4, 3}, {4, 5}, {4, 2}}, usual);
     }},
    {"trntensor-019",
     [] {
       const auto c = sums_of("ij,jk,kl->il", normal({{7, 3}, {3, 5}, {5, 11}}));
       EXPECT_TRUE(std::ranges::equal(c.extents(), std::vector<std::size_t>{7, 11}));
     }},
    {"trntensor-043",
     [] {
       check_normal("ji,kj->ik", {{3, 4}, {5, 3}}, tight);
     }},
    {"trntensor-044",
     [] {
       check_normal("ij,jk->ik", {{4, 1}, {1, 5}}, tight);
     }},
    {"trntensor-103",
     [] {
       const shapes extents{{7, 3}, {3, 5}, {5, 11}};
       const einsum_options given{.pairs = {{{0, 1}, {0, 1}}}};
       const auto o = normal(extents);
       const auto plan = plan_contraction("ij,jk,kl->il", o[0], o[1], o[2], given);
       EXPECT_EQ(plan.steps().at(1).expression, "kl,ik->il");
       check_normal("ij,jk,kl->il", extents, usual, given);
     }},
};

const published_case scaled[] = {
    {"trntensor-026",
     [] {
       check_normal("ij,jk->ik", {{4, 3}, {3, 5}}, tight, {.alpha = 2.0});
     }},
    {"trntensor-027", [] { check_scaled(1, 0.5f); }},
    {"trntensor-028", [] { check_scaled(2, 0.5f); }},
    {"trntensor-029", [] { check_scaled(1, 0); }},
};

const published_case parsed[] = {
    {"trntensor-034",
     [] {
       check_implicit("ij,jk", "ik", {{2, 3}, {3, 4}});
     }},
    {"trntensor-035",
     [] {
       check_implicit("i,i", "", {{2}, {2}});
     }},
    {"trntensor-036",
     [] {
       check_implicit("i,j", "ij", {{2}, {3}});
     }},
    {"trntensor-048",
     [] {
       const auto o = normal({{2, 3}, {3, 4}, {4, 5}});
       EXPECT_THROW(einsum("ij,jk->ik", o[0], o[1], o[2]), invalid_argument);
     }},
    {"trntensor-049",
     [] {
       expect_refused<shape_error>("ij,jk->ik", {{2, 3}, {3, 4, 5}}, "operand 1");
     }},
    {"trntensor-050",
     [] {
       expect_refused<shape_error>("ij,jk->ik", {{2, 3}, {4, 5}}, "label 'j'");
     }},
    {"trntensor-051",
     [] {
       check_normal("i j, j k -> i k", {{4, 3}, {3, 5}}, tight);
       expect_refused<invalid_argument>("ij,j1->i1", {{4, 3}, {3, 5}}, "^");
       expect_refused<invalid_argument>("ij,jk- >ik", {{4, 3}, {3, 5}}, "^");
     }},
};

// The index that is summed, or that of the result, in parts: what several machines would share.
void check_parts(const std::vector<std::size_t>& ends, std::size_t row_parts) {
  const operands o = normal({{ends.back(), 16}, {ends.back(), 12}});
  const auto a = o[0].as<2>(), b = o[1].as<2>();
  tensor<float> out({16, 12});
  for (float& x : out.flat()) x = std::numeric_limits<float>::quiet_NaN();
  const std::size_t rows = 16 / row_parts;
  for (std::size_t part = 0; part < row_parts; ++part) {
    std::size_t first = 0;
    for (std::size_t end : ends) {
      const view<const float, 2> left(&a(first, part * rows), {end - first, rows}, {16, 1});
      const view<const float, 2> right(&b(first, 0), {end - first, 12});
      const view<float, 2> to(out.data() + part * rows * 12, {rows, 12});
      einsum_into("ki,kj->ij", to, left, right, einsum_options{.beta = first == 0 ? 0.0 : 1.0});
      first = end;
    }
  }
  expect_close(out, naive_sums("ki,kj->ij", o), {1e-5, 1e-5});
}

void check_simulated(const std::string& subscripts, const shapes& extents) {
  check_normal(subscripts, extents, device);
  engine::device machine;
  einsum_options o;
  o.on = {.where = policy::device, .on = &machine};
  check_normal(subscripts, extents, device, o);
}

const published_case placed[] = {
    {"trntensor-097",
     [] {
       check_simulated("ij,jk->ik", {{128, 128}, {128, 256}});
     }},
    {"trntensor-098",
     [] {
       check_simulated("bij,bjk->bik", {{2, 128, 128}, {2, 128, 128}});
     }},
};

// Of the cases 104 and 105, which share a product among devices, what views and slices can do.
TEST(contract_parts, of_views_and_slices_are_the_whole) {
  check_parts({8, 16, 24, 32, 40, 48}, 1);
  check_parts({5, 11, 30, 48}, 1);
  check_normal("ki,kj,jl->il", {{48, 8}, {48, 12}, {12, 5}}, {1e-5, 1e-5},
               {.path = {.largest_intermediate = 40}});
  check_parts({3, 6, 8}, 2);
  check_normal("ki,kj,jl->il", {{8, 16}, {8, 12}, {12, 5}}, {1e-5, 1e-4},
               {.path = {.largest_intermediate = 80}});
}

TEST_P(contract_cases, holds) { GetParam().run(); }

INSTANTIATE_TEST_SUITE_P(einsums, contract_cases, testing::ValuesIn(einsums), name_of);
INSTANTIATE_TEST_SUITE_P(scaled, contract_cases, testing::ValuesIn(scaled), name_of);
INSTANTIATE_TEST_SUITE_P(parsed, contract_cases, testing::ValuesIn(parsed), name_of);
INSTANTIATE_TEST_SUITE_P(placed, contract_cases, testing::ValuesIn(placed), name_of);

TEST(contract_case_list, every_case_is_here) { expect_registered(PAPILIO_CASE_LIST); }

}  // namespace
}  // namespace papilio::test
