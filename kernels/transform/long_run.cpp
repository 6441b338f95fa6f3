#include "kernels/transform/long_run.hpp"

#include <algorithm>

#include "kernels/table.hpp"
#include "kernels/transform/error_model.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

constexpr int long_operand_depth = 3, long_aside_depth = 2, long_bins_depth = 4,
              long_unit_banks = 2, long_last_depth = 2;

}  // namespace

long_run::long_run(core& nc, const long_line& g, std::int64_t outer, const hbm_view& in,
                   const hbm_view& out, std::span<const hbm_view> tables)
    : nc_(nc),
      g_(g),
      outer_(outer),
      in_(in),
      out_(out),
      tables_(tables.begin(), tables.end()),
      over_a_(nc.sbuf(int(g.points()), g.points())),
      over_s_(nc.sbuf(int(g.array_rows), 4 * g.array_rows)),
      lines_(nc.sbuf_pool(g.depth, int(g.array_rows),
                          std::max({g.low() * g.s, g.a * g.b, g.columns()}))),
      bins_(nc.sbuf_pool(long_bins_depth, int(g.array_rows), 2 * g.chunk * g.a)),
      operands_(nc.sbuf_pool(long_operand_depth, int(g.array_rows), g.unit)),
      asides_(nc.sbuf_pool(long_aside_depth, int(g.array_rows), g.unit)),
      lasts_(nc.sbuf_pool(long_last_depth, int(g.half()), 2 * g.b)),
      ends_(nc.sbuf_pool(long_last_depth, 1, 2)),
      banks_(nc.psum_pool(nc.machine().psum.banks / long_unit_banks, int(g.array_rows),
                          long_unit_banks * g.bank)),
      over_b_(nc.sbuf_pool(g.streamed ? table_depth : 1, int(g.operand()),
                           g.parts() * (g.streamed ? g.unit : g.columns()))),
      twiddles_(
          nc.sbuf_pool(g.streamed ? table_depth : 1, int(g.s), g.streamed ? g.unit : g.columns())) {
  if (g.streamed) return;
  all_over_b_ = over_b_.next();
  all_twiddles_ = twiddles_.next();
}

std::vector<long_run::bin_block> long_run::blocks_of(std::int64_t chunk) const {
  const std::int64_t run = g_.chunk * g_.a,
                     last = std::clamp<std::int64_t>(g_.last_bins() - chunk * run, 0, run);
  std::vector<bin_block> blocks;
  if (last > 0) blocks.push_back({g_.half(), 0, last});
  if (last < run) blocks.push_back({g_.half() - 1, last, run - last});
  return blocks;
}

void long_run::load_over_a() { nc_.issue(dma_copy{.out = over_a_.whole(), .in = tables_[0]}); }

// Loads matrices in pieces, so that the first products do not wait for all of them.
void long_run::load_over_b(const matrix_columns& to, std::int64_t first, std::int64_t count) {
  for (int part = 0; part < g_.parts(); ++part)
    nc_.issue(dma_copy{.out = to.of(part, 0, count),
                       .in = tables_[1].slice(1, part * g_.columns() + first, count)});
}

long_run::matrix_columns long_run::matrices_over_b(std::int64_t line, std::int64_t first,
                                                   std::int64_t count) {
  if (g_.streamed) {
    const matrix_columns passing{over_b_.next(), 0, count};
    load_over_b(passing, first, count);
    return passing;
  }
  const std::int64_t groups = g_.groups() * g_.group(), end = first + count;
  const auto from = [&](std::int64_t at) { return matrix_columns{all_over_b_, at, g_.columns()}; };
  if (line == 0 && first >= groups) {
    load_over_b(from(first), first, count);
  } else if (line == 0 && end > loaded_) {
    const std::int64_t more = std::min(std::max(end - loaded_, g_.unit), groups - loaded_);
    load_over_b(from(loaded_), loaded_, more);
    loaded_ += more;
  }
  return from(first);
}

tile_view long_run::twiddle_factors(std::int64_t line, std::int64_t first, std::int64_t count) {
  const tile_view table =
      g_.streamed ? twiddles_.next().columns(0, count) : all_twiddles_.columns(first, count);
  if (g_.streamed || line == 0)
    nc_.issue(dma_copy{.out = table, .in = tables_[3].slice(1, first, count)});
  return table;
}

void long_run::load_over_s() { nc_.issue(dma_copy{.out = over_s_.whole(), .in = tables_[2]}); }

void long_run::multiply_by_twiddles(const tile_view& to, const planes& place, const tile_view& bank,
                                    const planes& from, const tile_view& table,
                                    const planes& factors) {
  const tile_view aside = asides_.next().partition_range(0, bank.partitions());
  const auto both = [](std::int64_t step, const std::vector<pattern_dim>& levels) {
    std::vector<pattern_dim> all{{2, step}};
    all.insert(all.end(), levels.begin(), levels.end());
    return all;
  };
  const auto part = [](const tile_view& of, const planes& p, int plane) {
    return of.pattern(p.at + plane * p.plane, p.levels);
  };
  const auto op = [&](const tile_view& result, const tile_view& left, const tile_view& right,
                      alu_op how) {
    nc_.issue(tensor_tensor{.out = result, .left = left, .right = right, .op = how});
  };
  const std::vector<pattern_dim> repeated = both(0, factors.levels);
  const tile_view all = bank.pattern(from.at, both(from.plane, from.levels));
  op(aside.pattern(factors.at, both(factors.plane, factors.levels)), all,
     table.pattern(factors.at + factors.plane, repeated), alu_op::multiply);
  op(all, all, table.pattern(factors.at, repeated), alu_op::multiply);
  op(part(to, place, 0), part(bank, from, 0), part(aside, factors, 1), alu_op::subtract);
  op(part(to, place, 1), part(bank, from, 1), part(aside, factors, 0), alu_op::add);
}

std::int64_t long_run::place(std::int64_t index, std::int64_t width) const {
  const std::int64_t each = g_.bank / width;
  return index / each * g_.bank + index % each * width;
}

std::int64_t long_run::fitting(std::int64_t width) const {
  const std::int64_t each = g_.bank / width;
  return g_.bank % width ? each : each * (g_.unit / g_.bank);
}

void long_run::copy_parts(const tile_view& to, const tile_view& bank, std::int64_t width,
                          std::int64_t count) {
  const std::int64_t each = g_.bank % width ? g_.bank / width : count;
  for (std::int64_t i = 0; i < count; i += each) {
    const std::int64_t columns = std::min(each, count - i) * width;
    evacuate(nc_, to.columns(i * width, columns), bank.columns(place(i, width), columns));
  }
}

tile_view long_run::over_s(int rows, std::int64_t first, int results,
                           const std::function<tile_view(int)>& moving) {
  const tile_view bank = banks_.next().partition_range(0, results),
                  matrices = over_s_.whole().partition_range(0, rows);
  for (int to = 0; to < 2; ++to)
    for (int from = 0; from < 2; ++from) {
      const tile_view data = moving(from);
      nc_.issue(
          matmul{.out = bank.columns(to * g_.bank, data.elements()),
                 .stationary = matrices.columns((2 * from + to) * g_.array_rows + first, results),
                 .moving = data,
                 .accumulate = from > 0});
    }
  return bank;
}

// Each of three stages fills a tile that the next one reads: two lines in flight need six tiles.
bool long_run::interleaved() const { return g_.depth >= 6; }

void long_run::issue_lines(const std::vector<line_stage_of>& stages) {
  const std::int64_t count = std::int64_t(stages.size()), behind = interleaved() ? 1 : 0;
  of_line_.resize(std::size_t(outer_));
  for (std::int64_t t = 0; t < outer_ + behind * (count - 1); ++t) {
    for (std::int64_t s = 0; s < count; ++s) {
      const std::int64_t line = t - s * behind;
      if (line >= 0 && line < outer_) stages[std::size_t(s)](line);
      if (behind == 0) drain();
    }
    drain();
  }
}

void long_run::later(std::function<void()> back) {
  queue_.push_back(std::move(back));
  if (queue_.size() <= lag) return;
  const std::function<void()> first = std::move(queue_.front());
  queue_.pop_front();
  first();
}

void long_run::drain() {
  while (!queue_.empty()) {
    const std::function<void()> first = std::move(queue_.front());
    queue_.pop_front();
    first();
  }
}

std::string long_lines::describe() const {
  return base_detail::message("real lines on chip: ", line.a, " real x ", line.b, " x ", line.s,
                              " complex points, ", outer,
                              outer > 1 ? " lines one after the other" : " line");
}

fft_step long_line_step(std::int64_t outer, const long_line& line) {
  const std::int64_t reals = outer * line.n, bins = 2 * outer * (line.n / 2 + 1);
  fft_step step{
      .design = design_of(long_lines{line, outer}),
      .in_elements = line.inverse ? bins : reals,
      .out_elements = line.inverse ? reals : bins,
      .squared_error = stage_error(double(line.a) / 2) + stage_error(double(line.b)) +
                       stage_error(double(line.s) / 2) + rounding_squared_error() +
                       product_squared_error()};  // over s two sums of half as many are added
  const auto add = [&](const char* name, std::int64_t rows, std::int64_t columns,
                       void (*fill)(const long_line&, const table_writer&)) {
    step.tables.push_back(table_of(base_detail::message("real lines of ", line.n, " ", name), rows,
                                   columns,
                                   [line, fill](const table_writer& table) { fill(line, table); }));
  };
  add("over a", line.points(), line.points(), fill_over_a);
  add("over b", line.operand(), line.parts() * line.columns(), fill_over_b);
  add("over s", line.array_rows, 4 * line.array_rows, fill_over_s);
  add("twiddle factors", line.s, line.columns(), fill_twiddles);
  step.run = [=](core& nc, const hbm_view& in, const hbm_view& out,
                 std::span<const hbm_view> tables) {
    (line.inverse ? run_long_inverse : run_long_forward)(nc, line, outer, in, out, tables);
  };
  return step;
}

}  // namespace papilio::kernels_detail
