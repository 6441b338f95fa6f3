#pragma once

#include <memory>

#include "papilio/fft/options.hpp"
#include "papilio/transform/candidate.hpp"

namespace papilio::transform_detail {

/// Whether the kind has exp(+...), or undoes a cosine or sine transform.
bool is_inverse(fft_kind kind);

/// The plans' options under which they carry the problem's factor.
fft_options host_options(const fft_problem& problem);

// Executors over papilio's plans, for problems of the kind that their name says.
std::unique_ptr<const fft_executor> build_host_line(const fft_problem& problem);
std::unique_ptr<const fft_executor> build_host_grid(const fft_problem& problem);
std::unique_ptr<const fft_executor> build_host_trigonometric(const fft_problem& problem);

}  // namespace papilio::transform_detail
