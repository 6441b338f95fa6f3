// The stages of the STFT.
//   rest layout   lane (a row of segments) on partitions, points on the free axis
//   T             up to 128 reals of 128 lanes transposed: points on partitions
//   S             the data stationary [points, lanes], the matrix moving [points, results]: the
//                 results lie by lanes again
//   operands      transposed data and matrices in fp32, in bf16, or in parts of it side by side
//   two stages    T S T S; direct: T S, summed over tiles of 128 points
// The last S leaves PSUM as it is, or squared; the vector engine puts bins in order on the way to
// the output tile, adding the squares of the two parts where powers are wanted.
#include "kernels/stft/stft_forward.hpp"

#include <utility>

#include "kernels/stft/resident_rows.hpp"
#include "kernels/transposer.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

stft_forward::stft_forward(core& nc, const stft_design& design, const kernel_arguments& t)
    : nc_(nc),
      d_(design),
      f_(design.factors),
      args_(t),
      side_(nc.machine().sbuf.partitions),
      groups_(lay_out(nc, t.in(0), design.rows)),
      banks_(nc, design.operands) {
  const int side = int(side_), depth = d_.depth;
  if (depth == 0) {
    shared_pool_ = nc.sbuf_pool(d_.shared_tiles(), side, d_.widest(side_));
    if (!d_.operands.is_fp32()) shared_operand_ = operand_pool(1, d_.widest_operand(side_));
  } else {
    row_pool_ = nc.sbuf_pool(depth, side, d_.rows.row_samples());
  }
  load(0);  // before the matrices: the first transpose needs it first
  if (!f_.direct || d_.resident) first_ = resident_rows(nc_, t.in(1), side_);
  if (!f_.direct) second_ = resident_rows(nc_, t.in(2), side_);
  if (!d_.resident) stream_pool_ = operand_pool(4, banks_.columns());
  if (d_.mels > 0) mel_ = resident_rows(nc_, t.in(t.inputs() - 1), side_);
  out_pool_ =
      nc.sbuf_pool(std::max(depth, 1), side, (d_.planar() ? 2 : 1) * d_.rows.run * d_.width());
  if (depth > 0) make_pools();
}

void stft_forward::make_pools() {
  const int side = int(side_), depth = d_.depth;
  if (f_.direct) {
    x_pool_ = operand_pool(depth, f_.tiles(side_) * side_);
  } else {
    x_pool_ = operand_pool(depth, f_.groups() * side_);
    // What has one part is rounded before its transpose, which then takes one pass.
    y_pool_ =
        nc_.sbuf_pool(depth, side, f_.n, d_.operands.parts == 1 ? d_.operands.type : dtype::fp32);
    // The vector engine fills one while the array reads the one before.
    t_pool_ = operand_pool(depth + (d_.by_vector > 0 ? 1 : 0), f_.products() * side_);
  }
  e_pool_ = nc_.sbuf_pool(depth, side, f_.n);
  if (d_.mels > 0) {
    power_pool_ = nc_.sbuf_pool(depth, side, f_.bins());
    mel_pool_ = operand_pool(depth, (f_.bins() + side_ - 1) / side_ * side_);
  }
}

void stft_forward::load(std::size_t group) {
  if (group >= groups_.size() || group < rows_.size()) return;
  rows_.push_back(next(row_pool_)
                      .partition_range(0, groups_[group].partitions)
                      .columns(0, d_.rows.row_samples()));
  load_group(nc_, groups_[group], d_.rows, rows_.back());
}

void stft_forward::run() {
  const std::int64_t items = std::int64_t(groups_.size()) * d_.rows.run;
  const auto points = [&](std::int64_t index) {
    item it = begin(index);
    transpose_points(it);
    return it;
  };
  const auto rest = [&](item it) {
    if (f_.direct) return finish_segment(it, multiply_direct(it));
    first_stage(it);
    transpose_units(it);
    finish_segment(it, second_stage(it));
  };
  if (d_.depth == 0) {
    for (std::int64_t i = 0; i < items; ++i) rest(points(i));
  } else if (f_.direct) {
    pipeline(items, d_.depth, points, rest);
  } else {
    // The vector engine first transposes what the array takes next, then puts bins in order.
    std::optional<std::pair<item, tile_view>> pending;
    const auto finish = [&] {
      if (pending) finish_segment(pending->first, pending->second);
      pending.reset();
    };
    pipeline(
        items, d_.depth, points,
        [&](item it) {
          first_stage(it);
          if (d_.fresh > 0 && it.segment + 1 < d_.rows.run) renew_points(it);
          return it;
        },
        [&](item it) {
          transpose_units(it);
          finish();
          return it;
        },
        [&](const item& it) {
          finish();
          pending.emplace(it, second_stage(it));
        });
    finish();
  }
  finish_late();
}

stft_forward::item stft_forward::begin(std::int64_t index) {
  item it{.group = index / d_.rows.run, .segment = index % d_.rows.run};
  load(std::size_t(it.group));
  it.row = rows_[std::size_t(it.group)];
  it.lanes = it.row.partitions();
  if (it.segment == 0 && d_.depth > 1) load(std::size_t(it.group) + 1);
  return it;
}

void stft_forward::transpose_columns(const tile_view& from, std::int64_t first, std::int64_t count,
                                     const tile_view& to) {
  const std::int64_t lanes = from.partitions(), whole = count / side_, rest = count % side_;
  const auto part = [&](std::int64_t done, std::int64_t tiles, std::int64_t points) {
    banks_.turn(
        tiles, points, lanes,
        [&](std::int64_t i) { return from.columns(first + done + i * side_, points); },
        [&](int p, std::int64_t at, std::int64_t n) {
          return part_of(to.partition_range(0, int(points)), p, d_.operands.parts)
              .columns((done / side_ + at) * lanes, n * lanes);
        });
  };
  part(0, whole, side_);
  if (rest > 0) part(whole * side_, 1, rest);
}

// A spectrum, or its squares.
void stft_forward::take_away(const tile_view& out, const tile_view& in) {
  if (!d_.planar())
    nc_.issue(activation{.out = out, .in = in, .function = activation_function::square});
  else
    evacuate(nc_, out, in);
}

void stft_forward::transpose_points(item& it) {
  const std::int64_t first = it.segment * d_.rows.hop, lanes = it.lanes;
  if (d_.fresh > 0 && it.segment > 0) {
    it.x = x_;
    return;
  }
  it.x = next_operand(x_pool_);
  if (f_.direct) return transpose_columns(it.row, first, f_.n, it.x);
  const tile_view points = it.row.columns(first, f_.n).reshape({f_.r1, f_.r2});
  it.x = it.x.partition_range(0, int(f_.group_points()));
  banks_.turn(
      f_.groups(), f_.group_points(), lanes,
      [&](std::int64_t c) { return points.slice(2, c * f_.side_by_side, f_.side_by_side); },
      [&](int p, std::int64_t at, std::int64_t n) {
        return part_of(it.x, p, d_.operands.parts).columns(at * lanes, n * lanes);
      });
  x_ = it.x;
}

// The points of the next segment of the row that this one has not, those of several groups in one
// transpose, take the places of those that only this one has: point p is on partition p modulo all.
void stft_forward::renew_points(const item& it) {
  const std::int64_t lanes = it.lanes, together = d_.turns(), rows = d_.fresh / f_.side_by_side;
  const int at = int(it.segment * d_.fresh % f_.group_points());
  const tile_view points =
      it.row.columns((it.segment + 1) * d_.rows.hop + (f_.r1 - rows) * f_.r2, rows * f_.r2)
          .reshape({rows, f_.groups(), f_.side_by_side});
  const tile_view places = it.x.partition_range(at, int(d_.fresh))
                               .columns(0, f_.groups() * lanes)
                               .reshape({f_.groups() / together, together, lanes});
  banks_.run(
      f_.groups() / together, int(f_.group_points()), lanes,
      [&](std::int64_t i, const tile_view& out) {
        nc_.issue(transpose{.out = out,
                            .in = points.slice(2, i * together, together).permute({2, 1, 3})});
      },
      [&](std::int64_t first, std::int64_t n, const tile_view& in) {
        for (std::int64_t c = 0; c < together; ++c)
          evacuate(nc_, places.slice(1, first, n).slice(2, c, 1),
                   in.partition_range(int(c * d_.fresh), int(d_.fresh)));
      });
}

void stft_forward::first_stage(item& it) {
  const std::int64_t width = f_.group_points(), all = f_.groups() * width;
  it.y = next(y_pool_).partition_range(0, it.lanes).columns(0, all);
  const tile_view matrix =
      d_.fresh > 0 ? first_->columns(it.segment % d_.turns() * all, all) : first_.whole();
  banks_.multiply(f_.groups(), it.lanes, width, it.x, matrix,
                  [&](std::int64_t at, std::int64_t n, const tile_view& in) {
                    evacuate(nc_, it.y.columns(at * width, n * width), in);
                  });
}

void stft_forward::transpose_units(item& it) {
  const std::int64_t width = 2 * f_.side_by_side * f_.together, lanes = it.lanes;
  const tile_view y = it.y.reshape({f_.groups(), f_.group_points()});
  it.t = next_operand(t_pool_).partition_range(0, int(f_.product_points()));
  const std::int64_t rest = f_.products() - d_.by_vector;
  banks_.turn(
      rest, f_.product_points(), lanes,
      [&](std::int64_t p) { return y.slice(2, p * width, width); },
      [&](int part, std::int64_t at, std::int64_t n) {
        return part_of(it.t, part, d_.operands.parts).columns(at * lanes, n * lanes);
      });
  for (std::int64_t p = rest; p < f_.products(); ++p)
    transpose_in_blocks(nc_, it.t.columns(p * lanes, lanes), y.slice(2, p * width, width));
}

tile_view stft_forward::second_stage(const item& it) {
  const std::int64_t width = f_.product_points();
  const tile_view e = next(e_pool_).partition_range(0, it.lanes);
  banks_.multiply(f_.products(), it.lanes, width, it.t, second_.whole(),
                  [&](std::int64_t at, std::int64_t n, const tile_view& in) {
                    take_away(e.columns(at * width, n * width), in);
                  });
  return e;
}

tile_view stft_forward::multiply_direct(const item& it) {
  const tile_view e = next(e_pool_).partition_range(0, it.lanes);
  const auto depth = [&](std::int64_t k) { return std::min(side_, f_.n - k * side_); };
  const int parts = d_.operands.parts;
  banks_.multiply_tiles(
      f_.tiles(side_), it.lanes, f_.n,
      [&](std::int64_t k) {
        return operand_parts{it.x.partition_range(0, int(depth(k))), k * it.lanes,
                             it.x.elements() / parts, it.lanes};
      },
      [&](std::int64_t k, std::int64_t first, std::int64_t width) {
        if (d_.resident)
          return operand_parts{first_->partition_range(0, int(depth(k))), k * parts * f_.n + first,
                               f_.n, width};
        return load_parts(nc_, *stream_pool_, args_.in(1), parts, k * side_, depth(k), first,
                          width);
      },
      [&](std::int64_t first, std::int64_t width, const tile_view& in) {
        take_away(e.columns(first, width), in);
      });
  return e;
}

}  // namespace papilio::kernels_detail
