#pragma once

#include <cstddef>

#include "papilio/engine/isa/scalar_engine.hpp"

namespace papilio::engine_detail {

/// out[i] = function(in[i] * scale + bias): the argument in fp32 (a product and a sum, each
/// rounded), the function in double and rounded once. NaN outside the function's valid range.
void apply_function(engine::activation_function function, const engine::activation_spec& ranges,
                    std::size_t count, const float* in, float scale, float bias, float* out);

}  // namespace papilio::engine_detail
