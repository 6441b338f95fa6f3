#pragma once

#include <cstddef>

#include "papilio/engine/isa/scalar_engine.hpp"

namespace papilio::engine_detail {

/// Computes out[i] = function(in[i] * scale + bias). The argument is an fp32 product and sum, each
/// rounded; the function is computed in double and rounded once. Arguments outside the function's
/// valid range give NaN.
void apply_function(engine::activation_function function, const engine::activation_spec& ranges,
                    std::size_t count, const float* in, float scale, float bias, float* out);

}  // namespace papilio::engine_detail
