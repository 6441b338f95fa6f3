// The C++ side of bench/nki.py: a dry run of fused_multiply_add, in CPU seconds.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "clock.hpp"
#include "papilio/engine.hpp"

namespace {

using namespace papilio::engine;

// As examples/fused_multiply_add.cpp and examples/nki_fused_multiply_add.py have it.
void fused_multiply_add(core& nc, const kernel_arguments& t) {
  const std::int64_t rows = t.in(0).extent(0), columns = t.in(0).extent(1), width = 2048;
  std::vector<tile_pool> pools;
  for (int k = 0; k < 3; ++k) pools.push_back(nc.sbuf_pool(2, 128, width));
  for (std::int64_t i = 0; i < rows; i += 128)
    for (std::int64_t j = 0; j < columns; j += width) {
      const auto part = [&](const hbm_view& v) { return v.slice(0, i, 128).slice(1, j, width); };
      std::array<tile_view, 3> tiles;
      for (std::size_t k = 0; k < 3; ++k) {
        tiles[k] = pools[k].next();
        nc.issue(dma_copy{.out = tiles[k], .in = part(t.in(k))});
      }
      const auto& [x, y, z] = tiles;
      nc.issue(tensor_tensor{.out = x, .left = x, .right = y, .op = alu_op::multiply});
      nc.issue(tensor_tensor{.out = x, .left = x, .right = z, .op = alu_op::add});
      nc.issue(dma_copy{.out = part(t.out(0)), .in = x});
    }
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t rows = argc > 1 ? std::atoll(argv[1]) : 128 * 1500;
  const tensor_shape shape{.extents = {rows, 4096}};
  device machine(trainium1(), sdk_2_24());
  const double begin = papilio::bench::thread_seconds();
  machine.launch({.name = "fused_multiply_add", .body = fused_multiply_add}, {shape, shape, shape},
                 {shape}, run_mode::dry_run);
  std::printf("%.6f\n", papilio::bench::thread_seconds() - begin);
}
