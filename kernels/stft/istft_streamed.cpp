#include "kernels/stft/istft_streamed.hpp"

#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

istft_streamed::istft_streamed(core& nc, const istft_design& design, const kernel_arguments& t)
    : nc_(nc),
      d_(design),
      f_(design.factors),
      args_(t),
      side_(nc.machine().sbuf.partitions),
      width_(nc.machine().psum.bank_bytes / 4),
      parts_(design.operands.parts),
      groups_(design),
      spectra_(nc.sbuf_pool(2, int(side_), width_)),
      points_(nc.sbuf_pool(2, int(side_), parts_ * (width_ / side_) * d_.columns,
                           design.operands.type)),
      matrix_(nc.sbuf_pool(6, int(side_), parts_ * width_, design.operands.type)),
      results_(nc.sbuf_pool(2, int(side_), width_)),
      weights_(nc.sbuf_pool(2, int(side_), width_)),
      sums_(nc.psum_pool(2, int(side_), width_)),
      banks_(nc.psum_pool(nc.machine().psum.banks - 2, int(side_), width_)),
      remainders_(nc.sbuf_pool(2, int(side_), parts_ > 2 ? side_ : 1)) {}

void istft_streamed::run() {
  for (std::int64_t c = 0; c < d_.channels; ++c)
    for (std::int64_t i = 0; i < groups_.count(); ++i) {
      const stretch_group g = groups_[i];
      for (std::int64_t at = 0; at < g.width; at += width_)
        part(c, g, at, std::min(width_, g.width - at));
    }
}

// Samples [at, at + count) of each of a group's stretches.
void istft_streamed::part(std::int64_t channel, const stretch_group& g, std::int64_t at,
                          std::int64_t count) {
  const std::int64_t hop = d_.parts.hop;
  const auto lanes = [&](tile_pool& pool) {
    return pool.next().partition_range(0, int(g.count)).columns(0, count);
  };
  const tile_view sum = lanes(sums_);
  for (std::int64_t first = 0; first < f_.n; first += width_) {
    const std::int64_t here = std::min(width_, f_.n - first);
    const tile_view x = points(channel, g, first, here);
    for (std::int64_t k = 0; k < here; k += side_) {
      const std::int64_t depth = std::min(side_, here - k);
      for (std::int64_t b = 0; b < d_.parts.count; ++b) {
        const operand_parts stationary{x.partition_range(0, int(depth)),
                                       k / side_ * d_.columns + d_.parts.count - 1 - b,
                                       width_ / side_ * d_.columns, g.count};
        multiply_parts(
            nc_, sum, parts_, stationary,
            load_parts(nc_, matrix_, args_.in(1), parts_, first + k, depth, b * hop + at, count),
            first + k > 0 || b > 0);
      }
    }
  }
  const tile_view weights = lanes(weights_), result = lanes(results_);
  const hbm_view table = args_.in(2);
  nc_.issue(dma_copy{
      .out = weights,
      .in = table.pattern(g.weights * hop + at, {{g.count, g.weights > 0 ? hop : 0}, {count, 1}})});
  nc_.issue(tensor_tensor{.out = result, .left = sum, .right = weights, .op = alu_op::multiply});
  nc_.issue(dma_copy{.out = args_.out(0).pattern(channel * d_.samples + g.first * hop + at,
                                                 {{g.count, hop}, {count, 1}}),
                     .in = result});
}

// Packed bins [first, first + count) of the group's segments, tile after tile of 128 on partitions.
tile_view istft_streamed::points(std::int64_t channel, const stretch_group& g, std::int64_t first,
                                 std::int64_t count) {
  const tile_view x = points_.next();
  const std::int64_t begin = d_.parts.quotient + g.first - d_.parts.last();
  const std::int64_t needed = g.count + d_.parts.count - 1;
  const std::int64_t from = std::clamp<std::int64_t>(-begin, 0, needed);
  const std::int64_t to = std::clamp<std::int64_t>(d_.segments - begin, from, needed);
  const auto zeros = [&](std::int64_t column, std::int64_t columns) {
    if (columns > 0)
      nc_.issue(memset{
          .out = x.reshape({parts_ * (width_ / side_), d_.columns}).slice(2, column, columns)});
  };
  zeros(0, from);
  zeros(to, needed - to);
  for (std::int64_t s = from; s < to; s += side_) {
    const std::int64_t lanes = std::min(side_, to - s);
    const tile_view rows = spectra_.next().partition_range(0, int(lanes)).columns(0, count);
    load(rows, channel, begin + s, first);
    for (std::int64_t k = 0; k < count; k += side_) {
      const std::int64_t depth = std::min(side_, count - k);
      const tile_view bank = banks_.next().partition_range(0, int(depth)).columns(0, lanes);
      nc_.issue(transpose{.out = bank, .in = rows.columns(k, depth)});
      fill_parts(
          nc_, bank, parts_,
          operand_parts{x.partition_range(0, int(depth)), k / side_ * d_.columns + s,
                        width_ / side_ * d_.columns, lanes},
          [&] { return remainders_.next().partition_range(0, int(depth)).columns(0, lanes); });
    }
  }
  return x;
}

void istft_streamed::load(const tile_view& to, std::int64_t channel, std::int64_t segment,
                          std::int64_t first) {
  const std::int64_t count = to.elements(), bins = f_.bins();
  const std::int64_t real = std::clamp<std::int64_t>(bins - first, 0, count);
  const auto plane = [&](std::int64_t which, std::int64_t bin, const tile_view& part) {
    if (part.elements() == 0) return;
    const std::int64_t row = (which * d_.channels + channel) * d_.given + d_.begin + segment;
    nc_.issue(dma_copy{.out = part,
                       .in = args_.in(0).pattern(row * bins + bin,
                                                 {{to.partitions(), bins}, {part.elements(), 1}})});
  };
  if (real > 0) plane(0, first, to.columns(0, real));
  if (real < count) plane(1, first + real - bins + 1, to.columns(real, count - real));
}

}  // namespace papilio::kernels_detail
