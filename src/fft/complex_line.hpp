#pragma once

#include <complex>

#include "fft/column_lines.hpp"
#include "fft/executable.hpp"
#include "fft/line.hpp"
#include "fft/plan_access.hpp"
#include "fft/tile.hpp"

namespace papilio::fft_detail {

/// Complex lines by a built recipe, and by columns where the length has them; refers to both.
template <class T>
class complex_line final : public line_transform<std::complex<T>, std::complex<T>> {
 public:
  complex_line(std::size_t n, const executable<T>& transform, const column_lines<T>& columns)
      : line_transform<std::complex<T>, std::complex<T>>(n, n, transform.scratch_reals()),
        transform_(transform),
        columns_(columns) {}
  void run(const std::complex<T>* in, std::complex<T>* out, T* scratch) const override {
    transform_.execute(reals(in), reals(out), scratch);
  }
  void run_shared(const std::complex<T>* in, std::complex<T>* out, T* scratch,
                  int threads) const override {
    transform_.execute(reals(in), reals(out), scratch, threads);
  }
  void run_lines(const std::complex<T>* in, std::ptrdiff_t in_step, std::complex<T>* out,
                 std::ptrdiff_t out_step, std::size_t lines, T* scratch) const override {
    transform_.execute_lines(reals(in), 2 * in_step, reals(out), 2 * out_step, lines, scratch);
  }
  std::size_t column_width(std::ptrdiff_t step) const override { return columns_.width(step); }
  std::size_t column_memory_reals() const override { return columns_.memory_reals(); }
  void run_columns(const std::complex<T>* in, std::ptrdiff_t in_step, std::complex<T>* out,
                   std::ptrdiff_t out_step, std::size_t lines, T* memory) const override {
    columns_.run(reals(in), in_step, reals(out), out_step, lines, memory);
  }

 private:
  const executable<T>& transform_;
  const column_lines<T>& columns_;
};

}  // namespace papilio::fft_detail
