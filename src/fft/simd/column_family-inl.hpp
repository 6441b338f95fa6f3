// One family of radices for one element type: the body of the column_FAMILY_TYPE.cpp files, which
// define PAPILIO_FFT_FAMILY and PAPILIO_FFT_REAL. Included once for each target.
#include "fft/simd/column-inl.hpp"
#include "fft/simd/radices-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {
namespace {

const column_kernels<PAPILIO_FFT_REAL>* lookup(std::size_t radix) {
  return visit_radix<family::PAPILIO_FFT_FAMILY>(radix, []<template <class> class Butterfly>() {
    return column_kernels_of<PAPILIO_FFT_REAL, Butterfly>();
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
const column_kernels<PAPILIO_FFT_REAL>* family_columns<family::PAPILIO_FFT_FAMILY>(
    std::size_t radix) {
  return HWY_DYNAMIC_DISPATCH(lookup)(radix);
}

}  // namespace papilio::fft_detail
#endif
