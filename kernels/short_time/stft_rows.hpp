#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "papilio/engine/core.hpp"
#include "papilio/kernels/stft.hpp"

// The layout of a signal's segments on partitions: each holds a row, a run of consecutive segments,
// whose shared samples are loaded once.
namespace papilio::kernels_detail {

/// How the segments of all channels are laid out in rows.
struct segment_rows {
  std::int64_t channels = 1, samples = 1, n = 1, hop = 1, lead = 0, segments = 1;
  std::int64_t run = 1;  // segments of a row
  edge_padding padding = edge_padding::zero;

  auto fields() const { return std::tie(channels, samples, n, hop, lead, segments, run, padding); }
  std::int64_t row_samples() const { return (run - 1) * hop + n; }
  std::int64_t row_step() const { return run * hop; }
  std::int64_t rows() const { return (segments + run - 1) / run; }
};

/// Rows [first_row, first_row + rows) of each of `channels` channels, on partitions
/// [partition, partition + channels rows).
struct row_piece {
  engine::hbm_view source;      // [channels, length]: the signal, or a padded end of it
  std::int64_t source_row = 0;  // the row at which `source` begins
  std::int64_t source_at = 0;   // and where in it
  std::int64_t channel = 0, channels = 1, first_row = 0, rows = 1;
  int partition = 0;
  std::int64_t segments = 1;  // of each row
  int partitions() const { return int(channels * rows); }
};

struct row_group {
  std::vector<row_piece> pieces;
  int partitions = 0;
  bool gaps = false;  // between the pieces: nothing is loaded there
};

/// Writes the padded ends of all channels, in HBM, and lays out the rows. Only rows that reach
/// beyond the signal are read from there.
std::vector<row_group> lay_out(engine::core& nc, const engine::hbm_view& signal,
                               const segment_rows& all);

/// Loads samples [first, first + tile's columns) of a group's rows, one a partition.
void load_group(engine::core& nc, const row_group& group, const segment_rows& all,
                const engine::tile_view& tile, std::int64_t first = 0);

}  // namespace papilio::kernels_detail
