#pragma once

#include <cstddef>
#include <memory>

#include "papilio/fft/options.hpp"
#include "papilio/fft/recipe.hpp"

namespace papilio::fft_detail {

/// Built transform of n reals to their n/2 + 1 bins, (re, im) pairs, and back. It owns its tables
/// and is immutable. Output may begin where the input does; scratch holds scratch_reals() elements,
/// of any alignment, and overlaps neither. A call runs on up to `threads` threads where the
/// algorithm can share a line, with the same bits for any number of them; with more than one it may
/// allocate.
template <class T>
class real_transform {
 public:
  virtual ~real_transform() = default;
  std::size_t scratch_reals() const { return scratch_reals_; }

  virtual void forward(const T* in, T* bins, T* scratch, int threads) const = 0;
  /// Takes the imaginary parts of bin 0, and for even n of the last bin, as 0.
  virtual void inverse(const T* bins, T* out, T* scratch, int threads) const = 0;

  /// Transforms reals, each times its weight, to bins in the form `form`: n/2 + 1 pairs or reals.
  /// Operands do not overlap; scratch holds spectrum_scratch_reals().
  virtual void spectrum(const T* in, const T* window, spectrum_form form, T* out, T* scratch) const;
  virtual std::size_t spectrum_scratch_reals() const { return scratch_reals_ + 2 * n_ + 2; }

 protected:
  real_transform(std::size_t n, std::size_t scratch_reals) : n_(n), scratch_reals_(scratch_reals) {}

 private:
  std::size_t n_, scratch_reals_;
};

/// Factors of every output, and additional factors of the ends, which are the bins that are their
/// own mirror images: 0 and, for even n, the last one.
struct real_scales {
  long double forward = 1, inverse = 1;
  long double forward_ends = 1, inverse_ends = 1;
};

/// Returns the scales of the adjoints of transforms with these scales, the forward one's in
/// `inverse` and the other way round. An inverse transform counts the bins 1 ... (n - 1) / 2 twice,
/// for they stand for their mirror images, and the ends once:
///   adjoint of the inverse = twice the forward transform, but once at the ends;
///   adjoint of the forward = half the inverse transform of twice the ends.
constexpr real_scales adjoint_of(const real_scales& s) {
  return {2 * s.inverse, s.forward / 2, s.inverse_ends / 2, 2 * s.forward_ends};
}

/// Builds a recipe of kind `real`. For even n the n reals are n/2 complex numbers, transformed at
/// half length and untangled, in the last pass itself where its form allows it.
template <class T>
std::unique_ptr<const real_transform<T>> build_real(const recipe& r, real_scales scales);

// build_real tries these forms in turn; one that returns null leaves the recipe to the next.

/// Builds odd n: a complex transform of length n with zero imaginary part, of which half is kept.
template <class T>
std::unique_ptr<const real_transform<T>> build_real_odd(const recipe& r, real_scales scales);

/// Builds even n with any part: a separate pass untangles.
template <class T>
std::unique_ptr<const real_transform<T>> build_real_half(const recipe& r, real_scales scales);

/// Returns null unless a codelet is the part.
template <class T>
std::unique_ptr<const real_transform<T>> build_real_codelet(const recipe& r, real_scales scales);

/// Returns null unless Stockham passes are the part, and first and last pass fill the registers.
template <class T>
std::unique_ptr<const real_transform<T>> build_real_stockham(const recipe& r, real_scales scales);

/// Returns null unless a four-step is the part.
template <class T>
std::unique_ptr<const real_transform<T>> build_real_four_step(const recipe& r, real_scales scales);

}  // namespace papilio::fft_detail
