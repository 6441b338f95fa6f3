#pragma once

#include <vector>

#include "kernels/fft/pass.hpp"

// Places of a pass' elements in the tiles of a block.
namespace papilio::kernels_detail {

/// An index level of a tile that is loaded or stored whole: where it lies there and in HBM.
struct packed_level {
  int digit = -1;  ///< -1: the plane
  std::int64_t extent = 1, hbm = 0, tile = 0;
};

/// Planes and digits of a line as they are contiguous in HBM, slowest first.
std::vector<packed_level> packed(const fft_pass& pass, const hbm_place& place);

/// Elements of a partition of a tile that holds lines.
inline std::int64_t line_columns(const fft_pass& pass) { return 2 * pass.points(); }

/// A tile entered by columns: group g of the first stage has `slot` elements from g * slot on, of
/// which each run of 128 lanes later holds its results.
struct column_tile {
  std::int64_t lanes = 0;      ///< padded to whole runs
  std::int64_t slot = 0;       ///< elements of a group
  std::int64_t run = 0;        ///< elements of 128 lanes
  std::int64_t lane_step = 1;  ///< elements from lane to lane
  std::int64_t plane = 0;      ///< from plane to plane, where planes lie apart; else 0
  std::int64_t columns = 0;    ///< in all
};
column_tile column_tile_of(const fft_pass& pass, const fft_stage& first, std::int64_t lanes,
                           std::int64_t array_rows);

/// Where the second and later stages find the results of the first.
stage_input after_first(const fft_pass& pass, const fft_stage& first, std::int64_t lanes,
                        std::int64_t array_rows);

/// Where the first stage finds the input of a pass.
stage_input entry_input(const fft_pass& pass);

/// What each digit counts in the number of an output, of a pass over one axis.
std::vector<std::int64_t> output_numbers(const fft_pass& pass);

/// Output strides of each digit in the tile that leaves by rows, or in HBM.
std::vector<std::int64_t> exit_strides(const fft_pass& pass);

}  // namespace papilio::kernels_detail
