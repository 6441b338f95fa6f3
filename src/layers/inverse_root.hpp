// Whitening of complex numbers by their covariance. With V = [[a, b], [b, d]], s = sqrt(a d - b^2),
// t = sqrt(a + d + 2 s)
//   V^(-1/2) = [[d + s, -b], [-b, a + s]] / (s t),
// and its gradient goes back through these lines one by one.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>

#include "papilio/base/error.hpp"

namespace papilio::layers_detail {

using number = std::complex<double>;

// A symmetric matrix of two rows; of gradients, ri is that by both of its equal elements.
struct symmetric {
  double rr = 0, ri = 0, ii = 0;

  number times(number x) const {
    return {rr * x.real() + ri * x.imag(), ri * x.real() + ii * x.imag()};
  }
  // Adds the gradient by this matrix of <gradient, matrix x>.
  void add_outer(number gradient, number x) {
    rr += gradient.real() * x.real();
    ri += gradient.real() * x.imag() + gradient.imag() * x.real();
    ii += gradient.imag() * x.imag();
  }
};

class inverse_root {
 public:
  inverse_root(const char* function, std::size_t feature, const symmetric& covariance,
               double epsilon)
      : v_{covariance.rr + epsilon, covariance.ri, covariance.ii + epsilon} {
    const double determinant = v_.rr * v_.ii - v_.ri * v_.ri;
    if (!(determinant > 0 && v_.rr > 0))
      throw invalid_argument(base_detail::message(function, ": the covariance of feature ", feature,
                                                  " plus epsilon must be positive definite, got [",
                                                  v_.rr, ", ", v_.ri, ", ", v_.ii, "]"));
    s_ = std::sqrt(determinant);
    t_ = std::sqrt(v_.rr + v_.ii + 2 * s_);
    scale_ = 1 / (s_ * t_);
  }

  symmetric value() const {
    return {scale_ * (v_.ii + s_), -scale_ * v_.ri, scale_ * (v_.rr + s_)};
  }

  // Returns the gradient by V, from the gradient by value().
  symmetric gradient(const symmetric& g) const {
    const double by_scale = g.rr * (v_.ii + s_) + g.ii * (v_.rr + s_) - g.ri * v_.ri;
    const double by_t_squared = -scale_ / t_ * by_scale / (2 * t_);
    const double by_s = scale_ * (g.rr + g.ii) - scale_ / s_ * by_scale + 2 * by_t_squared;
    const double by_determinant = by_s / (2 * s_);
    return {scale_ * g.ii + by_t_squared + by_determinant * v_.ii,
            -scale_ * g.ri - 2 * by_determinant * v_.ri,
            scale_ * g.rr + by_t_squared + by_determinant * v_.rr};
  }

 private:
  symmetric v_;
  double s_ = 0, t_ = 0, scale_ = 0;
};

}  // namespace papilio::layers_detail
