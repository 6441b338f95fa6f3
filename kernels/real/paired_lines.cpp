// Real lines of even length n = 2m as complex lines z[j] = x[2j] + i x[2j+1] of m = r1 r2 points,
// in two stages, the second of which makes the real transform of the complex one.
//   identity   with j = j1 r2 + j2 and A[k1][j2] the transforms over j1,
//                X[k] = 1/2 sum over j2 of w(m)^(j2 k)
//                       ((1 - i w(n)^k) A[k][j2] + (1 + i w(n)^k) conj A[-k][j2])
//              (indices of A modulo r1): bins k1 + r1 h and r1 - k1 + r1 h need the rows k1 and
//              r1 - k1 of A, which are one group of 4 r2 reals; rows 0 and r1/2 are another.
//   inverse    the transpose: first, for each pair of rows, over their bins,
//                y[k1][j2] = sum over k of w(m)^(-j2 k)
//                            ((1 + i w(n)^-k) X[k] + (1 - i w(n)^-k) conj X[m-k])
//              with k = k1 modulo r1, then z[j] = sum over k1 of w(r1)^(-j1 k1) y[k1][j2]
//   bound      DMA: half of the complex transform's bytes, and half of its products
#include <algorithm>

#include "kernels/fft/factors.hpp"
#include "kernels/real/line_units.hpp"
#include "kernels/real/paired_geometry.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

line_stage points_stage(const paired_geometry& g, const machine_spec& machine) {
  line_stage s;
  const std::int64_t c = g.shared, pieces = g.point_pieces(), results = g.point_results();
  s.table_rows = (g.what.inverse ? g.rows_columns() : g.points_columns()) / pieces;
  s.table_columns = pieces * results;
  s.points = g.r1;
  const std::int64_t out_line = g.what.inverse ? 2 * g.m : g.point_groups() * results,
                     in_line = g.what.inverse ? g.pairs * g.pair_reals() : 2 * g.m;
  s.out_columns = g.together * out_line;
  s.fill = [g, columns = s.table_columns](std::span<float> table) {
    fill_points(g, columns, table);
  };
  const auto group = [&](std::int64_t line, std::int64_t i) {
    line_group one;
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      line_piece p;
      if (!g.what.inverse) {
        p = {2 * i * c + piece, merged({{g.r1, 2 * g.r2}, {c, 2}, {2, 1}})};
        if (pieces == 2) p.dims = merged({{g.r1, 2 * g.r2}, {c, 2}});
      } else {
        p = {i * c + piece * 2 * g.r2,
             merged({{2, 2 * g.r2}, {g.pairs, 4 * g.r2}, {2, g.r2}, {c, 1}})};
        if (pieces == 2) p.dims = merged({{g.pairs, 4 * g.r2}, {2, g.r2}, {c, 1}});
      }
      p.offset += line * in_line;
      one.pieces.push_back(std::move(p));
    }
    return one;
  };
  add_units(s, {g.together, out_line}, 0, g.point_groups(), pieces, results, machine, group,
            [&](std::int64_t at, std::int64_t count) {
              std::vector<line_copy> copies;
              if (!g.what.inverse)
                copies.push_back(straight(at * results, count * results));
              else
                copies.push_back({at * 2 * c,
                                  0,
                                  {{count, 2 * c}, {g.r1, 2 * g.r2}, {2 * c, 1}},
                                  {{count, results}, {g.r1, 2 * c}, {2 * c, 1}}});
              return copies;
            });
  return s;
}

line_stage forward_pairs(const paired_geometry& g, const machine_spec& machine) {
  line_stage s;
  const std::int64_t c = g.shared, pieces = g.pair_pieces(), reals = g.pair_reals();
  const std::int64_t first_reals = 2 * g.first_bins();
  s.table_rows = reals / pieces;
  s.table_columns = pieces * (first_reals + (g.pairs - 1) * reals);
  s.points = 2 * g.r2;
  s.out_columns = 2 * g.plane();
  s.scattered = true;
  s.fill = [g, columns = s.table_columns](std::span<float> table) {
    fill_pairs(g, columns, table);
  };
  const std::int64_t in_line = g.point_groups() * g.point_results();
  const auto group = [&](std::int64_t line, std::int64_t p) {
    line_group one{.matrix = p == 0 ? 0 : pieces * (first_reals + (p - 1) * reals)};
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      std::vector<pattern_dim> dims;
      if (pieces < 4) dims.push_back({2, c});
      if (pieces == 1) dims.push_back({2, 2 * c});
      dims.push_back({g.point_groups(), g.rows_columns()});
      dims.push_back({c, 1});
      const std::int64_t e = piece % 2, plane = piece / 2;
      one.pieces.push_back({line * in_line + p * 4 * c + e * 2 * c + plane * c, merged(dims)});
    }
    return one;
  };
  add_units(s, {g.together, g.m + 1}, 1, g.pairs - 1, pieces, reals, machine, group,
            [&](std::int64_t at, std::int64_t count) {
              std::vector<line_copy> copies;
              for (std::int64_t e = 0; e < 2; ++e)
                copies.push_back({g.row(at, e),
                                  e * g.r2,
                                  {{count, e == 0 ? 1 : -1}, {2, g.plane()}, {g.r2, g.r1}},
                                  {{count, reals}, {2, 2 * g.r2}, {g.r2, 1}}});
              return copies;
            });
  add_units(s, {g.together, g.m + 1}, 0, 1, pieces, first_reals, machine, group,
            [&](std::int64_t, std::int64_t) {
              return std::vector<line_copy>{{0,
                                             0,
                                             {{2, g.plane()}, {g.first_bins(), g.first_step()}},
                                             {{2, g.first_bins()}, {g.first_bins(), 1}}}};
            });
  return s;
}

line_stage inverse_pairs(const paired_geometry& g, const machine_spec& machine) {
  line_stage s;
  const std::int64_t pieces = g.pair_pieces(), reals = g.pair_reals();
  const std::vector<line_piece> first = g.first_pieces();
  const std::int64_t first_pieces = std::int64_t(first.size());
  s.table_rows = std::max(reals / pieces, first.front().rows());
  if (g.pairs == 1) s.table_rows = first.front().rows();
  s.table_columns = (first_pieces + pieces * (g.pairs - 1)) * reals;
  s.points = 2 * g.r2;
  const std::int64_t out_line = g.pairs * reals;
  s.out_columns = g.together * out_line;
  s.fill = [g, columns = s.table_columns](std::span<float> table) {
    fill_pairs(g, columns, table);
  };
  const auto copies = [&](std::int64_t at, std::int64_t count) {
    return std::vector<line_copy>{straight(at * reals, count * reals)};
  };
  add_units(
      s, {g.together, out_line}, 0, 1, first_pieces, reals, machine,
      [&](std::int64_t line, std::int64_t) {
        line_group one{.pieces = first};
        for (line_piece& p : one.pieces) p.offset += line * (g.m + 1);
        return one;
      },
      copies);
  add_units(
      s, {g.together, out_line}, 1, g.pairs - 1, pieces, reals, machine,
      [&](std::int64_t line, std::int64_t p) {
        line_group one{.matrix = (first_pieces + pieces * (p - 1)) * reals};
        for (std::int64_t piece = 0; piece < pieces; ++piece) {
          std::vector<pattern_dim> dims;
          if (pieces < 4) dims.push_back({2, g.plane()});
          if (pieces == 1) dims.push_back({2, g.r1 - 2 * p});
          dims.push_back({g.r2, g.r1});
          const std::int64_t e = piece % 2, plane = piece / 2;
          one.pieces.push_back({line * (g.m + 1) + g.row(p, e) + plane * g.plane(), merged(dims)});
        }
        return one;
      },
      copies);
  return s;
}

// Seconds, roughly: transposes, and products in four passes, of all blocks; and the matrices' way
// from HBM, which is longer where there are few lines.
double cost_of(const paired_geometry& g, const machine_spec& machine) {
  const std::int64_t points = g.point_groups() * g.point_pieces(),
                     pairs = g.pairs * g.pair_pieces();
  const std::int64_t cycles = points * (g.side + 4 * std::max(g.side / 2, g.point_results())) +
                              pairs * (g.side + 4 * std::max(g.side / 2, g.pair_reals()));
  const std::int64_t columns = g.point_pieces() * g.point_results() + pairs * g.pair_reals();
  const double blocks = double((g.what.lines + g.side - 1) / g.side);
  return blocks * double(cycles) / machine.tensor.clock_hz +
         double(columns * g.side * 4) / (machine.dma.bytes_per_ns * machine.dma.engines * 1e9);
}

// Lines from `first` on, as many as are g.together * lanes.
line_program program_of(const paired_geometry& g, std::int64_t first, std::int64_t lanes,
                        const machine_spec& machine) {
  const std::int64_t n = g.what.n, bins = g.m + 1, line = g.together * n, plane = g.plane();
  line_program p;
  p.name = base_detail::message("real lines of ", n, " as ", g.r1, " x ", g.r2, " complex points, ",
                                g.together, " to a partition, ", lanes, " lanes");
  p.lines = design_of(staged_lines{g.what, g.r1, g.shared, 1, g.together});
  p.lanes = lanes;
  p.columns = g.what.columns;
  const std::vector<line_move> real{{first * n, line, 0, line}},
      planes{{first * bins, plane, 0, plane}, {(g.what.lines + first) * bins, plane, plane, plane}};
  p.loads = g.what.inverse ? planes : real;
  p.stores = g.what.inverse ? real : planes;
  p.in_columns = g.what.inverse ? 2 * plane : line;
  if (g.what.inverse) {
    p.stages.push_back(inverse_pairs(g, machine));
    p.stages.push_back(points_stage(g, machine));
  } else {
    p.stages.push_back(points_stage(g, machine));
    p.stages.push_back(forward_pairs(g, machine));
  }
  return p;
}

}  // namespace

std::vector<line_program> paired_lines(const real_lines& what, const machine_spec& machine) {
  const std::int64_t side = machine.tensor.rows;
  if (what.n % 2 != 0 || what.n < 4) return {};
  const std::int64_t together = lines_together(what, machine),
                     whole = what.lines / together * together;
  std::vector<line_program> best;
  double least = 0;
  for (const std::int64_t r1 : divisors_of(what.n / 2)) {
    const std::int64_t r2 = what.n / 2 / r1;
    // Matrices have at most half as many points as the array rows, or twice where they are in
    // parts; results of a first pair fill at most a bank.
    if (r1 < 2 || 2 * ((r1 + 1) / 2) > side || r2 >= side || r2 < 2) continue;
    paired_geometry g(what, r1, side);
    if (!best.empty() && cost_of(g, machine) >= least) continue;
    g.together = together;
    std::vector<line_program> programs{program_of(g, 0, whole / together, machine)};
    g.together = 1;
    if (whole < what.lines) programs.push_back(program_of(g, whole, what.lines - whole, machine));
    if (!std::ranges::all_of(programs, [&](line_program& p) { return plan_lines(p, machine); }))
      continue;
    least = cost_of(g, machine);
    best = std::move(programs);
  }
  return best;
}

}  // namespace papilio::kernels_detail
