#include "engine/isa/scalar_use.hpp"

#include <cmath>

#include "engine/isa/elementwise.hpp"

namespace papilio::engine_detail {

void require_scalar(const checker& check, const char* name, const engine::scalar_operand& scalar,
                    const engine::tile_view& data, engine::alu_op op) {
  if (!scalar.tile.empty()) {
    check.scalar_operand(name, scalar.tile, data);
    return require_integers(check, op, name, scalar.tile);
  }
  const double value = scalar.value;
  check.that(!is_bitwise(op) || (value == std::floor(value) && value >= -0x1p31 && value < 0x1p32),
             name, "must be an integer in [-2147483648, 4294967295] for ", to_string(op), ", got ",
             value);
}

float value_of(const engine::scalar_operand& scalar, row_access& rows, int partition) {
  return scalar.tile.empty() ? float(scalar.value) : rows.scalar(scalar.tile, partition);
}

std::int32_t bits_of(const engine::scalar_operand& scalar, row_access& rows, int slot,
                     int partition) {
  if (!scalar.tile.empty()) return *rows.read_bits(slot, scalar.tile, partition);
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(std::int64_t(scalar.value)));
}

}  // namespace papilio::engine_detail
