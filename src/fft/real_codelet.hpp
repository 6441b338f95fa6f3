#pragma once

#include <cstddef>

#include "fft/codelet.hpp"
#include "papilio/fft/options.hpp"

namespace papilio::fft_detail {

/// Constants that untangle the interleaved output Z of a codelet of h points, and entangle its
/// input (the identities are in real_pass.hpp). Twiddles have the form of a codelet's: registers of
/// real parts, each twice, and of pairs (-im, im). With W = exp(-2 pi i / 2h), `untangling` holds
/// -i s/2 W^k for k below h/2, and `entangling` i s conj W^k for k below h. The ends, bins 0 and h,
/// have a scale of their own in place of s: in the first twiddle, and in the first two reals of the
/// registers first_half_scale and first_scale, which have half_scale and scale in the others.
template <class T>
struct real_codelet_tables {
  codelet_tables<T> forward, inverse;
  const T* untangling = nullptr;
  const T* first_half_scale = nullptr;
  T half_scale = T(0.5);
  const T* entangling = nullptr;
  const T* first_scale = nullptr;
  T scale = 1;
};

/// The real transforms of 2h points by a codelet of h.
template <class T>
struct real_codelet_code {
  std::size_t complexes = 0;  ///< in one register
  std::size_t memory_reals = 0;
  /// Transforms reals to bins. Memory begins on a cache line, here and below.
  void (*forward)(const real_codelet_tables<T>& tables, const T* in, T* bins, T* memory) = nullptr;
  /// Transforms reals, each times its weight, to bins in every spectrum_form.
  void (*windowed[3])(const real_codelet_tables<T>& tables, const T* in, const T* window, T* out,
                      T* memory) = {};
  void (*inverse)(const real_codelet_tables<T>& tables, const T* bins, T* out, T* memory) = nullptr;
};

/// Returns the code for h; null where find_codelet is.
template <class T>
const real_codelet_code<T>* find_real_codelet(std::size_t h);

}  // namespace papilio::fft_detail
