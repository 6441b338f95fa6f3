// Real lines beside each other that do not stay on chip, two as one complex line (line_twins.cpp).
//   passes   those of complex columns; their first sweep reads (the last one of the inverse writes)
//            planes where the lines are
//   between  a sweep over bins k and n - k: rows of lanes, some consecutive bins to a partition, so
//            that DMA's rows are long; partners are read in the order of HBM, and bins turned round
//            on chip
//   bound    DMA
#include "kernels/real/twin_columns.hpp"

#include <algorithm>

#include "kernels/fft/axis_design.hpp"
#include "kernels/fft/error_model.hpp"
#include "kernels/fft/line_twins.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

constexpr std::int64_t row_columns = 512;  // elements of a part of a partition
constexpr int twin_depth = 3;

class twin_columns_run {
 public:
  twin_columns_run(core& nc, const column_twins& what, const hbm_view& in, const hbm_view& out)
      : nc_(nc),
        what_(what),
        lines_(what.inverse ? in : out),
        complex_(what.inverse ? out : in),
        side_(nc.machine().sbuf.partitions),
        zs_(nc.sbuf_pool(twin_depth, int(side_), 4 * row_columns)),
        xs_(nc.sbuf_pool(twin_depth, int(side_), 4 * row_columns)) {}

  void issue() {
    const std::int64_t width = what_.width(), count = what_.partnered();
    // As many bins to a partition as make a row, but no fewer partitions.
    const std::int64_t each =
        std::clamp<std::int64_t>(count / side_, 1, std::max<std::int64_t>(1, row_columns / width));
    for (std::int64_t p = 0; p < what_.pairs(); ++p)
      for (std::int64_t c = 0; c < width; c += row_columns) {
        const std::int64_t columns = std::min(row_columns, width - c), whole = count / each * each;
        for (std::int64_t k = 0; k < whole; k += each * side_)
          block({p, 1 + k, std::min(side_, (whole - k) / each), each, c, columns}, true);
        if (whole < count) block({p, 1 + whole, count - whole, 1, c, columns}, true);
        block({p, 0, 1, 1, c, columns}, false);
        if (what_.n % 2 == 0) block({p, what_.n / 2, 1, 1, c, columns}, false);
      }
  }

 private:
  // Bins k ... of a pair, `each` on each of `rows` partitions, some of their columns.
  struct part {
    std::int64_t pair, k, rows, each, c, columns;
    std::int64_t size() const { return each * columns; }
  };

  void block(const part& b, bool partners) {
    const tile_view z = zs_.next().partition_range(0, int(b.rows)),
                    x = xs_.next().partition_range(0, int(b.rows));
    twin_bins v;
    for (int plane = 0; plane < 2; ++plane) {
      v.a[plane] = bins(z, plane, b, false);
      v.b[plane] = bins(z, 2 + plane, b, true);
      v.x[plane] = bins(x, plane, b, false);
      v.y[plane] = bins(x, 2 + plane, b, false);
    }
    what_.inverse ? move_lines(x, b, true) : move_complex(z, b, partners, true);
    if (partners)
      what_.inverse ? join(nc_, v) : separate(nc_, v);
    else
      what_.inverse ? join_own(nc_, v) : separate_own(nc_, v);
    what_.inverse ? move_complex(z, b, partners, false) : move_lines(x, b, false);
  }

  static tile_view bins(const tile_view& of, int i, const part& b, bool turned) {
    const std::int64_t at = i * row_columns;
    if (turned)
      return of.pattern(at + (b.each - 1) * b.columns, {{b.each, -b.columns}, {b.columns, 1}});
    return of.pattern(at, {{b.each, b.columns}, {b.columns, 1}});
  }

  void move(const hbm_view& place, const tile_view& tile, bool in) {
    if (in)
      nc_.issue(dma_copy{.out = tile, .in = place});
    else
      nc_.issue(dma_copy{.out = place, .in = tile});
  }

  void move_complex(const tile_view& z, const part& b, bool partners, bool in) {
    const std::int64_t n = what_.n, width = what_.width();
    for (int plane = 0; plane < 2; ++plane) {
      const std::int64_t line = (plane * what_.pairs() + b.pair) * n;
      const auto rows = [&](std::int64_t k, std::int64_t step) {
        return complex_.pattern((line + k) * width + b.c,
                                {{b.rows, step * b.each * width}, {b.each, width}, {b.columns, 1}});
      };
      move(rows(b.k, 1), z.columns(plane * row_columns, b.size()), in);
      if (partners)
        move(rows(n - b.k - b.each + 1, -1), z.columns((2 + plane) * row_columns, b.size()), in);
    }
  }

  void move_lines(const tile_view& x, const part& b, bool in) {
    const std::int64_t h = what_.bins(), inner = what_.inner;
    for (int line = 0; line < 2; ++line)
      for (int plane = 0; plane < 2; ++plane)
        move(lines_.pattern(
                 ((plane * what_.outer + b.pair) * h + b.k) * inner + line * what_.step(h) + b.c,
                 {{b.rows, b.each * inner}, {b.each, inner}, {b.columns, 1}}),
             x.columns((2 * line + plane) * row_columns, b.size()), in);
  }

  core& nc_;
  column_twins what_;
  hbm_view lines_, complex_;
  std::int64_t side_;
  tile_pool zs_, xs_;
};

fft_step step_for(const column_twins& what) {
  const std::int64_t lines = 2 * what.outer * what.bins() * what.inner,
                     complex = what.outer * what.n * what.inner;
  fft_step step{.design = design_of(what),
                .in_elements = what.inverse ? lines : complex,
                .out_elements = what.inverse ? complex : lines,
                .squared_error = rounding_squared_error(),
                .in_floor = false};
  step.run = [=](core& nc, const hbm_view& in, const hbm_view& out, std::span<const hbm_view>) {
    twin_columns_run(nc, what, in, out).issue();
  };
  return step;
}

// Lines beside each other are `width` lanes of the tensor's `inner`: an end of a pass whose lanes
// are those, or several rows of them.
void place_lanes(fft_pass& pass, const column_twins& what, bool in) {
  const std::int64_t width = what.width(), inner = what.inner;
  hbm_place& place = in ? pass.in : pass.out;
  place.plane = what.step(what.n);
  if (what.by_outer()) return;
  for (std::int64_t& stride : place.digits) stride = stride / width * inner;
  for (outer_level& level : pass.outer) {
    std::int64_t& stride = in ? level.in : level.out;
    stride = stride / width * inner;
  }
  const std::int64_t rows = pass.lanes / width;
  if (rows == 1) return;
  pass.lanes = width;
  pass.outer.push_back({rows, in ? inner : width, in ? width : inner});
}

std::optional<fft_recipe> design(const column_twins& what, double scale,
                                 const machine_spec& machine) {
  const bool inverse = what.inverse;
  if ((what.by_outer() ? what.outer : what.inner) % 2 != 0) return {};
  std::vector<fft_pass> passes =
      axis_passes(what.pairs(), what.n, what.width(), inverse, {}, machine);
  const auto by_columns = [](const fft_pass& p) {
    return p.entry == orientation::columns && p.exit == orientation::columns && !p.joins_previous;
  };
  if (passes.empty() || !std::ranges::all_of(passes, by_columns)) return {};
  place_lanes(inverse ? passes.back() : passes.front(), what, !inverse);
  fft_recipe recipe;
  if (inverse) recipe.steps.push_back(step_for(what));
  append_passes(recipe, std::move(passes), what.outer * what.n * what.inner,
                inverse ? scale : scale / 2, machine);
  if (!inverse) recipe.steps.push_back(step_for(what));
  return recipe;
}

}  // namespace

std::optional<fft_recipe> twin_columns_forward(std::int64_t outer, std::int64_t n,
                                               std::int64_t inner, double scale,
                                               const machine_spec& machine) {
  return design({outer, n, inner, false}, scale, machine);
}

std::optional<fft_recipe> twin_columns_backward(std::int64_t outer, std::int64_t n,
                                                std::int64_t inner, double scale,
                                                const machine_spec& machine) {
  return design({outer, n, inner, true}, scale, machine);
}

}  // namespace papilio::kernels_detail
