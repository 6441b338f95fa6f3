#pragma once

#include <cstddef>
#include <memory>

#include "papilio/fft/options.hpp"
#include "papilio/fft/recipe.hpp"

namespace papilio::fft_detail {

/// A built transform of n reals to their n/2 + 1 bins, (re, im) pairs, and back. Owns its tables
/// and is immutable. Output may begin where the input does; scratch holds scratch_reals() elements,
/// of any alignment, and overlaps neither. On up to `threads` threads where the algorithm can share
/// a line, with the same bits for any number of them; with more than one it may allocate.
template <class T>
class real_transform {
 public:
  virtual ~real_transform() = default;
  std::size_t scratch_reals() const { return scratch_reals_; }

  virtual void forward(const T* in, T* bins, T* scratch, int threads) const = 0;
  /// Takes the imaginary parts of bin 0, and for even n of the last one, for 0.
  virtual void inverse(const T* bins, T* out, T* scratch, int threads) const = 0;

  /// Reals, each times its weight, to what `form` says of the bins: n/2 + 1 pairs or reals.
  /// Operands are apart; scratch holds spectrum_scratch_reals().
  virtual void spectrum(const T* in, const T* window, spectrum_form form, T* out, T* scratch) const;
  virtual std::size_t spectrum_scratch_reals() const { return scratch_reals_ + 2 * n_ + 2; }

 protected:
  real_transform(std::size_t n, std::size_t scratch_reals) : n_(n), scratch_reals_(scratch_reals) {}

 private:
  std::size_t n_, scratch_reals_;
};

/// What every output is multiplied by and, besides, the bins that are their own mirror images, 0
/// and of even n the last one.
struct real_scales {
  long double forward = 1, inverse = 1;
  long double forward_ends = 1, inverse_ends = 1;
};

/// Those of the adjoints of transforms with these scales, of the forward one in `inverse` and the
/// other way round. An inverse transform counts the bins 1 ... (n - 1) / 2 twice, for they stand for
/// their mirror images, and the ends once:
///   adjoint of the inverse = twice the forward transform, but once at the ends;
///   adjoint of the forward = half the inverse transform of twice the ends.
constexpr real_scales adjoint_of(const real_scales& s) {
  return {2 * s.inverse, s.forward / 2, s.inverse_ends / 2, 2 * s.forward_ends};
}

/// Of a recipe of kind `real`. Even n: the n reals are n/2 complex numbers, transformed at half
/// length and untangled, in the last pass itself where its form allows it.
template <class T>
std::unique_ptr<const real_transform<T>> build_real(const recipe& r, real_scales scales);

// The forms, which build_real chooses from. Those that return null leave the recipe to the next.

/// Odd n: a complex transform of length n with zero imaginary part, of which half is kept.
template <class T>
std::unique_ptr<const real_transform<T>> build_real_odd(const recipe& r, real_scales scales);

/// Even n, any part: a separate pass untangles.
template <class T>
std::unique_ptr<const real_transform<T>> build_real_half(const recipe& r, real_scales scales);

/// Null unless a codelet is the part.
template <class T>
std::unique_ptr<const real_transform<T>> build_real_codelet(const recipe& r, real_scales scales);

/// Null unless Stockham passes are the part, and first and last pass fill the registers.
template <class T>
std::unique_ptr<const real_transform<T>> build_real_stockham(const recipe& r, real_scales scales);

/// Null unless a four-step is the part.
template <class T>
std::unique_ptr<const real_transform<T>> build_real_four_step(const recipe& r, real_scales scales);

}  // namespace papilio::fft_detail
