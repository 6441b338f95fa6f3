#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/array_operands.hpp"
#include "kernels/transform/formula.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/operand.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// The stages of a formula as matrix products of the tensor engine. A group is a connected component
// of a stage's coefficients: a row k with its conjugate, one line, one point j that is left; its
// matrix is square. Adjacent groups share a product with a block-diagonal matrix. The layout of
// each operand and result is found from lists of addresses, so that no kind of transform, direction
// or placement has code of its own.
namespace papilio::kernels_detail {

/// Banks of PSUM that a unit fills at most.
inline constexpr std::int64_t product_banks = 2;

/// Addresses of the numbers of some lines in the tile of a partition: `beside` lines interleaved,
/// then the next `beside`. Where points are on partitions, addresses are those in HBM of the first
/// line of a block.
struct line_layout {
  std::int64_t plane = 0, line = 0, beside = 1;
  std::vector<std::int64_t> places = {};  ///< of each number, where they are not evenly `beside`
  std::vector<std::int64_t> imaginary_places = {};  ///< of their imaginary parts, in the same plane
  /// Numbers from this one on are conjugates of what lies at their addresses, whose lines are in
  /// descending order if `descending`.
  std::int64_t mirrored_from = std::numeric_limits<std::int64_t>::max();
  bool descending = true;

  std::int64_t at(int of_plane, std::int64_t of_line, std::int64_t number) const {
    const bool aside = of_plane == 1 && !imaginary_places.empty();
    const std::vector<std::int64_t>& listed = aside ? imaginary_places : places;
    return (aside ? 0 : of_plane * plane) + of_line / beside * line + of_line % beside +
           (listed.empty() ? number * beside : listed[std::size_t(number)]);
  }
};

/// Elements of the source tile that become the rows of an operand.
struct operand_piece {
  std::int64_t offset = 0, rows = 0;
  std::vector<engine::pattern_dim> levels = {};
  bool mirrored = false;  ///< lines are in descending order
};

/// A copy of results from a unit's place in PSUM to the tile that is filled.
struct result_copy {
  std::int64_t to = 0, from = 0;
  std::vector<engine::pattern_dim> to_levels = {}, from_levels = {};
  std::int64_t partner = 0;  ///< of squared bins, from a run of real parts to imaginary ones
};

/// A DMA of points: partitions of one slot of a tile, or of several slots that are evenly apart,
/// and the rows of the block's lines in HBM that they hold.
struct point_move {
  std::int64_t offset = 0;
  std::vector<engine::pattern_dim> levels = {}, slots = {};
  std::int64_t partition = 0, slot = 0, slot_step = 1;
  bool mirrored = false;
};

/// One partition of a slot. Where it is mirrored, its first line is the last of a run of lines.
struct slot_row {
  std::int64_t slot = 0, partition = 0, rows = 0;  ///< rows: of the slot
  bool mirrored = false;
};

/// Partitions of a slot that products read though no number fills them: they are zero.
struct slot_gap {
  std::int64_t slot = 0, partition = 0, rows = 0;
};

/// Rows of some results that are copied out of PSUM with their lines in ascending or, `mirrored`,
/// in descending order.
struct ordered_rows {
  std::int64_t partition = 0, rows = 0, slot = 0, slots = 1;
  bool mirrored = false;
};

/// Overlap-add of lines as they are stored: number i < `width` of result h is the sum over
/// b < parts of point first + b hop + i of line h step + parts - 1 - b, where there is such a
/// point.
struct line_overlap {
  std::int64_t parts = 0;  ///< 0: points are stored as they are
  std::int64_t first = 0, hop = 1, width = 0, step = 1;

  auto fields() const { return std::tie(parts, first, hop, width, step); }
  bool is_none() const { return parts == 0; }
  /// Number of lines that overlap so many results.
  std::int64_t lines(std::int64_t results) const { return step * (results - 1) + parts; }
  /// Number of lines of which a number of a result is the sum.
  std::int64_t terms() const { return parts + 1 - step; }
};

/// Products of one shape whose results fill at most `product_banks` banks of PSUM.
struct product_unit {
  std::vector<operand_piece> pieces = {};  ///< of each group of products, one after the other
  bool is_continued = false;               ///< further results of the operands of the unit before
  std::int64_t products = 0, pieces_each = 0, columns = 0;  ///< columns: results of a product
  std::int64_t products_each = 1;                           ///< that share pieces
  std::vector<std::int64_t> matrices = {};  ///< each product's first column in the table
  std::int64_t matrix_step = 0;             ///< in the table, from piece to piece
  std::int64_t part_step = 0;               ///< likewise, from part to part of lines that overlap
  std::vector<result_copy> copies = {};
  std::int64_t first_slot = 0;  ///< of the pieces in the tile of a block that came in on partitions
  std::vector<point_move> loads = {}, stores = {};  ///< where points are on partitions
  std::vector<ordered_rows> ordered = {};           ///< of all results, where some are mirrored
};

/// The index of the point or bin that a result is, and its plane.
struct stage_number {
  std::int64_t number = 0;
  int plane = 0;
};

struct transform_stage {
  std::vector<product_unit> units = {};
  std::int64_t out_columns = 0;    ///< of the tile that is filled
  std::int64_t table_columns = 0;  ///< of a part, for a row of those before
  std::int64_t slots = 0;          ///< of a block that comes in with points on partitions
  /// Imaginary parts of real bins, of a block's line 0: they are cleared, since the input's are not
  /// looked at.
  std::vector<slot_row> cleared = {};
  std::vector<slot_gap> gaps = {};
  std::int64_t points = 0;            ///< complex terms of a sum, for the error
  std::int64_t radix = 1, order = 1;  ///< the digit's, and of the roots in its matrices
  /// Overlapping lines share operands: points that the line before has as well stay where they are,
  /// and `renewed` partitions of each piece are overwritten round robin, those of `rotations`
  /// pieces by one transpose. The table holds the matrices `rotations` times, with their rows
  /// rotated to match. renewed 0: all points are transposed anew.
  std::int64_t renewed = 0, rotations = 1;
  std::vector<operand_piece> renewals = {};
  bool factored = false;   ///< of stage_options
  bool squared = false;    ///< results are powers: real and imaginary parts squared and added
  bool scattered = false;  ///< the vector engine puts results in their places
  std::vector<stage_number> numbers = {};  ///< of the factored results of all units
  /// The table has matrices for each row that earlier sweeps have computed, one after the other.
  bool varies = false;
  line_overlap overlap = {};  ///< of the last stage's lines
  kernels::constant_table table = {};
};

/// The layout of the lines of a partition at both ends, and options of their stages.
struct stage_options {
  std::int64_t lines = 1;
  line_layout points = {}, bins = {};
  bool squared = false;  ///< results are powers: real and imaginary parts squared and added
  bool wide = false;     ///< operands at the bins have two pieces
  /// Samples between consecutive lines of a partition, which overlap; 0: they share no points.
  std::int64_t shift = 0;
  /// Points are on partitions as they are loaded, as they are stored; then `lines` is 1.
  bool loads_points = false, stores_points = false;
  std::int64_t batch = 0;  ///< lines of a block whose points are on partitions
  /// Columns from slot to slot of a block that is loaded so, where the first stage overwrites its
  /// operands with its results; 0: it does not.
  std::int64_t slot_columns = 0;
  /// Results of a product are all real parts, then all imaginary ones, which the vector engine
  /// multiplies by factors on their way out of PSUM.
  bool factored = false;
  /// The overlap of transposed real lines. `hop` is a multiple of the product of all digits but the
  /// first.
  line_overlap overlap = {};
  array_operands operands = {};
};

/// Compiles the stages, in the order in which they run, with their tables.
std::vector<transform_stage> stages_of(const transform_formula& formula,
                                       const stage_options& options,
                                       const engine::machine_spec& machine);

/// Compiles a circular convolution: complex lines of two digits or more are transformed by `there`,
/// multiplied by its bins' factors, and transformed back by `back`. The last digit there and back
/// is one stage, with a matrix for each row.
std::vector<transform_stage> round_trip_stages(const transform_formula& there,
                                               const transform_formula& back,
                                               const stage_options& options,
                                               const engine::machine_spec& machine);

/// A stage that multiplies the vector [elements] of each partition by the matrix weights[r, e].
transform_stage product_stage(std::string name, std::int64_t elements, std::int64_t results,
                              std::vector<float> weights, const array_operands& operands,
                              const engine::machine_spec& machine);

/// The largest number of columns of a product.
std::int64_t product_columns_max(const engine::machine_spec& machine);

/// Copies of results from `from` in PSUM to the places `to`, one for each access pattern that the
/// addresses fit.
std::vector<result_copy> copies_between(std::span<const std::int64_t> to,
                                        std::span<const std::int64_t> from, std::size_t levels_max);

/// Column in PSUM of result or transpose `index`, all of one width: none lies across banks.
std::int64_t bank_place(std::int64_t index, std::int64_t width, std::int64_t bank_columns);

}  // namespace papilio::kernels_detail
