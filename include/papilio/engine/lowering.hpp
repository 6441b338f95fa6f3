#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/engine/core.hpp"

// The compiler's substitutes for instructions that the machine lacks. They depend on the machine
// alone: the same request costs the same in every kernel.
namespace papilio::engine {

/// Loads [rows, columns] from HBM as [columns partitions, rows elements].
/// - With transposing DMA (`dma.transpose_rate_hbm`): one dma_transpose; source and destination
///   have one type.
/// - Without (trainium1): the rows are loaded unchanged, one DMA buffer each,
///   `lowering.transpose_block_rows` to a column block of a scratch tile, and each block is
///   transposed on the vector engine: ceil(rows / 32) instructions of max(64, 32) cycles for up to
///   128 columns. The vendor advises such loads (P1); that one instruction transposes all 32 x 32
///   blocks of a strip is inferred from the instruction counts of profile B1.
class PAPILIO_API transposing_loader {
 public:
  /// For requests of at most so many rows and columns (at most 128). With `depth` scratch tiles the
  /// next load begins while one is transposed; `queue` as in dma_copy. Throws shape_error for other
  /// sizes, kernel_error if the scratch does not fit.
  transposing_loader(core& nc, std::int64_t rows, std::int64_t columns, dtype type = dtype::fp32,
                     int depth = 2, int queue = dma_copy::any_queue);

  /// Loads in [rows, columns] to out [columns, rows] in SBUF. Throws shape_error unless they agree
  /// and fit.
  void load(const tile_view& out, const hbm_view& in);

 private:
  core& nc_;
  std::int64_t rows_, columns_;
  bool by_dma_;
  int queue_;
  tile_pool scratch_;
};

/// Copies a result out of PSUM, times `scale`. Where the scalar engine shares its PSUM port with
/// the vector engine (trainium1) it runs there, since the two cannot overlap and the vector engine
/// has other work; else on whichever is free first.
PAPILIO_API void evacuate(core& nc, const tile_view& out, const tile_view& in, float scale = 1);

/// Copies a tile, converted to out's type, on the vector, scalar or gpsimd engine. The scalar engine
/// of NeuronCore-v2 has no tensor_copy and does an activation instead, at the same cost.
PAPILIO_API void copy_tile(core& nc, const tile_view& out, const tile_view& in, unit on);

}  // namespace papilio::engine
