// First and last passes of real transforms of one element type, PAPILIO_FFT_REAL. Included once for
// each target.
#include "fft/simd/radices-inl.hpp"
#include "fft/simd/real_pass-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {
namespace {

const real_pass_kernels<PAPILIO_FFT_REAL>* look_up_real_pass(std::size_t radix) {
  return visit_fixed_radix(radix, []<template <class> class Butterfly>() {
    return make_real_kernels<PAPILIO_FFT_REAL, Butterfly>();
  });
}

}  // namespace
}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace papilio::fft_detail {
namespace {
HWY_EXPORT(look_up_real_pass);
}

template <>
const real_pass_kernels<PAPILIO_FFT_REAL>* find_real_pass_kernels<PAPILIO_FFT_REAL>(
    std::size_t radix) {
  return HWY_DYNAMIC_DISPATCH(look_up_real_pass)(radix);
}

}  // namespace papilio::fft_detail
#endif
