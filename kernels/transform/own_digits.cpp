// Products and tables of lines whose own digits are on the array's rows and columns: see
// own_digits.hpp.
#include "kernels/transform/own_digits.hpp"

#include <algorithm>

#include "base/roots_of_unity.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {
namespace {
namespace own_tables {

using complex = std::complex<double>;

// Evaluates factors for values of the digits.
class factor_values {
 public:
  explicit factor_values(const own_factors& f)
      : f_(f), root_(std::size_t(std::max<std::int64_t>(1, f.order))), chirp_(f.chirp.values()) {}

  complex operator()(const digit_values& at) const {
    if (f_.order == 0) {
      const auto index = std::size_t(f_.right(at));
      return index < chirp_.size() ? chirp_[index] * f_.scale : complex();
    }
    const complex w = root_(std::size_t(f_.left(at) * f_.right(at) % f_.order));
    return f_.conjugated ? std::conj(w) : w;
  }
  bool is_real_bin(const digit_values& at) const {
    const std::int64_t bin = f_.right(at);
    return f_.real_bins_of > 0 && (bin == 0 || 2 * bin == f_.real_bins_of);
  }

 private:
  const own_factors& f_;
  base_detail::roots_of_unity<double> root_;
  std::vector<complex> chirp_;
};

// The weight of a row of half a spectrum in the points: 2 where it stands for its conjugate too.
double weight_of(const own_digits& what, std::size_t step, std::int64_t row) {
  const std::int64_t r = what.radix(what.steps[step].digit);
  return what.in.half && step + 1 == what.steps.size() && row != 0 && 2 * row != r ? 2 : 1;
}

class step_matrix {
 public:
  step_matrix(const own_digits& what, std::size_t step, const own_shape& shape)
      : what_(what),
        step_(step),
        s_(what.steps[step]),
        shape_(shape),
        r_(what.radix(s_.digit)),
        half_in_(what.in.half && step == 0),
        half_out_(shape.folded),
        root_(std::size_t(r_)),
        scale_(step + 1 == what.steps.size() ? what.scale : 1) {}

  // The coefficient of the real or imaginary part `from` of a number in part `to` of a sum.
  double operator()(const digit_values& in, int from, const digit_values& out, int to) const {
    for (const digit_axis& a : shape_.results)
      if (a.digit != s_.digit && a.digit != mirror_axis && in[a.digit] != out[a.digit]) return 0;
    const std::int64_t j = number(in[s_.digit], in[mirror_axis], half_in_),
                       k = number(out[s_.digit], out[mirror_axis], half_out_);
    if (j < 0 || k < 0) return 0;
    complex w = root_(std::size_t(j * k % r_));
    if (s_.back) w = std::conj(w);
    if (from == 1) w *= complex(0, in[mirror_axis] == 1 ? -1 : 1);
    const double part = to == 0 ? w.real() : out[mirror_axis] == 1 ? -w.imag() : w.imag();
    return part * scale_ * weight_of(what_, step_, j);
  }

 private:
  // Row of the last digit for place `at` of half a spectrum: in descending order if the digit is
  // even. Negative where a mirrored row does not exist, since the row is its own image.
  std::int64_t number(std::int64_t at, std::int64_t mirror, bool half) const {
    if (!half) return at;
    if (r_ % 2 == 0) return mirror == 1 ? r_ / 2 + at : r_ / 2 - 1 - at;
    if (mirror == 1) return 2 * at + 1 == r_ ? -1 : r_ - 1 - at;
    return at;
  }

  const own_digits& what_;
  std::size_t step_;
  const own_step& s_;
  const own_shape& shape_;
  std::int64_t r_;
  bool half_in_, half_out_;
  base_detail::roots_of_unity<double> root_;
  double scale_;
};

void fill_matrix(const own_digits& what, std::size_t step, const own_shape& shape,
                 const table_writer& table) {
  const step_matrix matrix(what, step, shape);
  for (std::int64_t i = 0; i < count_of(shape.rows); ++i)
    for (std::int64_t c = 0; c < count_of(shape.results); ++c) {
      const digit_values in = values_at(shape.rows, i), out = values_at(shape.results, c);
      for (int piece = 0; piece < shape.pieces; ++piece)
        for (int to = 0; to < shape.planes_out; ++to) {
          const int from = shape.planes_in_rows ? int(in[plane_axis]) : piece;
          table.put(offset_of(in, shape.rows),
                    (piece * shape.planes_out + to) * shape.width() + offset_of(out, shape.results),
                    matrix(in, from, out, to));
        }
    }
}

void fill_factors(const own_factors& f, const digit_place& at, const table_writer& table) {
  const factor_values value(f);
  const digit_axes along = columns_of(f, at);
  const std::int64_t width = count_of(along), planes = f.real_bins_of > 0 ? 2 : 1;
  for (std::int64_t i = 0; i < count_of(at.partitions); ++i)
    for (std::int64_t c = 0; c < width; ++c) {
      const digit_values here = values_at(along, c, values_at(at.partitions, i));
      const complex w = value(here);
      for (std::int64_t plane = 0; plane < planes; ++plane) {
        const bool real = value.is_real_bin(here);
        const std::int64_t row = offset_of(here, at.partitions), column = plane * width + c;
        table.put(row, column, real && plane == 1 ? 0 : w.real());
        table.put(row, planes * width + column, real && plane == 0 ? 0 : w.imag());
      }
    }
}

}  // namespace own_tables
}  // namespace

std::int64_t digit_form::operator()(const digit_values& values) const {
  std::int64_t sum = 0;
  for (const auto& [digit, weight] : terms) sum += weight * values[digit];
  return sum;
}

bool own_factors::depends_on(int digit) const {
  const auto is_in = [&](const digit_form& form) {
    return std::ranges::any_of(form.terms, [&](const auto& t) { return t.first == digit; });
  };
  return is_in(left) || is_in(right);
}

std::string own_digits::describe() const {
  std::string digits;
  for (const std::int64_t r : radices)
    digits += base_detail::message(digits.empty() ? "" : " x ", r);
  return base_detail::message(first.chirp ? "chirps of " : "lines of ", in.numbers,
                              " numbers, whose digits ", digits, " are the array's columns, ",
                              lines, " lines, ", together, " to a tile, ", in_flight,
                              " tiles at a time");
}

own_digits own_digits::without_batch() const {
  own_digits one = *this;
  one.lines = 0;
  one.in.plane = 0;
  return one;
}

own_shape shape_of(const own_digits& what, std::size_t step) {
  const own_step& s = what.steps[step];
  const digit_place& from = what.place_before(step);
  own_shape shape{.data_stationary = !has_axis(s.to.partitions, s.digit),
                  .planes_out = has_axis(s.to.columns, plane_axis) ? 2 : 1,
                  .planes_in_rows = has_axis(from.partitions, plane_axis),
                  .rows = from.partitions,
                  .folded = what.out.half && step + 1 == what.steps.size()};
  if (!shape.planes_in_rows && has_axis(from.columns, plane_axis)) shape.pieces = 2;
  const digit_axes columns = without(from.columns, plane_axis);
  if (!shape.data_stationary) {
    shape.results = s.to.partitions;
    if (shape.folded) shape.results.insert(shape.results.begin(), {mirror_axis, 2, 1, what.mirror});
    std::tie(shape.outer, shape.inner) = split(columns, what.bank / shape.planes_out);
    return shape;
  }
  for (const digit_axis& a : without(without(from.partitions, plane_axis), mirror_axis)) {
    if (a.digit != s.digit) shape.results.push_back(a);
    for (const digit_axis& kept : s.to.columns)
      if (a.digit == s.digit && kept.digit == s.digit) shape.results.push_back(kept);
  }
  shape.results = packed(shape.results);
  shape.moved = s.to.partitions;
  digit_axes rest;
  for (const digit_axis& a : columns) {
    const auto moved = std::ranges::find(shape.moved, a.digit, &digit_axis::digit);
    if (moved == shape.moved.end())
      rest.push_back(a);
    else if (moved->extent < a.extent)
      rest.push_back({a.digit, a.extent / moved->extent, moved->unit == 1 ? moved->extent : 1});
  }
  std::tie(shape.outer, shape.inner) = split(rest, what.bank / (shape.planes_out * shape.width()));
  return shape;
}

digit_axes columns_of(const own_factors& factors, const digit_place& at) {
  digit_axes along;
  for (const digit_axis& a : at.columns)
    if (factors.depends_on(a.digit)) along.push_back(a);
  return packed(along);
}

kernels::constant_table step_table(const own_digits& what, std::size_t step) {
  const own_shape shape = shape_of(what, step);
  return table_of(base_detail::message("digit ", what.steps[step].digit, " of ",
                                       what.radix(what.steps[step].digit)),
                  span_of(shape.rows), shape.pieces * shape.planes_out * shape.width(),
                  [what, step, shape](const table_writer& table) {
                    own_tables::fill_matrix(what, step, shape, table);
                  });
}

kernels::constant_table factor_table(const digit_place& at, const own_factors& factors) {
  const std::int64_t planes = factors.real_bins_of > 0 ? 2 : 1;
  return table_of(
      factors.chirp ? base_detail::message("chirp of ", factors.chirp.n)
                    : base_detail::message("factors of order ", factors.order),
      span_of(at.partitions), 2 * planes * count_of(columns_of(factors, at)),
      [at, factors](const table_writer& table) { own_tables::fill_factors(factors, at, table); });
}

}  // namespace papilio::kernels_detail
