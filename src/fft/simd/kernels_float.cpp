#define PAPILIO_FFT_REAL float

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fft/simd/kernels_float.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "fft/simd/kernels-inl.hpp"
