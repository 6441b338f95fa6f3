#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "kernels/product/blocks.hpp"
#include "kernels/product/step.hpp"

// An operand of products in SBUF, what is summed on the partitions.
namespace papilio::kernels_detail {

/// How an operand comes there.
struct panel_design {
  side from = side::left;
  std::vector<int> columns = {};  ///< axes that are not summed
  axis_lanes k = {};              ///< summed axes on partitions
  std::vector<int> summed = {};   ///< all summed axes
  /// Lanes on partitions in HBM's order of elements, to be transposed on the tensor engine.
  /// Empty lanes with is_transposed false: loaded as it is to lie.
  bool is_transposed = false;
  axis_lanes raw = {};
  /// In SBUF already, with lanes that are those of `raw`, or of `k` where it is not transposed.
  std::optional<chip_layout> given = {};
  int planes = 1;        ///< of the operand
  bool negated = false;  ///< a third plane, of imaginary parts times -1
  int parts = 1;         ///< of elements: planes of the first, then of the second ...
  bool added = false;    ///< a third plane, of the sums of both
  /// Elements of a row of what is loaded to be transposed, and a quarter of those of a slice that a
  /// partition has at a time. 0: the block at once.
  std::int64_t row = 0;
  /// The triangle goes over the only axis of the columns and that which is summed.
  std::optional<operand_triangle> triangle = {};
  bool has_zeros = false;  ///< where columns are beside it; else they are left out

  bool is_mirrored() const { return triangle && triangle->is_mirrored; }
  /// Whether it is loaded as it lies, and its parts are taken of that.
  bool is_split() const { return parts > 1 && !is_transposed && !given; }
  int planes_of_part() const { return planes + (negated || added ? 1 : 0); }
  int planes_kept() const { return parts * planes_of_part(); }
  auto fields() const {
    return std::tie(from, columns, k, summed, is_transposed, raw, given, planes, negated, parts,
                    added, row, triangle, has_zeros);
  }
};

/// Elements of a partition that a panel, one of its k tiles, and a slice of its block as it is
/// loaded take at most; and how many slices there are.
struct panel_size {
  std::int64_t kept = 0, raw = 0, tile = 0, slices = 1;
};
panel_size panel_size_of(const panel_design& design, const axis_ranges& ranges);

/// Slices of a block that have memory.
inline constexpr std::size_t slices_at_once = 2;

/// Memory of panels.
struct panel_pools {
  engine::tile_pool& kept;
  engine::tile_pool& raw;
  engine::tile_pool& banks;
};

/// Whether a panel is issued as it is made, or by ensure(), unit by unit.
enum class panel_issue : std::uint8_t { at_once, by_units };

class product_panel {
 public:
  /// Issues what brings the block there. `given`: the value, where the design has it in SBUF.
  product_panel(engine::core& nc, const contraction_step& step, const panel_design& design,
                const axis_ranges& ranges, const engine::hbm_view& flat, const panel_pools& pools,
                const engine::tile_view& given, panel_issue how = panel_issue::at_once);

  /// k tiles that are loaded as they lie, or transposed for the columns of a slice.
  std::int64_t units() const { return units_; }
  std::int64_t made() const { return made_; }
  /// Issues the first `count` units, what they are made of a little ahead.
  void ensure(std::int64_t count);
  /// Loads of what is transposed next, until so many slices wait. How many do.
  std::size_t load_ahead(std::size_t most = slices_at_once);
  /// How many of the first units these columns need up to k tile t.
  std::int64_t units_for(const axis_piece& at, const std::vector<std::int64_t>& batch,
                         std::size_t t) const;
  /// Whether k tile t of these columns is nothing but zeros, and is not there.
  bool is_zero(std::size_t t, const axis_piece& at) const;

  /// Tiles of the summed axes.
  const std::vector<axis_piece>& k_tiles() const { return tiles_; }
  /// k tile t of a plane: from the piece's place on, its lanes of a group as columns.
  engine::tile_view columns(std::size_t t, int plane, const axis_piece& at,
                            const std::vector<std::int64_t>& batch, const axis_lanes& group) const;

  /// The elements go to their places in the result.
  void store_to(const engine::hbm_view& out) const;

 private:
  // A part of a block that is transposed: a range of one axis of the columns and of one that is
  // summed, its k tiles, and, once it was loaded, how it lies in a tile.
  struct slice {
    axis_ranges ranges;
    std::vector<std::size_t> tiles;
    std::vector<axis_piece> pieces;  // columns that the array turns at once
    engine::tile_view raw = {};
    std::vector<std::int64_t> strides = {};  // of axes in it
    std::int64_t plane = 0, first = 0;
  };

  bool is_split() const { return design_.is_split(); }
  void load_straight(std::size_t cut);
  engine::tile_view split_of(std::size_t cut) const;
  void split_straight(std::int64_t unit);
  void cut_in_slices();
  void load(slice& s);
  void take_given(const engine::tile_view& given);
  void transpose(const slice& s, std::size_t t);
  void mirror(const slice& s, std::size_t t);
  std::size_t transpose_some(const slice& s, std::size_t t, int plane, std::size_t first);
  std::int64_t tile_offset(std::size_t t) const;
  std::int64_t target(const slice& s, const axis_piece& p) const;
  engine::tile_view raw_of(const slice& s, std::size_t t, int plane, const axis_piece& p) const;
  void put(std::size_t t, int plane, const engine::tile_view& bank, std::int64_t offset,
           std::int64_t group, std::int64_t step, const axis_piece& piece);
  void add_third(std::size_t t, std::int64_t first, std::int64_t count);
  void take_parts(const engine::tile_view& from, function_ref<engine::tile_view(int)> place);
  void mask(const engine::tile_view& block, std::int64_t row, std::int64_t column) const;
  bool is_needed(const slice& s) const;
  bool is_alike(const slice& s, std::size_t t, const axis_piece& a, const axis_piece& b) const;
  // Where k tile t and columns of the panel are in its tensor.
  axis_range k_of(std::size_t t) const;
  axis_range columns_of(const slice& s, const axis_piece& p) const;
  axis_ranges tile_ranges(std::size_t t) const;  // with those of the cut axis in k tile t
  view_levels levels_of(const axis_lanes& group, std::int64_t cut_count) const;

  engine::core& nc_;
  const contraction_step& step_;
  const panel_design& design_;
  axis_ranges ranges_;
  const engine::hbm_view& flat_;
  const panel_pools& pools_;
  engine::tile_view kept_, split_;  // the latter what parts are taken of
  std::vector<axis_piece> tiles_;
  std::vector<std::int64_t> strides_;  // of columns in a plane of a k tile
  std::vector<slice> slices_;          // of what is transposed
  int sliced_ = -1;                    // axis of columns that is cut
  std::int64_t sliced_count_ = 1;      // of it in a slice
  std::int64_t first_ = 0;             // of the block in a value that was given
  std::int64_t plane_ = 1;             // elements
  std::int64_t units_ = 0, made_ = 0;
  std::int64_t split_pieces_ = 1;  // of a k tile, each a unit
  std::size_t next_slice_ = 0, next_tile_ = 0, loaded_ = 0;
};

}  // namespace papilio::kernels_detail
