#pragma once

#include <vector>

#include "kernels/design.hpp"
#include "kernels/transform/precision.hpp"
#include "kernels/transform/recipe.hpp"
#include "papilio/kernels.hpp"

namespace papilio::kernels::test {

/// The steps of a transform in one pass, in order.
inline std::vector<kernel_design> steps_of(const sized_kernel& kernel) {
  kernel_design steps = kernel.design;
  if (const auto* fft = kernels_detail::design_as<kernels_detail::fft_design>(steps))
    steps = fft->forward;
  return kernels_detail::design_as<kernels_detail::step_designs>(steps)->steps;
}

/// Those of them that are of one kind.
template <class Step>
std::vector<Step> steps_like(const sized_kernel& kernel) {
  std::vector<Step> found;
  for (const kernel_design& step : steps_of(kernel))
    if (const Step* one = kernels_detail::design_as<Step>(step)) found.push_back(*one);
  return found;
}

}  // namespace papilio::kernels::test
