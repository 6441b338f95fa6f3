#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>

#include "kernels/table.hpp"
#include "kernels/transform/recipe.hpp"
#include "papilio/engine/machine_spec.hpp"

// Transforms of long real lines that stay on chip, one after the other, each line on all
// partitions.
//   factors    n = a b s, each at most the array's rows, s even if n is:
//                j = j_s + s (j_b + b j_a),  k = k_a + a (k_b + b k_s).
//              The DFT over a is real to complex: rows k_a = 0 ... a/2 are enough. Rows 0 and, for
//              even a, a/2 are real and share one complex slot (r2c packing); each other row fills
//              a slot, a "pair" of reals. Row a/2, or row 0 for odd a, is transformed over b by
//              itself: the unpaired row
//   bins       rows that are not real yield bins for all (k_b, k_s): directly for k_s < s/2, and
//              for k_s >= (s-1)/2 as the conjugates of the bins (a - k_a, b-1-k_b, s-1-k_s). Real
//              rows yield those with k_s < s/2, and row 0 bin n/2 of an even n. For odd s, bins
//              with k_s = (s-1)/2 end in the middle, and come from both kinds
//   layout     real     (j_a, high part of j_b) on partitions, (low part of j_b, j_s) along columns
//              middle   j_s on partitions; the stage over b has two operands, real and imaginary
//                       parts, where b is more than half of the array's rows
//              bins     k_s < s/2 on partitions, (plane, k_b, k_a) along columns
namespace papilio::kernels_detail {

/// Buffer depth of tables that are loaded again for each line.
inline constexpr int table_depth = 4;

struct long_line {
  std::int64_t n = 1, a = 1, b = 1, s = 1;
  std::int64_t array_rows = 0, bank = 0;  ///< array's rows; fp32 elements of a PSUM bank
  bool inverse = false;
  double scale = 1;
  std::int64_t high = 1;   ///< values of the high part of j_b
  std::int64_t rows = 1;   ///< pairs of a group of the stage over b
  std::int64_t chunk = 1;  ///< values of k_b whose bins are moved together
  int depth = 2;           ///< tiles that hold lines
  /// Matrices over b and twiddle factors are loaded as they are used, again for each line.
  bool streamed = false;
  std::int64_t unit = 0;  ///< columns of the tiles in which units of the stages are worked on

  bool odd() const { return n % 2 != 0; }
  bool odd_rows() const { return a % 2 != 0; }
  std::int64_t pairs() const { return a / 2; }
  std::int64_t half() const { return (s + 1) / 2; }
  /// The row k_a of pair 0, and of pair `pairs()`, which is the unpaired row.
  std::int64_t first_row() const { return odd_rows() ? 1 : 0; }
  std::int64_t unpaired_row() const { return odd_rows() ? 0 : a / 2; }
  /// The place of the unpaired row among the a real results of the stage over a.
  std::int64_t unpaired_real() const { return odd_rows() ? a - 1 : 1; }
  std::int64_t row_of(std::int64_t pair) const {
    return pair == pairs() ? unpaired_row() : first_row() + pair;
  }
  /// Number of pairs whose bins have conjugates: all, or all but the first.
  std::int64_t mirrored() const { return (a - 1) / 2; }
  /// Number of bins with k_s = half() - 1: fewer than for other k_s if n is odd.
  std::int64_t last_bins() const { return odd() ? (a * b + 1) / 2 : a * b; }
  std::int64_t low() const { return b / high; }
  std::int64_t points() const { return a * high; }     ///< partitions of the real line
  std::int64_t group() const { return 2 * b * rows; }  ///< reals of a group
  std::int64_t groups() const { return pairs() / rows; }
  /// Number of operands of a group in the stage over b, and their partitions.
  int parts() const { return group() > array_rows ? 2 : 1; }
  std::int64_t operand() const { return group() / parts(); }
  /// Columns of the middle layout: groups (group, plane, k_b, row), then the unpaired row as
  /// (plane, k_b).
  std::int64_t columns() const { return groups() * group() + 2 * b; }
  std::int64_t chunks() const { return b / chunk; }
  /// Partition of the first conjugated bins in products over s.
  std::int64_t mirror() const { return array_rows / 2; }

  auto fields() const {
    return std::tie(n, a, b, s, array_rows, bank, inverse, scale, high, rows, chunk, depth,
                    streamed, unit);
  }
};

/// Contiguous lines, the design of a step.
struct long_lines {
  long_line line = {};
  std::int64_t outer = 1;

  auto fields() const { return std::tie(line, outer); }
  std::string describe() const;
  long_lines without_batch() const { return {line, 0}; }
};

/// The cheapest factors of a length; nothing where it has none of that form, or a line does not fit
/// SBUF.
std::optional<long_line> long_line_of(std::int64_t n, bool inverse, double scale,
                                      const engine::machine_spec& machine);

/// Estimates the seconds of `outer` lines.
double seconds_of(const long_line& line, std::int64_t outer, const engine::machine_spec& machine);

/// Fill the matrices of the stages over a [points, points], over b [operand, parts columns] and
/// over s [array_rows, 4 array_rows], and the twiddle factors [s, columns]: cosines for real parts,
/// sines for imaginary ones, in the middle layout's order of columns forward, in the order (chunk,
/// plane, group, k_b, row) back, then those of the unpaired row.
void fill_over_a(const long_line& g, const table_writer& table);
void fill_over_b(const long_line& g, const table_writer& table);
void fill_over_s(const long_line& g, const table_writer& table);
void fill_twiddles(const long_line& g, const table_writer& table);

/// The step that transforms [outer, n] to [2, outer, n/2 + 1], or back.
fft_step long_line_step(std::int64_t outer, const long_line& line);

}  // namespace papilio::kernels_detail
