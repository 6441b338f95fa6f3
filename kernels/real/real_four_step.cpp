// How long real lines go in two sweeps.
//   identity   with j = j1 n2 + j2 and k = k1 + n1 k2 the columns over j1 are real lines, of which
//              rows k1 <= n1/2 are enough, and their transforms over j2, with the twiddle factors
//              w(n)^(k1 j2), all bins: those of 2 k2 >= n2 as the conjugates of the bins
//              (n1 - k1) + n1 (n2 - 1 - k2)
//   forward    real columns that leave line by line with the factors (column_access.hpp), then
//              columns to bins (fft_pass::spectrum_rows)
//   inverse    the transpose: columns from bins, which leave by rows with the factors, then real
//              columns
//   bound      DMA: half of the complex four-step's
#include "kernels/real/real_four_step.hpp"

#include <utility>

#include "kernels/choice.hpp"
#include "kernels/fft/axis_design.hpp"
#include "kernels/fft/factors.hpp"
#include "kernels/fft/recipe_time.hpp"
#include "kernels/real/line_factors.hpp"
#include "kernels/real/real_lines.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using engine::machine_spec;

namespace {

std::optional<fft_recipe> in_two_sweeps(std::int64_t outer, std::int64_t n1, std::int64_t n2,
                                        bool inverse, double scale, const machine_spec& machine) {
  const std::int64_t n = n1 * n2, reals = outer * n, bins = 2 * outer * (n / 2 + 1);
  real_lines columns{.lines = outer * n2, .n = n1, .inverse = inverse, .scale = scale};
  columns.columns = line_columns{.outer = outer, .inner = n2, .twiddle_order = inverse ? 0 : n};
  std::optional<fft_pass> pass = spectrum_pass(outer, n1, n2, inverse, machine);
  if (!pass) return {};
  auto programs = resident_lines(columns, machine);
  if (programs.empty() || (!inverse && !takes_factors(programs.front()))) return {};
  const std::int64_t between = 2 * columns.lines * columns.bins();
  fft_recipe lines, spectra;
  append_programs(lines, std::move(programs), inverse ? between : reals, inverse ? reals : between);
  try {
    append_passes(spectra, {std::move(*pass)}, between, 1, machine);
  } catch (const resource_error&) {
    return {};
  }
  spectra.steps.front().in_elements = inverse ? bins : between;
  spectra.steps.front().out_elements = inverse ? between : bins;
  fft_recipe &first = inverse ? spectra : lines, &second = inverse ? lines : spectra;
  for (fft_step& step : second.steps) first.steps.push_back(std::move(step));
  return std::move(first);
}

}  // namespace

std::optional<fft_recipe> fastest_four_step(std::int64_t outer, std::int64_t n, bool inverse,
                                            double scale, const machine_spec& machine) {
  const std::int64_t tried = std::min(outer, machine.thresholds.compared_factor_lines_max),
                     unequal = machine.thresholds.unequal_factors_max;
  std::vector<std::int64_t> factors;
  for (const std::int64_t n1 : divisors_of(n)) {
    const std::int64_t n2 = n / n1;
    // Bin n / 2 is of the row k1 = 0, which is real from its beginning.
    if (n % 2 == 0 && n2 % 2 != 0) continue;
    // Short rows of DMA, and steps that have to wait for each other, take longer than equal ones.
    if (n1 < 3 || n2 < 2 || n1 > unequal * n2 || n2 > unequal * n1) continue;
    factors.push_back(n1);
  }
  if (factors.empty()) return {};
  const auto found = cheapest(factors, [&](std::int64_t n1) -> std::optional<price> {
    const auto recipe = in_two_sweeps(tried, n1, n / n1, inverse, scale, machine);
    if (!recipe) return {};
    return price{modelled_seconds(*recipe, machine)};
  });
  if (found.compared.empty()) return {};
  return in_two_sweeps(outer, found.best, n / found.best, inverse, scale, machine);
}

}  // namespace papilio::kernels_detail
