#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include "papilio/fft/options.hpp"
#include "papilio/fft/recipe.hpp"

namespace papilio::fft_detail {

/// A built recipe: owns its tables, is immutable, and transforms one line of n points.
/// Direction and scaling are fixed when it is built. Output may be input (the same pointers);
/// scratch holds scratch_reals() elements, of any alignment, and overlaps neither.
template <class T>
class executable {
 public:
  virtual ~executable() = default;
  std::size_t scratch_reals() const { return scratch_reals_; }

  /// (re, im) pairs. On up to `threads` threads, at least 1, where the algorithm can share a line,
  /// with the same bits for any number of them; with more than one it may allocate, before it
  /// writes to `out`.
  virtual void execute(const T* in, T* out, T* scratch, int threads = 1) const = 0;
  virtual void execute_split(const T* in_re, const T* in_im, T* out_re, T* out_im,
                             T* scratch) const = 0;
  /// As execute_split on up to `threads` threads.
  virtual void execute_split_parallel(const T* in_re, const T* in_im, T* out_re, T* out_im,
                                      T* scratch, int /*threads*/) const {
    execute_split(in_re, in_im, out_re, out_im, scratch);
  }

 protected:
  explicit executable(std::size_t scratch_reals) : scratch_reals_(scratch_reals) {}

 private:
  std::size_t scratch_reals_;
};

/// In which the filter of a convolution is computed before it is rounded to T.
template <class T>
using filter_real = std::conditional_t<std::is_same_v<T, long double>, long double, double>;

/// Builds a complex recipe. `scale` multiplies every output.
template <class T>
std::unique_ptr<const executable<T>> build(const recipe& r, direction dir, long double scale);

}  // namespace papilio::fft_detail
