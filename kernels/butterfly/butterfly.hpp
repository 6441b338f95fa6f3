#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/transform/fft_design.hpp"
#include "papilio/engine/core.hpp"

// FFT of lines by Stockham passes on the vector engine, plain or in doubled fp32 ("compensated").
namespace papilio::kernels_detail {

/// One pass of radix r: y[s (r p + k) + q] = w(r m)^(p k) sum over j of w(r)^(j k) x[s
/// (p + m j) + q] for p < m, q < s.
struct butterfly_stage {
  std::int64_t radix = 1, m = 1, s = 1;
  std::int64_t table = 0;  ///< first element of its twiddle factors, [array][k - 1][p]
  std::int64_t width = 0;  ///< most butterflies of an instruction

  auto fields() const { return std::tie(radix, m, s, table, width); }
  bool last() const { return m == 1; }
  std::int64_t factors() const { return last() ? 0 : (radix - 1) * m; }
  /// Whether one instruction multiplies all k by twiddles: intermediates of small radices fit.
  bool merges() const { return radix <= 5; }
};

/// The design of butterfly_fft; sizes count fp32 elements of a partition.
struct butterfly_design {
  bool compensated = false, inverse = false;
  std::int64_t n = 1, batch = 1;
  float scale = 1;
  int partitions = 0, depth = 0;  ///< partitions; of the pools of data, 0: it does not fit
  std::int64_t items = 1;         ///< of a partition at most
  std::vector<butterfly_stage> stages = {};
  std::int64_t table_size = 0, table_chunk = 0;     ///< twiddle factors, those of a chunk
  std::int64_t work_columns = 0, psum_columns = 0;  ///< intermediates

  auto fields() const {
    return std::tie(compensated, inverse, n, batch, scale, partitions, depth, items, stages,
                    table_size, table_chunk, work_columns, psum_columns);
  }
  std::string describe() const;
  butterfly_design without_batch() const;
  /// Numbers that hold a twiddle factor: 1 for each part, or those of split_number.
  std::int64_t arrays() const { return compensated ? 8 : 2; }
};

butterfly_design design_butterfly(const fft_lines& lines, bool inverse, bool compensated,
                                  float scale, const engine::machine_spec& machine);

/// The least prime factor of n above 31, which butterflies do not have; 0 if there is none.
std::int64_t prime_beyond_butterflies(std::int64_t n);

/// Expected relative error; `scale` is the factor before it is rounded to fp32.
double butterfly_error(const butterfly_design& design, double scale);

/// A number as the sum of two fp32 (elements 0 and 1), and the first of these as the sum of two
/// numbers of 12 bits (elements 2 and 3).
using split_number = std::array<float, 4>;
split_number split(double value);

void fill_butterfly_table(const butterfly_design& design, std::span<float> out);

/// Transforms `in` to `out`, both [2, batch, n] in HBM. `table` is as fill_butterfly_table writes it;
/// empty where table_size is 0.
void run_butterfly(engine::core& nc, const butterfly_design& design, const engine::hbm_view& in,
                   const engine::hbm_view& out, const engine::hbm_view& table);

}  // namespace papilio::kernels_detail
