#pragma once

#include <cstddef>
#include <cstdint>
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
  /// `count` lines, in_step and out_step reals apart, in turn.
  virtual void execute_lines(const T* in, std::ptrdiff_t in_step, T* out, std::ptrdiff_t out_step,
                             std::size_t count, T* scratch) const {
    for (std::size_t i = 0; i < count; ++i, in += in_step, out += out_step)
      execute(in, out, scratch);
  }
  virtual void execute_split(const T* in_re, const T* in_im, T* out_re, T* out_im,
                             T* scratch) const = 0;
  /// Does what execute_split does, on up to `threads` threads.
  virtual void execute_split_parallel(const T* in_re, const T* in_im, T* out_re, T* out_im,
                                      T* scratch, int /*threads*/) const {
    execute_split(in_re, in_im, out_re, out_im, scratch);
  }

 protected:
  explicit executable(std::size_t scratch_reals) : scratch_reals_(scratch_reals) {}

 private:
  std::size_t scratch_reals_;
};

/// The first place on a cache line in scratch of aligned_reals(reals), for `reals` of memory.
template <class T>
T* aligned(T* scratch) {
  constexpr std::size_t line = 64;
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(scratch) % line / sizeof(T);
  return beyond == 0 ? scratch : scratch + line / sizeof(T) - beyond;
}
template <class T>
constexpr std::size_t aligned_reals(std::size_t reals) {
  return reals == 0 ? 0 : reals + 64 / sizeof(T) - 1;
}

/// Type in which the filter of a convolution is computed before it is rounded to T.
template <class T>
using filter_real = std::conditional_t<std::is_same_v<T, long double>, long double, double>;

/// Builds a complex recipe. `scale` multiplies every output.
template <class T>
std::unique_ptr<const executable<T>> build(const recipe& r, direction dir, long double scale);

}  // namespace papilio::fft_detail
