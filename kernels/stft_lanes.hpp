#pragma once

#include <cstdint>
#include <vector>

#include "papilio/engine/core.hpp"
#include "papilio/kernels/stft.hpp"

// Where the segments of a signal go: a lane (partition) holds a row, a run of segments that follow
// one another, of which samples that they share are loaded once.
namespace papilio::kernels_detail {

struct lane_shape {
  std::int64_t channels = 1, samples = 1, n = 1, hop = 1, lead = 0, segments = 1;
  std::int64_t run = 1;  // segments of a row
  edge_padding padding = edge_padding::zero;

  std::int64_t row_samples() const { return (run - 1) * hop + n; }
  std::int64_t row_step() const { return run * hop; }
  std::int64_t rows() const { return (segments + run - 1) / run; }
};

/// Lanes [lane, lane + channels rows): rows [first_row, + rows) of each of `channels` channels.
struct lane_piece {
  engine::hbm_view source;      // [channels, length]: the signal, or a padded end of it
  std::int64_t source_row = 0;  // the row at which `source` begins
  std::int64_t source_at = 0;   // and where in it
  std::int64_t channel = 0, channels = 1, first_row = 0, rows = 1;
  int lane = 0;
  std::int64_t segments = 1;  // of each row
  int lanes() const { return int(channels * rows); }
};

struct lane_group {
  std::vector<lane_piece> pieces;
  int lanes = 0;
  bool gaps = false;  // between the pieces: nothing is loaded there
};

/// Writes the padded ends of all channels, in HBM, and lays out the rows. Only rows that reach
/// beyond the signal are read from there.
std::vector<lane_group> lay_out(engine::core& nc, const engine::hbm_view& signal,
                                const lane_shape& shape);

/// Loads samples [first, first + tile's columns) of a group's rows, lane by lane.
void load_group(engine::core& nc, const lane_group& group, const lane_shape& shape,
                const engine::tile_view& tile, std::int64_t first = 0);

}  // namespace papilio::kernels_detail
