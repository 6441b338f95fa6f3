#pragma once

#include <concepts>

#include "papilio/engine/operand.hpp"
#include "papilio/engine/tile.hpp"

namespace papilio::engine {

/// One number for each partition: a constant (fp32; for bitwise operations an integer in
/// [-2^31, 2^32)), or a (P, 1) tile.
struct scalar_operand {
  double value = 0;
  tile_view tile = {};  ///< instead of `value`, where given

  scalar_operand() = default;
  template <class Number>
    requires std::integral<Number> || std::floating_point<Number>
  scalar_operand(Number constant) : value(double(constant)) {}
  scalar_operand(const tile_view& view) : tile(view) {}
  scalar_operand(const engine::tile& whole) : tile(whole.whole()) {}
};

}  // namespace papilio::engine
