#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>

#include "kernels/table.hpp"
#include "kernels/transform/recipe.hpp"
#include "papilio/engine/machine_spec.hpp"

// Long real lines that stay on chip, one after the other.
//   factors    n = a b s, at most the array's side; s even if n is:
//                j = j_s + s (j_b + b j_a),  k = k_a + a (k_b + b k_s);
//              a is transformed over real numbers, so that rows k_a of 0 ... a/2 are enough. Rows
//              0 and, of an even a, a/2 of this DFT are real and share one complex slot (r2c
//              packing); each other row fills one. Row a/2, or of an odd a row 0, is transformed over b by
//              itself
//   bins       of rows that are not real all (k_b, k_s) are: as they are for k_s < s/2, and for
//              k_s >= (s-1)/2 as the conjugates of the bins (a - k_a, b-1-k_b, s-1-k_s); of real
//              rows those with k_s < s/2, and of row 0 bin n/2 of an even n. Of an odd s the row of
//              k_s = (s-1)/2 ends in its middle, and both kinds have it
//   layout     real     (j_a, high part of j_b) on partitions, (low part of j_b, j_s) along
//              middle   j_s on partitions; an operand of the stage over b is two, real and
//                       imaginary parts, where b is more than half of the array's side
//              bins     k_s < s/2 on partitions, (plane, k_b, k_a) along
namespace papilio::kernels_detail {

/// Tiles in which tables pass by.
inline constexpr int table_ring = 4;

struct long_line {
  std::int64_t n = 1, a = 1, b = 1, s = 1;
  std::int64_t side = 0, bank = 0;  ///< of the array, and fp32 elements of a bank of PSUM
  bool inverse = false;
  double scale = 1;
  std::int64_t high = 1;   ///< values of the high part of j_b
  std::int64_t rows = 1;   ///< pairs of a group of the stage over b
  std::int64_t chunk = 1;  ///< values of k_b whose bins leave or enter together
  int depth = 2;           ///< tiles that hold lines
  /// Matrices over b and twiddle factors pass by as they are used, for each line again.
  bool streamed = false;
  std::int64_t unit = 0;  ///< columns of the tiles in which units of the stages are worked on

  bool odd() const { return n % 2 != 0; }
  bool odd_rows() const { return a % 2 != 0; }
  std::int64_t pairs() const { return a / 2; }
  std::int64_t half() const { return (s + 1) / 2; }
  /// The row of pair 0, of pair `pairs()`, which is the row by itself.
  std::int64_t first_row() const { return odd_rows() ? 1 : 0; }
  std::int64_t lone_row() const { return odd_rows() ? 0 : a / 2; }
  /// Its place among the a real numbers that come from the stage over a.
  std::int64_t lone_real() const { return odd_rows() ? a - 1 : 1; }
  std::int64_t row_of(std::int64_t pair) const {
    return pair == pairs() ? lone_row() : first_row() + pair;
  }
  /// Pairs that are rows with conjugates: all, or all but the first.
  std::int64_t mirrored() const { return (a - 1) / 2; }
  /// Bins of k_s = half() - 1, which are fewer than those of other rows if n is odd.
  std::int64_t last_bins() const { return odd() ? (a * b + 1) / 2 : a * b; }
  std::int64_t low() const { return b / high; }
  std::int64_t points() const { return a * high; }     ///< partitions of the real line
  std::int64_t group() const { return 2 * b * rows; }  ///< reals of a group
  std::int64_t groups() const { return pairs() / rows; }
  /// Operands of the stage over b for a group, and their partitions.
  int parts() const { return group() > side ? 2 : 1; }
  std::int64_t operand() const { return group() / parts(); }
  /// Columns of the middle: groups (group, plane, k_b, row), then the lone row as (plane, k_b).
  std::int64_t columns() const { return groups() * group() + 2 * b; }
  std::int64_t chunks() const { return b / chunk; }
  /// Partition of the conjugated bins' first row in products over s.
  std::int64_t mirror() const { return side / 2; }

  auto fields() const {
    return std::tie(n, a, b, s, side, bank, inverse, scale, high, rows, chunk, depth, streamed,
                    unit);
  }
};

/// Lines that follow each other.
struct long_lines {
  long_line line = {};
  std::int64_t outer = 1;

  auto fields() const { return std::tie(line, outer); }
  std::string describe() const;
  long_lines without_batch() const { return {line, 0}; }
};

/// How a length is cut; none where its factors are others, or a line does not fit SBUF.
std::optional<long_line> long_line_of(std::int64_t n, bool inverse, double scale,
                                      const engine::machine_spec& machine);

/// What `outer` lines take, roughly.
double seconds_of(const long_line& line, std::int64_t outer, const engine::machine_spec& machine);

/// Matrices of the stages over a [points, points], over b [operand, parts columns] and over s
/// [side, 4 side], and the twiddle factors [s, columns], cosines where real parts are, sines where
/// imaginary ones: forward as columns of the middle are, back (chunk, plane, group, k_b, row), then
/// those of the lone row.
void fill_over_a(const long_line& g, const table_writer& table);
void fill_over_b(const long_line& g, const table_writer& table);
void fill_over_s(const long_line& g, const table_writer& table);
void fill_turns(const long_line& g, const table_writer& table);

/// Transforms of [outer, n] to [2, outer, n/2 + 1], or back.
fft_step long_line_step(std::int64_t outer, const long_line& line);

}  // namespace papilio::kernels_detail
