#include "kernels/real/line_factors.hpp"

#include <algorithm>
#include <complex>

#include "base/roots_of_unity.hpp"
#include "kernels/table.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

constexpr int factors_ring = 5, products_ring = 4;

std::int64_t results_of(const line_unit& u) { return std::int64_t(u.groups.size()) * u.columns; }

// Where units' results begin, and where the last of them end.
std::vector<std::int64_t> begins_of(const line_stage& s) {
  std::vector<std::int64_t> begins{0};
  for (const line_unit& u : s.units) begins.push_back(begins.back() + results_of(u));
  return begins;
}

std::int64_t widest_unit(const line_stage& s) {
  std::int64_t most = 0;
  for (const line_unit& u : s.units) most = std::max(most, results_of(u));
  return most;
}

std::vector<pattern_dim> without(std::vector<pattern_dim> dims, std::ptrdiff_t level) {
  dims.erase(dims.begin() + level);
  return dims;
}

// From real to imaginary parts of a unit's results.
std::int64_t plane_of(const line_stage& s, const line_unit& u) {
  const line_copy& c = u.copies.front();
  return c.from_dims[std::size_t(plane_level(s, c))].stride;
}

}  // namespace

std::ptrdiff_t plane_level(const line_stage& s, const line_copy& c) {
  return std::ranges::find(c.to_dims, pattern_dim{2, s.out_columns / 2}) - c.to_dims.begin();
}

bool takes_factors(const line_program& program) {
  const line_stage& s = program.stages.back();
  return std::ranges::all_of(s.units, [&](const line_unit& u) {
    const auto planes = [&](const line_copy& c) {
      const auto level = std::size_t(plane_level(s, c));
      return c.to_dims.size() == c.from_dims.size() && level < c.to_dims.size() &&
             results_of(u) % (2 * c.from_dims[level].stride) == 0;
    };
    return std::ranges::all_of(u.copies, planes);
  });
}

kernels::constant_table line_factors_table(const line_program& program) {
  const line_stage& s = program.stages.back();
  const std::int64_t lines = program.columns->inner, order = program.columns->twiddle_order,
                     columns = begins_of(s).back();
  // Of each real part its element, and where the imaginary one is.
  struct result {
    std::int64_t at, plane, element;
  };
  std::vector<result> results;
  std::int64_t base = 0;
  for (const line_unit& u : s.units) {
    for (const line_copy& c : u.copies) {
      const std::ptrdiff_t level = plane_level(s, c);
      const auto to = without(c.to_dims, level), from = without(c.from_dims, level);
      std::int64_t count = 1;
      for (const pattern_dim& d : to) count *= d.extent;
      for (std::int64_t i = 0; i < count; ++i) {
        result one{base + c.from, plane_of(s, u), c.to};
        std::int64_t left = i;
        for (std::size_t l = to.size(); l-- > 0; left /= to[l].extent) {
          one.at += left % to[l].extent * from[l].stride;
          one.element += left % to[l].extent * to[l].stride;
        }
        results.push_back(one);
      }
    }
    base += results_of(u);
  }
  return table_of(base_detail::message(program.name, " twiddle factors of ", order), lines, columns,
                  [=](const table_writer& table) {
                    const base_detail::roots_of_unity<double> root{std::size_t(order)};
                    for (std::int64_t j = 0; j < lines; ++j)
                      for (const result& r : results)
                        table.put(j, r.at, root(std::size_t(j * r.element % order)), r.plane);
                  });
}

std::int64_t factors_columns(const line_program& program) {
  const line_stage& s = program.stages.back();
  return (factors_ring + products_ring) * widest_unit(s);
}

line_factors::line_factors(core& nc, const line_program& program, const hbm_view& table)
    : nc_(nc),
      stage_(program.stages.back()),
      table_(table),
      columns_(begins_of(stage_)),
      factors_(nc.sbuf_pool(factors_ring, int(nc.machine().tensor.rows), widest_unit(stage_))),
      products_(nc.sbuf_pool(products_ring, int(nc.machine().tensor.rows), widest_unit(stage_))) {}

tile_view line_factors::load(std::size_t number, std::int64_t first, std::int64_t count) {
  const std::int64_t at = columns_[number], columns = columns_[number + 1] - at;
  const tile_view tile = factors_.next().partition_range(0, int(count)).columns(0, columns);
  nc_.issue(dma_copy{.out = tile, .in = table_.slice(0, first, count).slice(1, at, columns)});
  return tile;
}

// (re + i im) (c + i s): products with cosines, and with sines, out of PSUM, whose port is in
// demand; then their sums, of operands in SBUF. Their places are far apart, half as fast: gpsimd
// has nothing else to do, and the scalar engine would let PSUM wait.
void line_factors::turn(std::size_t number, const tile_view& to, const tile_view& sums,
                        const tile_view& factors) {
  const line_unit& u = stage_.units[number];
  const std::int64_t all = results_of(u), plane = plane_of(stage_, u);
  const auto next = [&] {
    return products_.next().partition_range(0, to.partitions()).columns(0, all);
  };
  const tile_view results = sums.columns(0, all), by_sines = next(), by_cosines = next();
  const auto op = [&](const tile_view& out, const tile_view& left, const tile_view& right,
                      alu_op how) {
    nc_.issue(tensor_tensor{.out = out, .left = left, .right = right, .op = how});
  };
  const auto of_both_planes = [&](std::int64_t offset) {
    return factors.pattern(offset, {{all / (2 * plane), 2 * plane}, {2, 0}, {plane, 1}});
  };
  op(by_sines, results, of_both_planes(plane), alu_op::multiply);
  op(by_cosines, results, of_both_planes(0), alu_op::multiply);
  const auto part = [&](const tile_view& of, int index) {
    return of.pattern(index * plane, {{all / (2 * plane), 2 * plane}, {plane, 1}});
  };
  op(part(by_cosines, 0), part(by_cosines, 0), part(by_sines, 1), alu_op::subtract);
  op(part(by_cosines, 1), part(by_cosines, 1), part(by_sines, 0), alu_op::add);
  for (const line_copy& c : u.copies)
    nc_.issue(tensor_copy{.out = to.pattern(c.to, c.to_dims),
                          .in = by_cosines.pattern(c.from, c.from_dims),
                          .on = unit::gpsimd});
}

}  // namespace papilio::kernels_detail
