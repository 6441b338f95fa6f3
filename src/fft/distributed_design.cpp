// Design of distributed transforms: the axes that are transformed in each distribution, as an array
// goes from one to the next.
#include <algorithm>
#include <limits>
#include <utility>

#include "fft/distributed_design.hpp"
#include "papilio/base/error.hpp"

namespace papilio::mpi {
namespace {

void require_whole_last_axis(const distribution& input) {
  if (input.grid().back() != 1)
    throw invalid_argument(
        base_detail::message("fft_design: the last axis must be whole, got the grid ",
                             to_string(input), ", which cuts it into ", input.grid().back()));
}

std::size_t largest_box(const distribution& cut) {
  return cut.box_of(0).size();  // its pieces are the longest along every axis
}

// Lists every way to write `ranks` as a product of a number for each of the axes but the last;
// those that cut the first axes come first.
void add_grids(std::vector<std::vector<int>>& all, std::vector<int> grid, std::size_t axis,
               int ranks) {
  if (axis + 1 >= grid.size()) {
    if (ranks == 1) all.push_back(std::move(grid));
    return;
  }
  for (int pieces = ranks; pieces >= 1; --pieces) {
    if (ranks % pieces != 0) continue;
    grid[axis] = pieces;
    add_grids(all, grid, axis + 1, ranks / pieces);
  }
}

}  // namespace

fft_design design_forward(const distribution& input, order output) {
  require_whole_last_axis(input);
  fft_design design{input, {}};
  std::vector<int> grid = input.grid();
  std::vector<std::size_t> axes;
  for (std::size_t axis = grid.size(); axis-- > 0;) {
    if (grid[axis] != 1) {
      std::size_t behind = axis + 1;
      while (grid[behind] != 1) ++behind;
      std::swap(grid[axis], grid[behind]);
      design.steps.push_back({std::exchange(axes, {}), {input.extents(), grid}});
    }
    axes.push_back(axis);
  }
  design.steps.push_back(
      {axes, output == order::natural ? input : distribution(input.extents(), grid)});
  return design;
}

fft_design design_inverse(const distribution& input, order output) {
  const fft_design forward = design_forward(input, order::transposed);
  fft_design design{output == order::natural ? input : forward.output(), {}};
  if (design.input != forward.output()) design.steps.push_back({{}, forward.output()});
  for (std::size_t i = forward.steps.size(); i-- > 0;)
    design.steps.push_back({{forward.steps[i].axes.rbegin(), forward.steps[i].axes.rend()},
                            i < 2 ? input : forward.steps[i - 2].next});
  return design;
}

std::vector<int> least_grid(const std::vector<std::size_t>& extents, int ranks, order output,
                            double share, function_ref<double(const fft_design&)> cost) {
  if (ranks < 1)
    throw invalid_argument(
        base_detail::message("best_grid: ranks must be at least 1, got ", ranks));
  if (extents.size() < 2 && ranks > 1)
    throw invalid_argument("best_grid: an array of one axis is not cut; give it as several");
  std::vector<std::vector<int>> grids;
  add_grids(grids, std::vector<int>(extents.size(), 1), 0, ranks);
  // Ranks without elements are of use only where there are more ranks than rows.
  const auto has_empty_boxes = [&](const std::vector<int>& grid) {
    for (std::size_t axis = 0; axis < grid.size(); ++axis)
      if (static_cast<std::size_t>(grid[axis]) > extents[axis]) return true;
    return false;
  };
  if (!std::ranges::all_of(grids, has_empty_boxes)) std::erase_if(grids, has_empty_boxes);
  std::vector<int> best;
  double least = std::numeric_limits<double>::infinity();
  for (const std::vector<int>& grid : grids) {
    const double found = cost(design_forward({extents, grid}, output));
    if (found < share * least) {
      least = found;
      best = grid;
    }
  }
  return best;
}

std::vector<int> best_grid(const std::vector<std::size_t>& extents, int ranks, order output) {
  // Whoever has slabs knows which rows are whose, so that later grids must be clearly smaller.
  return least_grid(extents, ranks, output, 0.95, [](const fft_design& design) {
    double passes = 0;
    const distribution* cut = &design.input;
    for (const fft_design::step& s : design.steps) {
      // The pass itself, and an exchange, which reads and writes every element once more.
      passes += static_cast<double>(largest_box(*cut)) * (s.next == *cut ? 1 : 2);
      cut = &s.next;
    }
    return passes;
  });
}

std::string to_string(const fft_design& design) {
  using base_detail::message;
  std::string text = message("array ", to_string(design.input), '\n');
  const distribution* cut = &design.input;
  for (const fft_design::step& s : design.steps) {
    if (!s.axes.empty()) text += s.axes.size() == 1 ? "transform axis" : "transform axes";
    for (const std::size_t axis : s.axes) text += message(' ', axis);
    if (s.next != *cut)
      text += message(s.axes.empty() ? "" : ", ", "exchange to ", to_string(s.next));
    text += message("; at most ", std::max(largest_box(*cut), largest_box(s.next)),
                    " elements a rank\n");
    cut = &s.next;
  }
  return text;
}

}  // namespace papilio::mpi
