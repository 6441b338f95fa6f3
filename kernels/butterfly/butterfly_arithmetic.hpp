#pragma once

#include "kernels/butterfly/butterfly.hpp"

// Arithmetic of a butterfly, plain or compensated, as vector instructions.
//   two-sum      s = a + b, t = s - a, e = (a - (s - t)) + (b - t)           (Knuth)
//   two-product  p = a w, e = ((a1 w1 - p) + a1 w2 + a2 w1) + a2 w2          (Dekker)
//                with a = a1 + a2, w = w1 + w2 in 12 bits each, so that every product is exact
// Low parts are added in fp32: their errors are of second order.
namespace papilio::kernels_detail {

/// A tile of numbers, or of unevaluated sums hi + lo; where it was split, hi = upper + lower. An
/// empty part is zero.
struct butterfly_value {
  engine::tile_view hi, lo = {}, upper = {}, lower = {};

  /// Takes one part of all tiles.
  template <class Part>
  butterfly_value of(const Part& part) const {
    const auto one = [&](const engine::tile_view& v) { return v.empty() ? v : part(v); };
    return {part(hi), one(lo), one(upper), one(lower)};
  }
  /// One plane; axis 1 is (re, im).
  butterfly_value plane(int which) const {
    return of([&](const engine::tile_view& v) { return v.slice(1, which, 1); });
  }
  butterfly_value planes_swapped() const {
    return of([](const engine::tile_view& v) { return v.slice(1, 1, 2, -1); });
  }
};

/// A constant, or numbers of a table with as many elements as the operand that they multiply: one
/// number, or those of split_number.
struct butterfly_factor {
  split_number constant = {};
  engine::tile_view numbers[4] = {};
};

/// Intermediates of compensated operations, each as long as the longest operand: in PSUM where the
/// other operand is in SBUF, which halves the time; else in SBUF.
struct butterfly_scratch {
  engine::tile_view difference = {}, upper = {}, lower = {}, rest = {};
};

/// Elementwise operations on tiles of equal size; an `out` does not overlap the inputs.
class butterfly_arithmetic {
 public:
  butterfly_arithmetic(engine::core& nc, bool compensated) : nc_(nc), compensated_(compensated) {}

  void use(const butterfly_scratch& scratch) { scratch_ = scratch; }

  /// out = a +- b. One of two plain operands may be in PSUM.
  void add(const butterfly_value& out, const butterfly_value& a, const butterfly_value& b,
           bool subtract = false) {
    const alu_op with = subtract ? alu_op::subtract : alu_op::add;
    binary(out.hi, a.hi, b.hi, with);
    if (!compensated_) return;
    const tile_view t = first(scratch_.difference, out.hi), rest = first(scratch_.rest, out.hi);
    binary(t, out.hi, a.hi, alu_op::subtract);
    binary(rest, out.hi, t, alu_op::subtract);
    binary(rest, a.hi, rest, alu_op::subtract);
    binary(t, b.hi, t, subtract ? alu_op::add : alu_op::subtract);
    const bool of_a = !a.lo.empty(), of_b = !b.lo.empty();
    binary(of_a || of_b ? t : out.lo, rest, t, with);
    if (of_a && of_b) binary(rest, a.lo, b.lo, with);
    if (of_a || of_b)
      binary(out.lo, t, !of_b ? a.lo : of_a ? rest : b.lo, of_a ? alu_op::add : with);
  }

  /// Splits `a` for multiply(). The result is valid until the next call.
  butterfly_value split(const butterfly_value& a) {
    if (!compensated_) return a;
    const auto planes = [&](const tile_view& v) {
      return first(v, a.hi).reshape({2, a.hi.elements() / 2});
    };
    // upper = (a 4097) - ((a 4097) - a), lower = a - upper
    const butterfly_factor shift{.constant = {4097}};
    const tile_view rest = first(scratch_.rest, a.hi), upper = planes(scratch_.upper),
                    lower = planes(scratch_.lower);
    times(rest, a.hi, shift, 0, a.hi, alu_op::subtract);
    times(upper, a.hi, shift, 0, rest, alu_op::subtract);
    binary(lower, a.hi, upper, alu_op::subtract);
    return {a.hi, a.lo, upper, lower};
  }

  /// out = a w, for an `a` that was split.
  void multiply(const butterfly_value& out, const butterfly_value& a, const butterfly_factor& w) {
    times(out.hi, a.hi, w, 0);
    if (!compensated_) return;
    times(out.lo, a.upper, w, 2, out.hi, alu_op::subtract);
    times(out.lo, a.upper, w, 3, out.lo);
    times(out.lo, a.lower, w, 2, out.lo);
    times(out.lo, a.lower, w, 3, out.lo);
    times(out.lo, a.hi, w, 1, out.lo);
    if (!a.lo.empty()) times(out.lo, a.lo, w, 0, out.lo);
  }

  /// out = a c + b; plain, out may be b. `product` is scratch of the compensated mode.
  void multiply_add(const butterfly_value& out, const butterfly_value& a, double c,
                    const butterfly_value& b, const butterfly_value& product) {
    const butterfly_factor w{.constant = kernels_detail::split(c)};
    if (!compensated_) return times(out.hi, a.hi, w, 0, b.hi);
    multiply(product, split(a), w);
    add(out, b, product);
  }

  /// hi += lo
  void round(const butterfly_value& a) {
    if (!a.lo.empty()) binary(a.hi, a.hi, a.lo, alu_op::add);
  }

 private:
  using tile_view = engine::tile_view;
  using alu_op = engine::alu_op;

  static tile_view first(const tile_view& v, const tile_view& like) {
    return v.reshape({v.elements()}).columns(0, like.elements());
  }

  // Issues on the vector engine, or on gpsimd where that reaches all three operands and costs no
  // more. Where the two do not share a port, both work at the same time.
  void binary(const tile_view& out, const tile_view& left, const tile_view& right, alu_op op) {
    engine::tensor_tensor one{.out = out, .left = left, .right = right, .op = op};
    const auto in_sbuf = [](const tile_view& v) { return v.space() == engine::memory_space::sbuf; };
    if (in_sbuf(out) && in_sbuf(left) && in_sbuf(right)) {
      const double on_vector = cost_ns(one, nc_.machine());
      one.on = engine::unit::gpsimd;
      if (cost_ns(one, nc_.machine()) > on_vector) one.on = engine::unit::vector;
    }
    nc_.issue(one);
  }

  // out = in w, or in w +- right; w is one number of a factor.
  void times(const tile_view& out, const tile_view& in, const butterfly_factor& w, int number,
             const tile_view& right = {}, alu_op op = alu_op::add) {
    if (const tile_view& numbers = w.numbers[number]; !numbers.empty()) {
      const tile_view product = right.empty() ? out : first(scratch_.rest, in);
      binary(product, in, numbers, alu_op::multiply);
      if (!right.empty()) binary(out, product, right, op);
      return;
    }
    constexpr alu_op by = alu_op::multiply;
    const float c = w.constant[std::size_t(number)];
    if (right.empty())
      nc_.issue(engine::tensor_scalar{.out = out, .in = in, .op0 = by, .operand0 = c});
    else
      nc_.issue(engine::scalar_tensor_tensor{
          .out = out, .in = in, .right = right, .op0 = by, .operand0 = c, .op1 = op});
  }

  engine::core& nc_;
  bool compensated_;
  butterfly_scratch scratch_ = {};
};

}  // namespace papilio::kernels_detail
