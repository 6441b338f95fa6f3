#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kernels/fft/recipe.hpp"
#include "papilio/engine/machine_spec.hpp"

// Long real lines that stay on chip, one after the other.
//   factors    n = a b s, a and s even, at most the array's side, b at most half of it:
//                j = j_s + s (j_b + b j_a),  k = k_a + a (k_b + b k_s);
//              a is transformed over real numbers, so that rows k_a of 0 ... a/2 are enough: a/2
//              pairs of real numbers, rows 0 and a/2 being real and together the first pair
//   bins       of rows 0 < k_a < a/2 all (k_b, k_s) are: as they are for k_s < s/2, and for others
//              as the conjugates of the bins (a - k_a, b-1-k_b, s-1-k_s); of rows 0 and a/2 those
//              with k_s < s/2, and bin n/2
//   layout     real     (j_a, high part of j_b) on partitions, (low part of j_b, j_s) along
//              middle   j_s on partitions
//              bins     k_s of 0 ... s/2 - 1 on partitions, (plane, k_b, k_a) along
namespace papilio::kernels_detail {

struct long_line {
  std::int64_t n = 1, a = 1, b = 1, s = 1;
  std::int64_t side = 0, bank = 0;  ///< of the array, and fp32 elements of a bank of PSUM
  bool inverse = false;
  double scale = 1;
  std::int64_t high = 1;   ///< values of the high part of j_b
  std::int64_t rows = 1;   ///< pairs of a group of the stage over b
  std::int64_t chunk = 1;  ///< values of k_b whose bins leave or enter together
  int depth = 2;           ///< tiles that hold lines

  std::int64_t pairs() const { return a / 2; }
  std::int64_t half() const { return s / 2; }
  std::int64_t low() const { return b / high; }
  std::int64_t points() const { return a * high; }     ///< partitions of the real line
  std::int64_t group() const { return 2 * b * rows; }  ///< reals of a group
  std::int64_t groups() const { return pairs() / rows; }
  /// Columns of the middle: groups (group, plane, k_b, row), then row a/2 as (plane, k_b).
  std::int64_t columns() const { return groups() * group() + 2 * b; }
  std::int64_t unit() const { return 2 * bank; }
  std::int64_t chunks() const { return b / chunk; }
  /// Partition of the conjugated bins' first row in products over s.
  std::int64_t mirror() const { return side / 2; }
};

/// How a length is cut; none where its factors are others, or a line does not fit SBUF.
std::optional<long_line> long_line_of(std::int64_t n, bool inverse, double scale,
                                      const engine::machine_spec& machine);

/// What `outer` lines take, roughly.
double seconds_of(const long_line& line, std::int64_t outer, const engine::machine_spec& machine);

/// Matrices of the stages over a [points, points], over b [group, columns] and over s
/// [side, 4 side], and the twiddle factors [s, columns], cosines where real parts are, sines where
/// imaginary ones: forward as columns of the middle are, back (chunk, plane, group, k_b, row), then
/// those of row a/2.
void fill_over_a(const long_line& g, std::span<float> table);
void fill_over_b(const long_line& g, std::span<float> table);
void fill_over_s(const long_line& g, std::span<float> table);
void fill_turns(const long_line& g, std::span<float> table);

/// Transforms of [outer, n] to [2, outer, n/2 + 1], or back.
fft_step long_line_step(std::int64_t outer, const long_line& line);

}  // namespace papilio::kernels_detail
