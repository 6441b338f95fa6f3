#include "kernels/fft/sweep_blocks.hpp"

#include <algorithm>

namespace papilio::kernels_detail {

using engine::machine_spec;
using engine::pattern_dim;

namespace {

constexpr std::int64_t run_least = 16;  // of elements: below, DMA and engines gain nothing

std::int64_t up(std::int64_t n, std::int64_t d) { return (n + d - 1) / d; }

}  // namespace

std::vector<pattern_dim> sweep_block::levels(std::int64_t row, std::int64_t plane) const {
  return {{partitions, across_lanes ? row : run}, {2, plane}, {lanes, row}, {run, 1}};
}

std::vector<sweep_block> sweep_blocks(std::int64_t lanes, std::int64_t first, std::int64_t count,
                                      std::int64_t most, const machine_spec& machine) {
  const std::int64_t side = machine.sbuf.partitions;
  std::vector<sweep_block> blocks;
  if (count < 1) return blocks;
  if (2 * lanes >= side) {
    const std::int64_t pieces = up(count, most), run = up(count, pieces);
    for (std::int64_t c = 0; c < count; c += run)
      for (std::int64_t l = 0; l < lanes; l += side)
        blocks.push_back(
            {true, std::min(side, lanes - l), l, 1, first + c, std::min(run, count - c)});
    return blocks;
  }
  const std::int64_t run = std::min(count, std::clamp(up(count, side), run_least, most)),
                     together = std::clamp<std::int64_t>(most / run, 1, lanes);
  const auto part = [&](std::int64_t column, std::int64_t partitions, std::int64_t elements) {
    for (std::int64_t l = 0; l < lanes; l += together)
      blocks.push_back(
          {false, partitions, l, std::min(together, lanes - l), first + column, elements});
  };
  const std::int64_t whole = count / run;
  for (std::int64_t r = 0; r < whole; r += side) part(r * run, std::min(side, whole - r), run);
  if (whole * run < count) part(whole * run, 1, count - whole * run);
  return blocks;
}

}  // namespace papilio::kernels_detail
