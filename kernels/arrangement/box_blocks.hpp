#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "papilio/engine/operand.hpp"
#include "papilio/kernels/rearrange.hpp"

// Boxes of arrays as transfers between HBM and SBUF.
namespace papilio::kernels_detail {

/// One loop over a box: what a step is in either array, in elements.
struct box_level {
  std::int64_t extent = 1, in = 1, out = 1;

  auto fields() const { return std::tie(extent, in, out); }
};

/// A box of two arrays, from these elements on; the first level is the slowest.
struct box_region {
  std::int64_t in = 0, out = 0;
  std::vector<box_level> levels = {};
  double scale = 1;
  bool zeros = false;  ///< stored; nothing is read

  auto fields() const { return std::tie(in, out, levels, scale, zeros); }

  std::int64_t elements() const;
  /// Elements that are contiguous in both arrays.
  std::int64_t run() const;
};

/// A region of the same elements in the same order, with as few levels as there can be, at least one.
box_region merged(const box_region& region);

/// A part of a region that is one transfer: `partitions` rows of `elements` each.
struct box_block {
  box_region part;
  std::int64_t partitions = 1, elements = 1;

  engine::hbm_view source(const engine::hbm_view& array) const;
  engine::hbm_view target(const engine::hbm_view& array) const;
};

/// A merged region in blocks of at most `partitions` rows of at most `width` elements; rows of the same
/// length in a block.
std::vector<box_block> box_blocks(const box_region& region, std::int64_t partitions,
                                  std::int64_t width);

/// The design of rearrange.
struct rearrange_design {
  std::vector<box_region> regions;                 ///< merged, of all planes
  std::int64_t partitions = 1;                     ///< rows of a block, at most
  std::int64_t copied_width = 1, zeros_width = 1;  ///< elements of a row, at most
  bool has_short_runs = false;                     ///< whose descriptors cost more than bytes

  auto fields() const {
    return std::tie(regions, partitions, copied_width, zeros_width, has_short_runs);
  }
  std::string describe() const;

  /// Zeros first: their stores fill the time in which the first loads start.
  std::vector<box_block> blocks() const;
  /// Elements that are contiguous in both arrays, of the region that has fewest.
  std::int64_t shortest_run() const;
};

/// The rest of an array beside disjoint boxes, as disjoint boxes (in `to` and `extents`).
std::vector<arrangement_problem::box> rest_of(const std::vector<std::size_t>& extents,
                                              const std::vector<arrangement_problem::box>& boxes);

}  // namespace papilio::kernels_detail
