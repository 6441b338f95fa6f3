#define PAPILIO_FFT_FAMILY medium
#define PAPILIO_FFT_REAL float

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fft/simd/column_medium_float.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "fft/simd/column_family-inl.hpp"
