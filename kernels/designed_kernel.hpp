#pragma once

#include <utility>

#include "kernels/design.hpp"

namespace papilio::kernels_detail {

/// The kernel of a design: `operands` has its name and its tensors, run(core, design, arguments)
/// issues it. The design decides the program, so that its key is the program's.
template <class Design, class Run>
kernels::sized_kernel designed(kernels::sized_kernel operands, Design design, Run run) {
  operands.design = design_of(std::move(design));
  operands.program.parameters = operands.design.key();
  operands.program.body = [held = operands.design, run = std::move(run)](
                              engine::core& nc, const engine::kernel_arguments& t) {
    run(nc, *design_as<Design>(held), t);
  };
  return operands;
}

/// A kernel for one machine alone.
template <class Design, class Run>
kernels::sized_kernel designed(kernels::sized_kernel operands, Design design,
                               const engine::machine_spec& machine, Run run) {
  operands.machine = machine;
  return designed(std::move(operands), std::move(design), std::move(run));
}

}  // namespace papilio::kernels_detail
