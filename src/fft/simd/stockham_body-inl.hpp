// The Stockham passes of one element type, PAPILIO_FFT_REAL. Included once for each target.
#include <cassert>

#include "fft/simd/radices-inl.hpp"
#include "fft/simd/stockham-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {
namespace {

const pass_kernels<PAPILIO_FFT_REAL>* look_up_pass(std::size_t radix, std::size_t lanes) {
  return visit_radix(radix, [&]<template <class> class Butterfly>() {
    return kernels_at<PAPILIO_FFT_REAL, Butterfly>(lanes);
  });
}

}  // namespace
}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace papilio::fft_detail {
namespace {
HWY_EXPORT(look_up_pass);
}

template <>
const pass_kernels<PAPILIO_FFT_REAL>& find_pass_kernels<PAPILIO_FFT_REAL>(std::size_t radix,
                                                                          std::size_t lanes) {
  const pass_kernels<PAPILIO_FFT_REAL>* kernels = HWY_DYNAMIC_DISPATCH(look_up_pass)(radix, lanes);
  assert(kernels != nullptr);
  return *kernels;
}

}  // namespace papilio::fft_detail
#endif
