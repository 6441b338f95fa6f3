#include "kernels/stft/stft_design.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <utility>

#include "base/roots_of_unity.hpp"
#include "kernels/fft/error_model.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {
namespace {

using base_detail::roots_of_unity;

// Cycles of the array for 128 lanes: a pass for each column of the matrices, and the transposes.
// Operands of fewer bits than fp32 take few passes; then the engine that empties PSUM may take
// longer, which a transpose leaves once for each part.
class stage_cycles {
 public:
  stage_cycles(const array_operands& operands, std::int64_t results, const engine::machine_spec& m)
      : operands_(operands), results_(double(results)), m_(m) {}

  double of(const stft_factors& f) const {
    if (f.direct) {
      const std::int64_t tiles = f.tiles(m_.tensor.rows);
      return bound(products(tiles, f.n, true), tiles);
    }
    return bound(products(f.groups(), f.group_points(), true) +
                     products(f.products(), f.product_points(), operands_.parts > 1),
                 f.groups() + f.products(), f.n);
  }

 private:
  double products(std::int64_t count, std::int64_t points, bool is_fp32_transposed) const {
    const engine::tensor_engine_spec& array = m_.tensor;
    const double columns = std::max(array.min_initiation_cycles, double(points)),
                 transposed = array.rows;
    if (operands_.is_fp32()) return double(count) * (transposed + array.fp32_passes * columns);
    return double(count) * (transposed * (is_fp32_transposed ? array.fp32_transpose_passes : 1) +
                            operands_.products() * columns);
  }
  double bound(double array, std::int64_t transposes, std::int64_t between = 0) const {
    if (operands_.is_fp32()) return array;
    const engine::scalar_engine_spec& scalar = m_.scalar;
    const double leaving =
        double(m_.tensor.rows * operands_.parts * transposes + between) + results_;
    const double together = double(2 * m_.psum.bank_bytes / 4);
    return std::max(array, leaving * (scalar.cycles_per_element + scalar.static_cycles / together) *
                               m_.tensor.clock_hz / scalar.clock_hz);
  }

  const array_operands& operands_;
  double results_;
  const engine::machine_spec& m_;
};

}  // namespace

void require_finite(const char* what, std::span<const float> values) {
  constexpr float most = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] >= -most && values[i] <= most))
      throw invalid_argument(
          base_detail::message(what, " must be finite, got ", values[i], " at ", i));
}

std::string stft_factors::describe() const {
  if (direct) return base_detail::message("direct: ", n, " points in one matrix of ", n, " x ", n);
  return base_detail::message("two stages: ", n, " points = ", r1, " (real, window folded; ",
                              groups(), " matrices of ", group_points(), ") x ", r2,
                              " (complex, twiddles folded; ", products(), " matrices of ",
                              product_points(), ")");
}

double stft_factors::expected_error(std::int64_t side, const array_operands& operands,
                                    std::int64_t overlapping) const {
  if (!operands.is_fp32()) {
    const auto stage = [&](std::int64_t points) {
      return squared_error_of_split_products(double(points), operands.parts, int(side));
    };
    return square_root(direct ? stage(n * overlapping) : stage(r1 * overlapping) + stage(2 * r2));
  }
  // Sums of K terms in array order err by about 1.8e-8 sqrt(K) of the result's norm.
  const std::int64_t terms = direct ? std::min(n, side) + tiles(side) : r1 + 2 * r2;
  return 1.8e-8 * square_root(double(terms) + 8);
}

stft_factors choose_factors(std::int64_t n, std::int64_t aligned, bool packed,
                            const array_operands& operands, std::int64_t results,
                            const engine::machine_spec& m) {
  const std::int64_t side = std::min<std::int64_t>(m.tensor.rows, m.tensor.stationary_columns_max);
  const stage_cycles price(operands, results, m);
  stft_factors best{.n = n};
  double least = price.of(best);
  for (std::int64_t r2 = 2; r2 <= side / 2; r2 += 2) {
    if (n % r2 != 0 || (n / r2) % 2 != 0 || n / r2 > side || (aligned != 0 && aligned % r2 != 0))
      continue;
    stft_factors f{.n = n, .direct = false, .r1 = n / r2, .r2 = r2};
    for (std::int64_t g = 1; g <= r2 && g * f.r1 <= side; ++g)
      if (r2 % g == 0) f.side_by_side = g;
    for (std::int64_t u = 1; packed && u <= f.units() && u * f.unit_points() <= side; ++u)
      if (f.units() % u == 0) f.together = u;
    const double cycles = price.of(f);
    // Of equals rather runs of two bins: the vector engine reads and writes neighbours faster.
    const bool runs = f.together > 1 && best.together == 1 && !best.direct;
    if (cycles < least || (cycles == least && runs)) least = cycles, best = f;
  }
  return best;
}

std::vector<std::complex<double>> all_roots(std::int64_t n) {
  const roots_of_unity<double> roots(static_cast<std::size_t>(n));
  std::vector<std::complex<double>> all;
  for (std::int64_t k = 0; k < n; ++k) all.push_back(roots(static_cast<std::size_t>(k)));
  return all;
}

void fill_direct(const table_writer& table, std::int64_t n, std::span<const float> window,
                 double ends) {
  const std::int64_t bins = n / 2 + 1;
  const std::vector<std::complex<double>> roots = all_roots(n);
  for (std::int64_t j = 0; j < n; ++j) {
    const double w = window[static_cast<std::size_t>(j)];
    for (std::int64_t k = 0, at = 0; k < bins; ++k, at = (at + j) % n) {
      const std::complex<double> z = roots[static_cast<std::size_t>(at)];
      table.put(j, k, z.real() * w * (k == 0 || 2 * k == n ? ends : 1));
      if (k > 0 && k <= n - bins) table.put(j, bins - 1 + k, z.imag() * w);
    }
  }
}

std::vector<float> hann(std::int64_t n) {
  const roots_of_unity<double> roots(static_cast<std::size_t>(n));
  std::vector<float> window(static_cast<std::size_t>(n));
  for (std::size_t j = 0; j < window.size(); ++j)
    window[j] = static_cast<float>(0.5 - 0.5 * roots(j).real());
  return window;
}

}  // namespace papilio::kernels_detail
