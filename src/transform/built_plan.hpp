#pragma once

#include <memory>
#include <string>

#include "papilio/transform/candidate.hpp"

namespace papilio::transform_detail {

/// What last_run() tells of a plan; it may outlive the plan.
struct plan_text {
  std::string operation, recipe;
};

/// A problem, who does it, and what does it.
struct built_plan {
  fft_problem problem;
  const fft_candidate* candidate;
  std::unique_ptr<const fft_executor> executor;
  std::shared_ptr<const plan_text> text;
};

/// From the cache, or built by `candidate` and kept there.
std::shared_ptr<const built_plan> cached_plan(const fft_problem& problem,
                                              const fft_candidate& candidate);

/// Of a plan that was found without the cache.
void count_plan_hit();
/// Another number whenever plans have been dropped.
std::size_t plan_cache_generation();

}  // namespace papilio::transform_detail
