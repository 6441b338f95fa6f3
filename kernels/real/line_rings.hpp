#pragma once

#include <cstdint>
#include <span>

#include "kernels/real/line_program.hpp"
#include "papilio/engine/core.hpp"

// What the plan of a line_program and its issuing have to agree on.
namespace papilio::kernels_detail {

/// Banks of PSUM that a unit fills; tiles of operands, and of results on the way to their places.
inline constexpr int unit_banks_of_lines = 2, line_operand_ring = 3, line_staging_ring = 3;

/// Elements of a partition of a bank.
inline std::int64_t bank_columns(const engine::machine_spec& machine) {
  return machine.psum.bank_bytes / 4;
}

inline bool with_factors(const line_program& program) {
  return program.columns && program.columns->twiddle_order > 0;
}

/// Results of the last stage leave PSUM before they go to their places.
inline bool staged(const line_program& program) {
  return program.stages.back().scattered && !with_factors(program);
}

/// Issues a planned program; tables: those of its stages, then of its factors.
void run_lines(engine::core& nc, const line_program& program, const engine::hbm_view& in,
               const engine::hbm_view& out, std::span<const engine::hbm_view> tables);

}  // namespace papilio::kernels_detail
