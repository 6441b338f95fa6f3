#pragma once

#include <complex>

#include "fft/line.hpp"
#include "fft/plan_access.hpp"
#include "fft/real_transform.hpp"
#include "fft/tile.hpp"

namespace papilio::fft_detail {

/// Lines of reals to half spectra by the transform of a plan, which must outlive this.
template <class T>
class real_line_forward final : public line_transform<T, std::complex<T>> {
 public:
  real_line_forward(std::size_t n, const real_transform<T>& transform)
      : line_transform<T, std::complex<T>>(n, n / 2 + 1, transform.scratch_reals()),
        transform_(transform) {}
  void run(const T* in, std::complex<T>* out, T* scratch) const override {
    transform_.forward(in, reals(out), scratch, 1);
  }
  void run_shared(const T* in, std::complex<T>* out, T* scratch, int threads) const override {
    transform_.forward(in, reals(out), scratch, threads);
  }

 private:
  const real_transform<T>& transform_;
};

/// Half spectra to lines of reals, likewise.
template <class T>
class real_line_inverse final : public line_transform<std::complex<T>, T> {
 public:
  real_line_inverse(std::size_t n, const real_transform<T>& transform)
      : line_transform<std::complex<T>, T>(n / 2 + 1, n, transform.scratch_reals()),
        transform_(transform) {}
  void run(const std::complex<T>* in, T* out, T* scratch) const override {
    transform_.inverse(reals(in), out, scratch, 1);
  }
  void run_shared(const std::complex<T>* in, T* out, T* scratch, int threads) const override {
    transform_.inverse(reals(in), out, scratch, threads);
  }

 private:
  const real_transform<T>& transform_;
};

}  // namespace papilio::fft_detail
