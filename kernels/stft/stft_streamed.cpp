#include "kernels/stft/stft_streamed.hpp"

#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

stft_streamed::stft_streamed(core& nc, const short_time_design& design, const kernel_arguments& t)
    : nc_(nc),
      d_(design),
      args_(t),
      n_(design.rows.n),
      bins_(n_ / 2 + 1),
      side_(nc.machine().sbuf.partitions),
      width_(nc.machine().psum.bank_bytes / 4),
      parts_(design.operands.parts),
      groups_(lay_out(nc, t.in(0), design.rows)),
      points_(nc.sbuf_pool(3, int(side_), width_)),
      turned_(nc.sbuf_pool(4, int(side_), parts_ * side_, design.operands.type)),
      matrix_(nc.sbuf_pool(8, int(side_), parts_ * width_, design.operands.type)),
      results_(nc.sbuf_pool(6, int(side_), width_)),
      sums_(nc.psum_pool(4, int(side_), width_)),
      banks_(nc.psum_pool(nc.machine().psum.banks - 4, int(side_), width_)),
      remainders_(nc.sbuf_pool(2, int(side_), parts_ > 2 ? side_ : 1)) {
  if (d_.mels > 0) bands_ = nc.sbuf(int(side_), d_.mels);
}

void stft_streamed::run() {
  for (const row_group& group : groups_) {
    if (d_.mels > 0) {
      lanes_bands_ = bands_->partition_range(0, group.partitions);
      nc_.issue(memset{.out = lanes_bands_});
    }
    for (std::int64_t k = 0; k < bins_; k += width_) bins(group, k, std::min(width_, bins_ - k));
    if (d_.mels > 0) {
      finish_numbers(nc_, d_, lanes_bands_);
      store(group, 0, 0, lanes_bands_);
    }
  }
}

// Of bins [first, first + count): those with an imaginary part are 1 ... imaginary().
void stft_streamed::bins(const row_group& group, std::int64_t first, std::int64_t count) {
  const tile_view re = sums_.next().partition_range(0, group.partitions).columns(0, count);
  const std::int64_t from = std::max<std::int64_t>(first, 1);
  const std::int64_t parts =
      std::max<std::int64_t>(0, std::min(first + count, (n_ - bins_) + 1) - from);
  tile_view im;
  if (parts > 0) im = sums_.next().partition_range(0, group.partitions).columns(0, parts);
  for (std::int64_t at = 0; at < n_; at += width_) add_points(group, at, first, count, re, im);
  leave(group, first, count, re, im);
}

operand_parts stft_streamed::turned(const tile_view& columns) {
  const std::int64_t depth = columns.elements(), lanes = columns.partitions();
  const auto lanes_of = [&](tile_pool& pool) { return pool.next().partition_range(0, int(depth)); };
  const tile_view bank = lanes_of(banks_).columns(0, lanes);
  const operand_parts x{lanes_of(turned_), 0, side_, lanes};
  nc_.issue(transpose{.out = bank, .in = columns});
  fill_parts(nc_, bank, parts_, x, [&] { return lanes_of(remainders_).columns(0, lanes); });
  return x;
}

void stft_streamed::add_points(const row_group& group, std::int64_t at, std::int64_t first,
                               std::int64_t count, const tile_view& re, const tile_view& im) {
  const std::int64_t here = std::min(width_, n_ - at);
  const tile_view row = points_.next().partition_range(0, group.partitions).columns(0, here);
  load_group(nc_, group, d_.rows, row, at);
  for (std::int64_t k = 0; k < here; k += side_) {
    const std::int64_t depth = std::min(side_, here - k);
    const operand_parts x = turned(row.columns(k, depth));
    const auto product = [&](const tile_view& out, std::int64_t column) {
      multiply_parts(
          nc_, out, parts_, x,
          load_parts(nc_, matrix_, args_.in(1), parts_, at + k, depth, column, out.elements()),
          at + k > 0);
    };
    product(re.columns(0, count), first);
    if (!im.empty()) product(im, bins_ + std::max<std::int64_t>(first, 1) - 1);
  }
}

void stft_streamed::leave(const row_group& group, std::int64_t first, std::int64_t count,
                          const tile_view& re, const tile_view& im) {
  const auto room = [&] {
    return results_.next().partition_range(0, group.partitions).columns(0, count);
  };
  const tile_view real = room(), imaginary = room();
  const auto function = d_.planar() ? activation_function::copy : activation_function::square;
  nc_.issue(activation{.out = real, .in = re, .function = function});
  const std::int64_t before = first == 0 ? 1 : 0, parts = im.empty() ? 0 : im.elements();
  if (before > 0) nc_.issue(memset{.out = imaginary.columns(0, 1)});
  if (before + parts < count)
    nc_.issue(memset{.out = imaginary.columns(before + parts, count - before - parts)});
  if (parts > 0)
    nc_.issue(activation{.out = imaginary.columns(before, parts), .in = im, .function = function});
  if (d_.planar()) {
    store(group, 0, first, real);
    store(group, 1, first, imaginary);
    return;
  }
  nc_.issue(tensor_tensor{.out = real, .left = real, .right = imaginary});
  if (d_.mels > 0) return add_bands(real, first);
  finish_numbers(nc_, d_, real);
  store(group, 0, first, real);
}

void stft_streamed::add_bands(const tile_view& power, std::int64_t first) {
  const std::int64_t lanes = power.partitions();
  for (std::int64_t k = 0; k < power.elements(); k += side_) {
    const std::int64_t depth = std::min(side_, power.elements() - k);
    const operand_parts x = turned(power.columns(k, depth));
    for (std::int64_t m = 0; m < d_.mels; m += width_) {
      const std::int64_t here = std::min(width_, d_.mels - m);
      const operand_parts moving =
          load_parts(nc_, matrix_, args_.in(2), parts_, first + k, depth, m, here);
      const tile_view sum = banks_.next().partition_range(0, int(lanes)).columns(0, here);
      multiply_parts(nc_, sum, parts_, x, moving, false);
      const tile_view bands = lanes_bands_.columns(m, here);
      nc_.issue(tensor_tensor{.out = bands, .left = sum, .right = bands});
    }
  }
}

void stft_streamed::store(const row_group& group, int plane, std::int64_t first,
                          const tile_view& values) {
  const std::int64_t width = d_.width(), all = d_.rows.segments * width;
  for (const row_piece& p : group.pieces)
    nc_.issue(
        dma_copy{.out = args_.out(0).pattern(
                     (plane * d_.rows.channels + p.channel) * all + p.first_row * width + first,
                     {{p.channels, all}, {p.rows, width}, {values.elements(), 1}}),
                 .in = values.partition_range(p.partition, p.partitions())});
}

}  // namespace papilio::kernels_detail
