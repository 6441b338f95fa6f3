#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>

#include "kernels/real/line_program.hpp"

// Units and matrices of stages over lines, several of which may be on a partition.
namespace papilio::kernels_detail {

/// Lines of a partition, and what is where a line's groups are counted.
struct line_units {
  std::int64_t together = 1;  ///< lines of a partition
  std::int64_t to_line = 0;   ///< from line to line in the tile that is filled
};

/// Adds the same groups [first, first + count) of each line, in units: of whole lines, or of
/// consecutive groups of one. group(line, i); copies(first group, groups) of the first line.
template <class Group, class Copies>
void add_units(line_stage& s, const line_units& lines, std::int64_t first, std::int64_t count,
               std::int64_t pieces, std::int64_t columns, const engine::machine_spec& machine,
               const Group& group, const Copies& copies) {
  if (count == 0) return;
  const std::int64_t most = groups_of_unit(pieces, columns, machine);
  const std::int64_t step = std::max<std::int64_t>(1, most / count);
  for (std::int64_t line = 0; line < lines.together; line += step)
    for (std::int64_t at = first; at < first + count; at += std::min(most, count)) {
      const std::int64_t here = std::min(most, first + count - at),
                         lines_here = std::min(step, lines.together - line);
      line_unit u{.columns = columns};
      for (std::int64_t l = line; l < line + lines_here; ++l)
        for (std::int64_t i = at; i < at + here; ++i) u.groups.push_back(group(l, i));
      u.copies = copies(at, here);
      for (line_copy& c : u.copies) {
        c.to += line * lines.to_line;
        if (lines_here == 1) continue;
        c.to_dims.insert(c.to_dims.begin(), {lines_here, lines.to_line});
        c.from_dims.insert(c.from_dims.begin(), {lines_here, here * columns});
      }
      s.units.push_back(std::move(u));
    }
}

/// What a column of the tile between two stages holds: part `plane` of element j2 of row k1; nothing
/// where k1 is -1.
struct row_element {
  std::int64_t k1 = -1, j2 = 0;
  int plane = 0;
};

/// Results that stay in order.
inline line_copy straight(std::int64_t to, std::int64_t count) {
  return {to, 0, {{count, 1}}, {{count, 1}}};
}

/// Cycles of the array for a group of pieces, roughly: transposes, and products in four passes.
inline std::int64_t group_cycles(std::int64_t pieces, std::int64_t results, std::int64_t side) {
  return pieces * (side + 4 * std::max(side / 2, results));
}
inline double blocks_seconds(std::int64_t blocks, std::int64_t cycles,
                             const engine::machine_spec& machine) {
  return double(blocks) * double(cycles) / machine.tensor.clock_hz;
}
/// Of a table's way from HBM.
inline double table_seconds(std::int64_t rows, std::int64_t columns,
                            const engine::machine_spec& machine) {
  return double(rows * columns * 4) / (machine.dma.bytes_per_ns * machine.dma.engines * 1e9);
}

/// d(part of the result) / d(part of the operand) for result += u a or, conjugated, u conj a.
inline double coefficient(std::complex<double> u, bool conjugated, int in_plane, int out_plane) {
  const std::complex<double> unit =
      in_plane == 0 ? std::complex<double>(1, 0) : std::complex<double>(0, conjugated ? -1 : 1);
  const std::complex<double> v = u * unit;
  return out_plane == 0 ? v.real() : v.imag();
}

}  // namespace papilio::kernels_detail
