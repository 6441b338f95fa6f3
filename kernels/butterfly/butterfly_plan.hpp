#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/fft/fft_design.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::kernels_detail {

/// Part of a pass: items, groups p and places q within a group.
struct butterfly_chunk {
  std::int64_t g = 0, items = 1, p = 0, groups = 1, q = 0, places = 1;
  std::int64_t width() const { return items * groups * places; }
};

/// One pass: y[s (r p + k) + q] = W_(r m)^(p k) sum over j of W_r^(j k) x[s (p + m j) + q],
/// p < m, q < s.
struct butterfly_stage {
  std::int64_t radix = 1, m = 1, s = 1;
  std::int64_t table = 0;  ///< first element of its twiddle factors, [array][k - 1][p]
  std::int64_t width = 0;  ///< butterflies of a chunk at most

  auto fields() const { return std::tie(radix, m, s, table, width); }
  bool last() const { return m == 1; }
  std::int64_t factors() const { return last() ? 0 : (radix - 1) * m; }
  /// All k at once, where the intermediates are short.
  bool merges() const { return radix <= 5; }
  /// Groups of a chunk at most.
  std::int64_t groups() const;
  std::vector<butterfly_chunk> chunks(std::int64_t items) const;
};

/// What the kernel keeps where. Sizes are in fp32 of a partition.
struct butterfly_plan {
  bool compensated = false, inverse = false;
  std::int64_t n = 1;
  int lanes = 0;           ///< partitions
  std::int64_t items = 1;  ///< of a partition at most
  std::vector<butterfly_stage> stages = {};
  int arrays = 2;  ///< numbers of a twiddle factor
  std::int64_t table_size = 0;
  int depth = 2;                      ///< of the two pools of data
  bool resident = true;               ///< the table; else it passes by
  std::int64_t table_chunk = 0;       ///< of a place of the table's pool
  std::int64_t work = 0, parked = 0;  ///< intermediates in SBUF and PSUM

  auto fields() const {
    return std::tie(compensated, inverse, n, lanes, items, stages, arrays, table_size, depth,
                    resident, table_chunk, work, parked);
  }
};

/// The design of butterfly_fft.
struct butterfly_design {
  butterfly_plan plan = {};
  std::int64_t batch = 1;
  float scale = 1;

  auto fields() const { return std::tie(plan, batch, scale); }
  std::string describe() const;
  butterfly_design without_batch() const { return {plan, 0, scale}; }
};

/// Factors in the order of the passes: one 2 if there is one, 3, 4 ..., then larger primes. Empty
/// if a prime exceeds 31, which is then in `too_large`.
std::vector<std::int64_t> butterfly_radices(std::int64_t n, std::int64_t& too_large);

/// A depth of 0 means that it does not fit.
butterfly_plan make_butterfly_plan(const fft_lines& lines, bool inverse, bool compensated,
                                   const engine::machine_spec& machine);

double butterfly_error(const butterfly_plan& plan, double scale);

/// exp(-+2 pi i j k / r) in double.
struct butterfly_root {
  double re, im;
};
butterfly_root root_of_unity(std::int64_t r, std::int64_t k, bool inverse);

/// A number as the sum of two fp32, and the first of them as the sum of two of 12 bits.
struct split_number {
  float high, low, upper, lower;
};
split_number split(double value);

void fill_butterfly_table(const butterfly_plan& plan, std::span<float> out);

}  // namespace papilio::kernels_detail
