#include "kernels/fft/sweep_blocks.hpp"

#include <algorithm>

#include "kernels/ceil_div.hpp"

namespace papilio::kernels_detail {

using engine::machine_spec;

std::vector<sweep_block> sweep_blocks(std::int64_t lanes, std::int64_t first, std::int64_t count,
                                      std::int64_t most, const machine_spec& machine) {
  std::vector<sweep_block> blocks;
  if (count < 1) return blocks;
  const std::int64_t side = machine.sbuf.partitions,
                     together = ceil_div(lanes, ceil_div(lanes, side)), runs = side / together,
                     pieces = ceil_div(count, runs * most),
                     run = std::max(std::min(count, machine.thresholds.run_elements_min),
                                    ceil_div(count, runs * pieces));
  const auto part = [&](std::int64_t column, std::int64_t many, std::int64_t elements) {
    for (std::int64_t l = 0; l < lanes; l += together)
      blocks.push_back({l, std::min(together, lanes - l), first + column, many, elements});
  };
  const std::int64_t whole = count / run;
  for (std::int64_t r = 0; r < whole; r += runs) part(r * run, std::min(runs, whole - r), run);
  if (whole * run < count) part(whole * run, 1, count - whole * run);
  return blocks;
}

}  // namespace papilio::kernels_detail
