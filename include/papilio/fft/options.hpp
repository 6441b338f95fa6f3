#pragma once

#include "papilio/base/vocabulary.hpp"

namespace papilio {

/// How a plan is chosen: by the cost model alone (no clock is read, the same plan every time), or
/// by timing the candidates while the plan is made, unless wisdom (papilio/fft/wisdom.hpp)
/// remembers the outcome. Measuring may choose other passes or another algorithm and so other last
/// bits.
enum class effort { estimate, measure };

struct fft_options {
  normalization norm = normalization::backward;
  effort plan_effort = effort::estimate;
};

}  // namespace papilio
