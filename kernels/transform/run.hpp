#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/array_operands.hpp"
#include "kernels/transform/groups.hpp"
#include "papilio/engine/core.hpp"

// One runner for all transforms.
namespace papilio::kernels_detail {

/// How many tiles of each kind there are, and who transposes.
struct run_depths {
  int entry = 2, middle = 2, exit = 2;
  int ring = 3;  ///< of operands, and of results on their way
  /// The vector engine does one in so many of the transposes that it can, the array the others; 0:
  /// none.
  std::int64_t vector_turn = 0;

  auto fields() const { return std::tie(entry, middle, exit, ring, vector_turn); }
};

/// A tile, and the column of it from which addresses count.
struct tile_place {
  engine::tile_view tile = {};
  std::int64_t column = 0;
  std::int64_t position = 0;  ///< of the item among those that overlap in the tile
  std::int64_t run_step = 0;  ///< columns from run to run of the item's lanes
};

/// Lines that are zero, and not there.
struct zero_lines {
  std::int64_t before = 0, behind = 0;
};

/// Where items, the lines that partitions have at a time, come from and go to. Items with points on
/// partitions at one end have more lines, `lanes`: runs of as many as there are partitions.
class transform_ports {
 public:
  virtual ~transform_ports() = default;
  virtual std::int64_t items() const = 0;
  virtual std::int64_t lanes(std::int64_t item) const = 0;
  /// Issues the loads that should be on their way when the item's stages begin.
  virtual void prepare(std::int64_t item) = 0;
  /// The item's lines, which have been loaded.
  virtual tile_place source(std::int64_t item) = 0;
  /// Room for the results of a run of the item.
  virtual tile_place target(std::int64_t item, std::int64_t run) = 0;
  /// Where lines are added up: how many results there are, the lines that are zero before and behind
  /// the item's, and what sums are multiplied by, an empty tile for 1.
  virtual std::int64_t sums(std::int64_t /*item*/) const { return 0; }
  virtual zero_lines zeros(std::int64_t /*item*/) const { return {}; }
  virtual engine::tile_view weights(std::int64_t /*item*/) { return {}; }
  /// The results are there.
  virtual void finish(std::int64_t item, std::int64_t run) = 0;
  /// Results of a unit whose points are on partitions, `lanes` columns each.
  virtual void store(std::int64_t /*item*/, const product_unit& /*unit*/,
                     const engine::tile_view& /*results*/) {}
  /// Columns of a slot of a source with points on partitions.
  virtual std::int64_t slot_columns() const { return 0; }
  /// The row of those before on which the item's matrices depend; none comes back after others.
  virtual std::int64_t row(std::int64_t /*item*/) const { return 0; }
  /// The number of the item's first lane, by which factors of its results are found.
  virtual std::int64_t first_lane(std::int64_t /*item*/) const { return 0; }
};

/// Depths that are tried, the deepest first.
std::span<const run_depths> depths_tried();

/// How a runner is made: the stages, and how many lanes the largest item has.
struct run_layout {
  std::span<const transform_stage> stages;
  std::int64_t lanes = 0;  ///< 0: as many as partitions, at most
  bool points_enter = false, points_leave = false;
  bool in_place = false;  ///< the first stage's results take the places of points that enter so
  array_operands operands = {};
  run_depths depths = {};
};

/// fp32 words of a partition that the runner takes beside the tiles of its ports: operands, tiles
/// on the way, tables.
std::int64_t run_words(const run_layout& layout, const engine::machine_spec& machine);

/// Issues the stages over all items. `tables`: of each stage, in HBM, and the factors of results
/// that are multiplied, [lane, result].
void run_stages(engine::core& nc, const run_layout& layout, transform_ports& ports,
                std::span<const engine::hbm_view> tables);

}  // namespace papilio::kernels_detail
