#pragma once

#include <memory>

#include "papilio/fft/dct_plan.hpp"
#include "papilio/fft/options.hpp"
#include "papilio/transform/candidate.hpp"

namespace papilio::transform_detail {

/// Returns the kind of plan for a cosine or sine problem.
trigonometric_kind plan_kind(const fft_problem& problem);

/// Returns the options under which plans carry the problem's factor.
fft_options host_options(const fft_problem& problem);

/// Builds an executor that runs papilio's own plan of the problem.
std::unique_ptr<const fft_executor> build_host_executor(const fft_problem& problem);

}  // namespace papilio::transform_detail
