// How transforms along one axis are cut into passes over HBM.
//   a short last axis     rows, several lines of it to a partition
//   another short axis    columns; rows, where few elements follow each point
//   a long last axis      four-step: n = n1 n2, columns over n1 leaving by rows with the twiddle
//                         factors, then columns over n2, in order
//   another long axis     columns over n1, then over n2 of at most half the array, or a prime above
//                         it, for each k1, its twiddle factors in its matrices
#include "kernels/fft/axis_design.hpp"

#include <algorithm>

#include "kernels/fft/factors.hpp"
#include "kernels/fft/four_step.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {
namespace {

using engine::machine_spec;

struct sizes {
  std::int64_t half, side, one_stage;
  explicit sizes(const machine_spec& machine)
      : half(machine.tensor.rows / 2),
        side(machine.tensor.rows),
        one_stage(machine.thresholds.one_stage_points_max) {}
};

// Digits of an axis for its radices, and their strides: of element j in `in`, of element k in
// `out`.
void add_axis(fft_pass& pass, const std::vector<std::int64_t>& radices, int axis, int first_stage,
              std::int64_t in, std::int64_t out) {
  std::int64_t before = 1, length = 1;
  for (const std::int64_t r : radices) length *= r;
  for (std::size_t i = 0; i < radices.size(); ++i) {
    length /= radices[i];
    pass.digits.push_back({radices[i], axis, before, first_stage + int(i)});
    pass.in.digits.push_back(length * in);
    pass.out.digits.push_back(before * out);
    before *= radices[i];
  }
}

void add_bystander(fft_pass& pass, std::int64_t extent, std::int64_t stride) {
  if (extent == 1) return;
  pass.digits.push_back({extent, 0, 1, -1});
  pass.in.digits.push_back(stride);
  pass.out.digits.push_back(stride);
}

std::vector<std::int64_t> short_radices(std::int64_t n, const std::vector<std::int64_t>& radices,
                                        const sizes& of) {
  return radices.size() == 1 && n > of.one_stage && primes_of(n).size() > 1
             ? radices_of(n, of.one_stage, of.side)
             : radices;
}

fft_pass column_pass(std::int64_t outer, std::int64_t n, std::int64_t inner,
                     const std::vector<std::int64_t>& radices, const fft_pass& model) {
  fft_pass p = model;
  p.name = "columns of " + std::to_string(n);
  p.entry = p.exit = orientation::columns;
  p.lanes = inner;
  p.in.plane = p.out.plane = outer * n * inner;
  p.in.lane = p.out.lane = 1;
  add_axis(p, radices, 0, 0, inner, inner);
  if (outer > 1) p.outer.push_back({outer, n * inner, n * inner});
  return p;
}

// y = (y1, y2) with y2 within a stage, [outer, y1, y2, inner].
std::vector<fft_pass> long_column_passes(std::int64_t outer, std::int64_t n, std::int64_t inner,
                                         const fft_pass& model, const machine_spec& machine) {
  const sizes of(machine);
  const std::int64_t n2 = last_factor(n, machine);
  std::vector<fft_pass> passes =
      axis_passes(outer, n / n2, n2 * inner, model.inverse, model.operands, machine);
  if (passes.empty()) return {};
  const std::int64_t n1 = n / n2;
  fft_pass p = model;
  p.name = "columns of " + std::to_string(n2) + ", of " + std::to_string(n);
  p.entry = p.exit = orientation::columns;
  p.lanes = inner;
  p.in.plane = p.out.plane = outer * n * inner;
  p.in.lane = p.out.lane = 1;
  p.digits.push_back({n2, 0, n1, 0});
  p.in.digits.push_back(inner);
  p.out.digits.push_back(n1 * inner);
  if (outer > 1) p.outer.push_back({outer, n * inner, n * inner});
  p.outer.push_back({n1, n2 * inner, inner, 0, 1});
  passes.push_back(std::move(p));
  return passes;
}

}  // namespace

std::vector<fft_pass> four_step_passes(std::int64_t outer, std::int64_t n, bool inverse,
                                       const array_operands& operands,
                                       const machine_spec& machine) {
  const sizes of(machine);
  const std::int64_t n1 = four_step_factor(n, machine);
  if (n1 == 0) return {};
  const std::int64_t n2 = n / n1, plane = outer * n;
  fft_pass first;
  first.inverse = inverse;
  first.operands = operands;
  first.name = "columns of " + std::to_string(n1) + " to rows";
  first.entry = orientation::columns;
  first.lanes = n2;
  first.in.plane = first.out.plane = plane;
  first.in.lane = 1;
  first.out.lane = n1;
  add_axis(first, radices_of(n1, of.half, of.side), 0, 0, n2, 1);
  if (outer > 1) first.outer.push_back({outer, n, n});
  first.twiddle_order = n;
  std::vector<fft_pass> passes{std::move(first)};
  const std::vector<fft_pass> rest = axis_passes(outer, n2, n1, inverse, operands, machine);
  if (rest.empty()) return {};
  passes.insert(passes.end(), rest.begin(), rest.end());
  return passes;
}

std::optional<fft_pass> spectrum_pass(std::int64_t outer, std::int64_t n1, std::int64_t n2,
                                      bool inverse, const machine_spec& machine) {
  const sizes of(machine);
  std::vector<std::int64_t> radices = radices_of(n2, of.half, of.half);
  if (radices.empty() || radices.size() > 2 || n2 > machine.thresholds.one_sweep_points_max)
    return {};
  // The stage at the bins shares no columns: it has the larger radix.
  if (!inverse) std::ranges::reverse(radices);
  // Planes of each half of the points begin at quarters of the array's rows (fft_stage::second).
  if (of.side / 4 % machine.sbuf.start_partition_step != 0) return {};
  const std::int64_t rows = n1 / 2 + 1, bins = n1 * n2 / 2 + 1;
  fft_pass p;
  p.name = base_detail::message("columns of ", n2, inverse ? " from bins" : " to bins");
  p.inverse = inverse;
  p.entry = orientation::columns;
  p.exit = inverse ? orientation::rows : orientation::columns;
  p.lanes = rows;
  p.spectrum_rows = n1;
  hbm_place &line = inverse ? p.in : p.out, &middle = inverse ? p.out : p.in;
  line.plane = outer * bins;
  line.lane = 1;
  middle.plane = outer * n2 * rows;
  middle.lane = inverse ? n2 : 1;
  add_axis(p, radices, 0, 0, inverse ? n1 : rows, inverse ? 1 : n1);
  if (inverse) p.twiddle_order = n1 * n2;
  if (outer > 1) p.outer.push_back({outer, inverse ? bins : n2 * rows, inverse ? n2 * rows : bins});
  return p;
}

std::optional<fft_pass> line_pass(std::int64_t lanes, std::int64_t n, bool inverse,
                                  const array_operands& operands, const machine_spec& machine) {
  const sizes of(machine);
  const std::vector<std::int64_t> radices = radices_of(n, of.half, of.side);
  if (radices.empty() || n > machine.thresholds.one_sweep_points_max) return {};
  fft_pass p;
  p.name = "rows of " + std::to_string(n);
  p.inverse = inverse;
  p.operands = operands;
  p.lanes = lanes;
  p.in.plane = p.out.plane = lanes * n;
  p.in.lane = p.out.lane = n;
  add_axis(p, short_radices(n, radices, of), 0, 0, 1, 1);
  return p;
}

std::vector<fft_pass> row_passes(std::int64_t outer, std::int64_t n, std::int64_t inner,
                                 const std::vector<std::int64_t>& radices, const fft_pass& model,
                                 const machine_spec& machine) {
  const std::int64_t line = n * inner, plane = outer * line;
  std::int64_t run = std::max<std::int64_t>(1, machine.dma.good_row_bytes / 4 / line);
  // Enough lanes for all partitions come first.
  run = std::clamp<std::int64_t>(outer / machine.sbuf.partitions, 1, run);
  std::vector<fft_pass> passes;
  const auto part = [&](std::int64_t first, std::int64_t lanes, std::int64_t together) {
    fft_pass p = model;
    p.name = "rows of " + std::to_string(n);
    p.lanes = lanes;
    p.in.plane = p.out.plane = plane;
    p.in.lane = p.out.lane = together * line;
    add_bystander(p, together, line);
    add_axis(p, radices, 0, 0, inner, inner);
    add_bystander(p, inner, 1);
    p.offset = first * line;
    p.joins_previous = first > 0;
    passes.push_back(std::move(p));
  };
  const std::int64_t whole = outer / run * run;
  part(0, whole / run, run);
  if (whole < outer) part(whole, outer - whole, 1);
  return passes;
}

std::vector<fft_pass> axis_passes(std::int64_t outer, std::int64_t n, std::int64_t inner,
                                  bool inverse, const array_operands& operands,
                                  const machine_spec& machine) {
  fft_pass model;
  model.inverse = inverse;
  model.operands = operands;
  const sizes of(machine);
  const std::vector<std::int64_t> radices = radices_of(n, of.half, of.side);
  if (radices.empty()) return {};
  // By rows or by columns, whichever has more lanes; where columns would not be transposed, in the
  // stages that they have, so that a value's bits do not depend on `outer`.
  if (n * inner <= machine.thresholds.one_sweep_points_max && inner < of.side &&
      (inner == 1 || outer >= inner))
    return row_passes(
        outer, n, inner,
        inner < machine.thresholds.column_neighbours_min ? short_radices(n, radices, of) : radices,
        model, machine);
  if (inner == 1) return four_step_passes(outer, n, inverse, operands, machine);
  if (n <= machine.thresholds.one_sweep_points_max)
    return {column_pass(outer, n, inner, radices, model)};
  return long_column_passes(outer, n, inner, model, machine);
}

namespace {

// Digits of axes in order, as many to a stage as it has points; false where more than two stages
// would be needed.
struct mixed_digits {
  struct part {
    int axis;
    std::int64_t radix;
    int stage;
  };
  std::vector<part> parts;
  bool fits = true;

  mixed_digits(const std::vector<std::int64_t>& extents, std::int64_t half) {
    int stage = 0;
    std::int64_t points = 1;
    for (std::size_t a = 0; a < extents.size(); ++a)
      for (const std::int64_t p : primes_of(extents[a])) {
        if (p > half) fits = false;
        if (points * p > half) {
          ++stage;
          points = 1;
        }
        points *= p;
        if (!parts.empty() && parts.back().axis == int(a) && parts.back().stage == stage)
          parts.back().radix *= p;
        else
          parts.push_back({int(a), p, stage});
      }
    if (stage > 1) fits = false;
  }
};

// Strides of axes whose last one has elements `last` apart.
std::vector<std::int64_t> row_major(const std::vector<std::int64_t>& lengths, std::int64_t last) {
  std::vector<std::int64_t> strides(lengths.size());
  base_detail::set_row_major(lengths, strides, std::size_t(last));
  return strides;
}

// Digits of axes of these lengths, of which `before` has been transformed by earlier passes.
void add_axes(fft_pass& pass, const mixed_digits& digits, const std::vector<std::int64_t>& lengths,
              const std::vector<std::int64_t>& in, const std::vector<std::int64_t>& out,
              const std::vector<std::int64_t>& before) {
  for (std::size_t a = 0; a < lengths.size(); ++a) {
    std::int64_t left = lengths[a], done = 1;
    for (const mixed_digits::part& part : digits.parts) {
      if (part.axis != int(a)) continue;
      left /= part.radix;
      pass.digits.push_back({part.radix, int(a), before[a] * done, part.stage});
      pass.in.digits.push_back(left * in[a]);
      pass.out.digits.push_back(done * out[a]);
      done *= part.radix;
    }
  }
}

}  // namespace

std::vector<fft_pass> mixed_passes(std::int64_t outer, const std::vector<std::int64_t>& extents,
                                   bool inverse, const array_operands& operands,
                                   const machine_spec& machine) {
  const sizes of(machine);
  std::int64_t all = 1;
  for (const std::int64_t e : extents) all *= e;
  // The trailing part: whole axes, and of one more axis the low part of its index.
  std::size_t axis = extents.size();
  std::int64_t tail = 1;
  while (axis > 0 && tail * extents[axis - 1] <= machine.thresholds.one_sweep_points_max)
    tail *= extents[--axis];
  if (axis == 0) return {};
  // Nothing of the next axis, if the rest fits without.
  const std::int64_t low =
      all / tail <= machine.thresholds.one_sweep_points_max
          ? 1
          : largest_divisor(extents[axis - 1], machine.thresholds.one_sweep_points_max / tail);
  const std::int64_t high = extents[axis - 1] / low, head = all / (tail * low);
  if (head > machine.thresholds.one_sweep_points_max || tail * low < of.side) return {};

  std::vector<std::int64_t> leading(extents.begin(), extents.begin() + std::ptrdiff_t(axis) - 1),
      trailing(extents.begin() + std::ptrdiff_t(axis), extents.end());
  const std::int64_t lanes = low > 1 ? head / high : head;
  if (low > 1 && lanes < machine.thresholds.mixed_lines_min) return {};
  leading.push_back(high);
  trailing.insert(trailing.begin(), low);
  const mixed_digits first(leading, of.half), second(trailing, of.half);
  if (!first.fits || !second.fits) return {};

  fft_pass a;
  a.inverse = inverse;
  a.operands = operands;
  a.in.plane = a.out.plane = outer * all;
  if (outer > 1) a.outer.push_back({outer, all, all});
  fft_pass b = a;
  a.name = "columns of " + std::to_string(head);
  a.entry = a.exit = orientation::columns;
  a.lanes = low * tail;
  a.in.lane = a.out.lane = 1;
  const auto strides = row_major(leading, low * tail);
  add_axes(a, first, leading, strides, strides, std::vector<std::int64_t>(leading.size(), 1));

  b.name = "rows of " + std::to_string(low * tail);
  b.lanes = lanes;
  b.in.lane = b.out.lane = all / lanes;
  if (low > 1) b.outer.push_back({high, low * tail, tail, 0, 1});
  auto in_strides = row_major(trailing, 1), out_strides = in_strides;
  out_strides[0] = high * tail;
  std::vector<std::int64_t> before(trailing.size(), 1);
  before[0] = high;
  add_axes(b, second, trailing, in_strides, out_strides, before);
  return {std::move(a), std::move(b)};
}

}  // namespace papilio::kernels_detail
