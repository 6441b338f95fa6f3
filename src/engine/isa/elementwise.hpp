#pragma once

#include <algorithm>
#include <cstddef>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "papilio/engine/isa/operands.hpp"

namespace papilio::engine_detail {

/// Computes out[i] = a[i] op b[i] in fp32, where op is not bitwise. `out` may be a or b.
void apply(engine::alu_op op, std::size_t count, const float* a, const float* b, float* out);
/// Computes out[i] = a[i] op b in fp32, or b op a[i] where `reversed`. `out` may be a.
void apply_scalar(engine::alu_op op, std::size_t count, const float* a, float b, bool reversed,
                  float* out);
/// Computes out[i] = a[i] op b[i], where op is bitwise or a shift.
void apply_bits(engine::alu_op op, std::size_t count, const std::int32_t* a, const std::int32_t* b,
                std::int32_t* out);

/// Refuses an output that overlaps another operand, even where both are the same elements.
void require_apart(const checker& check, const char* out_name, const engine::tile_view& out,
                   const char* other_name, const engine::tile_view& other);
/// Refuses an output of the tensor engine that crosses from one bank of PSUM to the next.
void require_in_one_bank(const checker& check, const char* name, const engine::tile_view& view);

/// Returns whether a copy moves integers as they are, without rounding or saturation.
inline bool keeps_integers(engine::dtype in, engine::dtype out) {
  return !engine::is_float(in) && (out == in || out == engine::dtype::int32);
}

/// is_unit_stride() returns whether neighbours on the fastest level are neighbours in memory.
bool is_unit_stride(const engine::tile_view& view);
inline bool is_16_bit(engine::dtype type) { return engine::size_bytes(type) == 2; }

/// Returns the cycles of an elementwise instruction on `on` over those on the vector engine.
inline double elementwise_factor(engine::unit on, const engine::machine_spec& machine) {
  return on == engine::unit::gpsimd ? machine.gpsimd.cycles_per_element : 1;
}

/// Returns the cycles of an instruction on the elements of a partition of `data`: at least those of
/// the shortest instruction.
inline double data_cycles(const engine::lane_engine_spec& on, const engine::tile_view& data,
                          double cycles_per_element) {
  return std::max(on.min_cycles, double(data.elements()) * cycles_per_element);
}

/// Returns the speedup by the performance mode of the vector or the scalar engine where one tile is
/// read and one written; 1 where the mode does not apply.
double copy_speedup(const engine::machine_spec& machine, engine::unit on,
                    const engine::tile_view& out, const engine::tile_view& in);

}  // namespace papilio::engine_detail
