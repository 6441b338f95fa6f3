#include "blas/block_grid.hpp"

#include <algorithm>
#include <cmath>

#include "base/share.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::blas_detail {
namespace {

// Edges of blocks are multiples of this, which the registers of the kernels of BLAS divide.
constexpr std::size_t grain = 16;
constexpr std::size_t least_edge = 6 * grain;
constexpr std::size_t most_edge = (std::size_t{1} << 20) / grain * grain;
// Libraries have special ways for products below a million multiplications, and for narrow ones;
// blocks between rows are kept above both, so that they are computed as the whole is.
constexpr double least_multiplications = 0x1p20;
constexpr std::size_t least_columns = 16;
// A grid costs time on one thread too, since its blocks pack the same panels again.
constexpr double worth_a_grid = 8 * worth_a_thread;
// Rows of a panel: fewer than libraries pack at once of the operand that has none of them.
constexpr std::size_t panel_rows = 96 * row_grain;
// A sum is cut where C is small and the sum long.
constexpr std::size_t most_summed = std::size_t{1} << 14;
constexpr std::size_t longest_part = std::size_t{1} << 30;
constexpr double most_sums = 16;

std::size_t blocks_along(std::size_t extent, std::size_t edge) {
  return (extent + edge - 1) / edge;
}

std::size_t edge_for(std::size_t extent, std::size_t blocks) {
  const std::size_t even = blocks_along(extent, blocks);
  return std::clamp(blocks_along(even, grain) * grain, least_edge, most_edge);
}

// Each block packs its panels of A and B anew, which at 1024 x 1024 x 1024 costs 5 % for two blocks
// and 9 % for four: so blocks are few and grow with the problem. A power of two, so that two
// threads have as much to do.
double wanted_blocks(double work) {
  if (work < 2 * worth_a_thread) return 1;
  return std::max(2.0, std::exp2(std::round(std::log2(std::sqrt(work / 0x1p31)))));
}

bool has_long_sum(std::size_t m, std::size_t n, std::size_t k) {
  return n != 0 && m <= most_summed / n && k / 64 >= std::max(m, n);
}

// Rows that a block must have to be computed as the whole is, and to be worth a thread.
std::size_t least_rows(std::size_t n, std::size_t k, std::size_t weight) {
  const double line = static_cast<double>(n) * static_cast<double>(k);
  const double rows =
      std::max(least_multiplications / line, worth_a_thread / (line * static_cast<double>(weight)));
  // Rows are rounded to the nearest grain, and one is added for the rounding of the blocks' edges.
  const auto grains = static_cast<std::size_t>(rows / static_cast<double>(row_grain) + 0.5) + 1;
  return grains * row_grain;
}

}  // namespace

product_cut cut_product(std::size_t m, std::size_t n, std::size_t k, std::size_t weight,
                        bool (*has_separable_rows)()) {
  product_cut result;
  const double work = work_of(m, n, k, weight);
  if (work < 2 * worth_a_thread) return result;
  if (has_long_sum(m, n, k)) {
    const double sums = std::min(most_sums, std::floor(work / worth_a_thread));
    const std::size_t even = blocks_along(k, static_cast<std::size_t>(sums));
    result.by = product_cut::kind::sum;
    result.terms = std::min(longest_part, blocks_along(even, grain) * grain);
    result.sums = blocks_along(k, result.terms);
    return result;
  }
  using enum product_cut::kind;
  const auto wanted = static_cast<std::size_t>(wanted_blocks(work));
  const bool is_tall = n >= least_columns && m >= wanted * least_rows(n, k, weight);
  if (!has_separable_rows()) {
    result.by = grid;
  } else if (is_tall) {
    result.by = rows;
    result.panels = std::max<std::size_t>(1, (m + panel_rows / 2) / panel_rows);
  } else if (work >= worth_a_grid) {
    result.by = grid;
  }
  return result;
}

std::size_t row_blocks::first(std::size_t index) const {
  if (index >= count()) return rows;
  const std::size_t panel = index / parts, start = panel * panel_rows;
  const std::size_t end = panel + 1 == panels ? rows : start + panel_rows;
  const std::size_t even = (end - start) * (index % parts) / parts;
  return start + (even + row_grain / 2) / row_grain * row_grain;
}

row_blocks share_rows(std::size_t panels, std::size_t items, int team, std::size_t m, std::size_t n,
                      std::size_t k, std::size_t weight) {
  row_blocks result{m, panels, 1};
  const auto threads = team == 0 ? static_cast<std::size_t>(wanted_blocks(work_of(m, n, k, weight)))
                                 : static_cast<std::size_t>(team);
  const std::size_t blocks = panels * items;
  double wanted = blocks % threads == 0 || blocks / threads >= 4 ? 1 : static_cast<double>(threads);
  if (team > 0 && base_detail::is_interruptible())
    wanted = std::max(wanted, std::ceil(work_of(m, n, k, weight) /
                                        (static_cast<double>(panels) * longest_block)));
  if (wanted <= 1) return result;
  // A panel but the only one has at least half of its rows.
  const std::size_t rows = panels == 1 ? m : panel_rows / 2;
  const std::size_t most = std::max<std::size_t>(1, rows / least_rows(n, k, weight));
  result.parts = static_cast<std::size_t>(std::min(wanted, static_cast<double>(most)));
  return result;
}

block_grid cut(std::size_t m, std::size_t n, std::size_t k, std::size_t weight) {
  const double work = work_of(m, n, k, weight);
  const double wanted = std::max(wanted_blocks(work), work / longest_block);
  std::size_t row_blocks = 1, column_blocks = 1;
  while (static_cast<double>(row_blocks * column_blocks) < wanted) {
    const std::size_t rows = m / row_blocks, columns = n / column_blocks;
    if (std::max(rows, columns) < 2 * least_edge) break;
    (rows >= columns ? row_blocks : column_blocks) *= 2;
  }
  block_grid grid;
  grid.block_rows = edge_for(m, row_blocks);
  grid.block_columns = edge_for(n, column_blocks);
  grid.row_blocks = blocks_along(m, grid.block_rows);
  grid.column_blocks = blocks_along(n, grid.block_columns);
  return grid;
}

std::size_t cut_line(std::size_t inner, std::size_t outer, std::size_t weight) {
  const double wanted = wanted_blocks(work_of(inner, inner, outer, weight));
  const auto most = static_cast<double>(std::max<std::size_t>(1, outer / least_edge));
  return edge_for(outer, static_cast<std::size_t>(std::min(wanted, most)));
}

std::size_t cut_square(std::size_t n, std::size_t k, std::size_t weight) {
  const double wanted = std::sqrt(2 * wanted_blocks(work_of(n, n, k, weight)));
  const auto most = static_cast<double>(std::max<std::size_t>(1, n / least_edge));
  return edge_for(n, static_cast<std::size_t>(std::min(wanted, most)));
}

int threads_for(double work, int threads) {
  if (threads == 1 || work < 2 * worth_a_thread) return 1;
  const double worth = std::min(work / worth_a_thread, 0x1p16);
  return std::min(thread_count(threads), static_cast<int>(worth));
}

}  // namespace papilio::blas_detail
