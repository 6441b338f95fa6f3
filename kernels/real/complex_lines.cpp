// Complex lines by transforms of their parts.
//   identity   with A and B of the lines a and b, those of z = a + i b are A + i B; with planes
//              exchanged before and behind, a transform is the inverse one
//   layout     planes of lines are twice as many real lines already
//   bound      DMA: two sweeps in long rows, of lines that four-step would cut into short ones
#include "kernels/real/complex_lines.hpp"

#include "kernels/real/real_lines.hpp"
#include "kernels/real/real_sweeps.hpp"

namespace papilio::kernels_detail {

std::optional<fft_recipe> complex_lines_by_parts(std::int64_t outer, std::int64_t n, bool inverse,
                                                 double scale,
                                                 const engine::machine_spec& machine) {
  const real_lines parts{.lines = 2 * outer, .n = n, .scale = scale};
  std::vector<line_program> programs = resident_lines(parts, machine);
  if (programs.empty()) return {};
  fft_recipe recipe;
  append_programs(recipe, std::move(programs), parts.lines * n, 2 * parts.lines * parts.bins());
  recipe.steps.push_back(join_lines_step(parts.lines, n, inverse));
  recipe.steps.back().in_floor = false;
  return recipe;
}

}  // namespace papilio::kernels_detail
