#define PAPILIO_FFT_REAL float

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fft/simd/stockham_float.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "fft/simd/pointwise_body-inl.hpp"
#include "fft/simd/stockham_body-inl.hpp"
