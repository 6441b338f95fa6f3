#define PAPILIO_FFT_FAMILY medium
#define PAPILIO_FFT_REAL double

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fft/simd/stockham_medium_double.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "fft/simd/stockham_family-inl.hpp"
