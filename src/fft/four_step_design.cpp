// Design of four-step transforms: their factors and their cost.
#include "fft/four_step.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "fft/design.hpp"
#include "fft/stockham.hpp"

namespace papilio::fft_detail {

namespace {

constexpr std::size_t least_n = 256;
// Longer lines fit no memory; the search for their factors would take long to find that out.
constexpr std::size_t most_n = std::size_t{1} << 40;

// The first pass of long columns reads memory in as many streams as its radix: of three powers of two
// or more the smallest leads, then the largest.
void read_in_few_streams(std::vector<std::size_t>& radices) {
  if (radices.size() < 3 || !std::ranges::all_of(radices, std::has_single_bit<std::size_t>)) return;
  std::ranges::sort(radices, std::greater{});
  std::rotate(radices.begin(), radices.end() - 1, radices.end());
}

}  // namespace

std::optional<recipe> design_four_step(std::size_t n) {
  if (n < least_n || n > most_n) return std::nullopt;
  std::optional<recipe> best;
  double best_cost = std::numeric_limits<double>::infinity();
  for (std::size_t a = least_four_step_factor; a <= n / a; ++a) {
    if (n % a != 0 || a * 64 < n / a) continue;
    for (const std::size_t n1 : {a, n / a}) {
      auto columns = design_columns(n1, false), rows = design_columns(n / n1, false);
      if (!columns || !rows) continue;
      recipe r{recipe_kind::four_step, n, {}, {std::move(*columns), std::move(*rows)}};
      if (const double c = four_step_cost(r); c < best_cost) {
        best_cost = c;
        best = std::move(r);
      }
    }
  }
  if (best)
    for (recipe& part : best->parts) {
      part = *design_columns(part.n);
      read_in_few_streams(part.radices);
    }
  return best;
}

double four_step_cost(const recipe& r) {
  // Blocks of 16 columns, the last one as dear as a whole one.
  const auto whole = [](std::size_t columns) {
    return static_cast<double>((columns + 15) / 16 * 16) / static_cast<double>(columns);
  };
  const double columns = column_cost(r.parts[0]) * whole(r.parts[1].n);
  const double rows = column_cost(r.parts[1]) * whole(r.parts[0].n);
  const double memory = r.n <= 8192 ? 1.27 : r.n <= 65536 ? 1.45 : r.n <= 131072 ? 2.0 : 2.6;
  // Otherwise the matrix is a third array in the cache.
  const double through = r.parts[0].n % 16 == 0 ? 1 : r.n <= 65536 ? 1.1 : 1.4;
  // A long factor's tiles leave the first caches.
  const double ratio =
      std::log2(static_cast<double>(r.parts[0].n) / static_cast<double>(r.parts[1].n));
  return static_cast<double>(r.n) * memory * through * (columns + rows + 5.5) *
         (1 + 0.02 * ratio * ratio);
}

}  // namespace papilio::fft_detail
