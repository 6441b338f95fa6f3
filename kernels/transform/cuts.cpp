#include "kernels/transform/cuts.hpp"

#include <algorithm>
#include <utility>

#include "kernels/transform/error_model.hpp"
#include "kernels/transform/factors.hpp"

namespace papilio::kernels_detail {

using engine::machine_spec;

namespace {

constexpr std::size_t cuts_max = 16;

void add_cuts(std::vector<std::vector<std::int64_t>>& all, const std::vector<std::int64_t>& before,
              std::int64_t n, int most, std::int64_t radix_most) {
  if (n <= radix_most && (n > 1 || before.empty())) {
    all.push_back(before);
    all.back().push_back(n);
  }
  if (most == 1) return;
  for (const std::int64_t r : divisors_of(n)) {
    if (r == 1 || r == n || r > radix_most) continue;
    std::vector<std::int64_t> with = before;
    with.push_back(r);
    add_cuts(all, with, n / r, most - 1, radix_most);
  }
}

}  // namespace

std::vector<std::vector<std::int64_t>> cuts_of(std::int64_t n, std::int64_t radix_most) {
  std::vector<std::vector<std::int64_t>> all;
  for (int digits = 2; all.empty() && digits <= 3; ++digits)
    add_cuts(all, {}, n, digits, radix_most);
  // The most even ones are kept where there are many.
  std::ranges::stable_sort(all, {}, [](const auto& radices) { return std::ranges::max(radices); });
  if (all.size() > cuts_max) {
    all.resize(cuts_max);
    if (n <= radix_most) all.push_back({n});
  }
  return all;
}

std::vector<std::vector<std::int64_t>> accurate_cuts_of(std::int64_t n, bool real,
                                                        const machine_spec& machine) {
  std::vector<std::vector<std::int64_t>> cuts = cuts_of(n, machine.tensor.rows);
  if (!real && n > machine.thresholds.one_stage_points_max && cuts.size() > 1)
    std::erase_if(cuts, [](const auto& radices) { return radices.size() == 1; });
  return cuts;
}

double block_seconds(std::span<const transform_stage> stages, const array_operands& operands,
                     const machine_spec& machine, std::int64_t runs) {
  const engine::tensor_engine_spec& array = machine.tensor;
  const engine::scalar_engine_spec& scalar = machine.scalar;
  const double passes = operands.is_fp32() ? array.fp32_passes : operands.products(),
               transposed = array.rows * array.fp32_transpose_passes;
  double products = 0, leaving = 0;  // cycles of the array, of the scalar engine
  for (const transform_stage& s : stages)
    for (const product_unit& u : s.units) {
      const double pieces = double(u.pieces.size()),
                   parts = double(s.overlap.is_none() ? runs : s.overlap.parts),
                   exits = double(s.overlap.is_none() ? runs : 1);
      products +=
          parts * pieces * passes * std::max(array.min_initiation_cycles, double(u.columns));
      leaving += exits * (double(u.products * u.columns) * scalar.cycles_per_element +
                          scalar.static_cycles *
                              double(s.scattered ? 1 : std::max<std::size_t>(1, u.copies.size())));
      if (u.is_continued) continue;
      products += double(runs) * pieces * transposed;
      leaving += double(runs) * (pieces * array.rows * operands.parts * scalar.cycles_per_element +
                                 scalar.static_cycles);
    }
  return std::max(products / array.clock_hz, leaving / scalar.clock_hz);
}

std::int64_t table_words(std::span<const transform_stage> stages, const array_operands& operands) {
  std::int64_t words = 0;
  for (const transform_stage& s : stages) words += operands.words(s.table_columns);
  return words;
}

double squared_error_of(std::span<const transform_stage> stages, const array_operands& operands,
                        bool is_windowed, const machine_spec& machine) {
  double sum = 0;
  for (const transform_stage& s : stages) {
    const double lines = double(s.overlap.is_none() ? 1 : s.overlap.terms()),
                 terms = 2 * double(s.points) * lines;
    if (operands.is_fp32())
      sum += stage_error(double(s.points) + lines - 1);
    else if (is_windowed)
      sum += squared_error_of_split_products(terms, operands.parts, machine.tensor.rows);
    else
      sum += squared_error_of_parts(terms, 1, s.radix, s.order, operands);
  }
  return sum;
}

}  // namespace papilio::kernels_detail
