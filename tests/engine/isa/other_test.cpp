#include "engine/support.hpp"

namespace papilio::engine::test {
namespace {

using other = fixture;

TEST_F(other, activation_scales_then_adds_then_applies) {
  const tile x = filled(128, 16), bias = filled(128, 1, dtype::fp32, 2), out = nc.sbuf(128, 16);
  nc.issue(activation{.out = out,
                      .in = x,
                      .function = activation_function::relu,
                      .scale = 3,
                      .scale_tile = {},
                      .bias = bias});
  const std::vector<float> in = read(nc, x), plus = read(nc, bias), result = read(nc, out);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const float scaled = in[i] * 3;
    const float sum = scaled + plus[i / 16];
    ASSERT_EQ(result[i], sum > 0 ? sum : 0) << i;
  }
}

}  // namespace
}  // namespace papilio::engine::test
