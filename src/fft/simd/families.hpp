#pragma once

#include <cstddef>

#include "fft/column.hpp"
#include "fft/pass.hpp"

namespace papilio::fft_detail {

/// Radices whose kernels are compiled together, each with each element type in a translation unit
/// of its own, to bound compile times.
enum class family { small, medium, large, odd };

/// Null where the family has no such radix or the machine no such width.
template <family Family, class T>
const pass_kernels<T>* family_kernels(std::size_t radix, std::size_t lanes);
template <family Family, class T>
const column_kernels<T>* family_columns(std::size_t radix);

#define PAPILIO_FFT_FAMILY_OF(F, T)                                                          \
  template <>                                                                                \
  const pass_kernels<T>* family_kernels<family::F, T>(std::size_t radix, std::size_t lanes); \
  template <>                                                                                \
  const column_kernels<T>* family_columns<family::F, T>(std::size_t radix);
#define PAPILIO_FFT_FAMILIES(T)    \
  PAPILIO_FFT_FAMILY_OF(small, T)  \
  PAPILIO_FFT_FAMILY_OF(medium, T) \
  PAPILIO_FFT_FAMILY_OF(large, T)  \
  PAPILIO_FFT_FAMILY_OF(odd, T)
PAPILIO_FFT_FAMILIES(float)
PAPILIO_FFT_FAMILIES(double)
#undef PAPILIO_FFT_FAMILIES
#undef PAPILIO_FFT_FAMILY_OF

}  // namespace papilio::fft_detail
