#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/product/design.hpp"
#include "papilio/engine/profile.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// The choice of a product's design, by dry runs of some blocks of each candidate.
namespace papilio::kernels_detail {

/// A design whose blocks have more instructions than this, roughly, is not dry-run once another
/// was: the dry run would take too long.
inline constexpr double hopeless_effort = 60000;

/// The fastest design of a step as products, the reason for it, and the designs that it was
/// compared with.
struct product_choice {
  product_step_design design;
  std::string chosen_as;
  std::vector<kernels::compared_design> compared;
};
/// Chooses by dry runs. Choices are cached by step and machine; the least recently used are dropped
/// first. kernel_error, in the kernel's name, where no tiles fit in SBUF.
product_choice choose_product(const std::string& name, const contraction_step& step,
                              const engine::machine_spec& machine);

/// The product_designs of a step without those that issue the same instructions as another.
std::vector<product_step_design> different_products(const contraction_step& step,
                                                    const engine::machine_spec& machine);

/// The profile of a dry run of some blocks of a design, and the factor to the time of all blocks.
struct sampled_run {
  engine::profile of;
  double scale;
};
/// Runs the sample; empty where the machine refuses it.
std::optional<sampled_run> sampled(const contraction_step& step, const product_step_design& design,
                                   const engine::machine_spec& machine);

/// Tensors in HBM for a dry run of a step.
step_tensors scratch_for(engine::core& nc, const contraction_step& step);

}  // namespace papilio::kernels_detail
