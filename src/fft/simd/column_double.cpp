#define PAPILIO_FFT_REAL double

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fft/simd/column_double.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "fft/simd/column_body-inl.hpp"
