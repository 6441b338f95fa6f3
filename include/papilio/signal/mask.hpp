#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/array_like.hpp"
#include "papilio/base/export.hpp"
#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/execution.hpp"

namespace papilio {

// Masks over spectra of Rank 1 (one segment), 2 ([segments, bins]) or 3 ([signals, segments,
// bins]), of float or double. Every operand has the same extents and any strides, with which an
// axis of out steps over the whole of the smaller ones. out may be an operand. One pass, on
// `threads` threads over the first axis (0: every core), on which the result does not depend; these
// overloads are the host's, whatever PAPILIO_POLICY says. With `on` in place of `threads` they run
// on the side that it chooses. Throws, before anything is written, shape_error if extents differ,
// and invalid_argument if operands overlap otherwise.

/// Multiplies element by element, out = mask * spectra; a complex mask changes the phase too. The
/// mask is used as it is, without bounds; NaN and infinity pass through.
template <class T, std::size_t Rank>
PAPILIO_API void apply_mask(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                            std::type_identity_t<view<const T, Rank>> mask,
                            view<std::complex<T>, Rank> out, int threads = 1);
template <class T, std::size_t Rank>
PAPILIO_API void apply_mask(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                            std::type_identity_t<view<const std::complex<T>, Rank>> mask,
                            view<std::complex<T>, Rank> out, int threads = 1);

/// Multiplies on the side that `on` chooses. An accelerator computes in float, in one dispatch.
template <class T, std::size_t Rank>
PAPILIO_API void apply_mask(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                            std::type_identity_t<view<const T, Rank>> mask,
                            view<std::complex<T>, Rank> out, const execution& on);
template <class T, std::size_t Rank>
PAPILIO_API void apply_mask(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                            std::type_identity_t<view<const std::complex<T>, Rank>> mask,
                            view<std::complex<T>, Rank> out, const execution& on);

/// Multiplies arrays, vectors and spans; a mask of lower rank ([bins], say) is repeated along the
/// leading axes of the spectra.
template <readable_array Spectra, readable_array Mask, writable_array Out, class... On>
  requires(base_detail::rank_of<Mask> < base_detail::rank_of<Spectra> ||
           !(base_detail::is_view<Spectra> && base_detail::is_view<Mask> &&
             base_detail::is_view<std::remove_cvref_t<Out>>))
void apply_mask(const Spectra& spectra, const Mask& mask, Out&& out, const On&... on) {
  constexpr std::size_t rank = base_detail::rank_of<Spectra>;
  static_assert(base_detail::rank_of<Mask> <= rank, "a mask has no more axes than the spectra");
  const auto from = base_detail::as_view(spectra);
  apply_mask<typename base_detail::value_of<Spectra>::value_type, rank>(
      from, base_detail::repeated<rank>(base_detail::as_view(mask), from.extents()),
      base_detail::as_writable_view(std::forward<Out>(out)), on...);
}

namespace signal_detail {
struct named_tensor {
  const char* name;
  shared_tensor tensor;
};
/// A function of spectra, the first operand, and of others in their extents, as the results are.
PAPILIO_API std::vector<shared_tensor> run_on_spectra(const char* function, layer_function what,
                                                      std::span<const named_tensor> in,
                                                      const execution& on);
PAPILIO_API shared_tensor masked(const shared_tensor& spectra, const shared_tensor& mask,
                                 const execution& on);

template <std::size_t Rank>
device_array<std::complex<float>, Rank> vjp_of_spectra(
    const char* function, layer_function what,
    const device_array<std::complex<float>, Rank>& spectra,
    const device_array<float, Rank>& gradient, const execution& on) {
  const named_tensor in[] = {{"spectra", spectra.tensor(function)},
                             {"gradient", gradient.tensor(function)}};
  return device_array<std::complex<float>, Rank>(run_on_spectra(function, what, in, on)[0]);
}
template <std::size_t Rank>
device_array<float, Rank> size_of_spectra(const char* function, layer_function what,
                                          const device_array<std::complex<float>, Rank>& spectra,
                                          const execution& on) {
  const named_tensor in[] = {{"spectra", spectra.tensor(function)}};
  return device_array<float, Rank>(run_on_spectra(function, what, in, on)[0]);
}
}  // namespace signal_detail

/// Multiplies device arrays on one accelerator, to a device array.
/// Throws shape_error for unequal extents, invalid_argument for operands on two accelerators.
template <std::size_t Rank>
device_array<std::complex<float>, Rank> apply_mask(
    const device_array<std::complex<float>, Rank>& spectra, const device_array<float, Rank>& mask,
    const execution& on = {}) {
  return device_array<std::complex<float>, Rank>(
      signal_detail::masked(spectra.tensor("apply_mask"), mask.tensor("apply_mask"), on));
}
template <std::size_t Rank>
device_array<std::complex<float>, Rank> apply_mask(
    const device_array<std::complex<float>, Rank>& spectra,
    const device_array<std::complex<float>, Rank>& mask, const execution& on = {}) {
  return device_array<std::complex<float>, Rank>(
      signal_detail::masked(spectra.tensor("apply_mask"), mask.tensor("apply_mask"), on));
}

/// Computes the magnitudes |X| of spectra, or their powers |X|^2, of any strides. With `on` in place
/// of `threads` where it says, an accelerator in float, in one dispatch. O(elements).
/// Throws shape_error if out has other extents, invalid_argument if it overlaps the spectra or
/// itself; with `on` as place().
template <class T, std::size_t Rank>
PAPILIO_API void magnitude(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                           view<T, Rank> out, int threads = 1);
template <class T, std::size_t Rank>
PAPILIO_API void magnitude(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                           view<T, Rank> out, const execution& on);
template <class T, std::size_t Rank>
PAPILIO_API void power(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                       view<T, Rank> out, int threads = 1);
template <class T, std::size_t Rank>
PAPILIO_API void power(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                       view<T, Rank> out, const execution& on);
/// Compute them of arrays, vectors and spans.
template <readable_array Spectra, writable_array Out, class... On>
  requires(!(base_detail::is_view<Spectra> && base_detail::is_view<std::remove_cvref_t<Out>>))
void magnitude(const Spectra& spectra, Out&& out, const On&... on) {
  magnitude<typename base_detail::value_of<Spectra>::value_type, base_detail::rank_of<Spectra>>(
      base_detail::as_view(spectra), base_detail::as_writable_view(std::forward<Out>(out)), on...);
}
template <readable_array Spectra, writable_array Out, class... On>
  requires(!(base_detail::is_view<Spectra> && base_detail::is_view<std::remove_cvref_t<Out>>))
void power(const Spectra& spectra, Out&& out, const On&... on) {
  power<typename base_detail::value_of<Spectra>::value_type, base_detail::rank_of<Spectra>>(
      base_detail::as_view(spectra), base_detail::as_writable_view(std::forward<Out>(out)), on...);
}
template <std::size_t Rank>
device_array<float, Rank> magnitude(const device_array<std::complex<float>, Rank>& spectra,
                                    const execution& on = {}) {
  return signal_detail::size_of_spectra("magnitude", layer_function::magnitude, spectra, on);
}
template <std::size_t Rank>
device_array<float, Rank> power(const device_array<std::complex<float>, Rank>& spectra,
                                const execution& on = {}) {
  return signal_detail::size_of_spectra("power", layer_function::power, spectra, on);
}

// Gradients of a real loss L, with the gradient of a complex number x being dL/dRe x + i dL/dIm x,
// as in torch.autograd. The gradient by a mask is computed first and may be the spectra, that by
// the spectra may be the mask or the gradient that is given; neither overlaps anything else. With
// `on` in place of `threads` they run where it says, an accelerator in float, in one dispatch.

/// Computes the gradients by spectra and mask from that by out = mask * spectra: conj(mask) *
/// gradient and conj(spectra) * gradient, of a real mask the real part of that.
template <class T, std::size_t Rank>
PAPILIO_API void apply_mask_vjp(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                                std::type_identity_t<view<const T, Rank>> mask,
                                std::type_identity_t<view<const std::complex<T>, Rank>> gradient,
                                view<std::complex<T>, Rank> spectra_gradient,
                                view<T, Rank> mask_gradient, int threads = 1);
template <class T, std::size_t Rank>
PAPILIO_API void apply_mask_vjp(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                                std::type_identity_t<view<const T, Rank>> mask,
                                std::type_identity_t<view<const std::complex<T>, Rank>> gradient,
                                view<std::complex<T>, Rank> spectra_gradient,
                                view<T, Rank> mask_gradient, const execution& on);
template <class T, std::size_t Rank>
PAPILIO_API void apply_mask_vjp(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                                std::type_identity_t<view<const std::complex<T>, Rank>> mask,
                                std::type_identity_t<view<const std::complex<T>, Rank>> gradient,
                                view<std::complex<T>, Rank> spectra_gradient,
                                view<std::complex<T>, Rank> mask_gradient, int threads = 1);
template <class T, std::size_t Rank>
PAPILIO_API void apply_mask_vjp(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                                std::type_identity_t<view<const std::complex<T>, Rank>> mask,
                                std::type_identity_t<view<const std::complex<T>, Rank>> gradient,
                                view<std::complex<T>, Rank> spectra_gradient,
                                view<std::complex<T>, Rank> mask_gradient, const execution& on);

/// Computes the gradient by spectra X from that by their magnitudes |X|, g X / |X|; 0 where X is 0,
/// at which |X| has no derivative.
template <class T, std::size_t Rank>
PAPILIO_API void magnitude_vjp(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                               std::type_identity_t<view<const T, Rank>> gradient,
                               view<std::complex<T>, Rank> out, int threads = 1);
template <class T, std::size_t Rank>
PAPILIO_API void magnitude_vjp(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                               std::type_identity_t<view<const T, Rank>> gradient,
                               view<std::complex<T>, Rank> out, const execution& on);
/// Computes the gradient by spectra X from that by their powers |X|^2, 2 g X.
template <class T, std::size_t Rank>
PAPILIO_API void power_vjp(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                           std::type_identity_t<view<const T, Rank>> gradient,
                           view<std::complex<T>, Rank> out, int threads = 1);
template <class T, std::size_t Rank>
PAPILIO_API void power_vjp(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                           std::type_identity_t<view<const T, Rank>> gradient,
                           view<std::complex<T>, Rank> out, const execution& on);

/// Gradients by device arrays of spectra and of their mask.
template <device_element Mask, std::size_t Rank>
struct device_mask_gradients {
  device_array<std::complex<float>, Rank> spectra;
  device_array<Mask, Rank> mask;
};

/// Computes the gradients above of device arrays on one accelerator, to device arrays, in one
/// launch each. Throws as apply_mask of device arrays.
template <device_element Mask, std::size_t Rank>
device_mask_gradients<Mask, Rank> apply_mask_vjp(
    const device_array<std::complex<float>, Rank>& spectra, const device_array<Mask, Rank>& mask,
    const device_array<std::complex<float>, Rank>& gradient, const execution& on = {}) {
  constexpr const char* function = "apply_mask_vjp";
  const signal_detail::named_tensor in[] = {{"spectra", spectra.tensor(function)},
                                            {"mask", mask.tensor(function)},
                                            {"gradient", gradient.tensor(function)}};
  const auto by = signal_detail::run_on_spectra(
      function,
      std::same_as<Mask, float> ? layer_function::real_mask_vjp : layer_function::complex_mask_vjp,
      in, on);
  return {device_array<std::complex<float>, Rank>(by[0]), device_array<Mask, Rank>(by[1])};
}
template <std::size_t Rank>
device_array<std::complex<float>, Rank> magnitude_vjp(
    const device_array<std::complex<float>, Rank>& spectra,
    const device_array<float, Rank>& gradient, const execution& on = {}) {
  return signal_detail::vjp_of_spectra("magnitude_vjp", layer_function::magnitude_vjp, spectra,
                                       gradient, on);
}
template <std::size_t Rank>
device_array<std::complex<float>, Rank> power_vjp(
    const device_array<std::complex<float>, Rank>& spectra,
    const device_array<float, Rank>& gradient, const execution& on = {}) {
  return signal_detail::vjp_of_spectra("power_vjp", layer_function::power_vjp, spectra, gradient,
                                       on);
}

// Accelerators have no kernel for the masks below: policy::device is a device_error, automatic the
// host.

/// Computes the mask (S / (S + N))^exponent from the powers S of the signal and N of the noise; 0
/// where both are 0. Exponent 1 is the Wiener filter (see wiener_mask), 1/2 the ideal ratio mask of
/// magnitudes (Srinivasan, S., Roman, N., Wang, D. (2006), Speech Communication 48, 1486).
/// Throws invalid_argument unless the exponent is finite and above 0.
template <class T, std::size_t Rank>
PAPILIO_API void ratio_mask(std::type_identity_t<view<const T, Rank>> signal_power,
                            std::type_identity_t<view<const T, Rank>> noise_power,
                            view<T, Rank> out, double exponent = 0.5, int threads = 1);
template <class T, std::size_t Rank>
PAPILIO_API void ratio_mask(std::type_identity_t<view<const T, Rank>> signal_power,
                            std::type_identity_t<view<const T, Rank>> noise_power,
                            view<T, Rank> out, double exponent, const execution& on);

/// Computes the mask S / (S + N), the real mask of least mean square error if signal and noise do
/// not correlate (Wiener, N. (1949), Extrapolation of Stationary Time Series).
template <class T, std::size_t Rank>
PAPILIO_API void wiener_mask(std::type_identity_t<view<const T, Rank>> signal_power,
                             std::type_identity_t<view<const T, Rank>> noise_power,
                             view<T, Rank> out, int threads = 1);
template <class T, std::size_t Rank>
PAPILIO_API void wiener_mask(std::type_identity_t<view<const T, Rank>> signal_power,
                             std::type_identity_t<view<const T, Rank>> noise_power,
                             view<T, Rank> out, const execution& on);

/// Computes the mask target conj(mixture) / |mixture|^2, which gives the target when applied to the
/// mixture; 0 where the mixture is 0 (Williamson, D., Wang, Y., Wang, D. (2016), IEEE/ACM TASLP 24,
/// 483).
template <class T, std::size_t Rank>
PAPILIO_API void complex_ratio_mask(std::type_identity_t<view<const std::complex<T>, Rank>> target,
                                    std::type_identity_t<view<const std::complex<T>, Rank>> mixture,
                                    view<std::complex<T>, Rank> out, int threads = 1);
template <class T, std::size_t Rank>
PAPILIO_API void complex_ratio_mask(std::type_identity_t<view<const std::complex<T>, Rank>> target,
                                    std::type_identity_t<view<const std::complex<T>, Rank>> mixture,
                                    view<std::complex<T>, Rank> out, const execution& on);

}  // namespace papilio
