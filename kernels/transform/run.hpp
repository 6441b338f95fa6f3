#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/array_operands.hpp"
#include "kernels/transform/groups.hpp"
#include "papilio/engine/core.hpp"

// Issues the stages of any transform: loads, transposes, products and stores, pipelined over items.
namespace papilio::kernels_detail {

/// Buffer depths: numbers of tiles of each kind, and the share of transposes of the vector engine.
struct run_depths {
  int entry = 2, middle = 2, exit = 2;
  int unit = 3;  ///< of a unit's operands, and of its results
  /// The vector engine does one in so many of the transposes that it is able to do, the tensor
  /// engine the others; 0: none.
  std::int64_t vector_turn = 0;

  auto fields() const { return std::tie(entry, middle, exit, unit, vector_turn); }
};

/// The type of numbers on chip, in PSUM too, that become operands next: the operands' own where the
/// array leaves its sums in it and a number is one operand. Rounded once, as they are loaded or
/// summed, they leave PSUM in half the time, and their transposes take one pass.
inline engine::dtype kept_type(const array_operands& operands, const engine::machine_spec& m) {
  const bool is_left = m.tensor.bf16_results && operands.type == engine::dtype::bf16;
  return is_left && operands.parts == 1 ? operands.type : engine::dtype::fp32;
}
/// Room in fp32 words for a tile of so many of these numbers.
inline std::int64_t kept_words(std::int64_t columns, const array_operands& operands,
                               const engine::machine_spec& m) {
  return kept_type(operands, m) == operands.type ? operands.words(columns) : columns;
}

/// The most complex points of a line that passes all its stages on chip; narrow ones take half the
/// room.
inline std::int64_t one_sweep_points(const array_operands& operands,
                                     const engine::machine_spec& m) {
  return (kept_type(operands, m) == engine::dtype::fp32 ? 1 : 2) *
         m.thresholds.one_sweep_points_max;
}

/// A tile, and the column of it from which addresses count.
struct tile_place {
  engine::tile_view tile = {};
  std::int64_t column = 0;
  std::int64_t position = 0;  ///< of the item among those that overlap in the tile
  std::int64_t run_step = 0;  ///< columns from run to run of the item's lines
};

/// Numbers of lines before and behind an item's lines that count as zero and are not loaded.
struct zero_lines {
  std::int64_t before = 0, behind = 0;
};

/// Source and destination of a transform's data, in items. An item is a batch of lines, one a
/// partition (or `stage_options::lines` of them); with points on partitions at one end its batch
/// may be several runs of as many lines as the array has rows.
class transform_ports {
 public:
  virtual ~transform_ports() = default;
  virtual std::int64_t items() const = 0;
  virtual std::int64_t batch(std::int64_t item) const = 0;
  /// Issues the loads that should be in flight when the item's stages begin.
  virtual void prepare(std::int64_t item) = 0;
  /// The tile of the item's lines, which have been loaded.
  virtual tile_place source(std::int64_t item) = 0;
  /// A tile for the results of a run of the item.
  virtual tile_place target(std::int64_t item, std::int64_t run) = 0;
  /// Where lines are added up: the number of results, the lines of zeros before and behind the
  /// item's, and the factors of the sums (an empty tile for 1).
  virtual std::int64_t sums(std::int64_t /*item*/) const { return 0; }
  virtual zero_lines zeros(std::int64_t /*item*/) const { return {}; }
  virtual engine::tile_view weights(std::int64_t /*item*/) { return {}; }
  /// Called when all results of the run have been issued: stores them.
  virtual void finish(std::int64_t item, std::int64_t run) = 0;
  /// Stores the results of a unit whose points are on partitions, `batch` columns each.
  virtual void store(std::int64_t /*item*/, const product_unit& /*unit*/,
                     const engine::tile_view& /*results*/) {}
  /// Number of columns of a slot of a source with points on partitions.
  virtual std::int64_t slot_columns() const { return 0; }
  /// The row that earlier sweeps have computed, on which the item's matrices depend. Items of a row
  /// follow each other.
  virtual std::int64_t row(std::int64_t /*item*/) const { return 0; }
  /// The index of the item's first line, which selects the factors of its results.
  virtual std::int64_t first_line(std::int64_t /*item*/) const { return 0; }
};

/// Buffer depths that designs try, the deepest first.
std::span<const run_depths> depths_tried();

/// The stages and the buffers of a run.
struct run_layout {
  std::span<const transform_stage> stages;
  std::int64_t batch = 0;  ///< lines of the largest item; 0: as many as partitions, at most
  bool loads_points = false, stores_points = false;
  bool in_place = false;  ///< the first stage overwrites points on partitions with its results
  array_operands operands = {};
  run_depths depths = {};
};

/// fp32 words of a partition that a run takes beside the tiles of its ports: operands, tiles
/// between stages, tables.
std::int64_t run_words(const run_layout& layout, const engine::machine_spec& machine);

/// Issues the stages over all items. `tables` in HBM: the matrices of each stage, then the factors
/// [line, result] where results are multiplied.
void run_stages(engine::core& nc, const run_layout& layout, transform_ports& ports,
                std::span<const engine::hbm_view> tables);

}  // namespace papilio::kernels_detail
