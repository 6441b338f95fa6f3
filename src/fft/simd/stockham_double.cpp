#define PAPILIO_FFT_REAL double

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fft/simd/stockham_double.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "fft/simd/pointwise_body-inl.hpp"
#include "fft/simd/stockham_body-inl.hpp"
