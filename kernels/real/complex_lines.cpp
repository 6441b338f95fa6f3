// Complex lines by transforms of their parts.
//   identity   with A and B of the lines a and b, those of z = a + i b are A + i B; with planes
//              exchanged before and behind, a transform is the inverse one
//   layout     planes of lines are twice as many real lines already
//   bound      DMA: two sweeps in long rows, of lines that four-step would cut into short ones
#include "kernels/real/complex_lines.hpp"

#include "kernels/real/real_sweeps.hpp"
#include "kernels/transform/lines.hpp"

namespace papilio::kernels_detail {

std::optional<fft_recipe> complex_lines_by_parts(std::int64_t outer, std::int64_t n, bool inverse,
                                                 double scale,
                                                 const engine::machine_spec& machine) {
  const std::int64_t lines = 2 * outer;
  if (!has_cut(n, machine)) return {};
  auto parts = lines_step({.outer = lines, .n = n, .real = true, .scale = scale}, machine);
  if (!parts) return {};
  fft_recipe recipe{{*std::move(parts)}};
  recipe.steps.push_back(join_lines_step(lines, n, inverse));
  recipe.steps.back().in_floor = false;
  return recipe;
}

}  // namespace papilio::kernels_detail
