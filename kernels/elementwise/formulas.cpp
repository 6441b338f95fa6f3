#include "kernels/elementwise/formulas.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "kernels/checks.hpp"

namespace papilio::kernels_detail {

real_term formula::add(pointwise_step step) {
  if (step.what != pointwise_step::kind::load) {
    const one_for left = each_of({this, step.left}),
                  right = step.what == pointwise_step::kind::combine ? each_of({this, step.right})
                                                                     : one_for::tensor;
    const auto fits = [](one_for one, one_for other) {
      return one != one_for::row || other == one_for::feature || other == one_for::element;
    };
    require(fits(left, right) && fits(right, left),
            "formula: a row's number is combined with a feature's or an element's alone");
    const auto is_function_of_sum = [&](int operand) {
      return step.what == pointwise_step::kind::function &&
             program_.steps[std::size_t(operand)].what == pointwise_step::kind::sum;
    };
    require((!program_.is_reduced(step.left) || is_function_of_sum(step.left)) &&
                (step.what != pointwise_step::kind::combine || !program_.is_reduced(step.right)),
            "formula: of a sum there are functions alone");
    if (step.each == one_for::row) step.each = one_for::element;
  }
  program_.steps.push_back(step);
  return {this, int(program_.steps.size()) - 1};
}

// Compilers evaluate the operands of an operator in either order.
pointwise_program formula::program() const {
  pointwise_program ordered;
  std::vector<int> moved(program_.steps.size(), -1);
  const std::function<int(int)> move = [&](int at) {
    int& to = moved[std::size_t(at)];
    if (to >= 0) return to;
    pointwise_step s = program_.steps[std::size_t(at)];
    if (s.what != pointwise_step::kind::load) {
      s.left = move(s.left);
      if (s.what == pointwise_step::kind::combine) s.right = move(s.right);
    }
    ordered.steps.push_back(s);
    return to = int(ordered.steps.size()) - 1;
  };
  for (const auto& [from, to] : {std::pair(&program_.inputs, &ordered.inputs),
                                 std::pair(&program_.outputs, &ordered.outputs)})
    for (const pointwise_tensor& t : *from) {
      to->push_back({t.each, {}});
      for (const int plane : t.planes) to->back().planes.push_back(move(plane));
    }
  return ordered;
}

bool pointwise_program::has(pointwise_step::kind what) const {
  return std::ranges::find(steps, what, &pointwise_step::what) != steps.end();
}

bool pointwise_program::is_reduced(int at) const {
  const pointwise_step& s = steps[std::size_t(at)];
  return s.what == pointwise_step::kind::sum || s.what == pointwise_step::kind::largest ||
         (s.what == pointwise_step::kind::function &&
          steps[std::size_t(s.left)].what == pointwise_step::kind::sum);
}

bool pointwise_program::is_reduced() const {
  return has(pointwise_step::kind::sum) || has(pointwise_step::kind::largest);
}

namespace {

struct rectifier_gates {
  real_term re, im;
};

// Each is 1 where a part passes, else 0: 0 itself has no part in CReLU's derivative, zReLU's edges
// have.
rectifier_gates crelu_gates(complex_term z) { return {above(z.re, 0), above(z.im, 0)}; }
rectifier_gates zrelu_gates(complex_term z) {
  const real_term both = combine(engine::alu_op::greater_equal, z.re, 0.0F) *
                         combine(engine::alu_op::greater_equal, z.im, 0.0F);
  return {both, both};
}
complex_term gated(rectifier_gates by, complex_term z) { return {by.re * z.re, by.im * z.im}; }

complex_term numbers(formula& f) { return f.input<2>(one_for::element); }
real_term reals(formula& f) { return f.input(one_for::element); }

// Along u = z / |z| the gradient passes, across it kept / |z| of it.
void write_modrelu_vjp(formula& f) {
  const auto z = numbers(f);
  const auto bias = f.input(one_for::feature);
  const auto g = numbers(f);
  const auto [u, size] = polar(z);
  const real_term kept = maximum(size + bias, 0), is_kept = above(kept, 0);
  const real_term along = is_kept * (u.re * g.re + u.im * g.im);
  const real_term across = u.re * g.im - u.im * g.re;
  const real_term rotated = above(size, 0) * (kept / maximum(size, 0x1p-126F)) * across;
  f.output(along * u.re - rotated * u.im, along * u.im + rotated * u.re);
  f.output(sum(along));
}

struct formula_row {
  layer_function function;
  const char* kernel;
  double roundings;
  void (*write)(formula& f);
};

constexpr formula_row layer_formulas[]{
    {layer_function::crelu, "complex_relu", 0,
     [](formula& f) {
       const auto z = numbers(f);
       f.output(maximum(z.re, 0), maximum(z.im, 0));
     }},
    {layer_function::crelu_vjp, "complex_relu", 0,
     [](formula& f) {
       const auto z = numbers(f);
       f.output(gated(crelu_gates(z), numbers(f)));
     }},
    {layer_function::zrelu, "complex_relu", 0,
     [](formula& f) {
       const auto z = numbers(f);
       f.output(gated(zrelu_gates(z), z));
     }},
    {layer_function::zrelu_vjp, "complex_relu", 0,
     [](formula& f) {
       const auto z = numbers(f);
       f.output(gated(zrelu_gates(z), numbers(f)));
     }},
    // Magnitude and phase take about six roundings.
    {layer_function::modrelu, "complex_modrelu", 6,
     [](formula& f) {
       const auto [u, size] = polar(numbers(f));
       f.output(maximum(size + f.input(one_for::feature), 0) * u);
     }},
    {layer_function::modrelu_vjp, "complex_modrelu_vjp", 20, write_modrelu_vjp},
    {layer_function::real_mask, "real_mask", 1,
     [](formula& f) {
       const auto x = numbers(f);
       f.output(reals(f) * x);
     }},
    {layer_function::real_mask_vjp, "complex_mask_vjp", 2,
     [](formula& f) {
       const auto x = numbers(f);
       const auto m = reals(f);
       const auto g = numbers(f);
       f.output(m * g);
       f.output(x.re * g.re + x.im * g.im);
     }},
    {layer_function::complex_mask_vjp, "complex_mask_vjp", 2,
     [](formula& f) {
       const auto x = numbers(f), m = numbers(f), g = numbers(f);
       f.output(conjugate_product(m, g));
       f.output(conjugate_product(x, g));
     }},
    {layer_function::magnitude, "magnitude", 8,
     [](formula& f) { f.output(polar(numbers(f)).size); }},
    {layer_function::magnitude_vjp, "magnitude_vjp", 8,
     [](formula& f) {
       const auto x = numbers(f);
       f.output(reals(f) * polar(x).unit);
     }},
    {layer_function::power, "magnitude", 2,
     [](formula& f) {
       const auto x = numbers(f);
       f.output(square(x.re) + square(x.im));
     }},
    {layer_function::power_vjp, "magnitude_vjp", 1,
     [](formula& f) {
       const auto x = numbers(f);
       f.output(2 * reals(f) * x);
     }},
    {layer_function::bias, "complex_bias", 1,
     [](formula& f) {
       const auto z = numbers(f);
       f.output(z + f.input<2>(one_for::feature));
     }},
};

// V^(-1/2) of a covariance plus epsilon, and its gradient, as of src/layers/inverse_root.hpp.
class inverse_root {
 public:
  inverse_root(symmetric_term sums, const normalization_of& by)
      : v_{moment(sums.rr, by) + by.epsilon, (1 / float(by.count)) * sums.ri,
           moment(sums.ii, by) + by.epsilon},
        s_(root(v_.rr * v_.ii - square(v_.ri))),
        t_(root(v_.rr + v_.ii + 2 * s_)),
        scale_(reciprocal(s_ * t_)) {}

  symmetric_term value() const {
    return {scale_ * (v_.ii + s_), -1 * (scale_ * v_.ri), scale_ * (v_.rr + s_)};
  }

  symmetric_term gradient(symmetric_term g) const {
    const real_term by_scale = g.rr * (v_.ii + s_) + g.ii * (v_.rr + s_) - g.ri * v_.ri;
    const real_term by_t_squared = -0.5F * (scale_ * by_scale / square(t_));
    const real_term by_s = scale_ * (g.rr + g.ii) - scale_ / s_ * by_scale + 2 * by_t_squared;
    const real_term by_determinant = 0.5F * (by_s / s_);
    return {scale_ * g.ii + by_t_squared + by_determinant * v_.ii,
            -1 * (scale_ * g.ri) - 2 * (by_determinant * v_.ri),
            scale_ * g.rr + by_t_squared + by_determinant * v_.rr};
  }

 private:
  static real_term moment(real_term sum, const normalization_of& by) {
    return (1 / float(by.count)) * sum;
  }

  symmetric_term v_;
  real_term s_, t_, scale_;
};

complex_term centred(complex_term x, complex_term sums, std::int64_t count) {
  return x - (1 / float(count)) * sums;
}

// Both matrices' product with x, each symmetric.
complex_term times(symmetric_term a, symmetric_term b, complex_term x) {
  const real_term rr = a.rr * b.rr + a.ri * b.ri, ri = a.rr * b.ri + a.ri * b.ii,
                  ir = a.ri * b.rr + a.ii * b.ri, ii = a.ri * b.ri + a.ii * b.ii;
  return {rr * x.re + ri * x.im, ir * x.re + ii * x.im};
}

}  // namespace

layer_formula formula_of(layer_function function) {
  const auto* const row = std::ranges::find(layer_formulas, function, &formula_row::function);
  require(row != std::ranges::end(layer_formulas), "layer_kernel: the function is none of ",
          "layer_function's");
  formula f;
  row->write(f);
  return {row->kernel, row->roundings, f.program()};
}

pointwise_program mean_sums() {
  formula f;
  const auto x = f.input<2>(one_for::element);
  f.output(sum(x.re), sum(x.im));
  return f.program();
}

pointwise_program central_sums(std::int64_t count) {
  formula f;
  const auto x = f.input<2>(one_for::element), sums = f.input<2>(one_for::feature);
  const complex_term c = centred(x, sums, count);
  f.output(sum(square(c.re)), sum(c.re * c.im), sum(square(c.im)));
  return f.program();
}

pointwise_program normalised(const normalization_of& by) {
  formula f;
  const auto x = f.input<2>(one_for::element), sums = f.input<2>(one_for::feature);
  const auto products = f.input<3>(one_for::feature), gamma = f.input<3>(one_for::feature);
  const auto beta = f.input<2>(one_for::feature);
  f.output(times(gamma, inverse_root(products, by).value(), centred(x, sums, by.count)) + beta);
  return f.program();
}

pointwise_program normalised_vjp_sums(const normalization_of& by) {
  formula f;
  const auto x = f.input<2>(one_for::element), sums = f.input<2>(one_for::feature),
             g = f.input<2>(one_for::element);
  const complex_term c = centred(x, sums, by.count);
  f.output(sum(g.re * c.re), sum(g.re * c.im), sum(g.im * c.re), sum(g.im * c.im));
  f.output(sum(g.re), sum(g.im));
  return f.program();
}

// With M the sums of g c^T: sums of (A g) (B c)^T are A M B, for A and B of a feature.
pointwise_program normalised_vjp(const normalization_of& by, bool through_moments) {
  formula f;
  const auto x = f.input<2>(one_for::element), sums = f.input<2>(one_for::feature);
  const auto products = f.input<3>(one_for::feature), gamma = f.input<3>(one_for::feature);
  const auto g = f.input<2>(one_for::element);
  const auto m = f.input<4>(one_for::feature);
  const auto by_beta = f.input<2>(one_for::feature);
  const inverse_root covariance(products, by);
  const symmetric_term white = covariance.value();
  // Rows of M are g's parts: white M's columns, gamma M.
  const complex_term re = white * complex_term{m[0], m[1]}, im = white * complex_term{m[2], m[3]};
  complex_term by_x = times(white, gamma, g);
  if (through_moments) {
    const complex_term of_re = gamma * complex_term{m[0], m[2]},
                       of_im = gamma * complex_term{m[1], m[3]};
    const symmetric_term by_v = covariance.gradient({of_re.re, of_re.im + of_im.re, of_im.im});
    const float share = 1 / float(by.count);
    const symmetric_term by_centred{2 * share * by_v.rr, share * by_v.ri, 2 * share * by_v.ii};
    by_x = by_x + by_centred * centred(x, sums, by.count) - share * times(white, gamma, by_beta);
  }
  f.output(by_x);
  f.output(re.re, re.im + im.re, im.im);
  return f.program();
}

pointwise_program adam() {
  formula f;
  const auto p = f.input(one_for::element), g = f.input(one_for::element),
             mean = f.input(one_for::element), squares = f.input(one_for::element),
             rate = f.input(one_for::tensor);
  const real_term m = 0.9F * mean + 0.1F * g, v = 0.999F * squares + 0.001F * square(g);
  f.output(p - m / (root(v) + 1e-8F) * rate);
  f.output(m);
  f.output(v);
  return f.program();
}

}  // namespace papilio::kernels_detail
