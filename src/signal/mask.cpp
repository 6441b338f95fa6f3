#include "papilio/signal/mask.hpp"

#include <algorithm>
#include <cmath>

#include "base/share.hpp"
#include "papilio/base/overlap.hpp"
#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/placement.hpp"
#include "papilio/signal/host_signals.hpp"
#include "signal/placed_run.hpp"

namespace papilio {
namespace {

template <class A, class Out, std::size_t Rank>
void require_fit(const char* function, const char* name, view<A, Rank> a, view<Out, Rank> out) {
  for (std::size_t axis = 0; axis < Rank; ++axis)
    if (a.extent(axis) != out.extent(axis))
      throw shape_error(base_detail::message(function, ": ", name, " has ", a.extent(axis),
                                             " elements along axis ", axis, ", out ",
                                             out.extent(axis)));
  const bool same = static_cast<const void*>(a.data()) == static_cast<const void*>(out.data()) &&
                    a.strides() == out.strides() && sizeof(A) == sizeof(Out);
  if (!same && base_detail::reach(a).overlaps(base_detail::reach(out)))
    throw invalid_argument(
        base_detail::message(function, ": out overlaps ", name, " and is not ", name));
}

template <class A, class B, class Out, class Operation>
void each(view<A, 1> a, view<B, 1> b, view<Out, 1> out, const Operation& operation) {
  for (std::size_t i = 0; i < out.extent(0); ++i) out[i] = operation(a[i], b[i]);
}
template <class A, class B, class Out, std::size_t Rank, class Operation>
void each(view<A, Rank> a, view<B, Rank> b, view<Out, Rank> out, const Operation& operation) {
  for (std::size_t i = 0; i < out.extent(0); ++i) each(a[i], b[i], out[i], operation);
}

struct operand_names {
  const char *function, *first, *second;
};

template <class A, class B, class Out, std::size_t Rank>
void require_operands(const operand_names& names, view<A, Rank> a, view<B, Rank> b,
                      view<Out, Rank> out) {
  require_fit(names.function, names.first, a, out);
  require_fit(names.function, names.second, b, out);
  base_detail::require_distinct(names.function, out);
}

template <class A, class B, class Out, std::size_t Rank, class Operation>
void combine(const operand_names& names, view<A, Rank> a, view<B, Rank> b, view<Out, Rank> out,
             int threads, const Operation& operation) {
  require_operands(names, a, b, out);
  const std::size_t rows = out.extent(0);
  const auto run = [&](std::size_t first, std::size_t last, std::size_t) {
    const std::size_t count = last - first;
    each(a.slice(0, first, count), b.slice(0, first, count), out.slice(0, first, count), operation);
  };
  base_detail::share(rows, base_detail::team_of(threads), run);
  signal_detail::record_host_run(names.function);
}

constexpr operand_names mask_names{"apply_mask", "spectra", "mask"};
constexpr const char* no_kernel = "it has no kernel of quotients";

arrangement_problem complex_of_reals(std::size_t count) {
  return {.in_extents = {count},
          .out_extents = {count},
          .complex_in = false,
          .complex_out = true,
          .boxes = {{{0}, {0}, {count}}}};
}

// A real mask on the accelerator as a complex one.
shared_tensor complex_mask(accelerator& on, const operand_shape& shape, const device_input& mask) {
  shared_tensor to = new_tensor(on, shape, mask_names.function);
  const device_output out(to);
  run_on(mask_names.function, on, complex_of_reals(shape.count()), {}, {&mask, 1}, {&out, 1});
  return to;
}

// With the launch before it that a real mask takes.
accelerator* place_product(const product_problem& what, bool complex_mask, const execution& on) {
  if (complex_mask) return place(mask_names.function, what, on, host_signals());
  const pipeline_step steps[] = {{.what = what, .precision = on.precision},
                                 {.what = complex_of_reals(what.count), .is_device_only = true}};
  operand_shapes arrays = shapes_of(what);
  arrays.in[1].is_complex = false;
  return place(mask_names.function, steps, arrays, on, host_signals());
}

template <class T, class M, std::size_t Rank>
void mask_placed(view<const std::complex<T>, Rank> spectra, view<const M, Rank> mask,
                 view<std::complex<T>, Rank> out, const execution& on) {
  constexpr bool is_complex = !std::is_same_v<M, T>;
  accelerator* device = nullptr;
  const product_problem what{.count = std::max<std::size_t>(1, out.size()),
                             .type = real_type_of<T>};
  if (!signal_detail::is_plain_host(on)) {
    require_operands(mask_names, spectra, mask, out);
    device = place_product(what, is_complex, on);
  }
  if (device == nullptr || out.empty()) {
    apply_mask<T, Rank>(spectra, mask, out, on.threads);
    return;
  }
  const untyped_view<const void> values(spectra), given(mask);
  const untyped_view<void> result(out);
  if constexpr (is_complex) {
    const device_input in[] = {{values, true}, {given, true}};
    const device_output to(result, true);
    run_on(mask_names.function, *device, what, on.precision, in, {&to, 1});
    return;
  }
  const operand_shape shape{{out.extents().begin(), out.extents().end()}, true};
  dispatch_detail::run_captured(mask_names.function, *device, to_string(operation(what)), [&] {
    const shared_tensor from = dispatch_detail::uploaded(*device, shape, values);
    const device_input reals = dispatch_detail::uploaded(*device, {shape.extents, false}, given);
    const device_input in[] = {from, complex_mask(*device, shape, reals)};
    const shared_tensor product = new_tensor(*device, shape, mask_names.function);
    const device_output to(product);
    run_on(mask_names.function, *device, what, on.precision, in, {&to, 1});
    dispatch_detail::downloaded(*product, result);
  });
}

// Without the tests for infinities that std::complex's product makes.
template <class T>
std::complex<T> product(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
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

shared_tensor signal_detail::masked(const shared_tensor& spectra, const shared_tensor& mask,
                                    const execution& on) {
  constexpr const char* function = mask_names.function;
  const operand_shape& shape = spectra->shape();
  accelerator& device = place_device_array(function, spectra->on(function), on);
  for (std::size_t axis = 0; axis < shape.extents.size(); ++axis)
    if (shape.extents[axis] != mask->shape().extents[axis])
      throw shape_error(base_detail::message(function, ": mask has ", mask->shape().extents[axis],
                                             " elements along axis ", axis, ", spectra ",
                                             shape.extents[axis]));
  const device_input in[] = {spectra,
                             mask->shape().is_complex ? mask : complex_mask(device, shape, mask)};
  shared_tensor result = new_tensor(device, shape, function);
  const device_output out(result);
  run_on(function, device, product_problem{.count = shape.count()}, on.precision, in, {&out, 1});
  return result;
}

template <class T, std::size_t Rank>
void ratio_mask(std::type_identity_t<view<const T, Rank>> signal_power,
                std::type_identity_t<view<const T, Rank>> noise_power, view<T, Rank> out,
                double exponent, const execution& on) {
  signal_detail::require_host("ratio_mask", "ratio_mask", no_kernel, on);
  ratio_mask<T, Rank>(signal_power, noise_power, out, exponent, on.threads);
}
template <class T, std::size_t Rank>
void wiener_mask(std::type_identity_t<view<const T, Rank>> signal_power,
                 std::type_identity_t<view<const T, Rank>> noise_power, view<T, Rank> out,
                 const execution& on) {
  signal_detail::require_host("wiener_mask", "wiener_mask", no_kernel, on);
  wiener_mask<T, Rank>(signal_power, noise_power, out, on.threads);
}
template <class T, std::size_t Rank>
void complex_ratio_mask(std::type_identity_t<view<const std::complex<T>, Rank>> target,
                        std::type_identity_t<view<const std::complex<T>, Rank>> mixture,
                        view<std::complex<T>, Rank> out, const execution& on) {
  signal_detail::require_host("complex_ratio_mask", "complex_ratio_mask", no_kernel, on);
  complex_ratio_mask<T, Rank>(target, mixture, out, on.threads);
}

namespace {

template <class T, class M, std::size_t Rank>
void mask_gradients(view<const std::complex<T>, Rank> spectra, view<const M, Rank> mask,
                    view<const std::complex<T>, Rank> gradient,
                    view<std::complex<T>, Rank> spectra_gradient, view<M, Rank> mask_gradient,
                    int threads) {
  const operand_names by_mask{"apply_mask_vjp", "spectra", "gradient"};
  const operand_names by_spectra{by_mask.function, "mask", "gradient"};
  require_operands(by_spectra, mask, gradient, spectra_gradient);
  require_operands(by_mask, spectra, gradient, mask_gradient);
  const auto first = base_detail::reach(mask_gradient),
             second = base_detail::reach(spectra_gradient);
  if (first.overlaps(second) || first.overlaps(base_detail::reach(mask)) ||
      first.overlaps(base_detail::reach(gradient)))
    throw invalid_argument(
        "apply_mask_vjp: mask_gradient overlaps an operand that is used after it");
  combine(by_mask, spectra, gradient, mask_gradient, threads,
          [](std::complex<T> x, std::complex<T> g) {
            const std::complex<T> both = product(std::conj(x), g);
            if constexpr (std::is_same_v<M, T>)
              return both.real();
            else
              return both;
          });
  combine(by_spectra, mask, gradient, spectra_gradient, threads, [](M m, std::complex<T> g) {
    if constexpr (std::is_same_v<M, T>)
      return std::complex<T>(m * g.real(), m * g.imag());
    else
      return product(std::conj(m), g);
  });
}

}  // namespace

template <class T, std::size_t Rank>
void apply_mask_vjp(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                    std::type_identity_t<view<const T, Rank>> mask,
                    std::type_identity_t<view<const std::complex<T>, Rank>> gradient,
                    view<std::complex<T>, Rank> spectra_gradient, view<T, Rank> mask_gradient,
                    int threads) {
  mask_gradients(spectra, mask, gradient, spectra_gradient, mask_gradient, threads);
}

template <class T, std::size_t Rank>
void apply_mask_vjp(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                    std::type_identity_t<view<const std::complex<T>, Rank>> mask,
                    std::type_identity_t<view<const std::complex<T>, Rank>> gradient,
                    view<std::complex<T>, Rank> spectra_gradient,
                    view<std::complex<T>, Rank> mask_gradient, int threads) {
  mask_gradients(spectra, mask, gradient, spectra_gradient, mask_gradient, threads);
}

template <class T, std::size_t Rank>
void magnitude_vjp(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                   std::type_identity_t<view<const T, Rank>> gradient,
                   view<std::complex<T>, Rank> out, int threads) {
  combine({"magnitude_vjp", "spectra", "gradient"}, spectra, gradient, out, threads,
          [](std::complex<T> x, T g) {
            const T size = std::hypot(x.real(), x.imag());
            return size == 0 ? std::complex<T>()
                             : std::complex<T>(g * (x.real() / size), g * (x.imag() / size));
          });
}

template <class T, std::size_t Rank>
void power_vjp(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
               std::type_identity_t<view<const T, Rank>> gradient, view<std::complex<T>, Rank> out,
               int threads) {
  combine(
      {"power_vjp", "spectra", "gradient"}, spectra, gradient, out, threads,
      [](std::complex<T> x, T g) { return std::complex<T>(2 * g * x.real(), 2 * g * x.imag()); });
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
#define PAPILIO_MASKS(T, Rank)                                                                     \
  PAPILIO_MASKS_BY(T, Rank, int)                                                                   \
  PAPILIO_MASKS_BY(T, Rank, const execution&)                                                      \
  template PAPILIO_API void apply_mask_vjp(view<const std::complex<T>, Rank>, view<const T, Rank>, \
                                           view<const std::complex<T>, Rank>,                      \
                                           view<std::complex<T>, Rank>, view<T, Rank>, int);       \
  template PAPILIO_API void apply_mask_vjp(                                                        \
      view<const std::complex<T>, Rank>, view<const std::complex<T>, Rank>,                        \
      view<const std::complex<T>, Rank>, view<std::complex<T>, Rank>, view<std::complex<T>, Rank>, \
      int);                                                                                        \
  template PAPILIO_API void magnitude_vjp(view<const std::complex<T>, Rank>, view<const T, Rank>,  \
                                          view<std::complex<T>, Rank>, int);                       \
  template PAPILIO_API void power_vjp(view<const std::complex<T>, Rank>, view<const T, Rank>,      \
                                      view<std::complex<T>, Rank>, int);
PAPILIO_MASKS(float, 1)
PAPILIO_MASKS(float, 2)
PAPILIO_MASKS(float, 3)
PAPILIO_MASKS(double, 1)
PAPILIO_MASKS(double, 2)
PAPILIO_MASKS(double, 3)
#undef PAPILIO_MASKS
#undef PAPILIO_MASKS_BY

}  // namespace papilio
