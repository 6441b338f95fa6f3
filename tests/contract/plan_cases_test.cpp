// The published cases of plans, of their cache, and of the order of contractions.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "contract/published_case.hpp"
#include "papilio/engine.hpp"

namespace papilio::test {
namespace {

contraction_plan plan_of(const std::string& subscripts, const shapes& extents,
                         const einsum_options& options = {}) {
  return with_operands(normal(extents), [&](const auto&... o) {
    return plan_contraction(subscripts, o..., options);
  });
}

// Steps of products of matrices that BLAS can be told of as they lie.
void check_step(const std::string& subscripts, const shapes& extents, const std::string& kind,
                const std::string& how) {
  const std::vector<contraction_step> steps = plan_of(subscripts, extents).steps();
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].kind, kind);
  EXPECT_EQ(steps[0].how, how);
}

void check_macs(const std::string& subscripts, const shapes& extents, double macs) {
  const contraction_step step = plan_of(subscripts, extents).steps().at(0);
  EXPECT_EQ(step.macs, macs);
  EXPECT_EQ(step.flops, 2 * macs);
}

const published_case plans[] = {
    {"trntensor-020",
     [] {
       check_step("ij,jk->ik", {{64, 48}, {48, 80}}, "gemm", "gemm 64x48x80");
     }},
    {"trntensor-021",
     [] {
       check_step("bij,bjk->bik", {{7, 64, 48}, {7, 48, 80}}, "batched gemm",
                  "batched gemm 7 x 64x48x80 by 7 products 64x48x80");
     }},
    {"trntensor-022",
     [] {
       check_step("ijk,jkl->il", {{64, 6, 8}, {6, 8, 80}}, "gemm", "gemm 64x48x80");
     }},
    {"trntensor-023",
     [] {
       check_macs("ij,jk->ik", {{10, 20}, {20, 30}}, 6000);
     }},
    {"trntensor-024",
     [] {
       check_macs("ij,jk->ik", {{10, 40}, {40, 30}}, 2 * 6000);
     }},
    {"trntensor-025",
     [] {
       check_macs("bij,bjk->bik", {{7, 3, 4}, {7, 4, 5}}, 7 * 3 * 4 * 5);
     }},
    {"trntensor-037",
     [] {
       check_step("ji,kj->ik", {{48, 64}, {80, 48}}, "gemm", "gemm 64x48x80");
     }},
    {"trntensor-038",
     [] {
       check_step("ij,jk->ik", {{128, 32}, {32, 128}}, "gemm", "gemm 128x32x128");
     }},
    {"trntensor-039",
     [] {
       EXPECT_EQ(plan_of("ij,jk,kl->il", {{3, 4}, {4, 5}, {5, 2}}).steps().size(), 2u);
     }},
    {"trntensor-040",
     [] {
       EXPECT_EQ(plan_of("ij,jk,kl,lm->im", {{3, 4}, {4, 5}, {5, 2}, {2, 6}}).steps().size(), 3u);
     }},
    {"trntensor-041",
     [] {
       const contraction_step step = plan_of("bij,bjk->bik", {{7, 3, 4}, {7, 4, 5}}).steps().at(0);
       EXPECT_EQ(step.kind, "batched gemm");
       EXPECT_EQ(step.how.rfind("batched gemm 7 x 3x4x5", 0), 0u) << step.how;
     }},
    {"trntensor-042",
     [] {
       engine::device machine;
       einsum_options o;
       o.on = {.where = policy::automatic, .on = &machine};
       EXPECT_EQ(plan_of("ij,jk->ik", {{4, 3}, {3, 5}}, o).backend(), "host");
       const contraction_plan large = plan_of("ij,jk->ik", {{512, 512}, {512, 512}}, o);
       const contraction_step step = large.steps().at(0);
       EXPECT_EQ(step.backend, large.device_seconds() < step.host_seconds ? "device" : "host");
       o.on.where = policy::device;
       EXPECT_EQ(plan_of("ij,jk,kl->il", {{4, 3}, {3, 5}, {5, 2}}, o).backend(), "device");
     }},
    {"trntensor-052",
     [] {
       const auto o = normal({{4, 3}, {3, 5}});
       const auto made = [&](const einsum_options& options = {}) {
         return plan_contraction("ij,jk->ik", o[0], o[1], options).lowered();
       };
       const auto first = made();
       EXPECT_EQ(made(), first);
       EXPECT_NE(plan_of("ij,jk->ik", {{4, 3}, {3, 6}}).lowered(), first);
       einsum_options compensated;
       compensated.on.precision.mode = precision::compensated;
       EXPECT_THROW(made(compensated), invalid_argument);
       const tensor<float> before = einsum("ij,jk->ik", o[0], o[1]);
       clear_contraction_cache();
       EXPECT_EQ(contraction_cache_statistics().plans, 0u);
       EXPECT_NE(made(), first);
       EXPECT_TRUE(std::ranges::equal(einsum("ij,jk->ik", o[0], o[1]).flat(), before.flat()));
     }},
};

// The cheapest of all orders.
double least_macs(const contraction_network& network, std::vector<std::array<std::size_t, 2>> done,
                  std::size_t left) {
  if (left == 1) return path_of(network, done).macs;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < left; ++i)
    for (std::size_t j = i + 1; j < left; ++j) {
      auto next = done;
      next.push_back({i, j});
      least = std::min(least, least_macs(network, next, left - 1));
    }
  return least;
}

// A chain of matrices; the order that is published begins with the cheapest step, which is not that
// of the cheapest order.
void check_chain(const std::vector<std::size_t>& sizes,
                 const std::vector<std::array<std::size_t, 2>>& cheapest_step,
                 double published_macs) {
  contraction_network chain;
  const auto n = static_cast<int>(sizes.size()) - 1;
  for (int i = 0; i < n; ++i) chain.inputs.push_back({i, i + 1});
  chain.output = {0, n};
  chain.sizes = sizes;
  if (!cheapest_step.empty()) {
    EXPECT_EQ(path_of(chain, cheapest_step).macs, published_macs);
  }
  const double least = least_macs(chain, {}, chain.inputs.size());
  for (path_search search : {path_search::automatic, path_search::optimal, path_search::greedy,
                             path_search::random_greedy}) {
    const contraction_path path = find_path(chain, {.search = search, .seconds = 0.05});
    EXPECT_EQ(path.pairs.size(), chain.inputs.size() - 1) << to_string(search);
    EXPECT_GE(path.macs, least) << to_string(search);
    if (search == path_search::automatic || search == path_search::optimal) {
      EXPECT_EQ(path.macs, least) << to_string(search);
    }
  }
}

const published_case orders[] = {
    {"trntensor-045",
     [] {
       check_chain({100, 200, 5, 50}, {{1, 2}, {0, 1}}, 200 * 5 * 50 + 100 * 200 * 50);
     }},
    {"trntensor-046",
     [] {
       check_chain({100, 200, 5, 50, 3}, {{2, 3}, {1, 2}, {0, 1}},
                   5 * 50 * 3 + 200 * 5 * 3 + 100 * 200 * 3);
     }},
    {"trntensor-047",
     [] {
       for (std::size_t n = 3; n <= 6; ++n) {
         std::vector<std::size_t> sizes;
         for (std::size_t i = 0; i <= n; ++i) sizes.push_back(2 + 7 * i % 5);
         check_chain(sizes, {}, 0);
       }
     }},
};

INSTANTIATE_TEST_SUITE_P(plans, contract_cases, testing::ValuesIn(plans), name_of);
INSTANTIATE_TEST_SUITE_P(orders, contract_cases, testing::ValuesIn(orders), name_of);

}  // namespace
}  // namespace papilio::test
