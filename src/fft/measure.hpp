#pragma once

#include <cstddef>

#include "papilio/fft/options.hpp"
#include "papilio/fft/recipe.hpp"

namespace papilio::fft_detail {

/// Returns the recipe for length n under an effort: by cost, or from wisdom, or the candidate that
/// ran fastest just now, which is then remembered.
template <class T>
recipe choose(std::size_t n, direction dir, effort plan_effort);
/// Returns the recipe for a part of a real transform: that of choose(), or of split_design() where
/// it would be two_step.
template <class T>
recipe choose_part(std::size_t n, effort plan_effort);

}  // namespace papilio::fft_detail
