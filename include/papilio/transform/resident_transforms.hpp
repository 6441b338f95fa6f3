#pragma once

#include <complex>
#include <cstddef>
#include <type_traits>

#include "papilio/dispatch/resident.hpp"
#include "papilio/transform/convolution.hpp"
#include "papilio/transform/frequencies.hpp"
#include "papilio/transform/grids.hpp"
#include "papilio/transform/options.hpp"
#include "papilio/transform/resident_run.hpp"
#include "papilio/transform/trigonometric.hpp"

// The transforms of arrays that lie on an accelerator: names, axes, lengths, factors and errors of
// those that take arrays of the host. They run where the operand lies, and leave the result there:
// one launch each, and another where x is to be cut, padded, made complex or conjugated; one for
// each naming of an axis that is named twice, and for every two axes of more than a kernel has.
// options.plan_effort must be effort::estimate: nothing is timed on a device. Errors, besides, as
// resident says, and device_error where the accelerator has no kernel or too little memory.
namespace papilio {

template <resident_element T, std::size_t Rank>
resident<std::complex<float>, Rank> fft(const resident<T, Rank>& x,
                                        const line_options& options = {}) {
  return resident<std::complex<float>, Rank>(
      transform_detail::resident_complex_line("fft", direction::forward, x.tensor("fft"), options));
}
template <resident_element T, std::size_t Rank>
resident<std::complex<float>, Rank> ifft(const resident<T, Rank>& x,
                                         const line_options& options = {}) {
  return resident<std::complex<float>, Rank>(transform_detail::resident_complex_line(
      "ifft", direction::inverse, x.tensor("ifft"), options));
}
template <std::size_t Rank>
resident<std::complex<float>, Rank> rfft(const resident<float, Rank>& x,
                                         const line_options& options = {}) {
  return resident<std::complex<float>, Rank>(
      transform_detail::resident_real_line("rfft", direction::forward, x.tensor("rfft"), options));
}
template <resident_element T, std::size_t Rank>
resident<float, Rank> irfft(const resident<T, Rank>& x, const line_options& options = {}) {
  return resident<float, Rank>(transform_detail::resident_real_line("irfft", direction::inverse,
                                                                    x.tensor("irfft"), options));
}
template <resident_element T, std::size_t Rank>
resident<float, Rank> hfft(const resident<T, Rank>& x, const line_options& options = {}) {
  return resident<float, Rank>(transform_detail::resident_hermitian_line(
      "hfft", direction::forward, x.tensor("hfft"), options));
}
template <std::size_t Rank>
resident<std::complex<float>, Rank> ihfft(const resident<float, Rank>& x,
                                          const line_options& options = {}) {
  return resident<std::complex<float>, Rank>(transform_detail::resident_hermitian_line(
      "ihfft", direction::inverse, x.tensor("ihfft"), options));
}
template <resident_element T, std::size_t Rank>
resident<std::complex<float>, Rank> fftn(const resident<T, Rank>& x,
                                         const grid_options& options = {}) {
  return resident<std::complex<float>, Rank>(transform_detail::resident_complex_grid(
      {"fftn", options.plan_effort, options.on},
      {fft_kind::complex, direction::forward, options.norm}, x.tensor("fftn"),
      transform_detail::checked_grid("fftn", options.s, options.axes, {}, x.extents(), false)));
}
template <resident_element T, std::size_t Rank>
resident<std::complex<float>, Rank> ifftn(const resident<T, Rank>& x,
                                          const grid_options& options = {}) {
  return resident<std::complex<float>, Rank>(transform_detail::resident_complex_grid(
      {"ifftn", options.plan_effort, options.on},
      {fft_kind::complex, direction::inverse, options.norm}, x.tensor("ifftn"),
      transform_detail::checked_grid("ifftn", options.s, options.axes, {}, x.extents(), false)));
}
template <std::size_t Rank>
resident<std::complex<float>, Rank> rfftn(const resident<float, Rank>& x,
                                          const grid_options& options = {}) {
  return resident<std::complex<float>, Rank>(transform_detail::resident_real_grid(
      {"rfftn", options.plan_effort, options.on}, direction::forward, options.norm,
      x.tensor("rfftn"),
      transform_detail::checked_grid("rfftn", options.s, options.axes, {}, x.extents(), false)));
}
template <resident_element T, std::size_t Rank>
resident<float, Rank> irfftn(const resident<T, Rank>& x, const grid_options& options = {}) {
  return resident<float, Rank>(transform_detail::resident_real_grid(
      {"irfftn", options.plan_effort, options.on}, direction::inverse, options.norm,
      x.tensor("irfftn"),
      transform_detail::checked_grid("irfftn", options.s, options.axes, {}, x.extents(), true)));
}
template <resident_element T, std::size_t Rank>
resident<std::complex<float>, Rank> fft2(const resident<T, Rank>& x,
                                         const grid_options& options = {}) {
  return resident<std::complex<float>, Rank>(transform_detail::resident_complex_grid(
      {"fft2", options.plan_effort, options.on},
      {fft_kind::complex, direction::forward, options.norm}, x.tensor("fft2"),
      transform_detail::checked_grid("fft2", options.s, options.axes,
                                     transform_detail::last_two_axes(), x.extents(), false)));
}
template <resident_element T, std::size_t Rank>
resident<std::complex<float>, Rank> ifft2(const resident<T, Rank>& x,
                                          const grid_options& options = {}) {
  return resident<std::complex<float>, Rank>(transform_detail::resident_complex_grid(
      {"ifft2", options.plan_effort, options.on},
      {fft_kind::complex, direction::inverse, options.norm}, x.tensor("ifft2"),
      transform_detail::checked_grid("ifft2", options.s, options.axes,
                                     transform_detail::last_two_axes(), x.extents(), false)));
}
template <std::size_t Rank>
resident<std::complex<float>, Rank> rfft2(const resident<float, Rank>& x,
                                          const grid_options& options = {}) {
  return resident<std::complex<float>, Rank>(transform_detail::resident_real_grid(
      {"rfft2", options.plan_effort, options.on}, direction::forward, options.norm,
      x.tensor("rfft2"),
      transform_detail::checked_grid("rfft2", options.s, options.axes,
                                     transform_detail::last_two_axes(), x.extents(), false)));
}
template <resident_element T, std::size_t Rank>
resident<float, Rank> irfft2(const resident<T, Rank>& x, const grid_options& options = {}) {
  return resident<float, Rank>(transform_detail::resident_real_grid(
      {"irfft2", options.plan_effort, options.on}, direction::inverse, options.norm,
      x.tensor("irfft2"),
      transform_detail::checked_grid("irfft2", options.s, options.axes,
                                     transform_detail::last_two_axes(), x.extents(), true)));
}
template <resident_element T, std::size_t Rank>
resident<T, Rank> fftshift(const resident<T, Rank>& x, const shift_options& options = {}) {
  return resident<T, Rank>(
      transform_detail::resident_shift("fftshift", x.tensor("fftshift"), options.axes, false));
}
template <resident_element T, std::size_t Rank>
resident<T, Rank> ifftshift(const resident<T, Rank>& x, const shift_options& options = {}) {
  return resident<T, Rank>(
      transform_detail::resident_shift("ifftshift", x.tensor("ifftshift"), options.axes, true));
}

namespace transform_detail {

template <resident_element T, std::size_t Rank>
resident<T, Rank> trigonometric_resident(const char* function, fft_kind kind, direction dir,
                                         const resident<T, Rank>& x,
                                         const trigonometric_options& options) {
  const std::size_t axis = checked_axis(function, options.axis, Rank);
  const std::size_t n = checked_length(function, options.n, x.extent(axis));
  return resident<T, Rank>(resident_trigonometric(
      {function, options.plan_effort, options.on}, {kind, dir, options.norm, options.type},
      x.tensor(function), {.axes = {axis}, .lengths = {n}}));
}
template <resident_element T, std::size_t Rank>
resident<T, Rank> trigonometric_resident(const char* function, fft_kind kind, direction dir,
                                         const resident<T, Rank>& x,
                                         const trigonometric_grid_options& options) {
  return resident<T, Rank>(resident_trigonometric(
      {function, options.plan_effort, options.on}, {kind, dir, options.norm, options.type},
      x.tensor(function), checked_grid(function, options.s, options.axes, {}, x.extents(), false)));
}

template <class T, class U>
using resident_common = std::conditional_t<std::is_same_v<T, float> && std::is_same_v<U, float>,
                                           float, std::complex<float>>;

template <class T, class U, std::size_t Rank>
resident<resident_common<T, U>, Rank> convolution_resident(const char* function,
                                                           const resident<T, Rank>& x,
                                                           const resident<U, Rank>& y,
                                                           const convolution_options& options) {
  return resident<resident_common<T, U>, Rank>(
      resident_convolution({function, options.plan_effort, options.on}, x.tensor(function),
                           y.tensor(function), options.mode, options.axes));
}

}  // namespace transform_detail

// Cosine and sine transforms are products with a matrix that stays on the accelerator: at most 4096
// points (device_error). Of complex elements both parts at once.
template <resident_element T, std::size_t Rank>
resident<T, Rank> dct(const resident<T, Rank>& x, const trigonometric_options& options = {}) {
  return transform_detail::trigonometric_resident("dct", fft_kind::cosine, direction::forward, x,
                                                  options);
}
template <resident_element T, std::size_t Rank>
resident<T, Rank> idct(const resident<T, Rank>& x, const trigonometric_options& options = {}) {
  return transform_detail::trigonometric_resident("idct", fft_kind::cosine, direction::inverse, x,
                                                  options);
}
template <resident_element T, std::size_t Rank>
resident<T, Rank> dst(const resident<T, Rank>& x, const trigonometric_options& options = {}) {
  return transform_detail::trigonometric_resident("dst", fft_kind::sine, direction::forward, x,
                                                  options);
}
template <resident_element T, std::size_t Rank>
resident<T, Rank> idst(const resident<T, Rank>& x, const trigonometric_options& options = {}) {
  return transform_detail::trigonometric_resident("idst", fft_kind::sine, direction::inverse, x,
                                                  options);
}
template <resident_element T, std::size_t Rank>
resident<T, Rank> dctn(const resident<T, Rank>& x, const trigonometric_grid_options& options = {}) {
  return transform_detail::trigonometric_resident("dctn", fft_kind::cosine, direction::forward, x,
                                                  options);
}
template <resident_element T, std::size_t Rank>
resident<T, Rank> idctn(const resident<T, Rank>& x,
                        const trigonometric_grid_options& options = {}) {
  return transform_detail::trigonometric_resident("idctn", fft_kind::cosine, direction::inverse, x,
                                                  options);
}
template <resident_element T, std::size_t Rank>
resident<T, Rank> dstn(const resident<T, Rank>& x, const trigonometric_grid_options& options = {}) {
  return transform_detail::trigonometric_resident("dstn", fft_kind::sine, direction::forward, x,
                                                  options);
}
template <resident_element T, std::size_t Rank>
resident<T, Rank> idstn(const resident<T, Rank>& x,
                        const trigonometric_grid_options& options = {}) {
  return transform_detail::trigonometric_resident("idstn", fft_kind::sine, direction::inverse, x,
                                                  options);
}

// Up to ten launches: padding, transforms, a product, the inverse, a cut. oaconvolve takes no
// blocks here: it is fftconvolve.
template <resident_element T, resident_element U, std::size_t Rank>
auto fftconvolve(const resident<T, Rank>& x, const resident<U, Rank>& y,
                 const convolution_options& options = {}) {
  return transform_detail::convolution_resident("fftconvolve", x, y, options);
}
template <resident_element T, resident_element U, std::size_t Rank>
auto oaconvolve(const resident<T, Rank>& x, const resident<U, Rank>& y,
                const convolution_options& options = {}) {
  return transform_detail::convolution_resident("oaconvolve", x, y, options);
}

// Seven launches; the three tables of factors, each as large as the padded array, stay on the
// accelerator.
template <resident_element T, std::size_t Rank>
resident<std::complex<float>, Rank> czt(const resident<T, Rank>& x,
                                        const czt_options& options = {}) {
  return resident<std::complex<float>, Rank>(transform_detail::resident_czt(
      {"czt", options.plan_effort, options.on}, x.tensor("czt"), options));
}

}  // namespace papilio
