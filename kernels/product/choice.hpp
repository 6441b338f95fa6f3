#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/product/design.hpp"
#include "papilio/engine/profile.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// How a product is chosen: by dry runs of some blocks of each design.
namespace papilio::kernels_detail {

/// Instructions of a block, roughly, above which a design is not priced if another was.
inline constexpr double hopeless_effort = 60000;

/// The fastest of the products that a step, which is one, can be, by dry runs of some blocks of
/// each; what it was chosen as, and what it was compared with.
struct product_choice {
  product_step_design design;
  std::string chosen_as;
  std::vector<kernels::compared_design> compared;
};
/// The choice is kept for the next who asks, the least recently used going first. Throws
/// kernel_error, in the name of the kernel, where no tiles fit in SBUF.
product_choice choose_product(const std::string& name, const contraction_step& step,
                              const engine::machine_spec& machine);

/// Designs whose instructions differ.
std::vector<product_step_design> different_products(const contraction_step& step,
                                                    const engine::machine_spec& machine);

/// A dry run of some blocks of a design, and how many times its time all of them take. Empty where
/// the machine refuses it.
struct sampled_run {
  engine::profile of;
  double scale;
};
std::optional<sampled_run> sampled(const contraction_step& step, const product_step_design& design,
                                   const engine::machine_spec& machine);

/// Tensors of a step that is priced.
step_tensors scratch_for(engine::core& nc, const contraction_step& step);

}  // namespace papilio::kernels_detail
