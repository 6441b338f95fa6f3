#pragma once

#include <array>
#include <span>

#include "papilio/signal/window.hpp"

namespace papilio::signal_detail {

/// Fourier transform of a continuous window of length 1 about 0, relative to its value at 0:
///   W(x) = int w(u) cos(2 pi u x) du / int w(u) du, |u| <= 1/2, x in cycles a length.
/// Kinds are the sums of cosines a[m] cos(2 pi m u), whose W(x) is
///   sin(pi x) / pi sum_m (-1)^m a[m] x / (x^2 - m^2) / a[0],
/// and kaiser, with beta sin(z) / (z sinh beta), z^2 = (pi x)^2 - beta^2.
class window_transform {
 public:
  /// Throws invalid_argument, in the name of `function`, for other kinds, whose transforms have no
  /// closed form, and for a parameter out of its range.
  window_transform(const char* function, const window_spec& window);

  double operator()(double x) const;
  /// Returns the x from which |W| is at most `tolerance`, in steps of 1/4 from the main lobe on.
  double reach(double tolerance) const;
  /// Computes W(first + i step) for each element i.
  template <class T>
  void fill(double first, double step, std::span<T> out) const;

 private:
  double sum(double x) const;
  double envelope(double x) const;

  bool is_kaiser_;
  double beta_ = 0;
  std::array<double, 5> terms_{};  // (-1)^m a[m] / a[0]
  std::size_t count_ = 0;
};

}  // namespace papilio::signal_detail
