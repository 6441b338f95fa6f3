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
#include <complex>

#include "base/roots_of_unity.hpp"
#include "kernels/fft/digits.hpp"
#include "kernels/fft/factors.hpp"
#include "kernels/real/line_units.hpp"
#include "kernels/real/real_lines.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

using base_detail::roots_of_unity;
using complex = std::complex<double>;

// How a length is cut, and how many reals its groups have.
struct paired_geometry {
  real_lines what;
  std::int64_t m = 1, r1 = 1, r2 = 1;
  std::int64_t pairs = 1;   ///< of rows; of an odd r1 the first has one row only
  std::int64_t shared = 1;  ///< columns j2 in a matrix of the stage over r1
  std::int64_t side = 1;
  std::int64_t together = 1;  ///< lines on a partition, one after the other in each plane

  paired_geometry(const real_lines& of, std::int64_t radix1, std::int64_t array_rows)
      : what(of), m(of.n / 2), r1(radix1), r2(m / radix1), pairs((r1 + 1) / 2), side(array_rows) {
    shared = largest_divisor(r2, std::max<std::int64_t>(1, side / (4 * pairs)));
  }
  std::int64_t plane() const { return together * (m + 1); }
  // Of the stage over r1.
  std::int64_t points_columns() const { return 2 * r1 * shared; }   // (j1, j2, plane)
  std::int64_t rows_columns() const { return 4 * pairs * shared; }  // (pair, side, plane, j2)
  std::int64_t point_groups() const { return r2 / shared; }
  std::int64_t point_pieces() const {
    return (what.inverse ? rows_columns() : points_columns()) > side ? 2 : 1;
  }
  std::int64_t point_results() const { return what.inverse ? points_columns() : rows_columns(); }
  // Of the stage over r2: of a pair after the first, (plane, side, j2) or (plane, side, h).
  std::int64_t pair_reals() const { return 4 * r2; }
  std::int64_t pair_pieces() const { return 4 * r2 <= side ? 1 : 2 * r2 <= side ? 2 : 4; }
  /// Row k1 of A that a pair has on a side; -1: none.
  std::int64_t row(std::int64_t pair, std::int64_t which) const {
    if (pair > 0) return which == 0 ? pair : r1 - pair;
    return which == 0 ? 0 : r1 % 2 == 0 ? r1 / 2 : -1;
  }
  /// Bins of the first pair, from 0 to m.
  std::int64_t first_step() const { return r1 % 2 == 0 ? r1 / 2 : r1; }
  std::int64_t first_bins() const { return m / first_step() + 1; }
  /// Pieces of the first pair's bins, inverse: real parts, and imaginary parts but the ends'.
  std::vector<line_piece> first_pieces() const {
    std::vector<line_piece> pieces;
    for (const int part : {0, 1})
      for (std::int64_t t = part; t < first_bins() - part; t += side) {
        const std::int64_t count = std::min(side, first_bins() - part - t);
        pieces.push_back({part * plane() + t * first_step(), {{count, first_step()}}});
      }
    return pieces;
  }
};

// A[k1][j2], or y[k1][j2].
row_element row_element_of(const paired_geometry& g, std::int64_t column) {
  const std::int64_t c = g.shared, r2 = g.r2;
  if (g.what.inverse)  // (pair, plane, side, j2)
    return {g.row(column / (4 * r2), column / r2 % 2), column % r2, int(column / (2 * r2) % 2)};
  const std::int64_t in_group = column % g.rows_columns();  // (pair, side, plane, j2 of a group)
  return {g.row(in_group / (4 * c), in_group / (2 * c) % 2),
          column / g.rows_columns() * c + column % c, int(in_group / c % 2)};
}

// Between z[j1 r2 + j2] and rows, the same for all j2.
line_stage::coefficients points_matrix(const paired_geometry& g) {
  return [g, root = roots_of_unity<double>(std::size_t(g.r1))](std::int64_t from, std::int64_t to) {
    const std::int64_t place = g.what.inverse ? to : from, j = place / 2;
    const int plane = int(place % 2);
    const row_element row = row_element_of(g, g.what.inverse ? from : to);
    if (row.k1 < 0 || row.j2 != j % g.r2) return 0.0;
    const complex w = root(std::size_t(j / g.r2 * row.k1 % g.r1));
    if (g.what.inverse) return coefficient(std::conj(w) * g.what.scale, false, row.plane, plane);
    return coefficient(w, false, plane, row.plane);
  };
}

// Between rows and bins.
line_stage::coefficients pairs_matrix(const paired_geometry& g) {
  return [g, root_n = roots_of_unity<double>(std::size_t(g.what.n)),
          root_m = roots_of_unity<double>(std::size_t(g.m))](std::int64_t from, std::int64_t to) {
    const row_element row = row_element_of(g, g.what.inverse ? to : from);
    if (row.k1 < 0) return 0.0;
    const std::int64_t place = g.what.inverse ? from : to, k = place % g.plane();
    const int plane = int(place / g.plane());
    const bool direct = k % g.r1 == row.k1, mirrored = (g.m - k) % g.r1 == row.k1;
    double sum = 0;
    if (!g.what.inverse) {
      const complex w = root_m(std::size_t(row.j2 * k % g.m)) * (g.what.scale / 2);
      const complex turn = complex(0, 1) * root_n(std::size_t(k));
      if (direct) sum += coefficient(w * (1.0 - turn), false, row.plane, plane);
      if (mirrored) sum += coefficient(w * (1.0 + turn), true, row.plane, plane);
      return sum;
    }
    if (k < g.m && direct) {
      const complex turn = complex(0, 1) * std::conj(root_n(std::size_t(k)));
      const complex w = std::conj(root_m(std::size_t(row.j2 * k % g.m)));
      sum += coefficient(w * (1.0 + turn), false, plane, row.plane);
    }
    if (k > 0 && mirrored) {
      const std::int64_t other = g.m - k;
      const complex turn = complex(0, 1) * std::conj(root_n(std::size_t(other)));
      const complex w = std::conj(root_m(std::size_t(row.j2 * other % g.m)));
      sum += coefficient(w * (1.0 - turn), true, plane, row.plane);
    }
    return sum;
  };
}

line_stage points_stage(const paired_geometry& g, const machine_spec& machine) {
  line_stage s;
  const std::int64_t c = g.shared, pieces = g.point_pieces(), results = g.point_results();
  s.points = g.r1;
  const std::int64_t out_line = g.what.inverse ? 2 * g.m : g.point_groups() * results,
                     in_line = g.what.inverse ? g.pairs * g.pair_reals() : 2 * g.m;
  s.out_columns = g.together * out_line;
  s.matrix = [g] { return points_matrix(g); };
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
  s.points = 2 * g.r2;
  s.out_columns = 2 * g.plane();
  s.scattered = true;
  s.matrix = [g] { return pairs_matrix(g); };
  const std::int64_t in_line = g.point_groups() * g.point_results();
  const auto group = [&](std::int64_t line, std::int64_t p) {
    line_group one{.matrix = p};
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
  const auto copies = [&](std::int64_t at, std::int64_t count) {
    std::vector<line_copy> both;
    for (std::int64_t e = 0; e < 2; ++e)
      both.push_back({g.row(at, e),
                      e * g.r2,
                      {{count, e == 0 ? 1 : -1}, {2, g.plane()}, {g.r2, g.r1}},
                      {{count, reals}, {2, 2 * g.r2}, {g.r2, 1}}});
    return both;
  };
  // Of one unit two are made: one leaves PSUM while the array is at the other. Lines beside each
  // other leave behind the array anyway.
  const std::int64_t others = g.pairs - 1, most = groups_of_unit(pieces, reals, machine),
                     first = others <= most && g.together == 1 && !g.what.columns ? (others + 1) / 2
                                                                                  : others;
  add_units(s, {g.together, g.m + 1}, 1, first, pieces, reals, machine, group, copies);
  add_units(s, {g.together, g.m + 1}, 1 + first, others - first, pieces, reals, machine, group,
            copies);
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
  s.points = 2 * g.r2;
  const std::int64_t out_line = g.pairs * reals;
  s.out_columns = g.together * out_line;
  s.matrix = [g] { return pairs_matrix(g); };
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
        line_group one{.matrix = p};
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

double cost_of(const paired_geometry& g, const machine_spec& machine) {
  const std::int64_t cycles =
      g.point_groups() * group_cycles(g.point_pieces(), g.point_results(), g.side) +
      g.pairs * group_cycles(g.pair_pieces(), g.pair_reals(), g.side);
  const std::int64_t columns =
      g.point_pieces() * g.point_results() + g.pairs * g.pair_pieces() * g.pair_reals();
  return blocks_seconds((g.what.lines + g.side - 1) / g.side, cycles, machine) +
         table_seconds(g.side, columns, machine);
}

line_program program_of(const paired_geometry& g, const lines_part& part,
                        const machine_spec& machine) {
  line_program p =
      program_of_part(g.what, part, {g.what, g.r1, g.shared, 1, part.together},
                      base_detail::message(" as ", g.r1, " x ", g.r2, " complex points"));
  if (g.what.inverse)
    p.stages = {inverse_pairs(g, machine), points_stage(g, machine)};
  else
    p.stages = {points_stage(g, machine), forward_pairs(g, machine)};
  return p;
}

}  // namespace

std::vector<line_program> paired_lines(const real_lines& what, const machine_spec& machine) {
  const std::int64_t side = machine.tensor.rows;
  if (what.n % 2 != 0 || what.n < 4) return {};
  cheapest_lines best;
  for (const std::int64_t r1 : divisors_of(what.n / 2)) {
    const std::int64_t r2 = what.n / 2 / r1;
    // Matrices have at most half as many points as the array rows, or twice where they are in
    // parts; results of a first pair fill at most a bank.
    if (r1 < 2 || 2 * ((r1 + 1) / 2) > side || r2 >= side || r2 < 2) continue;
    paired_geometry g(what, r1, side);
    best.offer(cost_of(g, machine), [&] {
      return programs_of(what, lines_together(what, machine), machine, [&](const lines_part& part) {
        g.together = part.together;
        return program_of(g, part, machine);
      });
    });
  }
  return best.programs;
}

}  // namespace papilio::kernels_detail
