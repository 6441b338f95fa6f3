#include "kernels/stft/istft_streamed.hpp"

#include <algorithm>

#include "kernels/table.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

kernels::constant_table streamed_table(const transform_formula& formula, const stretches& result,
                                       const array_operands& operands) {
  const std::int64_t n = result.n, width = result.width(), bins = formula.bins();
  return table_of(
      "inverse dft", n, result.count * width,
      [=](const table_writer& table) {
        const stage_coefficient coefficient(formula, 0);
        const line_overlap overlap = result.overlap();
        for (std::int64_t c = 0; c < n; ++c) {
          const transform_element bin{.k = c < bins ? c : c - bins + 1, .plane = c < bins ? 0 : 1};
          for (std::int64_t at = 0; at < result.count * width; ++at) {
            const std::int64_t j = overlap.first + at / width * overlap.hop + at % width;
            if (j >= 0 && j < n) table.put(c, at, coefficient({.j = j}, bin));
          }
        }
      },
      operands);
}

void require_streamable(const inverse_short_time_design& d, const machine_spec& machine) {
  const stretches& r = d.result;
  const std::int64_t bank = machine.psum.bank_bytes / 4,
                     pools = 6 * bank + 6 * d.operands.words(bank) +
                             2 * d.operands.words(bank / machine.sbuf.partitions * d.columns());
  const double matrix = double(d.operands.bytes()) * double(r.n) * double(r.count) * double(r.hop);
  if (matrix > double(machine.hbm.usable_bytes_per_core) ||
      pools > machine.sbuf.bytes_per_partition / 4 - 64)
    throw resource_error(base_detail::message(
        "istft: n_fft = ", r.n, " with hop = ", r.hop, " needs ", 4 * pools,
        " bytes a partition and a matrix of ", std::int64_t(std::min(matrix, 0x1p62)),
        " bytes, there are ", machine.sbuf.bytes_per_partition, " and ",
        machine.hbm.usable_bytes_per_core));
}

istft_streamed::istft_streamed(core& nc, const inverse_short_time_design& design,
                               const kernel_arguments& t)
    : nc_(nc),
      d_(design),
      r_(design.result),
      args_(t),
      side_(nc.machine().sbuf.partitions),
      width_(nc.machine().psum.bank_bytes / 4),
      columns_(design.columns()),
      parts_(design.operands.parts),
      groups_(design.result),
      spectra_(nc.sbuf_pool(2, int(side_), width_)),
      points_(
          nc.sbuf_pool(2, int(side_), parts_ * (width_ / side_) * columns_, design.operands.type)),
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
  const std::int64_t hop = r_.hop;
  const auto lanes = [&](tile_pool& pool) {
    return pool.next().partition_range(0, int(g.count)).columns(0, count);
  };
  const tile_view sum = lanes(sums_);
  for (std::int64_t first = 0; first < r_.n; first += width_) {
    const std::int64_t here = std::min(width_, r_.n - first);
    const tile_view x = points(channel, g, first, here);
    for (std::int64_t k = 0; k < here; k += side_) {
      const std::int64_t depth = std::min(side_, here - k);
      for (std::int64_t b = 0; b < r_.count; ++b) {
        const operand_parts stationary{x.partition_range(0, int(depth)),
                                       k / side_ * columns_ + r_.count - 1 - b,
                                       width_ / side_ * columns_, g.count};
        multiply_parts(
            nc_, sum, parts_, stationary,
            load_parts(nc_, matrix_, args_.in(1), parts_, first + k, depth, b * hop + at, count),
            first + k > 0 || b > 0);
      }
    }
  }
  const tile_view result = lanes(results_);
  if (r_.is_weighted) {
    const tile_view weights = lanes(weights_);
    nc_.issue(
        dma_copy{.out = weights,
                 .in = args_.in(2).pattern(g.weights * hop + at,
                                           {{g.count, g.weights > 0 ? hop : 0}, {count, 1}})});
    nc_.issue(tensor_tensor{.out = result, .left = sum, .right = weights, .op = alu_op::multiply});
  } else {
    evacuate(nc_, result, sum);
  }
  nc_.issue(dma_copy{.out = args_.out(0).pattern(channel * r_.samples + g.first * hop + at,
                                                 {{g.count, hop}, {count, 1}}),
                     .in = result});
}

// Packed bins [first, first + count) of the group's segments, tile after tile of 128 on partitions.
tile_view istft_streamed::points(std::int64_t channel, const stretch_group& g, std::int64_t first,
                                 std::int64_t count) {
  const tile_view x = points_.next();
  const std::int64_t begin = r_.quotient + g.first - r_.last();
  const std::int64_t needed = g.count + r_.count - 1;
  const std::int64_t from = std::clamp<std::int64_t>(-begin, 0, needed);
  const std::int64_t to = std::clamp<std::int64_t>(r_.segments - begin, from, needed);
  const auto zeros = [&](std::int64_t column, std::int64_t columns) {
    if (columns > 0)
      nc_.issue(memset{
          .out = x.reshape({parts_ * (width_ / side_), columns_}).slice(2, column, columns)});
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
          operand_parts{x.partition_range(0, int(depth)), k / side_ * columns_ + s,
                        width_ / side_ * columns_, lanes},
          [&] { return remainders_.next().partition_range(0, int(depth)).columns(0, lanes); });
    }
  }
  return x;
}

void istft_streamed::load(const tile_view& to, std::int64_t channel, std::int64_t segment,
                          std::int64_t first) {
  const std::int64_t count = to.elements(), bins = d_.formula.bins();
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
