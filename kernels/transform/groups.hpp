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

// The stages of a formula as products of the array. A group is what depends on each other in one
// stage: an orbit of rows under conjugation, a line and the digits that are left. Groups beside each
// other share a product whose matrix is block diagonal. Nothing here is written by hand for a kind
// of transform: where data lie is found from the lists of their addresses.
namespace papilio::kernels_detail {

/// Banks of PSUM that a unit fills at most.
inline constexpr std::int64_t product_banks = 2;

/// Where the numbers of some lines lie in the tile of a partition: `beside` lines interleaved,
/// then the next `beside`. Where points are on partitions: in HBM, of the first of a block's lanes.
struct line_layout {
  std::int64_t plane = 0, line = 0, beside = 1;
  std::vector<std::int64_t> places = {};  ///< of each number, where they are not evenly `beside`
  std::vector<std::int64_t> imaginary_places = {};  ///< of their imaginary parts, in the same plane
  /// Numbers from this one on are conjugates of what lies there, of lanes in descending order or not.
  std::int64_t mirrored_from = std::numeric_limits<std::int64_t>::max();
  bool descending = true;

  std::int64_t at(int of_plane, std::int64_t of_line, std::int64_t number) const {
    const bool aside = of_plane == 1 && !imaginary_places.empty();
    const std::vector<std::int64_t>& listed = aside ? imaginary_places : places;
    return (aside ? 0 : of_plane * plane) + of_line / beside * line + of_line % beside +
           (listed.empty() ? number * beside : listed[std::size_t(number)]);
  }
};

/// Elements of the tile that is read, which become the rows of an operand.
struct operand_piece {
  std::int64_t offset = 0, rows = 0;
  std::vector<engine::pattern_dim> levels = {};
  bool mirrored = false;  ///< lanes are in descending order
};

/// Results on their way from a unit's place in PSUM to the tile that is filled.
struct result_copy {
  std::int64_t to = 0, from = 0;
  std::vector<engine::pattern_dim> to_levels = {}, from_levels = {};
  std::int64_t partner = 0;  ///< of squared bins, from a run of real parts to imaginary ones
};

/// Partitions of one slot of a tile, or of several that are evenly apart, and the rows in HBM, of
/// the lanes of a block, that they are.
struct point_move {
  std::int64_t offset = 0;
  std::vector<engine::pattern_dim> levels = {}, slots = {};
  std::int64_t partition = 0, slot = 0, slot_step = 1;
  bool mirrored = false;
};

/// One partition of a slot, whose first lane is the last of a run where it is mirrored.
struct slot_row {
  std::int64_t slot = 0, partition = 0, rows = 0;  ///< rows: of the slot
  bool mirrored = false;
};

/// Partitions of a slot that are read though no number fills them: they are zero.
struct slot_gap {
  std::int64_t slot = 0, partition = 0, rows = 0;
};

/// Rows of some results, which leave PSUM with their lanes in ascending or in descending order.
struct turned_rows {
  std::int64_t partition = 0, rows = 0, slot = 0, slots = 1;
  bool mirrored = false;
};

/// Lines whose points overlap and are added up as they leave: result h has `width` numbers, of which
/// number i sums points first + b hop + i of lines h step + parts - 1 - b, where they are points.
struct line_overlap {
  std::int64_t parts = 0;  ///< 0: points leave as they are
  std::int64_t first = 0, hop = 1, width = 0, step = 1;

  auto fields() const { return std::tie(parts, first, hop, width, step); }
  bool is_none() const { return parts == 0; }
  /// Lines that so many results have parts of.
  std::int64_t lines(std::int64_t results) const { return step * (results - 1) + parts; }
  /// Parts of which a number of a result is a sum.
  std::int64_t terms() const { return parts + 1 - step; }
};

/// Products of one form that fill at most two banks.
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
  std::vector<turned_rows> turned = {};             ///< of all results, where some are mirrored
};

/// The number, and its part, that a result is.
struct stage_number {
  std::int64_t number = 0;
  int plane = 0;
};

struct transform_stage {
  std::vector<product_unit> units = {};
  std::int64_t out_columns = 0;    ///< of the tile that is filled
  std::int64_t table_columns = 0;  ///< of a part, for a row of those before
  std::int64_t slots = 0;          ///< of a block that comes in with points on partitions
  /// Imaginary parts of bins that are real, of a block's lane 0, which are not looked at.
  std::vector<slot_row> cleared = {};
  std::vector<slot_gap> gaps = {};
  std::int64_t points = 0;            ///< complex terms of a sum, for the error
  std::int64_t radix = 1, order = 1;  ///< the digit's, and of the roots in its matrices
  /// The points of the item before that this one has as well stay where they are in the operand; of
  /// each piece `renewed` partitions are filled anew, in turn, those of `turns` pieces by one
  /// transpose. The table has the matrices `turns` times, their rows turned as far. 0: all are new.
  std::int64_t renewed = 0, turns = 1;
  std::vector<operand_piece> renewals = {};
  bool factored = false;   ///< of stage_options
  bool squared = false;    ///< real and imaginary parts are squared and added as they leave
  bool scattered = false;  ///< the vector engine puts results in their places
  std::vector<stage_number> numbers = {};  ///< of the factored results of all units
  /// The table has matrices of each row that sweeps before have left, one after another.
  bool varies = false;
  line_overlap overlap = {};  ///< of the last stage's lines
  kernels::constant_table table = {};
};

/// Where and how the lines of a partition enter and leave.
struct stage_options {
  std::int64_t lines = 1;
  line_layout points = {}, bins = {};
  bool squared = false;  ///< real and imaginary parts are squared and added on their way
  bool wide = false;     ///< operands at the bins have two pieces
  /// From item to item of a partition, whose lines overlap; 0: points are not shared.
  std::int64_t shift = 0;
  /// Points are on partitions as they enter, as they leave; then `lines` is 1.
  bool points_enter = false, points_leave = false;
  std::int64_t lanes = 0;  ///< of a block whose points are on partitions
  /// From slot to slot of a block that enters so, if the first stage's results take the places of
  /// what they were made of; 0: they do not.
  std::int64_t slot_columns = 0;
  /// Results of a product are all real parts, then all imaginary ones, which the vector engine
  /// multiplies by factors as they leave.
  bool factored = false;
  /// How points of transposed real lines overlap. `hop` is a multiple of all digits but the first.
  line_overlap overlap = {};
  array_operands operands = {};
};

/// The stages in the order in which they run, with their tables.
std::vector<transform_stage> stages_of(const transform_formula& formula,
                                       const stage_options& options,
                                       const engine::machine_spec& machine);

/// Complex lines of two digits or more there, times the factors of their bins, and back by the
/// transposed matrices: the last digit there and back is one stage, with a matrix for each row.
std::vector<transform_stage> round_trip_stages(const transform_formula& there,
                                               const transform_formula& back,
                                               const stage_options& options,
                                               const engine::machine_spec& machine);

/// A stage of one product for each partition, [elements] to [results]: weights[r, e].
transform_stage product_stage(std::string name, std::int64_t elements, std::int64_t results,
                              std::vector<float> weights, const array_operands& operands,
                              const engine::machine_spec& machine);

/// Columns of a product, at most.
std::int64_t product_columns_max(const engine::machine_spec& machine);

/// Results at `from` in PSUM as copies to the places `to`, one for each pattern that leads on from
/// one result to the next.
std::vector<result_copy> copies_between(std::span<const std::int64_t> to,
                                        std::span<const std::int64_t> from, std::size_t levels_max);

/// Bank columns of the results or transposes `index` of one width: none lies across banks.
std::int64_t bank_place(std::int64_t index, std::int64_t width, std::int64_t bank_columns);

}  // namespace papilio::kernels_detail
