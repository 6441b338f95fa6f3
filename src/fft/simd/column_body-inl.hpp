// The passes over columns, and their codelets, of one element type, PAPILIO_FFT_REAL. Included once for each target.
#include <cassert>

#include "fft/simd/column-inl.hpp"
#include "fft/simd/column_codelet-inl.hpp"
#include "fft/simd/radices-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {
namespace {

const column_kernels<PAPILIO_FFT_REAL>* look_up_column(std::size_t radix) {
  return visit_radix(radix, []<template <class> class Butterfly>() {
    return column_kernels_of<PAPILIO_FFT_REAL, Butterfly>();
  });
}

const column_moves<PAPILIO_FFT_REAL>* look_up_moves() {
  return column_moves_of<PAPILIO_FFT_REAL>();
}

const column_codelet_code<PAPILIO_FFT_REAL>* look_up_column_codelet(std::size_t n) {
  return column_codelet_for<PAPILIO_FFT_REAL>(n);
}

}  // namespace
}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace papilio::fft_detail {
namespace {
HWY_EXPORT(look_up_column);
HWY_EXPORT(look_up_moves);
HWY_EXPORT(look_up_column_codelet);
}  // namespace

template <>
const column_kernels<PAPILIO_FFT_REAL>& find_column_kernels<PAPILIO_FFT_REAL>(std::size_t radix) {
  const column_kernels<PAPILIO_FFT_REAL>* kernels = HWY_DYNAMIC_DISPATCH(look_up_column)(radix);
  assert(kernels != nullptr);
  return *kernels;
}

template <>
const column_moves<PAPILIO_FFT_REAL>& find_column_moves<PAPILIO_FFT_REAL>() {
  return *HWY_DYNAMIC_DISPATCH(look_up_moves)();
}

template <>
const column_codelet_code<PAPILIO_FFT_REAL>* find_column_codelet<PAPILIO_FFT_REAL>(std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(look_up_column_codelet)(n);
}

}  // namespace papilio::fft_detail
#endif
