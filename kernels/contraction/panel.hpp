#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "kernels/contraction/blocks.hpp"
#include "kernels/contraction/step.hpp"

// An operand of products in SBUF, what is summed on the partitions.
namespace papilio::kernels_detail {

/// How an operand comes there.
struct panel_design {
  side from = side::left;
  std::vector<int> columns = {};  ///< axes that are not summed
  axis_lanes k = {};              ///< summed axes on partitions
  std::vector<int> summed = {};   ///< all summed axes
  /// What lies on partitions in HBM's order of elements, to be transposed on the tensor engine.
  /// Empty lanes with is_transposed false: loaded as it is to lie.
  bool is_transposed = false;
  axis_lanes raw = {};
  /// In SBUF already, with lanes that are those of `raw`, or of `k` where it is not transposed.
  std::optional<chip_layout> given = {};
  int planes = 1;        ///< of the operand
  bool negated = false;  ///< a third plane, of imaginary parts times -1
  int parts = 1;         ///< of elements: planes of the first, then of the second ...

  int planes_of_part() const { return planes + (negated ? 1 : 0); }
  int planes_kept() const { return parts * planes_of_part(); }
  auto fields() const {
    return std::tie(from, columns, k, summed, is_transposed, raw, given, planes, negated, parts);
  }
};

/// Elements of a partition that a panel and its block as it was loaded take at most.
struct panel_size {
  std::int64_t kept = 0, raw = 0;
};
panel_size panel_size_of(const panel_design& design, const axis_ranges& ranges);

/// Memory of panels.
struct panel_pools {
  engine::tile_pool& kept;
  engine::tile_pool& raw;
  engine::tile_pool& banks;
};

class product_panel {
 public:
  /// Issues what brings the block there. `given`: the value, where the design has it in SBUF.
  product_panel(engine::core& nc, const contraction_step& step, const panel_design& design,
                const axis_ranges& ranges, const engine::hbm_view& flat, const panel_pools& pools,
                const engine::tile_view& given);

  /// Tiles of the summed axes.
  const std::vector<axis_piece>& k_tiles() const { return tiles_; }
  /// k tile t of a plane: from the piece's place on, its lanes of a group as columns.
  engine::tile_view columns(std::size_t t, int plane, const axis_piece& at,
                            const std::vector<std::int64_t>& batch, const axis_lanes& group) const;

  /// The elements go to their places in the result.
  void store_to(const engine::hbm_view& out) const;

 private:
  void load_straight();
  void load_transposed();
  void take_given(const engine::tile_view& given);
  void transpose_all(const engine::tile_view& raw);
  std::int64_t tile_offset(std::size_t t) const;
  void transpose_tile(std::size_t t, int plane, const engine::tile_view& raw,
                      const std::vector<axis_piece>& pieces);
  void put(std::size_t t, int plane, const engine::tile_view& bank, std::int64_t offset,
           std::int64_t group, std::int64_t step, const axis_piece& piece);
  void negate(std::size_t t);
  void take_part(int part, const engine::tile_view& to, const engine::tile_view& from);
  std::int64_t source_offset() const;
  view_levels levels_of(const axis_lanes& group, std::int64_t cut_count) const;

  engine::core& nc_;
  const contraction_step& step_;
  const panel_design& design_;
  axis_ranges ranges_;
  const engine::hbm_view& flat_;
  const panel_pools& pools_;
  engine::tile_view kept_;
  std::vector<axis_piece> tiles_;
  std::vector<std::int64_t> strides_;      // of columns in a plane of a k tile
  std::vector<std::int64_t> raw_strides_;  // of axes in the untransposed block
  std::int64_t raw_plane_ = 0;
  std::int64_t first_ = 0;  // of the block in a value that was given
  std::int64_t plane_ = 1;  // elements
};

}  // namespace papilio::kernels_detail
