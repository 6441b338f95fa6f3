// Designs of a step for the vector engine: which axes lie on partitions, and how much of the others
// is in a block. vector_run.cpp runs them.
#include <algorithm>
#include <utility>

#include "kernels/contraction/step_designs.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

vector_step_design design_of(const contraction_step& step, const axis_partitions& partitions,
                             bool are_partitions_summed) {
  vector_step_design d{.partitions = partitions,
                       .are_partitions_summed = are_partitions_summed,
                       .kept = {},
                       .summed = {},
                       .loops = {},
                       .adds_to_output = false};
  for (std::size_t a = 0; a < step.axes.size(); ++a)
    (step.axes[a].is_summed() ? d.summed : d.kept).push_back(int(a));
  d.loops = loops_of(step, slowest_first(step, d.kept, operand_role::out), partitions);
  for (const block_loop& l :
       loops_of(step, slowest_first(step, d.summed, operand_role::left), partitions))
    d.loops.push_back(l);
  for (block_loop& l : d.loops) l.is_fixed = l.axis == partitions.cut;
  return d;
}

}  // namespace

std::vector<vector_step_design> vector_designs(const contraction_step& step,
                                               const machine_spec& machine) {
  const std::int64_t most = std::min<std::int64_t>(machine.sbuf.partitions, machine.tensor.rows);
  std::vector<int> kept, summed;
  for (std::size_t a = 0; a < step.axes.size(); ++a)
    (step.axes[a].is_summed() ? summed : kept).push_back(int(a));
  std::vector<vector_step_design> all;
  std::vector<axis_partitions> tried;
  const auto add = [&](const std::vector<int>& axes, bool are_summed) {
    const axis_partitions partitions = partitions_of(step, axes, most);
    if (std::ranges::find(tried, partitions) != tried.end()) return;
    tried.push_back(partitions);
    for (vector_step_design& d : grown(step, design_of(step, partitions, are_summed), machine))
      all.push_back(std::move(d));
  };
  add(slowest_first(step, kept, operand_role::out), false);
  add(slowest_first(step, kept, operand_role::left), false);
  add(fastest_first(step, kept, operand_role::out), false);
  if (!summed.empty()) {
    add(slowest_first(step, summed, operand_role::left), true);
    add(fastest_first(step, summed, operand_role::left), true);
  }
  return all;
}

std::string vector_step_design::describe(const contraction_step& step) const {
  using base_detail::message;
  const std::int64_t terms = step.count_of(summed);
  return message(step.count_of(kept),
                 terms == 1 ? (step.is_pair ? " products" : " elements moved")
                            : message(" sums of ", terms, step.is_pair ? " products" : " elements"),
                 " on the vector engine, ", partitions.partitions(),
                 are_partitions_summed ? " lanes that are added up" : " lanes", ", in ",
                 std::int64_t(blocks_of(loops)), " blocks");
}

}  // namespace papilio::kernels_detail
