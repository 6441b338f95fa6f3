#include "kernels/short_time/stft_rows.hpp"

#include <algorithm>

namespace papilio::kernels_detail {
namespace {

using namespace engine;

// `count` samples index, index + step, ... of the signal, or zeros.
struct stretch {
  bool zeros = false;
  std::int64_t index = 0, step = 1, count = 0;
};

// The longest stretch of the padded signal from t on, of at most `left` samples.
stretch at(const segment_rows& s, std::int64_t t, std::int64_t left) {
  const std::int64_t i = t - s.lead, m = s.samples;
  if (i >= 0 && i < m) return {.index = i, .count = std::min(left, m - i)};
  const std::int64_t end = i < 0 ? 0 : m + s.lead;  // of this end's padding
  if (i >= end) return {.zeros = true, .count = left};
  const std::int64_t count = std::min(left, end - i);
  if (s.padding == edge_padding::zero) return {.zeros = true, .count = count};
  if (s.padding == edge_padding::edge || m == 1)
    return {.index = i < 0 ? 0 : m - 1, .step = 0, .count = count};
  const std::int64_t period = 2 * (m - 1), q = ((i % period) + period) % period;
  if (q < m - 1) return {.index = q, .count = std::min(count, m - 1 - q)};
  return {.index = period - q, .step = -1, .count = std::min(count, period - q)};
}

// Writes samples [first, first + out.extent(1)) of the padded signal, for all channels.
void write_padded(core& nc, const hbm_view& out, const hbm_view& signal, const segment_rows& s,
                  std::int64_t first) {
  const std::int64_t length = out.extent(1), partitions = nc.machine().sbuf.partitions;
  const std::int64_t width = std::min<std::int64_t>(length, 2048);
  const tile zeros = nc.sbuf(int(std::min(s.channels, partitions)), width);
  nc.issue(memset{.out = zeros.whole()});
  for (std::int64_t done = 0; done < length;) {
    stretch part = at(s, first + done, length - done);
    if (!part.zeros) {
      nc.issue(dma_copy{
          .out = out.slice(1, done, part.count),
          .in = signal.pattern(part.index, {{s.channels, s.samples}, {part.count, part.step}})});
    } else {
      part.count = std::min(part.count, width);
      for (std::int64_t c = 0; c < s.channels; c += partitions) {
        const std::int64_t here = std::min(partitions, s.channels - c);
        nc.issue(dma_copy{.out = out.slice(0, c, here).slice(1, done, part.count),
                          .in = zeros->partition_range(0, int(here)).columns(0, part.count)});
      }
    }
    done += part.count;
  }
}

// Cuts rows into pieces of at most `partitions` partitions: rows of one channel, or whole channels.
void cut(std::vector<row_piece>& pieces, row_piece all, std::int64_t channels,
         std::int64_t partitions) {
  const std::int64_t rows = all.rows, first = all.first_row;
  if (rows == 0) return;
  const std::int64_t together = std::max<std::int64_t>(1, partitions / rows);
  for (std::int64_t c = 0; c < channels; c += together)
    for (std::int64_t r = 0; r < rows; r += partitions) {
      all.channel = c, all.channels = std::min(together, channels - c);
      all.first_row = first + r, all.rows = std::min(partitions, rows - r);
      pieces.push_back(all);
    }
}

// Packs pieces into groups, each piece at the next partition where an access of its size may begin.
std::vector<row_group> pack(const std::vector<row_piece>& pieces, const machine_spec& machine) {
  std::vector<row_group> groups;
  const int partitions = machine.sbuf.partitions, step = machine.sbuf.start_partition_step;
  for (row_piece piece : pieces) {
    const int count = piece.partitions(), grain = count > 2 * step ? partitions
                                                  : count > step   ? 2 * step
                                                                   : step;
    int first =
        groups.empty() ? partitions : (groups.back().partitions + grain - 1) / grain * grain;
    if (first + count > partitions) groups.emplace_back(), first = 0;
    row_group& group = groups.back();
    group.gaps = group.gaps || first > group.partitions;
    piece.partition = first;
    group.partitions = first + count;
    group.pieces.push_back(piece);
  }
  return groups;
}

}  // namespace

std::vector<row_group> lay_out(core& nc, const hbm_view& signal, const segment_rows& s) {
  const std::int64_t full = s.segments / s.run, rest = s.segments % s.run, step = s.row_step();
  // Rows [0, head) begin before the signal; rows from `end` on reach beyond its end.
  std::int64_t head = std::min(full, (s.lead + step - 1) / step);
  const std::int64_t room = s.lead + s.samples - s.row_samples();
  std::int64_t end = room < 0 ? 0 : std::min(full, room / step + 1);
  if (head >= end) head = end = 0;
  const auto padded = [&](std::int64_t first, std::int64_t rows) {
    const hbm_view buffer = nc.hbm({s.channels, (rows - 1) * step + s.row_samples()});
    write_padded(nc, buffer, signal, s, first * step);
    return buffer;
  };
  std::vector<row_piece> pieces;
  const std::int64_t partitions = nc.machine().sbuf.partitions;
  if (end > head)
    cut(pieces,
        {.source = signal,
         .source_row = head,
         .source_at = head * step - s.lead,
         .first_row = head,
         .rows = end - head,
         .segments = s.run},
        s.channels, partitions);
  if (head > 0)
    cut(pieces, {.source = padded(0, head), .rows = head, .segments = s.run}, s.channels,
        partitions);
  if (end < s.rows()) {
    const row_piece tail{.source = padded(end, s.rows() - end),
                         .source_row = end,
                         .first_row = end,
                         .rows = full - end,
                         .segments = s.run};
    cut(pieces, tail, s.channels, partitions);
    row_piece last = tail;
    last.first_row = full, last.rows = rest > 0 ? 1 : 0, last.segments = rest;
    cut(pieces, last, s.channels, partitions);
  }
  return pack(pieces, nc.machine());
}

void load_group(core& nc, const row_group& group, const segment_rows& s, const tile_view& tile,
                std::int64_t first) {
  // Partitions between the pieces are computed with the others, and not stored.
  if (group.gaps) nc.issue(memset{.out = tile, .on = unit::gpsimd});
  for (const row_piece& p : group.pieces)
    nc.issue(dma_copy{
        .out = tile.partition_range(p.partition, p.partitions()),
        .in = p.source.pattern(
            p.channel * p.source.extent(1) + p.source_at + first +
                (p.first_row - p.source_row) * s.row_step(),
            {{p.channels, p.source.extent(1)}, {p.rows, s.row_step()}, {tile.elements(), 1}})});
}

}  // namespace papilio::kernels_detail
