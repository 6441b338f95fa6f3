#include "papilio/engine/core.hpp"

#include <gtest/gtest.h>

namespace papilio::engine::test {
namespace {

TEST(core, adds_two_tiles) {
  core nc(trainium1(), {});
  const std::int64_t extents[] = {128, 64};
  const hbm_view a = nc.hbm(extents), b = nc.hbm(extents);
  const tile x = nc.sbuf(128, 64), y = nc.sbuf(128, 64);
  EXPECT_THROW(nc.issue(tensor_tensor{.out = x, .left = x, .right = y}), device_error);
}

}  // namespace
}  // namespace papilio::engine::test
