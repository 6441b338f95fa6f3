#include "papilio/signal/mask.hpp"

#include <cmath>

#include "papilio/dispatch/device_array.hpp"
#include "signal/mask_operands.hpp"

namespace papilio {

using namespace signal_detail;

namespace {

constexpr operand_names mask_names{"apply_mask", "spectra", "mask"};
constexpr const char* no_kernel = "it has no kernel of quotients";

// A product as one row, of a real mask or a complex one.
operation product_of(std::size_t count, bool complex_mask, real_type type) {
  count = std::max<std::size_t>(1, count);
  if (complex_mask) return product_problem{.count = count, .type = type};
  return layer_problem{.function = layer_function::real_mask, .features = count, .type = type};
}

template <class T, class M, std::size_t Rank>
void mask_placed(view<const std::complex<T>, Rank> spectra, view<const M, Rank> mask,
                 view<std::complex<T>, Rank> out, const execution& on) {
  const operation what = product_of(out.size(), !std::is_same_v<M, T>, real_type_of<T>);
  accelerator* const device = placed(mask_names.function, what, on,
                                     [&] { require_operands(mask_names, spectra, mask, out); });
  if (device == nullptr || out.empty()) return apply_mask<T, Rank>(spectra, mask, out, on.threads);
  run_on(mask_names.function, *device, what, on.precision, {spectra, mask}, {out});
}

// S / (S + N) by the larger of the two, so that no power overflows the sum.
template <class T>
T share(T signal, T noise) {
  if (signal == 0) return noise == 0 ? T(0) : signal / (signal + noise);
  return signal >= noise ? 1 / (1 + noise / signal) : (signal / noise) / (1 + signal / noise);
}

}  // namespace

template <class T, std::size_t Rank>
void apply_mask(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                std::type_identity_t<view<const T, Rank>> mask, view<std::complex<T>, Rank> out,
                int threads) {
  combine(mask_names, spectra, mask, out, threads,
          [](std::complex<T> x, T m) { return std::complex<T>(m * x.real(), m * x.imag()); });
}

template <class T, std::size_t Rank>
void apply_mask(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                std::type_identity_t<view<const std::complex<T>, Rank>> mask,
                view<std::complex<T>, Rank> out, int threads) {
  combine(mask_names, spectra, mask, out, threads,
          [](std::complex<T> x, std::complex<T> m) { return product(m, x); });
}

template <class T, std::size_t Rank>
void ratio_mask(std::type_identity_t<view<const T, Rank>> signal_power,
                std::type_identity_t<view<const T, Rank>> noise_power, view<T, Rank> out,
                double exponent, int threads) {
  if (!(exponent > 0) || !std::isfinite(exponent))
    throw invalid_argument(
        base_detail::message("ratio_mask: exponent must be finite and above 0, got ", exponent));
  const operand_names names{"ratio_mask", "signal_power", "noise_power"};
  const T power = static_cast<T>(exponent);
  if (exponent == 1)
    combine(names, signal_power, noise_power, out, threads, [](T s, T n) { return share(s, n); });
  else if (exponent == 0.5)
    combine(names, signal_power, noise_power, out, threads,
            [](T s, T n) { return std::sqrt(share(s, n)); });
  else
    combine(names, signal_power, noise_power, out, threads,
            [power](T s, T n) { return std::pow(share(s, n), power); });
}

template <class T, std::size_t Rank>
void wiener_mask(std::type_identity_t<view<const T, Rank>> signal_power,
                 std::type_identity_t<view<const T, Rank>> noise_power, view<T, Rank> out,
                 int threads) {
  combine({"wiener_mask", "signal_power", "noise_power"}, signal_power, noise_power, out, threads,
          [](T s, T n) { return share(s, n); });
}

template <class T, std::size_t Rank>
void complex_ratio_mask(std::type_identity_t<view<const std::complex<T>, Rank>> target,
                        std::type_identity_t<view<const std::complex<T>, Rank>> mixture,
                        view<std::complex<T>, Rank> out, int threads) {
  combine({"complex_ratio_mask", "target", "mixture"}, target, mixture, out, threads,
          [](std::complex<T> t, std::complex<T> m) {
            // Scaled by the larger part, so that the square neither overflows nor vanishes.
            const T largest = std::max(std::abs(m.real()), std::abs(m.imag()));
            if (m == std::complex<T>()) return std::complex<T>();
            const std::complex<T> unit(m.real() / largest, -m.imag() / largest);
            const std::complex<T> p = product(t, unit);
            const T norm = (unit.real() * unit.real() + unit.imag() * unit.imag()) * largest;
            return std::complex<T>(p.real() / norm, p.imag() / norm);
          });
}

template <class T, std::size_t Rank>
void apply_mask(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                std::type_identity_t<view<const T, Rank>> mask, view<std::complex<T>, Rank> out,
                const execution& on) {
  mask_placed<T, T, Rank>(spectra, mask, out, on);
}
template <class T, std::size_t Rank>
void apply_mask(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                std::type_identity_t<view<const std::complex<T>, Rank>> mask,
                view<std::complex<T>, Rank> out, const execution& on) {
  mask_placed<T, std::complex<T>, Rank>(spectra, mask, out, on);
}

namespace {

std::vector<shared_tensor> run_on_tensors(const char* function, const operation& what,
                                          std::span<const named_tensor> in, const execution& on) {
  const named_tensor& spectra = in.front();
  const std::vector<std::size_t>& extents = spectra.tensor->shape().extents;
  accelerator& device = place_device_array(function, spectra.tensor->on(function), on);
  std::vector<device_input> operands;
  for (const named_tensor& one : in) {
    const std::vector<std::size_t>& own = one.tensor->shape().extents;
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
      if (own[axis] != extents[axis])
        throw shape_error(base_detail::message(function, ": ", one.name, " has ", own[axis],
                                               " elements along axis ", axis, ", ", spectra.name,
                                               " ", extents[axis]));
    operands.emplace_back(one.tensor);
  }
  std::vector<operand_shape> results = shapes_of(what).out;
  for (operand_shape& result : results) result.extents = extents;
  return run_to_new(function, device, what, on.precision, operands, results);
}

}  // namespace

std::vector<shared_tensor> signal_detail::run_on_spectra(const char* function, layer_function what,
                                                         std::span<const named_tensor> in,
                                                         const execution& on) {
  return run_on_tensors(
      function, layer_problem{.function = what, .features = in.front().tensor->shape().count()}, in,
      on);
}

shared_tensor signal_detail::masked(const shared_tensor& spectra, const shared_tensor& mask,
                                    const execution& on) {
  const named_tensor in[] = {{mask_names.first, spectra}, {mask_names.second, mask}};
  return run_on_tensors(
      mask_names.function,
      product_of(spectra->shape().count(), mask->shape().is_complex, real_type::single_precision),
      in, on)[0];
}

template <class T, std::size_t Rank>
void ratio_mask(std::type_identity_t<view<const T, Rank>> signal_power,
                std::type_identity_t<view<const T, Rank>> noise_power, view<T, Rank> out,
                double exponent, const execution& on) {
  require_host("ratio_mask", "ratio_mask", no_kernel, on);
  ratio_mask<T, Rank>(signal_power, noise_power, out, exponent, on.threads);
}
template <class T, std::size_t Rank>
void wiener_mask(std::type_identity_t<view<const T, Rank>> signal_power,
                 std::type_identity_t<view<const T, Rank>> noise_power, view<T, Rank> out,
                 const execution& on) {
  require_host("wiener_mask", "wiener_mask", no_kernel, on);
  wiener_mask<T, Rank>(signal_power, noise_power, out, on.threads);
}
template <class T, std::size_t Rank>
void complex_ratio_mask(std::type_identity_t<view<const std::complex<T>, Rank>> target,
                        std::type_identity_t<view<const std::complex<T>, Rank>> mixture,
                        view<std::complex<T>, Rank> out, const execution& on) {
  require_host("complex_ratio_mask", "complex_ratio_mask", no_kernel, on);
  complex_ratio_mask<T, Rank>(target, mixture, out, on.threads);
}

#define PAPILIO_MASKS_BY(T, Rank, By)                                                            \
  template PAPILIO_API void apply_mask(view<const std::complex<T>, Rank>, view<const T, Rank>,   \
                                       view<std::complex<T>, Rank>, By);                         \
  template PAPILIO_API void apply_mask(view<const std::complex<T>, Rank>,                        \
                                       view<const std::complex<T>, Rank>,                        \
                                       view<std::complex<T>, Rank>, By);                         \
  template PAPILIO_API void ratio_mask(view<const T, Rank>, view<const T, Rank>, view<T, Rank>,  \
                                       double, By);                                              \
  template PAPILIO_API void wiener_mask(view<const T, Rank>, view<const T, Rank>, view<T, Rank>, \
                                        By);                                                     \
  template PAPILIO_API void complex_ratio_mask(view<const std::complex<T>, Rank>,                \
                                               view<const std::complex<T>, Rank>,                \
                                               view<std::complex<T>, Rank>, By);
PAPILIO_FOR_MASKS(PAPILIO_MASKS_BY)
#undef PAPILIO_MASKS_BY

}  // namespace papilio
