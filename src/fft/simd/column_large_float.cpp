#define PAPILIO_FFT_FAMILY large
#define PAPILIO_FFT_REAL float

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fft/simd/column_large_float.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "fft/simd/column_family-inl.hpp"
