// First and last passes of real transforms for one element type: the body of the
// real_pass_TYPE.cpp files, which define PAPILIO_FFT_REAL. Included once for each target.
#include "fft/simd/radices-inl.hpp"
#include "fft/simd/real_pass-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {
namespace {

const real_pass_kernels<PAPILIO_FFT_REAL>* lookup(std::size_t radix) {
  const auto make = []<template <class> class Butterfly>() {
    return make_real_kernels<PAPILIO_FFT_REAL, Butterfly>();
  };
  if (const auto* small = visit_radix<family::small>(radix, make)) return small;
  if (const auto* medium = visit_radix<family::medium>(radix, make)) return medium;
  return visit_radix<family::large>(radix, make);
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
const real_pass_kernels<PAPILIO_FFT_REAL>* find_real_pass_kernels<PAPILIO_FFT_REAL>(
    std::size_t radix) {
  return HWY_DYNAMIC_DISPATCH(lookup)(radix);
}

}  // namespace papilio::fft_detail
#endif
