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
  /// Bin t of row k1, direct ones first.
  std::int64_t bin(std::int64_t k1, std::int64_t t) const {
    return t < direct() ? k1 + r1 * t : r1 - k1 + r1 * (t - direct());
  }
};

// What X[bin t of k1] and A or y[k1][j2] are to each other.
complex factor(const odd_geometry& g, const base_detail::roots_of_unity<double>& root,
               std::int64_t k1, std::int64_t t, std::int64_t j2) {
  const complex w = root(std::size_t(j2 * g.bin(k1, t) % g.what.n));
  if (!g.what.inverse) return w * g.what.scale;
  // y takes what mirrored bins add as their conjugates.
  return (t < g.direct() ? std::conj(w) : w) * (k1 == 0 && t == 0 ? 1.0 : 2.0);
}

// One group's matrix from column `at` on, its operands in one piece or two.
class row_matrix {
 public:
  row_matrix(const odd_geometry& g, std::int64_t table_columns, std::span<float> table)
      : g_(g), columns_(table_columns), table_(table), root_(std::size_t(g.what.n)) {}

  // Row 0: real operands, and results (plane, t); or pieces of the two planes, and real results.
  void fill_first(std::int64_t at) const {
    for (std::int64_t t = 0; t < g_.direct(); ++t)
      for (std::int64_t j2 = 0; j2 < g_.r2; ++j2)
        for (int plane = 0; plane < 2; ++plane) {
          if (plane == 1 && t == 0) continue;  // real, and not looked at
          const complex f = factor(g_, root_, 0, t, j2);
          if (g_.what.inverse)
            put(t - plane, at + plane * g_.r2 + j2, coefficient(f, false, plane, 0));
          else
            put(j2, at + plane * g_.direct() + t, coefficient(f, false, 0, plane));
        }
  }

  void fill(std::int64_t at, std::int64_t k1, std::int64_t count, std::int64_t pieces) const {
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t t = 0; t < g_.r2; ++t)
        for (std::int64_t j2 = 0; j2 < g_.r2; ++j2)
          for (int from = 0; from < 2; ++from)
            for (int to = 0; to < 2; ++to)
              put_row(at, i, count, pieces, t, j2, from, to,
                      coefficient(factor(g_, root_, k1 + i, t, j2), t >= g_.direct(), from, to));
  }

 private:
  void put(std::int64_t row, std::int64_t column, double value) const {
    table_[std::size_t(row * columns_ + column)] = static_cast<float>(value);
  }
  void put_row(std::int64_t at, std::int64_t i, std::int64_t count, std::int64_t pieces,
               std::int64_t t, std::int64_t j2, int from, int to, double value) const {
    const std::int64_t results = count * g_.row_reals();
    if (!g_.what.inverse) {
      const std::int64_t row = pieces == 1 ? (i * 2 + from) * g_.r2 + j2 : i * g_.r2 + j2;
      put(row, at + (pieces == 1 ? 0 : from * results) + (i * 2 + to) * g_.r2 + t, value);
      return;
    }
    // Pieces of direct and of mirrored bins, (plane, row, h).
    const bool mirrored = t >= g_.direct();
    const std::int64_t h = mirrored ? t - g_.direct() : t,
                       each = mirrored ? g_.mirrored() : g_.direct();
    put((from * count + i) * each + h, at + (mirrored ? results : 0) + (i * 2 + to) * g_.r2 + j2,
        value);
  }

  const odd_geometry& g_;
  std::int64_t columns_;
  std::span<float> table_;
  base_detail::roots_of_unity<double> root_;
};

void fill_rows(const odd_geometry& g, std::int64_t side, std::int64_t columns,
               std::span<float> table) {
  std::ranges::fill(table, 0.0f);
  const row_matrix matrix(g, columns, table);
  matrix.fill_first(0);
  std::int64_t at = g.what.inverse ? 2 * g.r2 : g.first_reals();
  for (std::int64_t k1 = 1; k1 <= g.pairs(); k1 += g.rows) {
    const std::int64_t count = std::min(g.rows, g.pairs() + 1 - k1),
                       pieces = g.row_pieces(count, side);
    matrix.fill(at, k1, count, pieces);
    at += pieces * count * g.row_reals();
  }
}

// Over r1, the same for all columns: (j1, j2) and (q, j2), transposed for the inverse.
void fill_points(const odd_geometry& g, std::span<float> table) {
  const base_detail::roots_of_unity<double> root{std::size_t(g.r1)};
  std::ranges::fill(table, 0.0f);
  const std::int64_t reals = g.point_reals(), c = g.shared;
  for (std::int64_t j1 = 0; j1 < g.r1; ++j1)
    for (std::int64_t q = 0; q < g.r1; ++q) {
      const complex w = root(std::size_t(j1 * ((q + 1) / 2) % g.r1));
      const bool imaginary = q > 0 && q % 2 == 0;
      double value = imaginary ? w.imag() : w.real();  // inverse: Re(conj w y)
      if (g.what.inverse) value *= g.what.scale;
      for (std::int64_t j2 = 0; j2 < c; ++j2) {
        const std::int64_t point = j1 * c + j2, result = q * c + j2;
        table[std::size_t(g.what.inverse ? result * reals + point : point * reals + result)] =
            static_cast<float>(value);
      }
    }
}

line_stage points_stage(const odd_geometry& g, const machine_spec& machine) {
  line_stage s;
  const std::int64_t c = g.shared, reals = g.point_reals();
  s.table_rows = s.table_columns = reals;
  s.points = (g.r1 + 1) / 2;
  s.out_columns = g.together * g.what.n;
  s.fill = [g](std::span<float> table) { fill_points(g, table); };
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
  line_group group;
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
  const std::int64_t side = machine.tensor.rows, pieces = g.row_pieces(g.rows, side),
                     rest_pieces = g.row_pieces(g.rest(), side),
                     first_pieces = g.what.inverse ? 2 : 1,
                     first = g.what.inverse ? g.r2 : g.first_reals();
  s.table_columns = first_pieces * first + pieces * g.whole_groups() * g.rows * g.row_reals() +
                    rest_pieces * g.rest() * g.row_reals();
  s.points = g.r2;
  s.out_columns = g.what.inverse ? g.together * g.what.n : 2 * g.plane();
  s.scattered = !g.what.inverse;
  s.fill = [g, side, columns = s.table_columns](std::span<float> table) {
    fill_rows(g, side, columns, table);
  };
  const line_units lines{g.together, g.what.inverse ? g.what.n : g.bins()};
  const std::int64_t second = first_pieces * first, each = pieces * g.rows * g.row_reals();
  const auto rows_from = [&](std::int64_t k1, std::int64_t groups, std::int64_t count) {
    add_units(
        s, lines, 0, groups, g.row_pieces(count, side), count * g.row_reals(), machine,
        [&](std::int64_t line, std::int64_t i) {
          line_group group = row_operands(g, line, k1 + i * count, count, side);
          group.matrix = second + ((k1 - 1) / g.rows + i) * each;
          return group;
        },
        [&](std::int64_t at, std::int64_t many) {
          return row_results(g, k1 + at * count, many * count);
        });
  };
  rows_from(1, g.whole_groups(), g.rows);
  if (g.rest() > 0) rows_from(1 + g.whole_groups() * g.rows, 1, g.rest());
  add_units(
      s, lines, 0, 1, first_pieces, first, machine,
      [&](std::int64_t line, std::int64_t) { return row_operands(g, line, 0, 0, side); },
      [&](std::int64_t, std::int64_t) { return row_results(g, 0, 1); });
  for (const line_unit& u : s.units)
    for (const line_piece& p : u.groups.front().pieces)
      s.table_rows = std::max(s.table_rows, p.rows());
  return s;
}

// Cycles of a block, roughly: transposes, and products in four passes; and the matrices' way from
// HBM, as that of the reals.
double cost_of(const odd_geometry& g, const machine_spec& machine) {
  const std::int64_t side = machine.tensor.rows;
  const auto product = [&](std::int64_t pieces, std::int64_t results) {
    return pieces * (side + 4 * std::max(side / 2, results));
  };
  const std::int64_t reals = g.rows * g.row_reals(), pieces = g.row_pieces(g.rows, side);
  const std::int64_t groups = (g.pairs() + g.rows - 1) / g.rows;
  const std::int64_t cycles = g.point_groups() * product(1, g.point_reals()) +
                              groups * product(pieces, reals) +
                              product(g.what.inverse ? 2 : 1, g.first_reals());
  const double blocks = double((g.what.lines + side - 1) / side);
  return blocks * double(cycles) / machine.tensor.clock_hz +
         double((g.point_reals() + groups * pieces * reals) * side * 4) /
             (machine.dma.bytes_per_ns * machine.dma.engines * 1e9);
}

// Lines from `first` on, as many as are g.together * lanes.
line_program program_of(const odd_geometry& g, std::int64_t first, std::int64_t lanes,
                        const machine_spec& machine) {
  const std::int64_t n = g.what.n, line = g.together * n, plane = g.plane();
  line_program p;
  p.name =
      base_detail::message("real lines of ", n, " as ", g.r1, " real x ", g.r2, " complex points, ",
                           g.together, " to a partition, ", lanes, " lanes");
  p.lines = design_of(staged_lines{g.what, g.r1, g.shared, g.rows, g.together});
  p.lanes = lanes;
  p.columns = g.what.columns;
  const std::vector<line_move> real{{first * n, line, 0, line}},
      planes{{first * g.bins(), plane, 0, plane},
             {(g.what.lines + first) * g.bins(), plane, plane, plane}};
  p.loads = g.what.inverse ? planes : real;
  p.stores = g.what.inverse ? real : planes;
  p.in_columns = g.what.inverse ? 2 * plane : line;
  p.stages.push_back(g.what.inverse ? rows_stage(g, machine) : points_stage(g, machine));
  p.stages.push_back(g.what.inverse ? points_stage(g, machine) : rows_stage(g, machine));
  return p;
}

}  // namespace

std::vector<line_program> odd_lines(const real_lines& what, const machine_spec& machine) {
  const std::int64_t side = machine.tensor.rows, bank = machine.psum.bank_bytes / 4;
  if (what.n % 2 == 0) return {};
  const std::int64_t together = lines_together(what, machine),
                     whole = what.lines / together * together;
  std::vector<line_program> best;
  double least = 0;
  for (const std::int64_t r1 : divisors_of(what.n)) {
    const std::int64_t r2 = what.n / r1;
    if (r1 < 3 || r1 > side || r2 < 3 || r2 >= side) continue;
    for (std::int64_t rows = 1; rows <= (r1 - 1) / 2; ++rows) {
      odd_geometry g(what, r1, rows, side);
      // Pieces fit the array, results a bank.
      const std::int64_t piece =
          what.inverse ? 2 * rows * g.direct() : rows * g.row_reals() / g.row_pieces(rows, side);
      if (piece > side || rows * g.row_reals() > bank) break;
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
  }
  return best;
}

}  // namespace papilio::kernels_detail
