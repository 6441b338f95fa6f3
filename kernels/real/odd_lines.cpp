// Real lines of odd length n = r1 r2 in two stages, the first of which is over real numbers.
//   identity   with j = j1 r2 + j2 and A[k1][j2] the transforms over j1, of which A[-k1] is the
//              conjugate of A[k1], so that k1 <= r1/2 are enough,
//                X[k] = sum over j2 of w(n)^(j2 k) A[k][j2]  (indices of A modulo r1):
//              bins k1 + r1 h and r1 - k1 + r1 h up to n/2 are r2 together and need the row k1
//   inverse    the transpose: y[k1][j2] = 2 sum over k = k1 of w(n)^(-j2 k) X[k]
//                                       + 2 conj sum over k = -k1 of w(n)^(-j2 k) X[k],
//              then x[j] = Re sum over k1 of w(r1)^(-j1 k1) y[k1][j2]
//   groups     of the first stage, columns j2 that share its matrix; of the second, rows k1 one
//              after the other, the blocks of a matrix of their own; row 0 alone
//   bound      DMA, or the tensor engine where factors leave its array half empty
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

struct odd_geometry {
  real_lines what;
  std::int64_t r1 = 1, r2 = 1;
  std::int64_t shared = 1;    ///< columns j2 in a matrix of the stage over r1
  std::int64_t rows = 1;      ///< rows k1 in a matrix of the stage over r2
  std::int64_t together = 1;  ///< lines on a partition, one after the other in each plane

  odd_geometry(const real_lines& of, std::int64_t radix1, std::int64_t together_rows,
               std::int64_t side)
      : what(of), r1(radix1), r2(of.n / radix1), rows(together_rows) {
    shared = largest_divisor(r2, side / r1);
  }
  std::int64_t bins() const { return what.bins(); }
  std::int64_t plane() const { return together * bins(); }
  // Of the stage over r1: (j1, j2) and (real q of A, j2), q = 0 or 2 k1 - 1 + plane.
  std::int64_t point_reals() const { return r1 * shared; }
  std::int64_t point_groups() const { return r2 / shared; }
  std::int64_t pairs() const { return (r1 - 1) / 2; }
  /// Bins of a row k1 > 0, or of row 0: congruent to k1, and to -k1.
  std::int64_t direct() const { return (r2 + 1) / 2; }
  std::int64_t mirrored() const { return (r2 - 1) / 2; }
  std::int64_t first_reals() const { return 2 * direct(); }
  /// Of a row after the first: (plane, direct, mirrored), or (plane, j2).
  std::int64_t row_reals() const { return 2 * r2; }
  /// Groups of rows 1 ... : whole ones, and rows left over.
  std::int64_t whole_groups() const { return pairs() / rows; }
  std::int64_t rest() const { return pairs() % rows; }

  // Operands of `count` rows, forward: one piece if it fits, else one for each plane.
  std::int64_t row_pieces(std::int64_t count, std::int64_t side) const {
    return what.inverse || count * row_reals() > side ? 2 : 1;
  }
};

// y[k1][j2], or A[k1][j2].
row_element row_element_of(const odd_geometry& g, std::int64_t column) {
  const std::int64_t reals = g.point_reals(), c = g.shared;
  const std::int64_t q = g.what.inverse ? column / g.r2 : column % reals / c;
  return {(q + 1) / 2, g.what.inverse ? column % g.r2 : column / reals * c + column % c,
          q > 0 && q % 2 == 0 ? 1 : 0};
}

// Between x[j1 r2 + j2] and rows, the same for all j2.
line_stage::coefficients points_matrix(const odd_geometry& g) {
  return [g, root = roots_of_unity<double>(std::size_t(g.r1))](std::int64_t from, std::int64_t to) {
    const std::int64_t point = g.what.inverse ? to : from;
    const row_element row = row_element_of(g, g.what.inverse ? from : to);
    if (row.j2 != point % g.r2) return 0.0;
    const complex w = root(std::size_t(point / g.r2 * row.k1 % g.r1));
    const double part = row.plane == 0 ? w.real() : w.imag();  // inverse: Re(conj w y)
    return g.what.inverse ? part * g.what.scale : part;
  };
}

// Between rows and bins of the same k1, or of -k1, which y takes as their conjugates.
line_stage::coefficients rows_matrix(const odd_geometry& g) {
  return [g, root = roots_of_unity<double>(std::size_t(g.what.n))](std::int64_t from,
                                                                   std::int64_t to) {
    const row_element row = row_element_of(g, g.what.inverse ? to : from);
    const std::int64_t place = g.what.inverse ? from : to, k = place % g.plane();
    const int plane = int(place / g.plane());
    const bool mirrored = k % g.r1 != row.k1;
    if (mirrored && k % g.r1 != g.r1 - row.k1) return 0.0;
    const complex w = root(std::size_t(row.j2 * k % g.what.n));
    if (!g.what.inverse) return coefficient(w * g.what.scale, mirrored, row.plane, plane);
    const complex y = (mirrored ? w : std::conj(w)) * (k == 0 ? 1.0 : 2.0);
    return coefficient(y, mirrored, plane, row.plane);
  };
}

line_stage points_stage(const odd_geometry& g, const machine_spec& machine) {
  line_stage s;
  const std::int64_t c = g.shared, reals = g.point_reals();
  s.points = (g.r1 + 1) / 2;
  s.out_columns = g.together * g.what.n;
  s.matrix = [g] { return points_matrix(g); };
  add_units(
      s, {g.together, g.what.n}, 0, g.point_groups(), 1, reals, machine,
      [&](std::int64_t line, std::int64_t i) {
        // Rows of y lie whole, one after the other, as those of x do.
        return line_group{.pieces = {{line * g.what.n + i * c, merged({{g.r1, g.r2}, {c, 1}})}}};
      },
      [&](std::int64_t at, std::int64_t count) {
        if (!g.what.inverse) return std::vector<line_copy>{straight(at * reals, count * reals)};
        return std::vector<line_copy>{
            {at * c, 0, {{count, c}, {g.r1, g.r2}, {c, 1}}, {{count, reals}, {g.r1, c}, {c, 1}}}};
      });
  return s;
}

// Operands of rows [k1, k1 + count), count = 0: of row 0.
line_group row_operands(const odd_geometry& g, std::int64_t line, std::int64_t k1,
                        std::int64_t count, std::int64_t side) {
  line_group group{.matrix = k1};
  if (g.what.inverse) {
    const std::int64_t at = line * g.bins();
    if (count == 0) {
      group.pieces = {{at, merged({{g.direct(), g.r1}})},
                      {g.plane() + at + g.r1, merged({{g.mirrored(), g.r1}})}};
      return group;
    }
    group.pieces = {{at + k1, merged({{2, g.plane()}, {count, 1}, {g.direct(), g.r1}})},
                    {at + g.r1 - k1, merged({{2, g.plane()}, {count, -1}, {g.mirrored(), g.r1}})}};
    return group;
  }
  const std::int64_t c = g.shared, at = line * g.what.n;
  const pattern_dim columns{g.point_groups(), g.point_reals()};
  if (count == 0) {
    group.pieces = {{at, merged({columns, {c, 1}})}};
  } else if (g.row_pieces(count, side) == 1) {
    group.pieces = {{at + (2 * k1 - 1) * c, merged({{2 * count, c}, columns, {c, 1}})}};
  } else {
    for (int plane = 0; plane < 2; ++plane)
      group.pieces.push_back(
          {at + (2 * k1 - 1 + plane) * c, merged({{count, 2 * c}, columns, {c, 1}})});
  }
  return group;
}

// Where results of rows from k1 on go, `count` of them in all.
std::vector<line_copy> row_results(const odd_geometry& g, std::int64_t k1, std::int64_t count) {
  if (g.what.inverse) {
    if (k1 == 0) return {straight(0, g.r2)};
    return {straight((2 * k1 - 1) * g.r2, count * g.row_reals())};
  }
  if (k1 == 0)
    return {{0, 0, {{2, g.plane()}, {g.direct(), g.r1}}, {{2, g.direct()}, {g.direct(), 1}}}};
  return {{k1,
           0,
           {{count, 1}, {2, g.plane()}, {g.direct(), g.r1}},
           {{count, g.row_reals()}, {2, g.r2}, {g.direct(), 1}}},
          {g.r1 - k1,
           g.direct(),
           {{count, -1}, {2, g.plane()}, {g.mirrored(), g.r1}},
           {{count, g.row_reals()}, {2, g.r2}, {g.mirrored(), 1}}}};
}

line_stage rows_stage(const odd_geometry& g, const machine_spec& machine) {
  line_stage s;
  const std::int64_t side = machine.tensor.rows;
  s.points = g.r2;
  s.out_columns = g.what.inverse ? g.together * g.what.n : 2 * g.plane();
  s.scattered = !g.what.inverse;
  s.matrix = [g] { return rows_matrix(g); };
  const line_units lines{g.together, g.what.inverse ? g.what.n : g.bins()};
  const auto rows_from = [&](std::int64_t k1, std::int64_t groups, std::int64_t count) {
    add_units(
        s, lines, 0, groups, g.row_pieces(count, side), count * g.row_reals(), machine,
        [&](std::int64_t line, std::int64_t i) {
          return row_operands(g, line, k1 + i * count, count, side);
        },
        [&](std::int64_t at, std::int64_t many) {
          return row_results(g, k1 + at * count, many * count);
        });
  };
  rows_from(1, g.whole_groups(), g.rows);
  if (g.rest() > 0) rows_from(1 + g.whole_groups() * g.rows, 1, g.rest());
  add_units(
      s, lines, 0, 1, g.what.inverse ? 2 : 1, g.what.inverse ? g.r2 : g.first_reals(), machine,
      [&](std::int64_t line, std::int64_t) { return row_operands(g, line, 0, 0, side); },
      [&](std::int64_t, std::int64_t) { return row_results(g, 0, 1); });
  return s;
}

double cost_of(const odd_geometry& g, const machine_spec& machine) {
  const std::int64_t side = machine.tensor.rows, reals = g.rows * g.row_reals(),
                     pieces = g.row_pieces(g.rows, side),
                     groups = (g.pairs() + g.rows - 1) / g.rows;
  const std::int64_t cycles = g.point_groups() * group_cycles(1, g.point_reals(), side) +
                              groups * group_cycles(pieces, reals, side) +
                              group_cycles(g.what.inverse ? 2 : 1, g.first_reals(), side);
  return blocks_seconds((g.what.lines + side - 1) / side, cycles, machine) +
         table_seconds(side, g.point_reals() + groups * pieces * reals, machine);
}

line_program program_of(const odd_geometry& g, const lines_part& part,
                        const machine_spec& machine) {
  line_program p =
      program_of_part(g.what, part, {g.what, g.r1, g.shared, g.rows, part.together},
                      base_detail::message(" as ", g.r1, " real x ", g.r2, " complex points"));
  p.stages = {points_stage(g, machine), rows_stage(g, machine)};
  if (g.what.inverse) std::swap(p.stages[0], p.stages[1]);
  return p;
}

}  // namespace

std::vector<line_program> odd_lines(const real_lines& what, const machine_spec& machine) {
  const std::int64_t side = machine.tensor.rows, bank = machine.psum.bank_bytes / 4;
  if (what.n % 2 == 0) return {};
  cheapest_lines best;
  for (const std::int64_t r1 : divisors_of(what.n)) {
    const std::int64_t r2 = what.n / r1;
    if (r1 < 3 || r1 > side || r2 < 3 || r2 >= side) continue;
    for (std::int64_t rows = 1; rows <= (r1 - 1) / 2; ++rows) {
      odd_geometry g(what, r1, rows, side);
      // Pieces fit the array, results a bank.
      const std::int64_t piece =
          what.inverse ? 2 * rows * g.direct() : rows * g.row_reals() / g.row_pieces(rows, side);
      if (piece > side || rows * g.row_reals() > bank) break;
      best.offer(cost_of(g, machine), [&] {
        return programs_of(what, lines_together(what, machine), machine,
                           [&](const lines_part& part) {
                             g.together = part.together;
                             return program_of(g, part, machine);
                           });
      });
    }
  }
  return best.programs;
}

}  // namespace papilio::kernels_detail
