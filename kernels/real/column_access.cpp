#include "kernels/real/column_access.hpp"

#include <algorithm>

#include "kernels/ceil_div.hpp"
#include "kernels/real/line_rings.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

constexpr int access_load_ring = 2;
constexpr std::int64_t slots_max = 8;  // of a unit of two banks

std::int64_t slots_of(const std::vector<line_move>& moves, std::int64_t side) {
  std::int64_t slots = 0;
  for (const line_move& m : moves) slots += ceil_div(m.count, side);
  return slots;
}

std::vector<line_piece> pieces_of(const line_stage& stage) {
  std::vector<line_piece> pieces;
  for (const line_unit& u : stage.units)
    for (const line_group& g : u.groups)
      pieces.insert(pieces.end(), g.pieces.begin(), g.pieces.end());
  return pieces;
}

}  // namespace

std::int64_t access_columns(const line_program& program, std::int64_t partitions) {
  const std::int64_t slots = std::int64_t(pieces_of(program.stages.front()).size()),
                     stored = with_factors(program) ? 0 : slots_of(program.stores, partitions);
  return program.columns->width * (access_load_ring * slots + program.columns->stores * stored);
}

column_access::column_access(core& nc, const line_program& program, const hbm_view& in,
                             const hbm_view& out)
    : nc_(nc),
      program_(program),
      in_(in),
      out_(out),
      side_(nc.machine().tensor.rows),
      per_outer_(ceil_div(program.columns->inner, side_)),
      ins_(pieces_of(program.stages.front())),
      outs_(parts_of(program.stores, side_)),
      loaded_(nc.sbuf_pool(access_load_ring, int(side_),
                           std::int64_t(ins_.size()) * program.columns->width)),
      stored_(with_factors(program)
                  ? nc.sbuf_pool(1, 1, 1)
                  : nc.sbuf_pool(program.columns->stores, int(side_),
                                 slots_of(program.stores, side_) * program.columns->width)) {}

std::vector<column_access::part> column_access::parts_of(const std::vector<line_move>& moves,
                                                         std::int64_t side) {
  std::vector<part> parts;
  for (std::size_t m = 0; m < moves.size(); ++m)
    for (std::int64_t e = 0; e < moves[m].count; e += side)
      parts.push_back({m, e, std::min(side, moves[m].count - e), std::int64_t(parts.size())});
  return parts;
}

std::int64_t column_access::blocks() const { return program_.columns->outer * per_outer_; }

std::int64_t column_access::lanes(std::int64_t block) const {
  return std::min(side_, program_.columns->inner - block % per_outer_ * side_);
}

std::int64_t column_access::first_lane(std::int64_t block) const {
  return block % per_outer_ * side_;
}

column_access::batch column_access::batch_of(std::int64_t block) const {
  const line_columns& c = *program_.columns;
  const std::int64_t lane = block % per_outer_ * side_ / c.width * c.width;
  return {block / per_outer_, lane, std::min(c.width, c.inner - lane)};
}

std::int64_t column_access::lane_in_batch(std::int64_t block) const {
  return block % per_outer_ * side_ % program_.columns->width;
}

void column_access::load(std::int64_t block) {
  const batch b = batch_of(block);
  const auto [outer, inner, order, width, ring] = *program_.columns;
  const std::int64_t count = program_.loads.front().count, plane = outer * count * inner;
  const tile_view tile = loaded_.next();
  for (std::size_t i = 0; i < ins_.size(); ++i) {
    // Elements of a line, its planes one after the other, where they are in the array.
    const line_piece& p = ins_[i];
    std::vector<pattern_dim> levels;
    for (const pattern_dim& d : p.dims)
      levels.push_back({d.extent, d.stride / count * plane + d.stride % count * inner});
    levels.push_back({b.lanes, 1});
    nc_.issue(dma_copy{
        .out = tile.partition_range(0, int(p.rows())).columns(std::int64_t(i) * width, b.lanes),
        .in = in_.pattern(
            p.offset / count * plane + (b.outer * count + p.offset % count) * inner + b.lane,
            levels)});
  }
  loads_.push_back(tile);
}

void column_access::enter(std::int64_t block) {
  if (block == 0) load(0);
  const std::int64_t lane = lane_in_batch(block), count = ceil_div(batch_of(block).lanes, side_),
                     next = block - lane / side_ + count;
  if (lane == 0 && block > 0) loads_.erase(loads_.begin());
  // The next batch is on its way meanwhile, but not before what the first block needs.
  if (lane == std::min<std::int64_t>(1, count - 1) * side_ && next < blocks()) load(next);
}

tile_view column_access::entered(std::int64_t block, std::size_t piece) const {
  return loads_.front()
      .partition_range(0, int(ins_[piece].rows()))
      .columns(std::int64_t(piece) * program_.columns->width + lane_in_batch(block), lanes(block));
}

void column_access::store(const batch& b) {
  const auto [outer, inner, order, width, ring] = *program_.columns;
  for (std::size_t i = 0; i < outs_.size();) {
    // Whole slots that follow each other at once.
    const part& p = outs_[i];
    std::size_t next = i + 1;
    while (next < outs_.size() && outs_[next].move == p.move && outs_[next].rows == p.rows) ++next;
    const std::int64_t count = std::int64_t(next - i), line = program_.stores[p.move].count;
    nc_.issue(
        dma_copy{.out = out_.pattern(
                     ((std::int64_t(p.move) * outer + b.outer) * line + p.first) * inner + b.lane,
                     {{p.rows, inner}, {count, side_ * inner}, {b.lanes, 1}}),
                 .in = store_.partition_range(0, int(p.rows))
                           .pattern(p.slot * width, {{count, width}, {b.lanes, 1}})});
    i = next;
  }
}

// Planes follow each other in a tile.
void column_access::leave_lines(std::int64_t block, const tile_view& lines) {
  const std::int64_t count = lanes(block), plane = lines.elements() / 2,
                     line = block / per_outer_ * program_.columns->inner + first_lane(block);
  for (int p = 0; p < 2; ++p)
    nc_.issue(dma_copy{
        .out = out_.pattern((p * program_.columns->outer * program_.columns->inner + line) * plane,
                            {{count, plane}, {plane, 1}}),
        .in = lines.columns(p * plane, plane)});
}

void column_access::leave(std::int64_t block, const tile_view& lines, tile_pool& banks) {
  if (with_factors(program_)) return leave_lines(block, lines);
  const std::int64_t width = program_.columns->width, here = lanes(block),
                     lane = lane_in_batch(block);
  if (lane == 0) store_ = stored_.next();
  for (std::size_t i = 0; i < outs_.size();) {
    const part& first = outs_[i];
    const int rows = int(first.rows);
    const tile_view bank = banks.next().partition_range(0, rows);
    std::int64_t slots = 0;
    for (; i < outs_.size() && outs_[i].rows == first.rows && slots < slots_max; ++i, ++slots) {
      const part& p = outs_[i];
      nc_.issue(transpose{.out = bank.columns(slots * side_, here),
                          .in = lines.columns(program_.stores[p.move].column + p.first, p.rows)});
    }
    evacuate(nc_,
             store_.partition_range(0, rows).pattern(first.slot * width + lane,
                                                     {{slots, width}, {here, 1}}),
             bank.pattern(0, {{slots, side_}, {here, 1}}));
  }
  const batch b = batch_of(block);
  if (lane + here == b.lanes) store(b);
}

}  // namespace papilio::kernels_detail
