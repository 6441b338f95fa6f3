#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "papilio/engine/core.hpp"

namespace papilio::kernels_detail {

/// Rows of a matrix as columns, k tile by k tile: loaded in slices of long rows, transposed on the
/// tensor engine block by block, and brought back from PSUM.
class transposer {
 public:
  /// block: [1, rows, planes, k]. `slices`: tiles of side x (planes x slice), two for each `array_rows`
  /// rows; `banks`: tiles of one bank. `slice` is a multiple of `array_rows`. edit(rows, row, k), if there
  /// is one, may change what was loaded, [rows, k] from this place on, of one plane.
  using row_editor = std::function<void(const engine::tile_view&, std::int64_t, std::int64_t)>;
  transposer(engine::core& nc, engine::tile_pool& slices, engine::tile_pool& banks,
             const engine::hbm_view& block, std::int64_t array_rows, std::int64_t slice,
             row_editor edit = {})
      : nc_(nc),
        slices_(slices),
        banks_(banks),
        block_(block),
        array_rows_(array_rows),
        slice_(slice),
        edit_(std::move(edit)) {}

  /// k tile t into out: [k, planes x stride]. Each once, those of a slice one after the other.
  void make(std::int64_t t, const engine::tile_view& out, std::int64_t stride);

 private:
  void load(std::int64_t first);

  engine::core& nc_;
  engine::tile_pool& slices_;
  engine::tile_pool& banks_;
  engine::hbm_view block_;
  std::int64_t array_rows_, slice_;
  row_editor edit_;
  std::int64_t first_ = -1;  // of the slice that was loaded
  std::vector<engine::tile_view> loaded_;
};

/// out[f, p] = in[p, f] on the vector engine, which transposes blocks: 32 x 32 at most on the
/// machines there are, each an instruction. Each block of `out` must begin where partitions may:
/// is_in_blocks(machine, in.dims()).
void transpose_in_blocks(engine::core& nc, const engine::tile_view& out,
                         const engine::tile_view& in);

/// Whether such elements are cut into blocks that all begin at multiples of a block's side.
bool is_in_blocks(const engine::machine_spec& machine, std::span<const engine::pattern_dim> dims);

/// Counts transposes, of which the vector engine does one in `one_in`, the array the others.
class vector_turns {
 public:
  /// How many of the next so many are the vector engine's. one_in 0: none.
  std::int64_t share(std::int64_t one_in, std::int64_t transposes) {
    if (one_in == 0) return 0;
    due_ += transposes;
    const std::int64_t share = due_ / one_in < transposes ? due_ / one_in : transposes;
    due_ -= share * one_in;
    return share;
  }

 private:
  std::int64_t due_ = 0;
};

}  // namespace papilio::kernels_detail
