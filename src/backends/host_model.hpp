#pragma once

#include <cstddef>

#include "papilio/dispatch/fft_problem.hpp"
#include "papilio/dispatch/host_model.hpp"

namespace papilio::backends_detail {

/// Bytes of one real.
std::size_t bytes_of(real_type type);
/// Unit roundoff times two.
double epsilon_of(real_type type);

}  // namespace papilio::backends_detail
