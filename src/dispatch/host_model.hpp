#pragma once

#include <cstddef>

#include "base/internal.hpp"
#include "papilio/dispatch/host_model.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio::dispatch_detail {

/// The type's machine epsilon, twice the unit roundoff.
PAPILIO_INTERNAL double epsilon_of(real_type type);

/// invalid_argument unless a size of an operation is above 0.
PAPILIO_INTERNAL void require_some(const char* function, const char* size, double value);

/// The estimate of papilio's own code for some work. invalid_argument where another backend is
/// asked for.
PAPILIO_INTERNAL host_estimate estimate_of_work(const operation& what, real_type type,
                                                const host_work& work, const execution& on,
                                                std::string recipe, double relative_error);

}  // namespace papilio::dispatch_detail
