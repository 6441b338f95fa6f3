#pragma once

#include <cstddef>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "papilio/engine/isa/operands.hpp"

namespace papilio::engine_detail {

/// out[i] = a[i] op b[i], all fp32. Not for bitwise operations. out may be a or b.
void apply(engine::alu_op op, std::size_t count, const float* a, const float* b, float* out);
/// The same with one right operand for all; `reversed`: b op a[i].
void apply_scalar(engine::alu_op op, std::size_t count, const float* a, float b, bool reversed,
                  float* out);
/// Bitwise operations and shifts.
void apply_bits(engine::alu_op op, std::size_t count, const std::int32_t* a, const std::int32_t* b,
                std::int32_t* out);

/// Refuses an output that overlaps another operand at all.
void require_apart(const checker& check, const char* out_name, const engine::tile_view& out,
                   const char* other_name, const engine::tile_view& other);
/// Refuses what the tensor engine would write across banks of PSUM.
void require_in_one_bank(const checker& check, const char* name, const engine::tile_view& view);

/// Whether a copy moves integers as they are, without rounding or saturation.
inline bool keeps_integers(engine::dtype in, engine::dtype out) {
  return !engine::is_float(in) && (out == in || out == engine::dtype::int32);
}

/// Whether a view has unit stride, and 16-bit elements.
bool is_unit_stride(const engine::tile_view& view);
inline bool is_16_bit(engine::dtype type) { return engine::size_bytes(type) == 2; }

/// What an elementwise instruction takes on `on`, over the vector engine's cycles.
inline double elementwise_factor(engine::unit on, const engine::machine_spec& machine) {
  return on == engine::unit::gpsimd ? machine.gpsimd.cycles_per_element : 1;
}

/// What the performance mode of the vector or the scalar engine gains for one tile in and one out.
double copy_speedup(const engine::machine_spec& machine, engine::unit on,
                    const engine::tile_view& out, const engine::tile_view& in);

}  // namespace papilio::engine_detail
