#define PAPILIO_FFT_REAL float

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fft/simd/codelet_float.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "fft/simd/codelet_body-inl.hpp"
#include "fft/simd/direct_body-inl.hpp"
#include "fft/simd/real_codelet_body-inl.hpp"
