#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "kernels/product/blocks.hpp"
#include "kernels/product/step.hpp"

// Panels: blocks of a product's operand in SBUF with the summed axes on partitions, as the tensor
// engine reads them. A k tile is the part of a panel that one matmul can sum over. A panel is
// loaded as it is to lie, or is loaded with column axes on partitions and transposed on the tensor
// engine.
namespace papilio::kernels_detail {

/// How a panel is made.
struct panel_design {
  operand_role from = operand_role::left;
  std::vector<int> columns = {};  ///< axes that are not summed
  axis_partitions k = {};         ///< summed axes on partitions
  std::vector<int> summed = {};   ///< all summed axes
  /// Whether it is loaded with the column axes `raw` on partitions, then transposed on the tensor
  /// engine; else it is loaded as it is to lie, and `raw` is empty.
  bool is_transposed = false;
  axis_partitions raw = {};
  /// The layout of an operand that lies in SBUF already; `raw`, or `k` where it is not transposed,
  /// are its axes on partitions.
  std::optional<chip_layout> given = {};
  int planes = 1;        ///< 2: real and imaginary
  bool negated = false;  ///< has a third plane: imaginary parts times -1
  int parts = 1;         ///< numbers whose sum an element is; planes of the first part come first
  bool added = false;    ///< has a third plane: the sums re + im
  /// Elements of a good DMA row; a slice to be transposed has up to four such rows on a partition.
  /// 0: the block is loaded at once.
  std::int64_t row = 0;
  /// The triangle of a matrix whose axes are the only column axis and the only summed one.
  std::optional<operand_triangle> triangle = {};
  bool has_zeros = false;  ///< columns beside the triangle are zeros; else they are left out
  bool is_packed = false;  ///< it is quantised; a k tile has mx_numbers values of k a partition

  bool is_mirrored() const { return triangle && triangle->is_mirrored; }
  /// Whether it is loaded as it is to lie, and then split into parts.
  bool is_split() const { return parts > 1 && !is_transposed && !given; }
  int planes_of_part() const { return planes + (negated || added ? 1 : 0); }
  int planes_kept() const { return parts * planes_of_part(); }
  auto fields() const {
    return std::tie(from, columns, k, summed, is_transposed, raw, given, planes, negated, parts,
                    added, row, triangle, has_zeros, is_packed);
  }
};

/// The most elements of a partition that a panel takes (`kept`), a slice of it as it is loaded
/// (`raw`), and one of its k tiles (`tile`); and the number of slices.
struct panel_size {
  std::int64_t kept = 0, raw = 0, tile = 0, slices = 1;
  std::int64_t scales = 0;  ///< of a packed panel, in bytes; the scales of four k tiles share them
};
panel_size panel_size_of(const panel_design& design, const axis_ranges& ranges);
/// The size of a packed panel of so many k tiles and columns.
panel_size packed_size(const panel_design& design, std::int64_t tiles, std::int64_t columns);

/// Columns of a packed panel that are quantised at a time.
inline constexpr std::int64_t packed_columns = 512;
/// The places of a k tile's values in a packed panel: value first(q) + step p is number q of
/// partition p. Neighbours of k lie side by side where there are whole quads of them.
struct packed_places {
  std::int64_t values = 0;

  std::int64_t rows() const { return ceil_div(values, std::int64_t(engine::mx_numbers)); }
  bool has_quads() const { return values % engine::mx_numbers == 0; }
  std::int64_t first(int q) const { return has_quads() ? q : q * rows(); }
  std::int64_t step() const { return has_quads() ? engine::mx_numbers : 1; }
  std::int64_t count(int q) const {
    return has_quads() ? rows() : std::clamp<std::int64_t>(values - q * rows(), 0, rows());
  }
  /// Partitions, with those of zeros behind the last values.
  int partitions() const {
    constexpr int quadrant = engine::mx_quadrant_rows;
    return int(ceil_div(rows(), std::int64_t(quadrant))) * quadrant;
  }
  bool has_zeros() const { return values != engine::mx_numbers * partitions(); }
};

/// Loaded slices that have memory at a time.
inline constexpr std::size_t slices_at_once = 2;

/// The memory of panels: the panel, slices as they are loaded, and PSUM to transpose them; scales,
/// and operands about to be quantised, where panels are packed.
struct panel_pools {
  engine::tile_pool& kept;
  engine::tile_pool& raw;
  engine::tile_pool& banks;
  engine::tile_pool* scales = nullptr;
  engine::tile_pool* staged = nullptr;
};

/// Whether a panel's instructions are issued by its constructor, or unit by unit by ensure().
enum class panel_issue : std::uint8_t { at_once, by_units };

/// A panel of a block.
class product_panel {
 public:
  /// Makes the panel of these ranges. `given`: the operand's tile, where it lies in SBUF.
  product_panel(engine::core& nc, const contraction_step& step, const panel_design& design,
                const axis_ranges& ranges, const engine::hbm_view& flat, const panel_pools& pools,
                const engine::tile_view& given, panel_issue how = panel_issue::at_once);

  /// Units of work: a k tile loaded as it is to lie, or a slice's columns of a k tile transposed.
  std::int64_t units() const { return units_; }
  std::int64_t made() const { return made_; }
  /// Issues units up to the first `count`; slices are loaded a little ahead of them.
  void ensure(std::int64_t count);
  /// Loads the next slices until `most` wait to be transposed; returns how many wait.
  std::size_t load_ahead(std::size_t most = slices_at_once);
  /// The number of first units that k tiles up to t of these columns need.
  std::int64_t units_for(const axis_piece& at, const std::vector<std::int64_t>& batch,
                         std::size_t t) const;
  /// Whether k tile t of these columns is beside the triangle: all zeros, and not made.
  bool is_zero(std::size_t t, const axis_piece& at) const;

  /// The pieces of the summed axes.
  const std::vector<axis_piece>& k_tiles() const { return tiles_; }
  bool is_packed() const { return design_.is_packed; }
  /// The operand of a matmul: k tile t of a plane, with the piece's values of `group` as columns.
  engine::tile_view columns(std::size_t t, int plane, const axis_piece& at,
                            const std::vector<std::int64_t>& batch,
                            const axis_partitions& group) const;
  /// The operand of a double row: these columns of k tiles t and t + 1.
  engine::tile_view two_tiles(std::size_t t, const axis_piece& at,
                              const std::vector<std::int64_t>& batch,
                              const axis_partitions& group) const;
  /// The scales of columns() of a packed panel.
  engine::tile_view scales(std::size_t t, const axis_piece& at,
                           const std::vector<std::int64_t>& batch,
                           const axis_partitions& group) const;

  /// Stores the panel to its places in a result, for permutations.
  void store_to(const engine::hbm_view& out) const;

 private:
  // A slice of a block to be transposed: a range of one column axis and of one summed axis, its k
  // tiles, and, once it was loaded, its layout in a tile.
  struct slice {
    axis_ranges ranges;
    std::vector<std::size_t> tiles;
    std::vector<axis_piece> pieces;  // columns that one transpose takes
    engine::tile_view raw = {};
    std::vector<std::int64_t> strides = {};  // by axis, in `raw`
    std::int64_t plane = 0, first = 0;
  };

  bool is_split() const { return design_.is_split(); }
  void load_straight(std::size_t cut);
  int partitions(std::size_t t) const {
    return design_.is_packed ? packed_places{tiles_[t].partitions}.partitions()
                             : int(tiles_[t].partitions);
  }
  std::int64_t column_offset(const axis_piece& at, const std::vector<std::int64_t>& batch) const;
  engine::tile_view kept_scales(std::size_t t) const;
  void load_packed(std::int64_t unit);
  void pack_straight(std::int64_t unit);
  void pack_transposed(const slice& s, std::size_t t);
  void quantize(std::size_t t, const engine::tile_view& staged, std::int64_t first,
                std::int64_t count);
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
  // The ranges of k tile t and of a piece's columns in the operand.
  axis_range k_of(std::size_t t) const;
  axis_range columns_of(const slice& s, const axis_piece& p) const;
  axis_ranges tile_ranges(std::size_t t) const;  // the cut axis reduced to k tile t
  view_levels levels_of(const axis_partitions& group, std::int64_t cut_count) const;

  engine::core& nc_;
  const contraction_step& step_;
  const panel_design& design_;
  axis_ranges ranges_;
  const engine::hbm_view& flat_;
  const panel_pools& pools_;
  engine::tile_view kept_, split_;  // `split_`: as loaded, to be split into parts
  engine::tile_view scales_;
  std::vector<engine::tile_view> loads_;  // units of a packed panel, as loaded
  std::vector<axis_piece> tiles_;
  std::vector<std::int64_t> strides_;  // by axis, in a plane of a k tile
  std::vector<slice> slices_;          // slices to be transposed
  int sliced_ = -1;                    // column axis that is cut into slices
  std::int64_t sliced_count_ = 1;      // its elements in a slice
  std::int64_t first_ = 0;             // offset of the block in a given value
  std::int64_t plane_ = 1;             // elements of a plane
  std::int64_t units_ = 0, made_ = 0;
  std::int64_t split_pieces_ = 1;  // units of a k tile that is split into parts, or packed
  std::size_t next_slice_ = 0, next_tile_ = 0, loaded_ = 0;
};

/// Columns of a k tile of a panel, from a piece of these partitions on.
struct tile_of_panel {
  const product_panel& panel;
  std::size_t tile;
  const axis_piece& at;
  const axis_partitions& partitions;
};
/// Issues the product of a packed k tile; or of two k tiles, from this one on, as a double row.
void multiply_together(engine::core& nc, const engine::tile_view& out, const tile_of_panel& rows,
                       const tile_of_panel& columns, const std::vector<std::int64_t>& batch,
                       bool accumulate);

}  // namespace papilio::kernels_detail
