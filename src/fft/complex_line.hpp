#pragma once

#include <complex>

#include "fft/executable.hpp"
#include "fft/line.hpp"
#include "fft/tile.hpp"
#include "papilio/fft/fft_plan.hpp"

namespace papilio::fft_detail {

/// Complex lines by a built recipe, to which it refers.
template <class T>
class complex_line final : public line_transform<std::complex<T>, std::complex<T>> {
 public:
  complex_line(std::size_t n, const executable<T>& transform)
      : line_transform<std::complex<T>, std::complex<T>>(n, n, transform.scratch_reals()),
        transform_(transform) {}
  void run(const std::complex<T>* in, std::complex<T>* out, T* scratch) const override {
    transform_.execute(reals(in), reals(out), scratch);
  }

 private:
  const executable<T>& transform_;
};

/// What the N-D plans see of a plan of one axis.
struct plan_access {
  /// Valid while a copy of the plan lives.
  template <class T>
  static complex_line<T> line(const fft_plan<T>& plan);
};

}  // namespace papilio::fft_detail
