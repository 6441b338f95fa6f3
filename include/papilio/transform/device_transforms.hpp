#pragma once

#include <complex>
#include <cstddef>
#include <type_traits>

#include "papilio/dispatch/device_array.hpp"
#include "papilio/transform/convolution.hpp"
#include "papilio/transform/device_run.hpp"
#include "papilio/transform/frequencies.hpp"
#include "papilio/transform/grids.hpp"
#include "papilio/transform/options.hpp"
#include "papilio/transform/trigonometric.hpp"

// The transforms of arrays that lie on an accelerator: names, axes, lengths, factors and errors of
// those that take arrays of the host. They run where the operand lies, and leave the result there:
// one launch each, and another where x is to be cut, padded, made complex or conjugated; one for
// each naming of an axis that is named twice, and for every two axes of more than a kernel has.
// options.plan_effort must be effort::estimate: nothing is timed on a device. Errors, besides, as
// device array says, and device_error where the accelerator has no kernel or too little memory.
namespace papilio {

template <device_element T, std::size_t Rank>
device_array<T, Rank> fftshift(const device_array<T, Rank>& x, const shift_options& options = {}) {
  return device_array<T, Rank>(
      transform_detail::shift_on_device("fftshift", x.tensor("fftshift"), options.axes, false));
}
template <device_element T, std::size_t Rank>
device_array<T, Rank> ifftshift(const device_array<T, Rank>& x, const shift_options& options = {}) {
  return device_array<T, Rank>(
      transform_detail::shift_on_device("ifftshift", x.tensor("ifftshift"), options.axes, true));
}

namespace transform_detail {

template <class T, class U>
using device_common = std::conditional_t<std::is_same_v<T, float> && std::is_same_v<U, float>,
                                         float, std::complex<float>>;

template <class T, class U, std::size_t Rank>
device_array<device_common<T, U>, Rank> convolution_of_device_arrays(
    const char* function, const device_array<T, Rank>& x, const device_array<U, Rank>& y,
    const convolution_options& options) {
  return device_array<device_common<T, U>, Rank>(
      convolution_on_device({function, options.plan_effort, options.on}, x.tensor(function),
                            y.tensor(function), options.mode, options.axes));
}

}  // namespace transform_detail

// Up to ten launches: padding, transforms, a product, the inverse, a cut. oaconvolve takes no
// blocks here: it is fftconvolve.
template <device_element T, device_element U, std::size_t Rank>
auto fftconvolve(const device_array<T, Rank>& x, const device_array<U, Rank>& y,
                 const convolution_options& options = {}) {
  return transform_detail::convolution_of_device_arrays("fftconvolve", x, y, options);
}
template <device_element T, device_element U, std::size_t Rank>
auto oaconvolve(const device_array<T, Rank>& x, const device_array<U, Rank>& y,
                const convolution_options& options = {}) {
  return transform_detail::convolution_of_device_arrays("oaconvolve", x, y, options);
}

// Seven launches; the three tables of factors, each as large as the padded array, stay on the
// accelerator.
template <device_element T, std::size_t Rank>
device_array<std::complex<float>, Rank> czt(const device_array<T, Rank>& x,
                                            const czt_options& options = {}) {
  return device_array<std::complex<float>, Rank>(transform_detail::czt_on_device(
      {"czt", options.plan_effort, options.on}, x.tensor("czt"), options));
}

}  // namespace papilio
