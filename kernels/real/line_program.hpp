#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/fft/recipe.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/machine_spec.hpp"

// A linear map of lines that stay on chip from end to end: lines on partitions, a few stages of
// products with small matrices between a gather and a scatter within each line.
namespace papilio::kernels_detail {

/// Elements of a line that are one operand of the array: a pattern in its tile.
struct line_piece {
  std::int64_t offset = 0;
  std::vector<engine::pattern_dim> dims = {};

  std::int64_t rows() const;
};

/// results = sum over pieces of piece * its matrix; the matrices lie side by side in the table.
struct line_group {
  std::vector<line_piece> pieces = {};
  std::int64_t matrix = 0;  ///< groups of one number share their matrices
  std::int64_t column = 0;  ///< of the first of them in the table, by lay_out_table
};

/// Where results of a unit go in the next tile.
struct line_copy {
  std::int64_t to = 0, from = 0;
  std::vector<engine::pattern_dim> to_dims = {}, from_dims = {};
};

/// Groups of as many pieces and results each, which fill at most two banks of PSUM.
struct line_unit {
  std::vector<line_group> groups = {};
  std::int64_t columns = 0;  ///< results of a group; group i's begin at i * columns
  std::vector<line_copy> copies = {};
};

struct line_stage {
  std::vector<line_unit> units = {};
  /// What elements of the tile that is read, by their columns, are multiplied by in those of the
  /// tile that is filled. Made when the table is: it has tables of its own.
  using coefficients = std::function<double(std::int64_t from, std::int64_t to)>;
  std::function<coefficients()> matrix = {};
  std::int64_t table_rows = 0, table_columns = 0;
  std::int64_t out_columns = 0;  ///< of the tile that the stage fills
  std::int64_t points = 0;       ///< complex terms of a sum, for the error model
  /// Results go to places far apart: they leave PSUM as they lie, and the vector engine, which has
  /// nothing else to do, puts them in their places.
  bool scattered = false;
};

/// A run of elements of each line, contiguous in HBM and in the tile.
struct line_move {
  std::int64_t offset = 0, lane = 0;  ///< in HBM: of the first line, from line to line
  std::int64_t column = 0, count = 0;

  auto fields() const { return std::tie(offset, lane, column, count); }
};

/// Lines that lie beside each other in arrays [outer, element, inner].
struct line_columns {
  std::int64_t outer = 1, inner = 1;
  /// Results leave line by line instead, planes [outer, inner, element], element k of line j times
  /// w(order)^(j k). 0: not.
  std::int64_t twiddle_order = 0;
  // Chosen by plan_lines.
  std::int64_t width = 0;  ///< lanes of a row of DMA
  int stores = 2;          ///< tiles of results

  auto fields() const { return std::tie(outer, inner, twiddle_order, width, stores); }
};

struct line_program {
  std::string name;
  kernels::kernel_design lines = {};  ///< what the stages are made of
  std::int64_t lanes = 1;
  std::int64_t in_columns = 0;
  std::vector<line_move> loads = {}, stores = {};
  /// Lines beside each other: moves are then planes, each whole.
  std::optional<line_columns> columns = {};
  std::vector<line_stage> stages = {};
  /// Chosen by plan_lines: tiles of each kind.
  int entry_depth = 2, middle_depth = 2, exit_depth = 2;

  /// Stages follow from `lines`.
  auto fields() const {
    return std::tie(name, lines, lanes, in_columns, loads, stores, columns, entry_depth,
                    middle_depth, exit_depth);
  }
  std::string describe() const { return name; }
  line_program without_batch() const;
};

/// Gives the matrices their columns, in the order of their numbers, and the table its size.
void lay_out_table(line_stage& stage);

/// The table: a matrix has its pieces' elements as rows, and its results, which the unit's copies
/// tell, as columns.
kernels::constant_table table_of(std::shared_ptr<const line_stage> stage, std::string name);

/// Chooses the depths; false if a block of lines does not fit SBUF.
bool plan_lines(line_program& program, const engine::machine_spec& machine);

/// Groups that one unit may have, of so many pieces and results each, for full blocks.
std::int64_t groups_of_unit(std::int64_t pieces, std::int64_t columns,
                            const engine::machine_spec& machine);

/// Planned programs that each do a part of the lines as one sweep between flat tensors.
void append_programs(fft_recipe& recipe, std::vector<line_program> programs,
                     std::int64_t in_elements, std::int64_t out_elements);

}  // namespace papilio::kernels_detail
