#pragma once

#include <cstdint>
#include <span>

#include "kernels/fft/units.hpp"
#include "kernels/real/line_program.hpp"
#include "papilio/engine/core.hpp"

// What the plan of a line_program and its issuing have to agree on.
namespace papilio::kernels_detail {

/// Tiles of results on the way to their places; other rings are those of passes.
inline constexpr int staging_ring = 3;
inline constexpr int operand_ring = 3;  ///< tiles of stationary operands

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
