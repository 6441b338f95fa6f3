#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "papilio/engine/core.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// Formulas of the elements of tensors [rows, features], as values: one runner for activations, their
// gradients, normalisation and updates.
namespace papilio::kernels_detail {

/// A number may be one for the whole tensor, for each feature, each row or each element. Values of
/// numbers and features alone are computed once, not for each row; a row's number is combined with a
/// feature's or an element's, which gives an element's.
enum class one_for : std::uint8_t { tensor, feature, row, element };

struct pointwise_step {
  enum class kind : std::uint8_t { load, constant, function, combine, sum, largest };
  kind what = kind::load;
  one_for each = one_for::element;
  int left = 0, right = 0;  ///< steps; of a load the input and its plane
  engine::alu_op op = engine::alu_op::bypass;
  engine::activation_function function = engine::activation_function::copy;
  float number = 0;  ///< the right operand of `constant`

  /// Whether a constant's step is the scalar engine's: the vector engine has those of two values.
  bool is_of_scalar_engine() const {
    return op == engine::alu_op::multiply || op == engine::alu_op::add;
  }

  auto fields() const { return std::tie(what, each, left, right, op, function, number); }
};

/// An input or output of planes [planes, rows x features], [planes, features], [planes, rows] or
/// [planes].
struct pointwise_tensor {
  one_for each = one_for::element;
  std::vector<int> planes;  ///< steps

  auto fields() const { return std::tie(each, planes); }
};

/// Steps in the order of their operands. Outputs of a feature are values of a feature, sums over
/// the rows, or functions of such sums; there are none of a row.
struct pointwise_program {
  std::vector<pointwise_tensor> inputs, outputs;
  std::vector<pointwise_step> steps;

  auto fields() const { return std::tie(inputs, outputs, steps); }
  bool has(pointwise_step::kind what) const;
  /// Whether a step is known behind the last row.
  bool is_reduced(int step) const;
  bool is_reduced() const;
};

/// Features [first, first + pieces * each) in pieces, of all rows. `together` rows make a line of
/// one partition where each is all features.
struct feature_part {
  std::int64_t first = 0, pieces = 1, each = 1, together = 1;

  std::int64_t width() const { return each * together; }
  auto fields() const { return std::tie(first, pieces, each, together); }
};

/// Rows of a part: partitions are (group of `together` rows, piece).
struct feature_block {
  std::int64_t row, rows, together;  ///< `rows` groups of `together`
};

/// The rows that are left behind whole groups are together on one partition, or spread.
std::vector<feature_block> feature_blocks(std::int64_t rows, const feature_part& part,
                                          bool is_left_together,
                                          const engine::machine_spec& machine);

/// Where each step's value lies: tiles of elements in SBUF or, `parked`, in PSUM, of rows, of sums,
/// and of what there is once for all rows; and which steps gpsimd takes.
struct value_places {
  std::vector<int> place;
  std::vector<bool> is_parked, is_of_gpsimd;
  int elements = 0, parked = 0, features = 0, rows = 0, sums = 0;

  auto fields() const {
    return std::tie(place, is_parked, is_of_gpsimd, elements, parked, features, rows, sums);
  }
};

/// At most `parked_most` tiles are in PSUM.
value_places places_of(const pointwise_program& program, int parked_most, bool has_gpsimd);

struct pointwise_design {
  std::int64_t rows = 1, features = 1, sets = 1;
  pointwise_program program;
  value_places places = {};
  std::vector<feature_part> parts = {};
  int depth = 2;                   ///< tiles of a value of elements
  std::int64_t sets_together = 1;  ///< on a partition

  /// Finds all but the sizes and the program.
  void lay_out(const engine::machine_spec& machine);

  auto fields() const {
    return std::tie(rows, features, sets, program, places, parts, depth, sets_together);
  }
  std::string describe() const;
};

/// The kernel of a program: tensors [planes, rows, features], [planes, features], [planes, rows] and
/// [planes] in the order of its inputs and outputs, and so on for each of `sets` of tensors. Throws
/// invalid_argument for a size below 1, resource_error if a tensor's bytes overflow.
kernels::sized_kernel pointwise_kernel(const std::string& name, std::int64_t rows,
                                       std::int64_t features, pointwise_program program,
                                       double expected_error, const engine::machine_spec& machine,
                                       std::int64_t sets = 1);

/// The last input of a kernel as a table.
kernels::sized_kernel with_table(kernels::sized_kernel kernel, const char* name,
                                 std::function<void(std::span<float>)> fill);

// How programs are written: terms of a formula are its steps.

class formula;

struct real_term {
  formula* of;
  int at;
};
struct complex_term {
  real_term re, im;
};
/// A symmetric matrix of two rows.
struct symmetric_term {
  real_term rr, ri, ii;
};

class formula {
 public:
  /// The planes of the next input.
  template <std::size_t Planes = 1>
  auto input(one_for each) {
    std::array<real_term, Planes> planes;
    program_.inputs.push_back({each, {}});
    for (std::size_t p = 0; p < Planes; ++p) {
      planes[p] = add({.each = each, .left = int(program_.inputs.size()) - 1, .right = int(p)});
      program_.inputs.back().planes.push_back(planes[p].at);
    }
    if constexpr (Planes == 1) return planes[0];
    if constexpr (Planes == 2) return complex_term{planes[0], planes[1]};
    if constexpr (Planes == 3) return symmetric_term{planes[0], planes[1], planes[2]};
    if constexpr (Planes == 4) return planes;
  }
  /// The planes of the next output.
  template <class... Terms>
  void output(real_term first, Terms... others) {
    program_.outputs.push_back({each_of(first), {first.at, others.at...}});
  }
  void output(const complex_term& z) { output(z.re, z.im); }
  void output(const symmetric_term& m) { output(m.rr, m.ri, m.ii); }

  /// Throws invalid_argument for a row's number beside another one, or alone, and for anything but a
  /// function of a sum.
  real_term add(pointwise_step step);
  one_for each_of(const real_term& t) const { return program_.steps[std::size_t(t.at)].each; }
  /// The steps that outputs need, in an order that the program's text alone decides.
  pointwise_program program() const;

 private:
  pointwise_program program_;
};

inline real_term apply(engine::activation_function f, real_term a) {
  return a.of->add({.what = pointwise_step::kind::function,
                    .each = a.of->each_of(a),
                    .left = a.at,
                    .function = f});
}
inline real_term combine(engine::alu_op op, real_term a, real_term b) {
  return a.of->add({.what = pointwise_step::kind::combine,
                    .each = std::max(a.of->each_of(a), b.of->each_of(b)),
                    .left = a.at,
                    .right = b.at,
                    .op = op});
}
inline real_term combine(engine::alu_op op, real_term a, float b) {
  return a.of->add({.what = pointwise_step::kind::constant,
                    .each = a.of->each_of(a),
                    .left = a.at,
                    .op = op,
                    .number = b});
}
/// Over the rows.
inline real_term sum(real_term a) {
  return a.of->add({.what = pointwise_step::kind::sum, .each = one_for::feature, .left = a.at});
}
/// The index, int32, of the first row whose number is largest, NaN before all; of one feature, none
/// below 0.
inline real_term index_of_largest(real_term a) {
  return a.of->add({.what = pointwise_step::kind::largest, .each = one_for::tensor, .left = a.at});
}

inline real_term operator+(real_term a, real_term b) { return combine(engine::alu_op::add, a, b); }
inline real_term operator-(real_term a, real_term b) {
  return combine(engine::alu_op::subtract, a, b);
}
inline real_term operator*(real_term a, real_term b) {
  return combine(engine::alu_op::multiply, a, b);
}
inline real_term operator/(real_term a, real_term b) {
  return combine(engine::alu_op::divide, a, b);
}
inline real_term operator+(real_term a, float b) { return combine(engine::alu_op::add, a, b); }
inline real_term operator*(float a, real_term b) { return combine(engine::alu_op::multiply, b, a); }
inline real_term maximum(real_term a, float b) { return combine(engine::alu_op::maximum, a, b); }
inline real_term above(real_term a, float b) { return combine(engine::alu_op::greater, a, b); }
inline real_term reciprocal(real_term a) { return combine(engine::alu_op::power, a, -1.0F); }
inline real_term square(real_term a) { return apply(engine::activation_function::square, a); }
inline real_term root(real_term a) { return apply(engine::activation_function::sqrt, a); }

inline complex_term operator+(complex_term a, complex_term b) { return {a.re + b.re, a.im + b.im}; }
inline complex_term operator-(complex_term a, complex_term b) { return {a.re - b.re, a.im - b.im}; }
inline complex_term operator*(real_term a, complex_term b) { return {a * b.re, a * b.im}; }
inline complex_term operator*(float a, complex_term b) { return {a * b.re, a * b.im}; }
inline complex_term operator*(complex_term a, complex_term b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
/// conj(a) b
inline complex_term conjugate_product(complex_term a, complex_term b) {
  return {a.re * b.re + a.im * b.im, a.re * b.im - a.im * b.re};
}
inline complex_term operator*(symmetric_term m, complex_term x) {
  return {m.rr * x.re + m.ri * x.im, m.ri * x.re + m.ii * x.im};
}

/// z / |z|, 0 at 0, and |z|: scaled by the larger part, so that nothing overflows or underflows on
/// the way.
struct polar_term {
  complex_term unit;
  real_term size;
};
inline polar_term polar(complex_term z) {
  const real_term largest = combine(engine::alu_op::absolute_maximum, z.re, z.im);
  const complex_term scaled = reciprocal(maximum(largest, 0x1p-126F)) * z;
  const real_term length = root(square(scaled.re) + square(scaled.im) + 0x1p-86F);
  return {reciprocal(length) * scaled, largest * length};
}

}  // namespace papilio::kernels_detail
