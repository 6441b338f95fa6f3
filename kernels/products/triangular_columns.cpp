#include "kernels/ceil_div.hpp"
#include "kernels/products/triangular_solve.hpp"

#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

stationary_blocks::stationary_blocks(core& nc, const triangular_system& system, const hbm_view& a,
                                     tile_pool& banks)
    : nc_(nc),
      system_(system),
      a_(a),
      banks_(banks),
      at_once_(system.at_once),
      raw_(nc.sbuf_pool(system.flipped ? 1 : raw_depth, int(system.block),
                        system.flipped ? 1 : at_once_ * system.block)),
      made_(nc.sbuf_pool(depth, int(system.block), at_once_ * system.block)),
      next_{.step = 1} {}

// Step s has ceil(s / at_once) groups of blocks; this is the number of groups of the steps before,
// plus `part`.
std::int64_t stationary_blocks::index_of(std::int64_t step, std::int64_t part) const {
  const std::int64_t full = (step - 1) / at_once_, rest = (step - 1) % at_once_;
  return at_once_ * full * (full + 1) / 2 + rest * (full + 1) + part;
}

tile_view stationary_blocks::of(std::int64_t step, std::int64_t other) {
  constexpr std::int64_t ahead = depth - 2;
  const std::int64_t index = index_of(step, other / at_once_);
  while (std::int64_t(tiles_.size()) <= index + ahead && next_.step < system_.blocks()) make();
  return tiles_[std::size_t(index)]
      .partition_range(0, int(system_.rows(other)))
      .columns(other % at_once_ * system_.block, system_.rows(step));
}

void stationary_blocks::make() {
  const std::int64_t n = system_.block, step = next_.step, first = next_.first,
                     count = std::min(at_once_, step - first), rows = system_.rows(step),
                     at = system_.place(step);
  const tile_view tile = made_.next();
  if (system_.flipped) {
    for (std::int64_t s = first; s < first + count; ++s)
      nc_.issue(dma_copy{
          .out = tile.partition_range(0, int(system_.rows(s))).columns((s - first) * n, rows),
          .in = a_.slice(0, system_.place(s), system_.rows(s)).slice(1, at, rows)});
  } else {
    // Blocks of neighbouring steps are neighbours in a row of A, in rising or falling order, so
    // that one transfer loads them.
    const std::int64_t low = std::min(system_.place(first), system_.place(first + count - 1));
    std::int64_t width = 0;
    for (std::int64_t s = first; s < first + count; ++s) width += system_.rows(s);
    const tile_view raw = raw_.next().partition_range(0, int(rows)).columns(0, width);
    nc_.issue(dma_copy{.out = raw, .in = a_.slice(0, at, rows).slice(1, low, width)});
    const tile_view bank = banks_.next();
    for (std::int64_t s = first; s < first + count; ++s) {
      const auto part = [&](const tile_view& of) {
        return of.partition_range(0, int(system_.rows(s))).columns((s - first) * n, rows);
      };
      nc_.issue(
          transpose{.out = part(bank), .in = raw.columns(system_.place(s) - low, system_.rows(s))});
    }
    // Blocks of as many rows are copied out of PSUM together; only the matrix's last block may have
    // fewer.
    for (std::int64_t s = first; s < first + count;) {
      std::int64_t last = s + 1;
      while (last < first + count && system_.rows(last) == system_.rows(s)) ++last;
      const auto part = [&](const tile_view& of) {
        return of.partition_range(0, int(system_.rows(s)))
            .columns((s - first) * n, (last - s) * n)
            .reshape({last - s, n})
            .columns(0, rows);
      };
      evacuate(nc_, part(tile), part(bank));
      s = last;
    }
  }
  tiles_.push_back(tile);
  next_.first += count;
  if (next_.first < step) return;
  next_ = {.step = step + 1};
}

system_columns::system_columns(core& nc, const triangular_system& system, tile_pool& banks,
                               std::int64_t first, std::int64_t count)
    : nc_(nc),
      system_(system),
      banks_(banks),
      first_(first),
      count_(count),
      at_once_(system.transposed ? system.at_once : 1),
      values_(nc.sbuf_pool(depth, int(system.block), count)),
      lines_in_(nc.sbuf_pool(system.transposed ? int(2 * chunks()) : 1, int(system.array_rows),
                             system.transposed ? at_once_ * system.block : 1)),
      lines_out_(nc.sbuf_pool(system.transposed ? int(2 * chunks()) : 1, int(system.array_rows),
                              system.transposed ? at_once_ * system.block : 1)) {}

std::int64_t system_columns::line_bytes(const triangular_system& system, std::int64_t count) {
  if (!system.transposed) return 0;
  return 4 * ceil_div(count, system.array_rows) * 4 * system.at_once * system.block;
}

tile_view system_columns::load(const hbm_view& b, std::int64_t step) {
  const std::int64_t rows = system_.rows(step);
  const tile_view to = values_.next().partition_range(0, int(rows)).columns(0, count_);
  if (system_.transposed) {
    if (!from_)
      from_.emplace(nc_, lines_in_, banks_,
                    b.slice(0, first_, count_).reshape({1, count_, 1, system_.order}),
                    system_.array_rows, at_once_ * system_.block);
    from_->make(system_.place(step) / system_.array_rows, to, 0);
  } else {
    nc_.issue(
        dma_copy{.out = to, .in = b.slice(0, system_.place(step), rows).slice(1, first_, count_)});
  }
  if (system_.alpha != 1)
    nc_.issue(tensor_scalar{.out = to,
                            .in = to,
                            .op0 = alu_op::multiply,
                            .operand0 = system_.alpha,
                            .on = unit::gpsimd});
  return to;
}

system_columns::span_of_steps system_columns::span_of(std::int64_t step) const {
  span_of_steps s{.first = step / at_once_ * at_once_};
  s.last = std::min(s.first + at_once_, system_.blocks()) - 1;
  s.place = std::min(system_.place(s.first), system_.place(s.last));
  s.width = std::max(system_.place(s.first) + system_.rows(s.first),
                     system_.place(s.last) + system_.rows(s.last)) -
            s.place;
  return s;
}

hbm_view system_columns::lines_of(const hbm_view& tensor, std::int64_t chunk,
                                  const span_of_steps& steps) const {
  return tensor.slice(0, first_ + chunk * system_.array_rows, lines(chunk))
      .slice(1, steps.place, steps.width);
}

tile_view system_columns::part_of(const tile_view& tile, std::int64_t chunk,
                                  std::int64_t step) const {
  return tile.partition_range(0, int(lines(chunk)))
      .columns(system_.place(step) - span_of(step).place, system_.rows(step));
}

void system_columns::store(const hbm_view& x, std::int64_t step, const tile_view& values) {
  if (system_.transposed) return store_transposed(x, step, values);
  nc_.issue(
      dma_copy{.out = x.slice(0, system_.place(step), system_.rows(step)).slice(1, first_, count_),
               .in = values});
}

void system_columns::store_transposed(const hbm_view& x, std::int64_t step,
                                      const tile_view& values) {
  const std::int64_t n = system_.array_rows, rows = system_.rows(step);
  const span_of_steps steps = span_of(step);
  if (step == steps.first) {
    out_.clear();
    for (std::int64_t c = 0; c < chunks(); ++c) out_.push_back(lines_out_.next());
  }
  for (std::int64_t c = 0; c < chunks(); ++c) {
    const tile_view bank = banks_.next().partition_range(0, int(lines(c))).columns(0, rows);
    nc_.issue(transpose{.out = bank, .in = values.columns(c * n, lines(c))});
    evacuate(nc_, part_of(out_[std::size_t(c)], c, step), bank);
    if (step == steps.last)
      nc_.issue(dma_copy{
          .out = lines_of(x, c, steps),
          .in = out_[std::size_t(c)].partition_range(0, int(lines(c))).columns(0, steps.width)});
  }
}

}  // namespace papilio::kernels_detail
