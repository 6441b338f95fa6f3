// Factors of long real lines, and their matrices.
#include "kernels/transform/long_line.hpp"

#include <algorithm>
#include <complex>

#include "base/roots_of_unity.hpp"
#include "kernels/transform/factors.hpp"

namespace papilio::kernels_detail {

using engine::machine_spec;

namespace {

using complex = std::complex<double>;
using roots = base_detail::roots_of_unity<double>;

// The coefficient of a real or imaginary part of a in a part of u a or, conjugated, of u conj a.
double coefficient(std::complex<double> u, bool conjugated, int in_plane, int out_plane) {
  const std::complex<double> unit =
      in_plane == 0 ? std::complex<double>(1, 0) : std::complex<double>(0, conjugated ? -1 : 1);
  const std::complex<double> v = u * unit;
  return out_plane == 0 ? v.real() : v.imag();
}

// Seconds of the tensor engine for a line, and of DMA for its matrices and factors.
double cost_of(const long_line& g, const machine_spec& machine) {
  const std::int64_t least = g.array_rows / 2;
  const std::int64_t cycles =
      4 * g.low() * std::max(least, g.points()) +
      (g.groups() + 1) * g.parts() * (g.array_rows + 4 * std::max(least, g.group())) +
      16 * g.chunks() * std::max(least, g.chunk * g.pairs());
  const double bytes = 4.0 * double(g.columns() * (g.group() + g.s));
  return double(cycles) / machine.tensor.clock_hz +
         bytes / (machine.dma.bytes_per_ns * machine.dma.engines * 1e9);
}

// Columns of tiles beside the lines': matrices, factors, and buffers of units.
std::int64_t fixed_columns(const long_line& g) {
  const std::int64_t rings = 5 * g.unit, bins = 4 * 2 * g.chunk * g.a,
                     tables = (g.parts() + 1) * (g.streamed ? table_depth * g.unit : g.columns());
  // Bin n/2 of an even n needs a row of the matrix over s, and buffers of two numbers.
  const std::int64_t ends = g.odd() ? 0 : g.array_rows + 8;
  return g.points() + tables + 4 * g.array_rows + rings + bins + 4 * g.b + ends;
}

// Chooses as many tiles for lines as fit beside units of so many banks; false if fewer than two do.
bool fits(long_line& g, std::int64_t banks, bool streamed, const machine_spec& machine) {
  g.unit = banks * g.bank;
  g.streamed = streamed;
  // Bins are cut into two chunks at least: one is loaded or stored while the other is multiplied.
  const std::int64_t most = std::min(g.unit / 2 / g.pairs(), g.b / 2);
  g.chunk = largest_divisor(g.b, std::max<std::int64_t>(1, most));
  const std::int64_t all = machine.sbuf.bytes_per_partition / 4 - 128,
                     line = std::max({g.low() * g.s, g.a * g.b, g.columns()});
  g.depth = int(std::clamp<std::int64_t>((all - fixed_columns(g)) / line, 0, 6));
  return g.depth >= 2;
}

bool plan(long_line& g, const machine_spec& machine) {
  g.high = largest_divisor(g.b, g.array_rows / g.a);
  g.rows = largest_divisor(g.pairs(), g.array_rows / (2 * g.b));
  return fits(g, 2, false, machine) || fits(g, 2, true, machine) || fits(g, 1, true, machine);
}

// The coefficient of point j_a in real result q of the stage over a.
double pair_value(const long_line& g, const roots& root, std::int64_t q, std::int64_t ja) {
  const bool lone = q == g.unpaired_real();
  const complex w = root(std::size_t(ja * g.row_of(lone ? g.pairs() : q / 2) % g.a));
  return lone || q % 2 == 0 ? w.real() : w.imag();
}

}  // namespace

std::optional<long_line> long_line_of(std::int64_t n, bool inverse, double scale,
                                      const machine_spec& machine) {
  const std::int64_t array_rows = machine.tensor.rows;
  std::optional<long_line> best;
  for (const std::int64_t s : divisors_of(n)) {
    if (s % 2 != n % 2 || s < 2 || s > array_rows || n / s > array_rows * array_rows) continue;
    for (const std::int64_t a : divisors_of(n / s)) {
      const std::int64_t b = n / s / a;
      if (a < 3 || a > array_rows || b < 2 || b > array_rows) continue;
      long_line g{.n = n, .a = a, .b = b, .s = s};
      g.array_rows = array_rows;
      g.bank = machine.psum.bank_bytes / 4;
      g.inverse = inverse;
      g.scale = scale;
      if (!plan(g, machine)) continue;
      if (!best || cost_of(g, machine) < cost_of(*best, machine)) best = g;
    }
  }
  return best;
}

double seconds_of(const long_line& line, std::int64_t outer, const machine_spec& machine) {
  // One line takes at least its chain of stages, and each of many its instructions, however short.
  return machine.thresholds.long_line_start_seconds +
         double(outer) * std::max(machine.thresholds.long_line_seconds_min, cost_of(line, machine));
}

// Maps (j_a, high part of j_b) to (q, high part of j_b), or back.
void fill_over_a(const long_line& g, const table_writer& table) {
  const roots root{std::size_t(g.a)};
  for (std::int64_t ja = 0; ja < g.a; ++ja)
    for (std::int64_t q = 0; q < g.a; ++q)
      for (std::int64_t h = 0; h < g.high; ++h) {
        const std::int64_t point = ja * g.high + h, real = q * g.high + h;
        const std::int64_t row = g.inverse ? real : point, column = g.inverse ? point : real;
        table.put(row, column, pair_value(g, root, q, ja));
      }
}

// Forward, maps rows (pair, q, low part of j_b, high part) to columns (plane, k_b, pair); back,
// rows (plane, k_b, pair) to columns (pair, q, j_b). Columns behind the groups are those of the
// unpaired row, of b reals or two planes.
void fill_over_b(const long_line& g, const table_writer& table) {
  const roots root{std::size_t(g.a * g.b)};
  const std::int64_t width = g.columns();
  const auto put = [&](std::int64_t operand, std::int64_t result, std::int64_t at, double value) {
    table.put(operand % g.operand(), operand / g.operand() * width + at + result, value);
  };
  const std::int64_t ab = g.a * g.b;
  for (std::int64_t jb = 0; jb < g.b; ++jb)
    for (std::int64_t kb = 0; kb < g.b; ++kb) {
      const std::int64_t place = jb % g.low() * g.high + jb / g.low();
      for (std::int64_t v = 0; v <= g.pairs(); ++v) {
        const complex w = root(std::size_t((g.row_of(v) + g.a * kb) * jb % ab));
        const bool last = v == g.pairs();
        const std::int64_t i = last ? 0 : v % g.rows, rows = last ? 1 : g.rows,
                           at = last ? g.groups() * g.group() : v / g.rows * g.group();
        for (int plane = 0; plane < 2; ++plane)
          for (int q = 0; q < 2; ++q) {
            if ((g.row_of(v) == 0 || last) && q == 1) continue;  // real rows
            const std::int64_t bin = (plane * g.b + kb) * rows + i;
            if (!g.inverse) {
              put((i * 2 + q) * g.b + place, bin, at, coefficient(w, false, q, plane));
            } else {
              const std::int64_t real = last ? jb : (i * 2 + q) * g.b + jb;
              put(bin, real, at, coefficient(std::conj(w), false, plane, q));
            }
          }
      }
    }
}

// Four matrices, from the real or imaginary plane (slowest) to either plane. Forward they map j_s
// to k_s, with direct bins in the first half of the columns and conjugated ones in the second; back
// they are transposed.
void fill_over_s(const long_line& g, const table_writer& table) {
  const roots root{std::size_t(g.s)};
  for (std::int64_t js = 0; js < g.s; ++js)
    for (std::int64_t ks = 0; ks < g.s; ++ks) {
      const complex w = root(std::size_t(js * ks % g.s));
      const auto put = [&](std::int64_t bin, bool mirrored) {
        for (int in = 0; in < 2; ++in)
          for (int out = 0; out < 2; ++out) {
            const std::int64_t row = g.inverse ? bin : js, column = g.inverse ? js : bin;
            const double value =
                g.inverse ? coefficient(std::conj(w), mirrored, in, out) * 2
                          : coefficient(w, false, in, out) * (mirrored && out == 1 ? -1 : 1);
            table.put(row, (2 * in + out) * g.array_rows + column, value * g.scale);
          }
      };
      if (ks < g.half()) put(ks, false);
      if (ks >= g.s - g.half()) put(g.mirror() + g.s - 1 - ks, true);
    }
}

void fill_twiddles(const long_line& g, const table_writer& table) {
  const roots root{std::size_t(g.n)};
  for (std::int64_t js = 0; js < g.s; ++js)
    for (std::int64_t kb = 0; kb < g.b; ++kb)
      for (std::int64_t v = 0; v <= g.pairs(); ++v) {
        const complex w = root(std::size_t((g.row_of(v) + g.a * kb) * js));
        const bool last = v == g.pairs();
        const std::int64_t i = last ? 0 : v % g.rows, rows = last ? 1 : g.rows;
        std::int64_t at = last ? g.groups() * g.group() : v / g.rows * g.group(),
                     plane = g.b * rows;
        at += kb * rows + i;
        if (g.inverse && !last) {
          plane = g.chunk * g.pairs();
          at = kb / g.chunk * 2 * plane + v / g.rows * g.chunk * g.rows + kb % g.chunk * g.rows + i;
        }
        table.put(js, at, g.inverse ? std::conj(w) : w, plane);
      }
}

}  // namespace papilio::kernels_detail
