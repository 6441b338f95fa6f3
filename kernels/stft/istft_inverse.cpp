// The stages of the inverse STFT.
//   load          lanes are segments: [segment, packed bins]
//   two stages    T S bring v [segment, (slot, j2)]; T turns it: [(slot, j2 of a group), segment]
//   last S        lanes are stretches of one or several hops: of the segments that overlap stretch
//                 h, each adds its own part b of the window's matrix, shifted by b columns, to the
//                 same sum in PSUM. Overlap-add is that accumulation.
//   direct        T S with the packed bins as points
// Leaving PSUM, sums are multiplied by 1 / (sum of w^2).
#include "kernels/stft/istft_inverse.hpp"

#include "kernels/stft/resident_rows.hpp"
#include "kernels/transposer.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

istft_inverse::istft_inverse(core& nc, const istft_design& design, const kernel_arguments& t)
    : nc_(nc),
      d_(design),
      f_(design.factors),
      args_(t),
      side_(nc.machine().sbuf.partitions),
      groups_(design),
      banks_(nc, design.operands) {
  make_pools();
  if (!f_.direct) {
    first_ = resident_rows(nc_, t.in(1), side_);
    last_ = resident_rows(nc_, t.in(2), side_);
  } else if (d_.resident) {
    last_ = resident_rows(nc_, t.in(1), side_);
  } else {
    stream_pool_ = operand_pool(4, banks_.columns());
  }
  // The interior's weights on all lanes.
  const hbm_view table = t.in(t.inputs() - 1);
  weights_ = nc.sbuf(int(d_.lanes), d_.parts.stretch());
  nc.issue(dma_copy{.out = weights_.whole(),
                    .in = table.pattern(0, {{d_.lanes, 0}, {d_.parts.stretch(), 1}})});
}

void istft_inverse::make_pools() {
  const int side = int(side_), depth = std::max(d_.depth, 1),
            chunks = d_.pipelined(side_) ? depth * int(d_.chunks(side_)) : depth;
  const std::int64_t tiles = f_.direct ? f_.tiles(side_) : f_.groups();
  points_pool_ = operand_pool(depth, tiles * d_.columns);
  out_pool_ = nc_.sbuf_pool(depth, side, d_.parts.stretch());
  weights_pool_ = nc_.sbuf_pool(1, side, d_.parts.stretch());
  if (d_.depth == 0) {
    shared_pool_ = nc_.sbuf_pool(d_.shared_tiles(), side,
                                 f_.direct ? f_.n : std::max(f_.n, f_.units() * side_));
    if (!f_.direct && !d_.operands.is_fp32()) x_pool_ = operand_pool(1, f_.units() * side_);
    return;
  }
  spectra_pool_ = nc_.sbuf_pool(chunks, side, f_.n);
  if (f_.direct) return;
  x_pool_ = operand_pool(chunks, f_.units() * side_);
  // What has one part is rounded before its transpose, which then takes one pass.
  v_pool_ =
      nc_.sbuf_pool(chunks, side, f_.n, d_.operands.parts == 1 ? d_.operands.type : dtype::fp32);
}

void istft_inverse::run() {
  const std::int64_t items = d_.channels * groups_.count();
  const auto loaded = [&](std::int64_t index) {
    item it = begin(index);
    for (chunk& c : it.chunks) load(c);
    return it;
  };
  const auto last = [&](item it) {
    it.points = points_pool_->next();
    for (const chunk& c : it.chunks)
      f_.direct ? transpose_spectra(c, it.points) : transpose_points(c, it.points);
    fill_beyond(it);
    return it;
  };
  if (d_.pipelined(side_)) {
    const auto units = [&](item it) {
      for (chunk& c : it.chunks) transpose_units(c);
      return it;
    };
    const auto first = [&](item it) {
      for (chunk& c : it.chunks) first_stage(c);
      return it;
    };
    const auto add = [&](const item& it) { add_up(it); };
    if (f_.direct)
      pipeline(items, 1, loaded, last, add);
    else
      pipeline(items, 1, loaded, units, first, last, add);
    return;
  }
  for (std::int64_t index = 0; index < items; ++index) {
    item it = begin(index);
    it.points = points_pool_->next();
    for (chunk& c : it.chunks) {
      load(c);
      if (f_.direct) {
        transpose_spectra(c, it.points);
        continue;
      }
      transpose_units(c);
      first_stage(c);
      transpose_points(c, it.points);
    }
    fill_beyond(it);
    add_up(it);
  }
}

istft_inverse::item istft_inverse::begin(std::int64_t index) {
  const std::int64_t count = groups_.count();
  item it{.channel = index / count, .group = groups_[index % count]};
  const std::int64_t first = d_.parts.first_segment(it.group.first);
  const std::int64_t end = std::min(d_.segments, first + d_.parts.segments(it.group.count));
  for (std::int64_t s = std::max<std::int64_t>(0, first); s < end; s += side_)
    it.chunks.push_back({.channel = it.channel,
                         .segment = s,
                         .column = s - first,
                         .lanes = int(std::min(side_, end - s))});
  return it;
}

void istft_inverse::load(chunk& c) {
  c.spectra = next(spectra_pool_).partition_range(0, c.lanes).columns(0, f_.n);
  const auto plane = [&](std::int64_t which, std::int64_t first, std::int64_t bins) {
    const std::int64_t row = (which * d_.channels + c.channel) * d_.given + d_.begin + c.segment;
    return args_.in(0).pattern(row * f_.bins() + first, {{c.lanes, f_.bins()}, {bins, 1}});
  };
  nc_.issue(dma_copy{.out = c.spectra.columns(0, f_.bins()), .in = plane(0, 0, f_.bins())});
  if (f_.imaginary() > 0)
    nc_.issue(dma_copy{.out = c.spectra.columns(f_.bins(), f_.imaginary()),
                       .in = plane(1, 1, f_.imaginary())});
}

void istft_inverse::transpose_units(chunk& c) {
  const std::int64_t points = f_.unit_points(), lanes = c.lanes;
  c.x = next(x_pool_).partition_range(0, int(points));
  banks_.turn(
      f_.units(), points, lanes,
      [&](std::int64_t u) {
        return u == 0 ? c.spectra.slice(1, 0, points, f_.r1 / 2)
                      : c.spectra.reshape({f_.r2, f_.r1})
                            .slice(2, u, 2, f_.r1 - 2 * u)
                            .permute({2, 1});
      },
      [&](int part, std::int64_t at, std::int64_t n) {
        return part_of(c.x, part, d_.operands.parts).columns(at * lanes, n * lanes);
      });
}

void istft_inverse::first_stage(chunk& c) {
  const std::int64_t width = f_.unit_points();
  c.v = next(v_pool_).partition_range(0, c.lanes).columns(0, f_.n);
  banks_.multiply(f_.units(), c.lanes, width, c.x, first_.whole(),
                  [&](std::int64_t at, std::int64_t n, const tile_view& in) {
                    evacuate(nc_, c.v.columns(at * width, n * width), in);
                  });
}

void istft_inverse::transpose_points(const chunk& c, const tile_view& to) {
  const std::int64_t g = f_.side_by_side, lanes = c.lanes;
  const tile_view v = c.v.reshape({f_.r1, f_.r2});
  const tile_view place = to.partition_range(0, int(f_.group_points()))
                              .reshape({d_.operands.parts * f_.groups(), d_.columns})
                              .slice(2, c.column, lanes);
  const std::int64_t rest = f_.groups() - d_.by_vector;
  for (std::int64_t i = rest; i < f_.groups(); ++i)
    transpose_in_blocks(nc_, place.slice(1, i, 1), v.slice(2, i * g, g));
  banks_.turn(
      rest, f_.group_points(), lanes, [&](std::int64_t i) { return v.slice(2, i * g, g); },
      [&](int part, std::int64_t at, std::int64_t n) {
        return place.slice(1, part * f_.groups() + at, n);
      });
}

void istft_inverse::transpose_spectra(const chunk& c, const tile_view& to) {
  const std::int64_t whole = f_.n / side_, rest = f_.n % side_, lanes = c.lanes;
  const auto part = [&](std::int64_t first, std::int64_t tiles, std::int64_t points) {
    const tile_view place = to.partition_range(0, int(points))
                                .reshape({d_.operands.parts * f_.tiles(side_), d_.columns})
                                .slice(2, c.column, lanes);
    banks_.turn(
        tiles, points, lanes,
        [&](std::int64_t i) { return c.spectra.columns((first + i) * side_, points); },
        [&](int p, std::int64_t at, std::int64_t n) {
          return place.slice(1, p * f_.tiles(side_) + first + at, n);
        });
  };
  part(0, whole, side_);
  if (rest > 0) part(whole, 1, rest);
}

// Segments before the first and behind the last are zero.
void istft_inverse::fill_beyond(const item& it) {
  const std::int64_t needed = d_.parts.segments(it.group.count);
  const std::int64_t from = it.chunks.empty() ? needed : it.chunks.front().column;
  const std::int64_t to =
      it.chunks.empty() ? needed : it.chunks.back().column + it.chunks.back().lanes;
  const auto zeros = [&](std::int64_t first, std::int64_t count) {
    if (count <= 0) return;
    const std::int64_t tiles = f_.direct ? f_.tiles(side_) : f_.groups();
    const int points = int(f_.direct ? std::min(side_, f_.n) : f_.group_points());
    nc_.issue(memset{.out = it.points.partition_range(0, points)
                                .reshape({d_.operands.parts * tiles, d_.columns})
                                .slice(2, first, count)});
  };
  zeros(0, from);
  zeros(to, needed - to);
}

void istft_inverse::add_up(const item& it) {
  const stretch_group& g = it.group;
  const std::int64_t stretch = d_.parts.stretch();
  const tile_view out = out_pool_->next().partition_range(0, int(g.count));
  tile_view weights = weights_->partition_range(0, int(g.count));
  if (g.weights > 0) {
    weights = weights_pool_->next().partition_range(0, int(g.count));
    nc_.issue(
        dma_copy{.out = weights, .in = args_.in(args_.inputs() - 1).slice(0, g.weights, g.count)});
  }
  f_.direct ? last_direct(it, out, weights) : last_stage(it, out, weights);
  nc_.issue(dma_copy{.out = args_.out(0).pattern(it.channel * d_.samples + g.first * stretch,
                                                 {{g.count, stretch}, {g.width, 1}}),
                     .in = out.columns(0, g.width)});
}

void istft_inverse::last_stage(const item& it, const tile_view& out, const tile_view& weights) {
  const std::int64_t lanes = it.group.count, width = d_.part_columns(), g = f_.side_by_side;
  const tile_view points = it.points.partition_range(0, int(f_.group_points()));
  const auto ordered = [&](const tile_view& t, std::int64_t at, std::int64_t n) {
    return t.reshape({d_.parts.stretch() / f_.r2, f_.groups(), g})
        .slice(2, at, n)
        .permute({2, 1, 3});
  };
  banks_.run(
      f_.groups(), int(lanes), width,
      [&](std::int64_t i, const tile_view& sum) {
        for (std::int64_t b = 0; b < d_.parts.count; ++b)
          multiply_parts(nc_, sum, d_.operands.parts,
                         {points, i * d_.columns + d_.parts.count - 1 - b, f_.groups() * d_.columns,
                          lanes, d_.parts.hops},
                         {last_.whole(), (i * d_.parts.count + b) * width,
                          f_.groups() * d_.parts.count * width, width},
                         b > 0);
      },
      [&](std::int64_t at, std::int64_t n, const tile_view& in) {
        nc_.issue(tensor_tensor{.out = ordered(out, at, n),
                                .left = in,
                                .right = ordered(weights, at, n),
                                .op = alu_op::multiply});
      });
}

void istft_inverse::last_direct(const item& it, const tile_view& out, const tile_view& weights) {
  const std::int64_t lanes = it.group.count, hop = d_.parts.hop, tiles = f_.tiles(side_),
                     all = d_.parts.count * hop;
  const int parts = d_.operands.parts;
  const auto depth = [&](std::int64_t k) { return std::min(side_, f_.n - k * side_); };
  // Over the parts b of the window, and over tiles of points.
  banks_.multiply_tiles(
      d_.parts.count * tiles, lanes, hop,
      [&](std::int64_t sum) {
        const std::int64_t b = sum / tiles, k = sum % tiles;
        return operand_parts{it.points.partition_range(0, int(depth(k))),
                             k * d_.columns + d_.parts.count - 1 - b, tiles * d_.columns, lanes};
      },
      [&](std::int64_t sum, std::int64_t first, std::int64_t width) {
        const std::int64_t k = sum % tiles, column = sum / tiles * hop + first;
        if (d_.resident)
          return operand_parts{last_->partition_range(0, int(depth(k))), k * parts * all + column,
                               all, width};
        return load_parts(nc_, *stream_pool_, args_.in(1), parts, k * side_, depth(k), column,
                          width);
      },
      [&](std::int64_t first, std::int64_t width, const tile_view& in) {
        nc_.issue(tensor_tensor{.out = out.columns(first, width),
                                .left = in,
                                .right = weights.columns(first, width),
                                .op = alu_op::multiply});
      });
}

}  // namespace papilio::kernels_detail
