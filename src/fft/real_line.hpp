#pragma once

#include <complex>
#include <span>
#include <utility>

#include "fft/tile.hpp"
#include "papilio/fft/rfft_plan.hpp"

namespace papilio::fft_detail {

/// Lines of reals to half spectra, and back, by a plan of which they hold a copy.
template <class T>
class real_line_forward final : public line_transform<T, std::complex<T>> {
 public:
  explicit real_line_forward(rfft_plan<T> plan)
      : line_transform<T, std::complex<T>>(plan.size(), plan.bins(), 2 * plan.scratch_size()),
        plan_(std::move(plan)) {}
  void run(const T* in, std::complex<T>* out, T* scratch) const override {
    plan_.forward({in, plan_.size()}, {out, plan_.bins()},
                  {reinterpret_cast<std::complex<T>*>(scratch), plan_.scratch_size()});
  }

 private:
  rfft_plan<T> plan_;
};

template <class T>
class real_line_inverse final : public line_transform<std::complex<T>, T> {
 public:
  explicit real_line_inverse(rfft_plan<T> plan)
      : line_transform<std::complex<T>, T>(plan.bins(), plan.size(), 2 * plan.scratch_size()),
        plan_(std::move(plan)) {}
  void run(const std::complex<T>* in, T* out, T* scratch) const override {
    plan_.inverse({in, plan_.bins()}, {out, plan_.size()},
                  {reinterpret_cast<std::complex<T>*>(scratch), plan_.scratch_size()});
  }

 private:
  rfft_plan<T> plan_;
};

}  // namespace papilio::fft_detail
