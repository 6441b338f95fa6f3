#pragma once

#include "papilio/base/vocabulary.hpp"

namespace papilio {

/// Effort spent on choosing a plan. `estimate` uses the cost model alone: no clock is read, and the
/// plan is the same every time. `measure` times the candidates while the plan is made, unless
/// wisdom (papilio/fft/wisdom.hpp) remembers the outcome; it may choose other passes or another
/// algorithm and so other last bits.
enum class effort { estimate, measure };

/// Options of a plan: its scaling and the effort spent on choosing its recipe.
struct fft_options {
  normalization norm = normalization::backward;
  effort plan_effort = effort::estimate;
};

}  // namespace papilio
