// One family of radices for one element type: the body of the stockham_FAMILY_TYPE.cpp files, which
// define PAPILIO_FFT_FAMILY and PAPILIO_FFT_REAL. Included once for each target.
#include "fft/simd/radices-inl.hpp"
#include "fft/simd/stockham-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {
namespace {

const pass_kernels<PAPILIO_FFT_REAL>* lookup(std::size_t radix, std::size_t lanes) {
  return visit_radix<family::PAPILIO_FFT_FAMILY>(radix, [&]<template <class> class Butterfly>() {
    return kernels_at<PAPILIO_FFT_REAL, Butterfly>(lanes);
  });
}

}  // namespace
}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace papilio::fft_detail {
namespace {
HWY_EXPORT(lookup);
}

template <>
const pass_kernels<PAPILIO_FFT_REAL>* family_kernels<family::PAPILIO_FFT_FAMILY>(
    std::size_t radix, std::size_t lanes) {
  return HWY_DYNAMIC_DISPATCH(lookup)(radix, lanes);
}

}  // namespace papilio::fft_detail
#endif
