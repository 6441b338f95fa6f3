#pragma once

#include <memory>
#include <string>

#include "papilio/transform/candidate.hpp"

namespace papilio::transform_detail {

/// Texts of a plan that last_run() reports; they may outlive the plan.
struct plan_text {
  std::string operation, recipe;
};

/// Problem with the candidate that was chosen for it and the executor that runs it.
struct built_plan {
  fft_problem problem;
  const fft_candidate* candidate;
  std::unique_ptr<const fft_executor> executor;
  std::shared_ptr<const plan_text> text;
};

/// Returns the plan from the cache, or lets `candidate` build it and keeps it there.
std::shared_ptr<const built_plan> cached_plan(const fft_problem& problem,
                                              const fft_candidate& candidate);

/// Counts a hit of a plan that was found without the cache.
void count_plan_hit();
/// Returns another number whenever plans have been dropped.
std::size_t plan_cache_generation();

}  // namespace papilio::transform_detail
