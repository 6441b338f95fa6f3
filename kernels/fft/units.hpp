#pragma once

#include <cstdint>
#include <vector>

#include "kernels/fft/pass.hpp"

// Buffer depths of a pass: how many tiles of each pool are in flight.
namespace papilio::kernels_detail {

inline constexpr int unit_banks = 2;  ///< of PSUM, that a unit fills and one instruction empties
inline constexpr int remainder_ring = 2;  ///< of what a split leaves over
inline constexpr int exit_ring = 3;       ///< of results that leave by columns
inline constexpr int factor_ring = 3;     ///< units of twiddle factors
inline constexpr int twiddle_ring = 1;    ///< products with sines
inline constexpr int twin_ring = 2;       ///< bins of two real lines
inline constexpr int matrix_ring = 3;     ///< matrices that are loaded as blocks need them

/// Consecutive groups of a stage that fill a unit, and the index levels that they are.
struct group_box {
  std::int64_t first = 0, count = 0;
  digit_layout levels = {};
};

/// Elements of a partition of a tile of bins of two real lines; 0: the pass has none.
std::int64_t twin_columns(const fft_pass& pass);
/// Elements of a partition of a unit.
std::int64_t unit_columns(const fft_pass& pass);
/// Groups of which transposes of `width` lanes and results fit a unit; one bank where results leave
/// a gap in it.
std::int64_t groups_of_unit(const fft_pass& pass, const fft_stage& stage, std::int64_t width,
                            bool to_columns);
/// All groups in boxes of at most `most`.
std::vector<group_box> boxes_of(const fft_stage& stage, std::int64_t most);
/// The units of the last stage of a pass that leaves by rows.
std::vector<group_box> exit_boxes(const fft_pass& pass);

/// The table [runs of lanes, units, lanes of a run, elements] of a pass' last multiplication, in
/// the order in which results lie in PSUM: cosines where real parts are, sines where imaginary
/// ones.
kernels::constant_table twiddle_table(const fft_pass& pass);

}  // namespace papilio::kernels_detail
