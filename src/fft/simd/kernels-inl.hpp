// Look-up of the host's kernels for one element type, PAPILIO_FFT_REAL. The file is included once
// for each target.
#include <cassert>

#include "fft/pointwise.hpp"
#include "fft/simd/codelet-inl.hpp"
#include "fft/simd/column-inl.hpp"
#include "fft/simd/column_codelet-inl.hpp"
#include "fft/simd/direct-inl.hpp"
#include "fft/simd/pointwise-inl.hpp"
#include "fft/simd/radices-inl.hpp"
#include "fft/simd/real_codelet-inl.hpp"
#include "fft/simd/real_pass-inl.hpp"
#include "fft/simd/stockham-inl.hpp"
#include "fft/simd/two_step-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {
namespace {

using real = PAPILIO_FFT_REAL;

const codelet_code<real>* look_up_codelet(std::size_t n) { return codelet_for<real>(n); }
const real_codelet_code<real>* look_up_real_codelet(std::size_t n) {
  return real_codelet_for<real>(n);
}
const column_codelet_code<real>* look_up_column_codelet(std::size_t n) {
  return column_codelet_for<real>(n);
}
const column_kernels<real>* look_up_column(std::size_t radix) {
  return visit_radix(radix, []<template <class> class Butterfly>() {
    return column_kernels_of<real, Butterfly>();
  });
}
const column_moves<real>* look_up_moves() { return column_moves_of<real>(); }
direct_function<real> look_up_direct() { return direct<real>; }
const pointwise_kernels<real>* look_up_pointwise() {
  static constexpr pointwise_kernels<real> kernels = {
      lanes_of<full<real>>,
      multiply_split<real>,
      {multiply_in<false, real>, multiply_in<true, real>},
      {multiply_out<false, real>, multiply_out<true, real>},
      stream_copy<real>,
      end_streams,
      untangle<real>,
      entangle<real>};
  return &kernels;
}
const real_pass_kernels<real>* look_up_real_pass(std::size_t radix) {
  return visit_fixed_radix(
      radix, []<template <class> class Butterfly>() { return real_kernels_of<real, Butterfly>(); });
}
const pass_kernels<real>* look_up_pass(std::size_t radix, std::size_t lanes) {
  return visit_radix(radix, [&]<template <class> class Butterfly>() {
    return kernels_at<real, Butterfly>(lanes);
  });
}
first_step_function<real> look_up_first_step(std::size_t radix, std::size_t complexes) {
  return first_step_for<real>(radix, complexes);
}
row_pass_function<real> look_up_row_pass(std::size_t radix, bool is_first, std::size_t complexes) {
  return row_pass_for<real>(radix, is_first, complexes);
}
std::size_t look_up_complexes(std::size_t columns, std::size_t rows) {
  return complexes_for<real>(columns, rows);
}

}  // namespace
}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace papilio::fft_detail {
namespace {

using real = PAPILIO_FFT_REAL;
HWY_EXPORT(look_up_codelet);
HWY_EXPORT(look_up_real_codelet);
HWY_EXPORT(look_up_column_codelet);
HWY_EXPORT(look_up_column);
HWY_EXPORT(look_up_moves);
HWY_EXPORT(look_up_direct);
HWY_EXPORT(look_up_pointwise);
HWY_EXPORT(look_up_real_pass);
HWY_EXPORT(look_up_pass);
HWY_EXPORT(look_up_first_step);
HWY_EXPORT(look_up_row_pass);
HWY_EXPORT(look_up_complexes);

template <class Kernels>
const Kernels& found(const Kernels* kernels) {
  assert(kernels != nullptr);
  return *kernels;
}

}  // namespace

template <>
const codelet_code<real>* find_codelet<real>(std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(look_up_codelet)(n);
}
template <>
const real_codelet_code<real>* find_real_codelet<real>(std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(look_up_real_codelet)(n);
}
template <>
const column_codelet_code<real>* find_column_codelet<real>(std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(look_up_column_codelet)(n);
}
template <>
const column_kernels<real>& find_column_kernels<real>(std::size_t radix) {
  return found(HWY_DYNAMIC_DISPATCH(look_up_column)(radix));
}
template <>
const column_moves<real>& find_column_moves<real>() {
  return *HWY_DYNAMIC_DISPATCH(look_up_moves)();
}
template <>
direct_function<real> find_direct<real>() {
  return HWY_DYNAMIC_DISPATCH(look_up_direct)();
}
template <>
const pointwise_kernels<real>& find_pointwise_kernels<real>() {
  return *HWY_DYNAMIC_DISPATCH(look_up_pointwise)();
}
template <>
const real_pass_kernels<real>* find_real_pass_kernels<real>(std::size_t radix) {
  return HWY_DYNAMIC_DISPATCH(look_up_real_pass)(radix);
}
template <>
const pass_kernels<real>& find_pass_kernels<real>(std::size_t radix, std::size_t lanes) {
  return found(HWY_DYNAMIC_DISPATCH(look_up_pass)(radix, lanes));
}
template <>
first_step_function<real> find_first_step<real>(std::size_t radix, std::size_t complexes) {
  return HWY_DYNAMIC_DISPATCH(look_up_first_step)(radix, complexes);
}
template <>
row_pass_function<real> find_row_pass<real>(std::size_t radix, bool is_first,
                                            std::size_t complexes) {
  return HWY_DYNAMIC_DISPATCH(look_up_row_pass)(radix, is_first, complexes);
}
template <>
std::size_t two_step_complexes<real>(std::size_t columns, std::size_t rows) {
  return HWY_DYNAMIC_DISPATCH(look_up_complexes)(columns, rows);
}

}  // namespace papilio::fft_detail
#endif
