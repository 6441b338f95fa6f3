#include "kernels/stft/istft_design.hpp"

#include <algorithm>
#include <complex>

#include "base/roots_of_unity.hpp"

namespace papilio::kernels_detail {
namespace {

using base_detail::roots_of_unity;

// exp(+2 pi i k / n)
std::complex<double> turn(const roots_of_unity<double>& roots, std::int64_t k, std::int64_t n) {
  return std::conj(roots(static_cast<std::size_t>(k % n)));
}

}  // namespace

double sum_of_squares(const istft_design& d, std::span<const float> window, std::int64_t h,
                      std::int64_t i) {
  double sum = 0;
  for (std::int64_t b = d.parts.first; b <= d.parts.last(); ++b) {
    const std::int64_t segment = d.parts.quotient + h * d.parts.hops - b;
    if (segment < 0 || segment >= d.segments || !d.parts.within(b, i, d.factors.n)) continue;
    const double w = window[static_cast<std::size_t>(b * d.parts.hop + d.parts.rest + i)];
    sum += w * w;
  }
  return sum;
}

void fill_weights(const table_writer& table, const istft_design& d, std::span<const float> window) {
  const auto row = [&](std::int64_t at, std::int64_t h, std::int64_t width) {
    for (std::int64_t i = 0; i < width; ++i)
      if (const double sum = d.adjoint ? 1 : sum_of_squares(d, window, h, i); sum > 0)
        table.put(at, i, 1 / sum);
  };
  stretch_groups(d).each_of_other_weights([&](const stretch_group& g) {
    if (g.weights == 0)
      row(0, g.first, d.parts.stretch());
    else
      for (std::int64_t h = 0; h < g.count; ++h) row(g.weights + h, g.first + h, g.width);
  });
}

void fill_inverse_first(const table_writer& table, const istft_design& d, double ends) {
  const stft_factors& f = d.factors;
  const roots_of_unity<double> roots(static_cast<std::size_t>(f.n));
  const std::int64_t r2 = f.r2;
  const auto put = [&](std::int64_t unit, std::int64_t row, std::int64_t slot, std::int64_t j2,
                       double value) {
    table.put(row, unit * f.unit_points() + slot * r2 + j2, value);
  };
  for (std::int64_t j2 = 0; j2 < r2; ++j2) {
    for (std::int64_t m = 0; m < 2 * r2; ++m) {
      const std::int64_t bin = m <= r2 ? m : m - r2;  // in steps of r1 / 2
      const double mirrored = bin == 0 || bin == r2 ? ends : d.mirrored();
      const std::complex<double> z = turn(roots, j2 * bin * (f.r1 / 2), f.n);
      put(0, m, bin % 2, j2, mirrored * (m <= r2 ? z.real() : -z.imag()));
    }
    for (std::int64_t unit = 1; unit < f.units(); ++unit)
      for (std::int64_t half = 0; half < 2; ++half)
        for (std::int64_t k2 = 0; k2 < r2 / 2; ++k2) {
          // The bins of residue r1 - k1 stand for the conjugates of the others of residue k1.
          const double sign = half == 0 ? 1 : -1;
          const std::complex<double> z =
              turn(roots, j2 * ((half == 0 ? unit : f.r1 - unit) + f.r1 * k2), f.n);
          const std::int64_t re = half * r2 + k2, im = re + r2 / 2;
          put(unit, re, 0, j2, z.real());
          put(unit, im, 0, j2, -z.imag());
          put(unit, re, 1, j2, sign * z.imag());
          put(unit, im, 1, j2, sign * z.real());
        }
  }
}

void fill_inverse_last(const table_writer& table, const istft_design& d,
                       std::span<const float> window) {
  const stft_factors& f = d.factors;
  const roots_of_unity<double> roots(static_cast<std::size_t>(f.r1));
  const std::int64_t g = f.side_by_side, part = d.part_columns();
  for (std::int64_t slot = 0; slot < f.r1; ++slot) {
    const std::int64_t k1 = slot == 0 ? 0 : slot == 1 ? f.r1 / 2 : slot / 2;
    for (std::int64_t b = 0; b < d.parts.count; ++b)
      for (std::int64_t i = 0; i < d.parts.stretch(); ++i) {
        if (!d.parts.within(b + d.parts.first, i, f.n)) continue;
        const std::int64_t j = (b + d.parts.first) * d.parts.hop + d.parts.rest + i;
        const std::int64_t j1 = j / f.r2, j2 = j % f.r2;
        const std::complex<double> z = turn(roots, j1 * k1, f.r1);
        const double value =
            slot < 2 ? z.real() : d.mirrored() * (slot % 2 == 0 ? z.real() : -z.imag());
        const std::int64_t column = (j2 / g * d.parts.count + b) * part + i / f.r2 * g + j2 % g;
        table.put(slot * g + j2 % g, column,
                  value * window[static_cast<std::size_t>(j)] * d.scale());
      }
  }
}

void fill_inverse_direct(const table_writer& table, const istft_design& d,
                         std::span<const float> window, double ends) {
  const stft_factors& f = d.factors;
  const std::vector<std::complex<double>> roots = all_roots(f.n);
  for (std::int64_t c = 0; c < f.n; ++c) {
    const std::int64_t k = c < f.bins() ? c : c - f.bins() + 1;
    const double mirrored = k == 0 || 2 * k == f.n ? ends : d.mirrored();
    for (std::int64_t b = 0; b < d.parts.count; ++b)
      for (std::int64_t i = 0; i < d.parts.stretch(); ++i) {
        if (!d.parts.within(b + d.parts.first, i, f.n)) continue;
        const std::int64_t j = (b + d.parts.first) * d.parts.hop + d.parts.rest + i;
        const std::complex<double> z = std::conj(roots[static_cast<std::size_t>(j * k % f.n)]);
        table.put(c, b * d.parts.stretch() + i,
                  mirrored * (c < f.bins() ? z.real() : -z.imag()) *
                      window[static_cast<std::size_t>(j)] * d.scale());
      }
  }
}

}  // namespace papilio::kernels_detail
