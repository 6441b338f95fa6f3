#pragma once

#include <memory>

#include "papilio/dispatch/candidate.hpp"

namespace papilio::transform_detail {

/// A problem, who does it, and what does it.
struct built_plan {
  fft_problem problem;
  const fft_candidate* candidate;
  std::unique_ptr<const fft_executor> executor;
};

/// From the cache, or built by `candidate` and kept there.
std::shared_ptr<const built_plan> cached_plan(const fft_problem& problem,
                                              const fft_candidate& candidate);

}  // namespace papilio::transform_detail
