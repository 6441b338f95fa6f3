#pragma once

#include <cstdint>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "papilio/engine/isa/operands.hpp"

namespace papilio::engine_detail {

/// value_of() returns a scalar operand's number for a partition in fp32, bits_of() its 32 bits.
float value_of(const engine::scalar_operand& scalar, row_access& rows, int partition);
std::int32_t bits_of(const engine::scalar_operand& scalar, row_access& rows, int slot,
                     int partition);

}  // namespace papilio::engine_detail
