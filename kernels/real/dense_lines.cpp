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
#include "kernels/real/line_units.hpp"
#include "kernels/real/real_lines.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

using base_detail::roots_of_unity;

// Between samples and bins of one line.
line_stage::coefficients product_matrix(const real_lines& what, std::int64_t together) {
  return [what, plane = together * what.bins(), root = roots_of_unity<double>(std::size_t(what.n))](
             std::int64_t from, std::int64_t to) {
    const std::int64_t sample = what.inverse ? to : from, place = what.inverse ? from : to;
    const std::int64_t k = place % plane % what.bins();
    if (sample / what.n != place % plane / what.bins()) return 0.0;
    const std::complex<double> w = root(std::size_t(sample % what.n * k % what.n));
    const bool doubled = what.inverse && k > 0 && 2 * k != what.n;
    return (doubled ? 2 : 1) * what.scale * (place < plane ? w.real() : w.imag());
  };
}

// Lines of one product.
std::int64_t lines_shared(const real_lines& what, std::int64_t together,
                          const machine_spec& machine) {
  const std::int64_t reals = what.inverse ? what.bins() : what.n,
                     results = what.inverse ? what.n : 2 * what.bins();
  return std::clamp<std::int64_t>(
      std::min(machine.tensor.rows / reals, machine.psum.bank_bytes / 4 / results), 1, together);
}

line_program program_of(const real_lines& what, const lines_part& part, std::int64_t shared,
                        const machine_spec& machine) {
  const std::int64_t n = what.n, bins = what.bins(), together = part.together,
                     plane = together * bins;
  line_program p = program_of_part(what, part, {what, 0, shared, 1, together},
                                   base_detail::message(", one product for ", shared));
  // Where there are no imaginary parts to read, they are not loaded.
  if (what.inverse && n <= 2) p.loads.pop_back();

  line_stage s;
  s.points = (n + 1) / 2;
  s.out_columns = what.inverse ? together * n : 2 * plane;
  const std::int64_t pieces = what.inverse && n > 2 ? 2 : 1,
                     columns = shared * (what.inverse ? n : 2 * bins);
  s.matrix = [what, together] { return product_matrix(what, together); };
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

line_program program_of_part(const real_lines& what, const lines_part& part,
                             const staged_lines& design, const std::string& how) {
  const std::int64_t n = what.n, bins = what.bins(), line = part.together * n,
                     plane = part.together * bins;
  line_program p;
  p.name = base_detail::message("real lines of ", n, how, ", ", part.together, " to a partition, ",
                                part.lanes, " lanes");
  p.lines = design_of(design);
  p.lanes = part.lanes;
  p.columns = what.columns;
  p.loads = {{part.first * n, line, 0, line}};
  p.stores = {{part.first * bins, plane, 0, plane},
              {(what.lines + part.first) * bins, plane, plane, plane}};
  if (what.inverse) std::swap(p.loads, p.stores);
  p.in_columns = what.inverse ? 2 * plane : line;
  return p;
}

std::vector<line_program> programs_of(
    const real_lines& what, std::int64_t together, const machine_spec& machine,
    const std::function<line_program(const lines_part&)>& program_of) {
  const std::int64_t lanes = what.lines / together, whole = lanes * together;
  std::vector<line_program> programs{program_of({0, lanes, together})};
  if (whole < what.lines) programs.push_back(program_of({whole, what.lines - whole, 1}));
  for (line_program& p : programs) {
    std::ranges::for_each(p.stages, lay_out_table);
    if (!plan_lines(p, machine)) return {};
  }
  return programs;
}

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
  return programs_of(what, together, machine, [&](const lines_part& part) {
    return program_of(what, part, part.together == together ? shared : 1, machine);
  });
}

std::vector<line_program> resident_lines(const real_lines& what, const machine_spec& machine) {
  std::vector<line_program> staged;
  if (what.n > machine.thresholds.one_product_points_max)
    staged = what.n % 2 == 0 ? paired_lines(what, machine) : odd_lines(what, machine);
  return staged.empty() ? dense_lines(what, machine) : staged;
}

double seconds_of(const std::vector<line_program>& programs, const machine_spec& machine) {
  const std::int64_t side = machine.tensor.rows;
  double seconds = machine.thresholds.short_lines_start_seconds;
  for (const line_program& p : programs)
    for (const line_stage& s : p.stages) {
      std::int64_t cycles = 0;
      for (const line_unit& u : s.units)
        cycles += group_cycles(std::int64_t(u.groups.size() * u.groups.front().pieces.size()),
                               u.columns, side);
      seconds += blocks_seconds((p.lanes + side - 1) / side, cycles, machine) +
                 table_seconds(s.table_rows, s.table_columns, machine);
    }
  return seconds;
}

}  // namespace papilio::kernels_detail
