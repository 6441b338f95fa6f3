// Error-free operations as vector instructions.
//   two-sum      s = a + b, t = s - a, e = (a - (s - t)) + (b - t)           (Knuth)
//   two-product  p = a w, e = ((a1 w1 - p) + a1 w2 + a2 w1) + a2 w2          (Dekker)
//                with a = a1 + a2, w = w1 + w2 in 12 bits each, so that every product is exact
// Low parts are added in fp32: their errors are of second order.
#include "kernels/butterfly/butterfly_arithmetic.hpp"

#include "kernels/butterfly/butterfly_plan.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

tile_view first(const tile_view& v, std::int64_t count) { return v.columns(0, count); }

}  // namespace

void butterfly_arithmetic::binary(const tile_view& out, const tile_view& left,
                                  const tile_view& right, alu_op op) {
  tensor_tensor one{.out = out, .left = left, .right = right, .op = op};
  const auto in_sbuf = [](const tile_view& v) { return v.space() == memory_space::sbuf; };
  if (in_sbuf(out) && in_sbuf(left) && in_sbuf(right)) {
    const double on_vector = cost_ns(one, nc_.machine());
    one.on = unit::gpsimd;
    if (cost_ns(one, nc_.machine()) > on_vector) one.on = unit::vector;
  }
  nc_.issue(one);
}

void butterfly_arithmetic::fused(const tile_view& out, const tile_view& in, float c,
                                 const tile_view& right, alu_op op) {
  nc_.issue(scalar_tensor_tensor{
      .out = out, .in = in, .right = right, .op0 = alu_op::multiply, .operand0 = c, .op1 = op});
}

void butterfly_arithmetic::combine(const butterfly_value& out, const butterfly_value& a,
                                   const butterfly_value& b, bool subtract) {
  const alu_op with = subtract ? alu_op::subtract : alu_op::add;
  const alu_op against = subtract ? alu_op::add : alu_op::subtract;
  binary(out.hi, a.hi, b.hi, with);
  if (!compensated_) return;
  const std::int64_t count = out.hi.elements();
  const tile_view t = first(scratch_.difference, count), rest = first(scratch_.rest, count);
  binary(t, out.hi, a.hi, alu_op::subtract);
  binary(rest, out.hi, t, alu_op::subtract);
  binary(rest, a.hi, rest, alu_op::subtract);
  binary(t, b.hi, t, against);
  if (a.lo.empty() && b.lo.empty()) {
    binary(out.lo, rest, t, with);
    return;
  }
  binary(t, rest, t, with);
  if (!a.lo.empty() && !b.lo.empty()) {
    binary(rest, a.lo, b.lo, with);
    binary(out.lo, t, rest, alu_op::add);
  } else if (a.lo.empty()) {
    binary(out.lo, t, b.lo, with);
  } else {
    binary(out.lo, t, a.lo, alu_op::add);
  }
}

// upper = (a 4097) - ((a 4097) - a), lower = a - upper
void butterfly_arithmetic::split(const tile_view& a) {
  constexpr float shift = 4097;
  const std::int64_t count = a.elements();
  const tile_view rest = first(scratch_.rest, count), upper = first(scratch_.upper, count);
  fused(rest, a, shift, a, alu_op::subtract);
  fused(upper, a, shift, rest, alu_op::subtract);
  binary(first(scratch_.lower, count), a, upper, alu_op::subtract);
}

void butterfly_arithmetic::multiply(const butterfly_value& out, const butterfly_value& a,
                                    double c) {
  const split_number s = kernels_detail::split(c);
  nc_.issue(tensor_scalar{.out = out.hi, .in = a.hi, .op0 = alu_op::multiply, .operand0 = s.high});
  if (!compensated_) return;
  split(a.hi);
  const std::int64_t count = a.hi.elements();
  const tile_view upper = first(scratch_.upper, count), lower = first(scratch_.lower, count);
  fused(out.lo, upper, s.upper, out.hi, alu_op::subtract);
  fused(out.lo, upper, s.lower, out.lo, alu_op::add);
  fused(out.lo, lower, s.upper, out.lo, alu_op::add);
  fused(out.lo, lower, s.lower, out.lo, alu_op::add);
  fused(out.lo, a.hi, s.low, out.lo, alu_op::add);
  if (!a.lo.empty()) fused(out.lo, a.lo, s.high, out.lo, alu_op::add);
}

void butterfly_arithmetic::multiply_add(const butterfly_value& out, const butterfly_value& a,
                                        double c, const butterfly_value& b) {
  if (!compensated_) {
    fused(out.hi, a.hi, float(c), b.hi, alu_op::add);
    return;
  }
  const std::int64_t count = a.hi.elements();
  const butterfly_value product{first(scratch_.first, count), first(scratch_.error, count)};
  multiply(product, a, c);
  combine(out, b, product, false);
}

void butterfly_arithmetic::two_product(const tile_view& product, const tile_view& error,
                                       const butterfly_value& a, const butterfly_factor& w,
                                       bool swapped) {
  const auto& [high, low, w1, w2] = w.part;
  const std::int64_t count = a.hi.elements();
  const auto planes = [&](const tile_view& v) {
    const tile_view both = first(v, count).reshape({2, count / 2});
    return swapped ? both.slice(1, 1, 2, -1) : both;
  };
  const butterfly_value x = swapped ? a.planes_swapped() : a;
  const tile_view upper = planes(scratch_.upper), lower = planes(scratch_.lower);
  const tile_view term = first(scratch_.product, count);
  binary(product, x.hi, high, alu_op::multiply);
  binary(term, upper, w1, alu_op::multiply);
  binary(error, term, product, alu_op::subtract);
  const auto add = [&](const tile_view& left, const tile_view& right) {
    binary(term, left, right, alu_op::multiply);
    binary(error, error, term, alu_op::add);
  };
  add(upper, w2);
  add(lower, w1);
  add(lower, w2);
  add(x.hi, low);
  add(x.lo, high);
}

void butterfly_arithmetic::twiddle(const butterfly_value& out, const butterfly_value& a,
                                   const butterfly_factor& re, const butterfly_factor& im,
                                   const tile_view& here, const tile_view& parked) {
  butterfly_value with_re{here}, with_im{parked};
  if (compensated_) {
    const std::int64_t count = a.hi.elements();
    const auto planes = [&](const tile_view& v) { return first(v, count).reshape({2, count / 2}); };
    with_re = {planes(scratch_.first), planes(scratch_.parked_error)};
    with_im = {planes(scratch_.second), planes(scratch_.error)};
    split(a.hi);
    two_product(with_re.hi, with_re.lo, a, re, false);
    two_product(with_im.hi, with_im.lo, a, im, true);
  } else {
    const tile_view swapped = a.planes_swapped().hi;
    const bool both = re.part[0].elements() == a.hi.elements();
    for (int plane = 0; plane < (both ? 1 : 2); ++plane) {
      const auto of = [&](const tile_view& v) { return both ? v : v.slice(1, plane, 1); };
      binary(of(here), of(a.hi), re.part[0], alu_op::multiply);
      binary(of(parked), of(swapped), im.part[0], alu_op::multiply);
    }
  }
  combine(out.plane(0), with_re.plane(0), with_im.plane(0), true);
  combine(out.plane(1), with_re.plane(1), with_im.plane(1), false);
}

tile_view butterfly_arithmetic::parked(const tile_view& place, const tile_view& a) {
  copy_tile(nc_, place, a, unit::scalar);
  return place;
}

void butterfly_arithmetic::round(const butterfly_value& a) {
  if (!a.lo.empty()) binary(a.hi, a.hi, a.lo, alu_op::add);
}

}  // namespace papilio::kernels_detail
