#include "engine/isa/scalar_use.hpp"

#include <cmath>

namespace papilio::engine_detail {

float value_of(const engine::scalar_operand& scalar, row_access& rows, int partition) {
  return scalar.tile.empty() ? float(scalar.value) : rows.scalar(scalar.tile, partition);
}

std::int32_t bits_of(const engine::scalar_operand& scalar, row_access& rows, int slot,
                     int partition) {
  if (!scalar.tile.empty()) return *rows.read_bits(slot, scalar.tile, partition);
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(std::int64_t(scalar.value)));
}

}  // namespace papilio::engine_detail
