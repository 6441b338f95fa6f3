#pragma once

#include <cstddef>

#include "papilio/base/export.hpp"
#include "papilio/dispatch/comparison.hpp"
#include "papilio/dispatch/host_model.hpp"
#include "papilio/transform/candidate.hpp"

// What Fourier, cosine and sine transforms take on the host.
namespace papilio {

/// What papilio's own plans would take for `lines` lines, or arrays, on `threads` threads of `host`
/// (0: one for each core).
/// `problem` is one that the backend "host" can do.
PAPILIO_API fft_estimate host_fft_estimate(const host_model& host, const fft_problem& problem,
                                           std::size_t lines = 1, int threads = 1);

/// Transforms, by the candidates of this build, beside all that host_roofline() has.
PAPILIO_API const host_row& host_transforms();

/// As explain() of an operation.
PAPILIO_API comparison explain(const fft_problem& problem, const execution& on = {});

}  // namespace papilio
