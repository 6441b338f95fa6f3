#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/engine/core.hpp"

// What the compiler makes of a request for which the machine has no single instruction. Functions
// of the machine alone: a kernel says what it wants, and the same request costs the same in all.
namespace papilio::engine {

/// Loads [rows, columns] from HBM as [columns partitions, rows elements].
///
/// With transposing DMA (`dma.transpose_rate_hbm`), one dma_transpose; source and destination then
/// have one type. Without (trainium1), the
/// rows are loaded unchanged, one DMA buffer each, `lowering.transpose_block_rows` to a column
/// block of a scratch tile, and each block is transposed on the vector engine: ceil(rows / 32)
/// instructions of max(64, 32) cycles for up to 128 columns. The vendor's advice for such loads
/// (P1); that one instruction takes all 32 x 32 blocks of a strip is inferred from the instruction
/// counts of profile B1, and is the lowering of that compiler: kernels have blocks.
class PAPILIO_API transposing_loader {
 public:
  /// For requests of at most so many rows and columns (at most 128). `depth` scratch tiles let the
  /// next load begin while one is transposed; `queue` as dma_copy's. shape_error for other sizes,
  /// kernel_error where the scratch does not fit.
  transposing_loader(core& nc, std::int64_t rows, std::int64_t columns, dtype type = dtype::fp32,
                     int depth = 2, int queue = dma_copy::any_queue);

  /// out: [columns, rows] in SBUF. in: two axes, [rows, columns]. shape_error unless they agree and
  /// fit.
  void load(const tile_view& out, const hbm_view& in);

 private:
  core& nc_;
  std::int64_t rows_, columns_;
  bool by_dma_;
  int queue_;
  tile_pool scratch_;
};

/// Copies a result out of PSUM, times `scale`. On the scalar engine where that shares its port to
/// PSUM with the vector engine (trainium1: the two cannot overlap there, and the vector engine has
/// other work); else on whichever of the two is free first.
PAPILIO_API void evacuate(core& nc, const tile_view& out, const tile_view& in, float scale = 1);

}  // namespace papilio::engine
