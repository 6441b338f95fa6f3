#pragma once

#include <memory>

#include "papilio/fft/dct_plan.hpp"
#include "papilio/fft/options.hpp"
#include "papilio/transform/candidate.hpp"

namespace papilio::transform_detail {

/// Of cosine and sine problems.
trigonometric_kind plan_kind(const fft_problem& problem);

/// The plans' options under which they carry the problem's factor.
fft_options host_options(const fft_problem& problem);

/// Runs papilio's own plan of the problem.
std::unique_ptr<const fft_executor> build_host_executor(const fft_problem& problem);

}  // namespace papilio::transform_detail
