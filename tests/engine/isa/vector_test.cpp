#include "engine/support.hpp"

namespace papilio::engine::test {
namespace {

using vector = fixture;

TEST_F(vector, loads_and_reads_back_strided_psum) {
  const tile t = nc.psum(40, 64);
  const tile_view view = t->slice(1, 3, 20, 3);
  const std::vector<float> values = values_between(-1, 1, 40 * 20);
  load(nc, view, values);
  EXPECT_EQ(bits_of(read(nc, view)), bits_of(values));
}

}  // namespace
}  // namespace papilio::engine::test
