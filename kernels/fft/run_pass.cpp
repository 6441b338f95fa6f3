// Issues a pass.
//   identity   a stage multiplies groups of up to 64 points, real and imaginary parts as one vector
//              of 128 reals, by a real matrix with the twiddle factors inside
//   layout     by rows, lanes are on partitions: a group is transposed on the tensor engine (points
//              to partitions), copied out of PSUM, and is then the stationary operand, the matrix
//              moving, so that lanes are on partitions again. Entered by columns, points are on
//              partitions from the start; left by columns, the matrix is stationary and points
//              stay on partitions.
//   units      work goes in units of two banks of PSUM: while one unit is multiplied, the next is
//              transposed and the one before copied out
//   bound      DMA for two stages of up to 64 points; the tensor engine beyond
#include "kernels/fft/run_pass.hpp"

#include <algorithm>

#include "kernels/fft/units.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

tile_pool some(core& nc, bool wanted, int depth, std::int64_t columns, dtype type = dtype::fp32) {
  const int side = int(nc.machine().tensor.rows);
  return nc.sbuf_pool(wanted ? depth : 1, wanted ? side : 1, wanted ? columns : 1, type);
}

}  // namespace

pass_run::pass_run(core& nc, const fft_pass& pass, const hbm_view& in, const hbm_view& out,
                   std::span<const hbm_view> tables)
    : nc_(nc),
      pass_(pass),
      in_(in),
      out_(out),
      tables_(tables.begin(), tables.end()),
      side_(pass.side),
      bank_(pass.bank),
      unit_(unit_columns(pass)),
      column_tile_(pass.entry == orientation::columns
                       ? column_tile_of(pass, pass.stages[0], pass.lane_tile, side_)
                       : column_tile{}),
      entries_(
          some(nc, true, pass.entry_depth,
               pass.entry == orientation::columns ? column_tile_.columns : line_columns(pass))),
      middles_(some(nc, pass.entry == orientation::rows && pass.stages.size() > 1,
                    pass.middle_depth, line_columns(pass))),
      exits_(pass.exit == orientation::columns
                 ? some(nc, true, exit_ring, unit_)
                 : some(nc, true, pass.exit_depth, line_columns(pass))),
      operands_(some(nc, true, int(pass.units_ahead()) + 1, unit_ * pass.operands.parts,
                     pass.operands.type)),
      remainders_(some(nc, pass.operands.parts > 1, remainder_ring, unit_)),
      factors_(some(nc, pass.twiddle_order > 0, factor_ring, unit_)),
      products_(some(nc, pass.twiddle_order > 0, twiddle_ring, unit_)),
      twins_(some(nc, twin_columns(pass) > 0, twin_ring, twin_columns(pass))),
      banks_(nc.psum_pool(nc.machine().psum.banks / unit_banks, int(side_), unit_)),
      streams_(some(nc, pass.streamed > 0, matrix_ring,
                    pass.operands.parts * pass.streamed * pass.stages[0].matrix_columns(),
                    pass.operands.type)) {
  loaded_.assign(pass.stages.size(), 0);
  if (pass.streamed > 0) return;
  for (const fft_stage& s : pass.stages)
    matrices_.push_back(
        nc.sbuf(int(s.matrix_rows()),
                pass.operands.parts * std::int64_t(s.variants.size()) * s.matrix_columns(),
                pass.operands.type));
}

// Matrices come in pieces, each when a unit first needs it: the first blocks do not wait for all.
void pass_run::require_matrices(std::size_t stage, std::int64_t variant) {
  if (pass_.streamed > 0) return;
  const fft_stage& s = pass_.stages[stage];
  const std::int64_t all = std::int64_t(s.variants.size()), each = s.matrix_columns(),
                     piece = std::max<std::int64_t>(1, unit_ / each);
  std::int64_t& loaded = loaded_[stage];
  while (loaded <= variant) {
    const std::int64_t count = std::min(piece, all - loaded);
    for (int part = 0; part < pass_.operands.parts; ++part) {
      const std::int64_t first = (part * all + loaded) * each;
      nc_.issue(dma_copy{.out = matrices_[stage].whole().columns(first, count * each),
                         .in = tables_[stage].slice(1, first, count * each)});
    }
    loaded += count;
  }
}

// The matrices that a block needs, and those of the outer values next to its.
void pass_run::stream_matrices(std::int64_t index) {
  const fft_stage& s = pass_.stages[0];
  const std::int64_t variant = variant_of(blocks_[std::size_t(index)], s, 0),
                     number = variant / pass_.streamed;
  if (!streamed_.empty() && streamed_.front().number == number) return;
  // A block has one stream, so that the oldest of the ring has no later reader.
  drain([&](const pending& p) { return p.block <= index - matrix_ring; });
  const std::int64_t each = s.matrix_columns(), all = std::int64_t(s.variants.size()) * each,
                     parts = pass_.operands.parts, first = number * pass_.streamed,
                     count = std::min<std::int64_t>(pass_.streamed, all / each - first) * each;
  const tile_view tile = streams_.next().partition_range(0, int(s.matrix_rows()));
  nc_.issue(dma_copy{
      .out = tile.pattern(0, {{parts, pass_.streamed * each}, {count, 1}}),
      .in =
          tables_[0]
              .reshape({s.matrix_rows() * parts * all})
              .pattern(first * each, {{s.matrix_rows(), parts * all}, {parts, all}, {count, 1}})});
  streamed_.push_front({number, tile});
  if (streamed_.size() > matrix_ring) streamed_.pop_back();
}

std::int64_t pass_run::blocks() const {
  return (pass_.lanes + pass_.lane_tile - 1) / pass_.lane_tile * pass_.outer_count();
}

pass_block pass_run::block_at(std::int64_t index) const {
  pass_block b;
  const std::int64_t outers = pass_.outer_count();
  // Lanes outside, so that blocks that share twiddle factors follow each other.
  b.lane = index / outers * pass_.lane_tile;
  b.lanes = std::min(pass_.lane_tile, pass_.lanes - b.lane);
  std::int64_t left = index % outers;
  b.in = pass_.offset + b.lane * pass_.in.lane;
  b.out = pass_.offset + b.lane * pass_.out.lane;
  int axes = 1;
  for (const fft_digit& d : pass_.digits) axes = std::max(axes, d.axis + 1);
  b.sums.assign(std::size_t(axes), 0);
  for (std::size_t i = pass_.outer.size(); i-- > 0;) {
    const outer_level& l = pass_.outer[i];
    const std::int64_t at = l.first + left % l.extent;
    left /= l.extent;
    b.in += at * l.in;
    b.out += at * l.out;
    if (l.axis >= 0) b.sums[std::size_t(l.axis)] += at * l.weight;
  }
  return b;
}

void pass_run::issue() {
  const std::int64_t count = blocks(), stages = std::int64_t(pass_.stages.size());
  require_matrices(0, 0);
  blocks_.resize(std::size_t(count));
  load_block(0);
  if (pass_.interleaved) {
    for (std::int64_t t = 0; t < count + stages - 1; ++t) {
      load_block(t + 1);
      for (std::int64_t s = 0; s < stages; ++s)
        if (t - s >= 0 && t - s < count) segment(t - s, std::size_t(s));
    }
  } else {
    // What came in by rows is read by the first stage; what came in by columns is worked on in
    // place to the last.
    const std::int64_t last_reader = pass_.entry == orientation::rows ? 0 : stages - 1;
    for (std::int64_t b = 0; b < count; ++b) {
      if (pass_.entry_depth > 1) load_block(b + 1);
      for (std::int64_t s = 0; s < stages; ++s) {
        segment(b, std::size_t(s));
        if (pass_.entry_depth == 1 && s == last_reader) load_block(b + 1);
      }
    }
  }
  drain([](const pending&) { return true; });
}

void pass_run::push(std::int64_t block, std::int64_t stage, std::function<void()> back) {
  queue_.push_back({block, stage, leaving_, std::move(back)});
  if (std::int64_t(queue_.size()) > pass_.units_ahead()) pop();
}

void pass_run::pop() {
  const std::function<void()> back = std::move(queue_.front().back);
  queue_.pop_front();
  back();
}

void run_pass(core& nc, const fft_pass& pass, const hbm_view& in, const hbm_view& out,
              std::span<const hbm_view> tables) {
  pass_run(nc, pass, in, out, tables).issue();
}

}  // namespace papilio::kernels_detail
