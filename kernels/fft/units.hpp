#pragma once

#include <cstdint>

#include "kernels/fft/pass.hpp"

// Rings that the units of work of a pass go through.
namespace papilio::kernels_detail {

inline constexpr int unit_banks = 2;    ///< of PSUM, that a unit fills and one instruction empties
inline constexpr int operand_ring = 3;  ///< tiles of stationary or moving operands
inline constexpr int remainder_ring = 2;  ///< of what a split leaves over
inline constexpr int exit_ring = 3;       ///< of results that leave by columns
inline constexpr int factor_ring = 3;     ///< lines of twiddle factors
inline constexpr int twiddle_ring = 2;    ///< products with sines
inline constexpr int matrix_ring = 3;     ///< matrices that are loaded as blocks need them

/// Elements of a partition of a unit.
std::int64_t unit_columns(const engine::machine_spec& machine);

/// The table [2, lanes, outputs] of a pass' last multiplication.
kernels::constant_table twiddle_table(const fft_pass& pass);

}  // namespace papilio::kernels_detail
