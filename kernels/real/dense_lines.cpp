// Short real lines: one product each.
//   forward   X[k] = sum over j of x[j] w^(j k), k up to n/2: a real matrix of n rows and twice
//             n/2 + 1 columns
//   inverse   two products, of the real parts and of the imaginary parts of bins 1 ... (n-1)/2;
//             those of bins 0 and n/2 are not looked at
//   layout    several lines to a partition, for longer rows of DMA
#include <algorithm>
#include <complex>

#include "base/roots_of_unity.hpp"
#include "kernels/fft/digits.hpp"
#include "kernels/real/real_lines.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

// Several lines are one product with a matrix of blocks.
struct block_table {
  std::int64_t rows, columns, blocks, stride;
  std::span<float> values;

  void put(std::int64_t row, std::int64_t column, double value) const {
    for (std::int64_t b = 0; b < blocks; ++b)
      values[std::size_t((b * rows + row) * stride + b * columns + column)] =
          static_cast<float>(value);
  }
};

void fill_forward(const real_lines& what, std::int64_t lines, std::span<float> table) {
  const base_detail::roots_of_unity<double> root{std::size_t(what.n)};
  const std::int64_t n = what.n, bins = what.bins();
  const block_table to{n, 2 * bins, lines, 2 * bins * lines, table};
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t k = 0; k < bins; ++k) {
      const std::complex<double> w = what.scale * root(std::size_t(j * k % n));
      to.put(j, k, w.real());
      to.put(j, bins + k, w.imag());
    }
}

// Matrices of the real and of the imaginary parts, side by side.
void fill_inverse(const real_lines& what, std::int64_t lines, std::span<float> table) {
  const base_detail::roots_of_unity<double> root{std::size_t(what.n)};
  const std::int64_t n = what.n, bins = what.bins(), parts = n > 2 ? 2 : 1, each = lines * n;
  const block_table real{bins, n, lines, parts * each, table};
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t k = 0; k < bins; ++k) {
      const bool alone = k == 0 || 2 * k == n;
      real.put(k, j, (alone ? 1 : 2) * what.scale * root(std::size_t(j * k % n)).real());
    }
  if (parts == 1) return;
  const block_table imaginary{n - bins, n, lines, parts * each, table.subspan(std::size_t(each))};
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t k = 1; k <= n - bins; ++k)
      imaginary.put(k - 1, j, 2 * what.scale * root(std::size_t(j * k % n)).imag());
}

// Lines of one product.
std::int64_t lines_shared(const real_lines& what, std::int64_t together,
                          const machine_spec& machine) {
  const std::int64_t reals = what.inverse ? what.bins() : what.n,
                     results = what.inverse ? what.n : 2 * what.bins();
  return std::clamp<std::int64_t>(
      std::min(machine.tensor.rows / reals, machine.psum.bank_bytes / 4 / results), 1, together);
}

line_program part(const real_lines& what, std::int64_t first, std::int64_t lanes,
                  std::int64_t together, std::int64_t shared, const machine_spec& machine) {
  const std::int64_t n = what.n, bins = what.bins(), plane = together * bins;
  line_program p;
  p.name = base_detail::message("real lines of ", n, ", one product for ", shared, ", ", together,
                                " to a partition, ", lanes, " lanes");
  p.lines = design_of(staged_lines{what, 0, shared, 1, together});
  p.lanes = lanes;
  p.columns = what.columns;
  const line_move real{first * n, together * n, 0, together * n};
  const std::vector<line_move> planes{{first * bins, plane, 0, plane},
                                      {(what.lines + first) * bins, plane, plane, plane}};
  p.loads = what.inverse ? planes : std::vector<line_move>{real};
  p.stores = what.inverse ? std::vector<line_move>{real} : planes;
  // Where there are no imaginary parts to read, they are not loaded.
  if (what.inverse && n <= 2) p.loads.pop_back();
  p.in_columns = what.inverse ? 2 * plane : together * n;

  line_stage s;
  s.points = (n + 1) / 2;
  s.out_columns = what.inverse ? together * n : 2 * plane;
  const std::int64_t pieces = what.inverse && n > 2 ? 2 : 1,
                     columns = shared * (what.inverse ? n : 2 * bins);
  s.table_rows = shared * (what.inverse ? bins : n);
  s.table_columns = pieces * columns;
  s.fill = [what, shared](std::span<float> table) {
    std::ranges::fill(table, 0.0f);
    if (what.inverse)
      fill_inverse(what, shared, table);
    else
      fill_forward(what, shared, table);
  };
  const std::int64_t most = groups_of_unit(pieces, columns, machine), groups = together / shared;
  for (std::int64_t at = 0; at < groups; at += most) {
    const std::int64_t count = std::min(most, groups - at), lines = count * shared,
                       line = at * shared;
    line_unit u{.columns = columns};
    for (std::int64_t l = line; l < line + lines; l += shared) {
      line_group g;
      g.pieces.push_back(what.inverse ? line_piece{l * bins, {{shared * bins, 1}}}
                                      : line_piece{l * n, {{shared * n, 1}}});
      if (pieces > 1)
        g.pieces.push_back({plane + l * bins + 1, merged({{shared, bins}, {n - bins, 1}})});
      u.groups.push_back(std::move(g));
    }
    if (what.inverse)
      u.copies.push_back({line * n, 0, {{lines * n, 1}}, {{lines * n, 1}}});
    else
      u.copies.push_back({line * bins,
                          0,
                          {{lines, bins}, {2, plane}, {bins, 1}},
                          {{lines, 2 * bins}, {2, bins}, {bins, 1}}});
    s.units.push_back(std::move(u));
  }
  p.stages.push_back(std::move(s));
  return p;
}

}  // namespace

std::int64_t lines_together(const real_lines& what, const machine_spec& machine) {
  if (what.columns) return 1;
  const std::int64_t row = machine.thresholds.full_rate_row_bytes / 4,
                     wanted = std::max<std::int64_t>(1, (row + what.bins() - 1) / what.bins());
  // Enough lanes for all partitions come first.
  return std::clamp<std::int64_t>(what.lines / machine.tensor.rows, 1, wanted);
}

std::vector<line_program> dense_lines(const real_lines& what, const machine_spec& machine) {
  const std::int64_t side = machine.tensor.rows;
  if (what.n > side) return {};
  std::int64_t together = lines_together(what, machine);
  // Some more, if no line is then left over.
  for (std::int64_t t = together; t <= std::min(what.lines / side, 2 * together); ++t)
    if (!what.columns && what.lines % t == 0) {
      together = t;
      break;
    }
  const std::int64_t fit = lines_shared(what, together, machine),
                     even = largest_divisor(together, fit);
  const std::int64_t shared = 2 * even > fit ? even : fit;
  together -= together % shared;
  const std::int64_t whole = what.lines / together * together;
  std::vector<line_program> programs{part(what, 0, whole / together, together, shared, machine)};
  if (whole < what.lines) programs.push_back(part(what, whole, what.lines - whole, 1, 1, machine));
  for (line_program& p : programs)
    if (!plan_lines(p, machine)) return {};
  return programs;
}

std::vector<line_program> resident_lines(const real_lines& what, const machine_spec& machine) {
  std::vector<line_program> staged;
  if (what.n > machine.thresholds.one_product_points_max)
    staged = what.n % 2 == 0 ? paired_lines(what, machine) : odd_lines(what, machine);
  return staged.empty() ? dense_lines(what, machine) : staged;
}

// Transposes, and products in four passes; and the matrices' way from HBM.
double seconds_of(const std::vector<line_program>& programs, const machine_spec& machine) {
  const std::int64_t side = machine.tensor.rows;
  double cycles = 0, bytes = 0;
  for (const line_program& p : programs)
    for (const line_stage& s : p.stages) {
      std::int64_t block = 0;
      for (const line_unit& u : s.units)
        block += std::int64_t(u.groups.size() * u.groups.front().pieces.size()) *
                 (side + 4 * std::max(side / 2, u.columns));
      cycles += double((p.lanes + side - 1) / side) * double(block);
      bytes += 4 * double(s.table_rows) * double(s.table_columns);
    }
  return machine.thresholds.short_lines_start_seconds + cycles / machine.tensor.clock_hz +
         bytes / (machine.dma.bytes_per_ns * machine.dma.engines * 1e9);
}

}  // namespace papilio::kernels_detail
