#include "kernels/transform/formula.hpp"

#include <algorithm>

#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

std::int64_t transform_formula::n() const { return rows_after(stages()); }

std::int64_t transform_formula::rows_after(int t) const {
  std::int64_t rows = 1;
  for (int s = 0; s < t; ++s) rows *= radices[std::size_t(s)];
  return rows;
}

namespace {

// Partial products of the extents: the rows before each axis, and of all axes.
std::vector<std::int64_t> axis_bounds(const transform_formula& f) {
  std::vector<std::int64_t> bounds{1};
  for (const std::int64_t extent : f.extents) bounds.push_back(bounds.back() * extent);
  if (f.extents.empty()) bounds.push_back(f.n());
  return bounds;
}

}  // namespace

std::int64_t transform_formula::rows_of_axes_before(int t) const {
  std::int64_t before = 1;
  for (const std::int64_t bound : axis_bounds(*this))
    if (bound <= rows_after(t) && bound < n()) before = bound;
  return before;
}

bool transform_formula::is_cut_well() const {
  const std::vector<std::int64_t> bounds = axis_bounds(*this);
  for (int t = 1; t < stages(); ++t) {
    const std::int64_t rows = rows_after(t);
    const auto next = std::ranges::upper_bound(bounds, rows);
    if (next == bounds.end() || rows % *(next - 1) != 0 || *next % rows != 0) return false;
  }
  return true;
}

std::string transform_formula::describe() const {
  std::string text = base_detail::message(n(), radices.size() > 1 ? " =" : "");
  if (radices.size() > 1)
    for (const std::int64_t r : radices)
      text += base_detail::message(text.ends_with('=') ? " " : " x ", r);
  return text;
}

std::vector<transform_element> elements_after(const transform_formula& f, int t, std::int64_t lines,
                                              bool whole) {
  const std::int64_t rows = f.rows_after(t), left = f.n() / rows;
  std::vector<transform_element> all;
  for (std::int64_t k = 0; k < (f.real ? rows / 2 + 1 : rows); ++k) {
    const bool is_real = f.real && 2 * k % rows == 0 && !whole;
    for (int plane = 0; plane < (is_real ? 1 : 2); ++plane)
      for (std::int64_t line = 0; line < lines; ++line)
        for (std::int64_t j = 0; j < left; ++j) all.push_back({k, j, line, plane});
  }
  return all;
}

stage_coefficient::stage_coefficient(const transform_formula& f, int t, std::int64_t row)
    : f_(f),
      before_(f.rows_after(t)),
      all_(f.rows_after(t + 1)),
      left_(f.n() / all_),
      row_(f.varies(t) ? row : 0),
      first_(t == 0),
      last_(t + 1 == f.stages()) {
  const std::vector<std::int64_t> bounds = axis_bounds(f);
  for (std::size_t a = 0; a + 1 < bounds.size(); ++a) {
    const std::int64_t low = std::max(before_, bounds[a]), high = std::min(all_, bounds[a + 1]),
                       rows = high / bounds[a], before = a == 0 ? f.rows_before : 1;
    if (low < high)
      parts_.push_back({all_ / high, high / low, bounds[a], rows, before,
                        base_detail::roots_of_unity<double>(std::size_t(rows * before))});
  }
}

double stage_coefficient::operator()(const transform_element& in,
                                     const transform_element& out) const {
  if (in.line != out.line || in.j % left_ != out.j) return 0;
  const bool is_direct = out.k % before_ == in.k;
  if (!is_direct && !(f_.real && (all_ - out.k) % before_ == in.k)) return 0;
  std::complex<double> u = 1;
  for (const part& p : parts_) {
    const std::int64_t k = out.k / p.aside % p.rows;
    u *= p.root(
        std::size_t(in.j / left_ / p.inside % p.radix * (p.before > 1 ? row_ + p.before * k : k)));
  }
  if (f_.conjugated) u = std::conj(u);
  if (first_ && !f_.point_factors.empty()) u *= f_.point_factors[std::size_t(in.j)];
  if (last_) {
    if (!f_.bin_factors.empty()) u *= f_.bin_factors[std::size_t(out.k)];
    const bool stands_for_two = f_.real && f_.transposed && !f_.cosine && 2 * out.k % all_ != 0;
    u *= stands_for_two ? 2 * f_.scale : f_.scale;
  }
  // The real or imaginary part of u a, or of u conj a.
  if (in.plane == 1) u *= std::complex<double>(0, is_direct ? 1 : -1);
  if (out.plane == 0) return u.real();
  return last_ && f_.cosine ? -u.imag() : u.imag();
}

// of_distance_[d] is the sum of H[k] w(R r)^(k d) over the bins k = row + R m of a row.
round_trip_coefficient::round_trip_coefficient(const transform_formula& f)
    : radix_(f.radices.back()) {
  const std::int64_t n = f.n(), rows = n / radix_;
  const base_detail::roots_of_unity<double> root{std::size_t(n)};
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t d = 1 - radix_; d < radix_; ++d) {
      std::complex<double> sum = 0;
      for (std::int64_t k = row; k < n; k += rows)
        sum += f.bin_factors[std::size_t(k)] * root(std::size_t((d + radix_) * k % n));
      // The distance is counted from -radix: w(n)^(-radix k) is w(rows)^(-row).
      of_distance_.push_back(sum * std::conj(root(std::size_t(row * radix_))));
    }
}

double round_trip_coefficient::operator()(const transform_element& in,
                                          const transform_element& out) const {
  if (in.line != out.line || in.k != out.k) return 0;
  std::complex<double> u =
      of_distance_[std::size_t(in.k * (2 * radix_ - 1) + in.j - out.j + radix_ - 1)];
  if (in.plane == 1) u *= std::complex<double>(0, 1);
  return out.plane == 0 ? u.real() : u.imag();
}

}  // namespace papilio::kernels_detail
