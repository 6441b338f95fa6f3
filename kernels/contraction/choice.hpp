#pragma once

#include <string>
#include <variant>

#include "kernels/contraction/lane_step.hpp"
#include "kernels/contraction/move_step.hpp"
#include "kernels/contraction/product_step.hpp"

namespace papilio::kernels_detail {

/// The fastest way to do a step, by dry runs of some blocks of each.
struct step_choice {
  std::variant<product_step_design, lane_step_design, move_step_design> design;
  double seconds = 0;
  std::string text;
};
step_choice choose(const contraction_step& step, const engine::machine_spec& machine);

void run(engine::core& nc, const contraction_step& step, const step_choice& choice,
         const step_tensors& tensors);

}  // namespace papilio::kernels_detail
