// A dry run counts the dispatches and copies that the same algorithm gives an accelerator.
#include <functional>

#include "decompose/device_products.hpp"
#include "decompose/mode_array.hpp"
#include "decompose/sample.hpp"
#include "papilio/engine.hpp"

namespace papilio::test {
namespace {

using namespace decompose_detail;

// `x` is null in the dry run.
using algorithm = std::function<void(runner& on, const float* x)>;

void expect_counted(const sizes& extents, const algorithm& work) {
  engine::device dev;
  const auto x = normal_tensor<float>(extents, 1);
  std::vector<submission> counted;
  runner on("test", {.where = policy::device, .on = &dev}, real_type::single_precision,
            [&](runner& dry) {
              work(dry, nullptr);
              counted.assign(dry.work().begin(), dry.work().end());
            });
  work(on, x.data());
  on.record("test", extents);
  const run_record run = last_run();
  std::size_t launches = 0, uploads = 0, fetches = 0;
  double up = 0, down = 0;
  for (const submission& s : counted) {
    if (!s.steps.empty()) ++launches;
    if (!s.arrays.in.empty()) ++uploads;
    if (!s.arrays.out.empty()) ++fetches;
    for (const operand_shape& o : s.arrays.in) up += 4 * double(o.count());
    for (const operand_shape& o : s.arrays.out) down += 4 * double(o.count());
  }
  EXPECT_EQ(run.launches, launches);
  EXPECT_EQ(run.uploads, uploads);
  EXPECT_EQ(run.fetches, fetches);
  // Each array of a copy takes whole pieces of 64 bytes.
  EXPECT_GE(run.upload_bytes, up);
  EXPECT_LE(run.upload_bytes, up + 64.0 * 4 * double(uploads));
  EXPECT_GE(run.fetch_bytes, down);
  EXPECT_LE(run.fetch_bytes, down + 64.0 * double(fetches));
}

TEST(dry_run, of_an_array_that_is_shortened) {
  expect_counted({8, 9, 7}, [](runner& on, const float* x) {
    mode_array<float> a(on, x, sizes{8, 9, 7});
    for (const std::size_t mode : {1u, 0u, 2u}) {
      const subspace<float> s = a.leading(mode, mode + 1, {.max_rank = 3});
      a.shorten(mode, s.vectors);
    }
    EXPECT_EQ(a.extents(), (std::vector<std::size_t>{3, 3, 3}));
    EXPECT_EQ(a.values().size(), 27u);
    a.restart();
    a.shorten(2, array<float, 2>({7, 2}));
    a.reshape(sizes{8, 18});
    EXPECT_TRUE(a.leading(1, 2, {.max_rank = 18}).is_identity);
    EXPECT_EQ(a.values().size(), 144u);
  });
}

// Nothing is computed: not even the array comes back.
TEST(dry_run, of_nothing) {
  expect_counted({4, 5}, [](runner& on, const float* x) {
    mode_array<float> a(on, x, sizes{4, 5});
    EXPECT_EQ(a.values().size(), 20u);
  });
}

TEST(dry_run, of_products_of_factors) {
  for (const sizes& extents : {sizes{5, 7}, sizes{4, 5, 6}, sizes{3, 4, 5, 6}})
    expect_counted(extents, [&](runner& on, const float* x) {
      device_products<float> products(on, on.up(x, extents), extents, 3);
      std::vector<array<float, 2>> factors;
      for (const std::size_t e : extents) factors.push_back(normal_matrix<float>(3, e, 2));
      for (std::size_t mode = 0; mode < extents.size(); ++mode) products.at(mode, factors);
    });
}

}  // namespace
}  // namespace papilio::test
