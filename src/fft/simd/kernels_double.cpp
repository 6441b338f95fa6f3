#define PAPILIO_FFT_REAL double

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fft/simd/kernels_double.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "fft/simd/codelet_body-inl.hpp"
#include "fft/simd/column_body-inl.hpp"
#include "fft/simd/direct_body-inl.hpp"
#include "fft/simd/pointwise_body-inl.hpp"
#include "fft/simd/real_codelet_body-inl.hpp"
#include "fft/simd/real_pass_body-inl.hpp"
#include "fft/simd/stockham_body-inl.hpp"
#include "fft/simd/two_step_body-inl.hpp"
