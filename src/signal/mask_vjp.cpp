// Gradients of masks, magnitudes and powers.
#include <cmath>

#include "papilio/signal/mask.hpp"
#include "signal/mask_operands.hpp"

namespace papilio {

using namespace signal_detail;

namespace {

constexpr const char* mask_vjp_name = "apply_mask_vjp";

template <class T, class M, std::size_t Rank>
struct mask_gradients {
  view<const std::complex<T>, Rank> spectra;
  view<const M, Rank> mask;
  view<const std::complex<T>, Rank> gradient;
  view<std::complex<T>, Rank> by_spectra;
  view<M, Rank> by_mask;

  static constexpr operand_names of_mask{mask_vjp_name, "spectra", "gradient"};
  static constexpr operand_names of_spectra{mask_vjp_name, "mask", "gradient"};

  void check() const {
    require_operands(of_spectra, mask, gradient, by_spectra);
    require_operands(of_mask, spectra, gradient, by_mask);
    const auto first = base_detail::reach(by_mask), second = base_detail::reach(by_spectra);
    if (first.overlaps(second) || first.overlaps(base_detail::reach(mask)) ||
        first.overlaps(base_detail::reach(gradient)))
      throw invalid_argument(
          "apply_mask_vjp: mask_gradient overlaps an operand that is used after it");
  }

  void run(int threads) const {
    check();
    combine(of_mask, spectra, gradient, by_mask, threads, [](std::complex<T> x, std::complex<T> g) {
      const std::complex<T> both = product(std::conj(x), g);
      if constexpr (std::is_same_v<M, T>)
        return both.real();
      else
        return both;
    });
    combine(of_spectra, mask, gradient, by_spectra, threads, [](M m, std::complex<T> g) {
      if constexpr (std::is_same_v<M, T>)
        return std::complex<T>(m * g.real(), m * g.imag());
      else
        return product(std::conj(m), g);
    });
  }

  void run(const execution& on) const {
    const layer_problem what{.function = std::is_same_v<M, T> ? layer_function::real_mask_vjp
                                                              : layer_function::complex_mask_vjp,
                             .features = std::max<std::size_t>(1, gradient.size()),
                             .type = real_type_of<T>};
    accelerator* const device = placed(mask_vjp_name, what, on, [&] { check(); });
    if (device == nullptr || gradient.empty()) return run(on.threads);
    run_on(mask_vjp_name, *device, what, on.precision, {spectra, mask, gradient},
           {by_spectra, by_mask});
  }
};

// Magnitudes, powers and their gradients: on the device, else false. Without a gradient the spectra
// stand for it.
template <class T, class Second, class Out, std::size_t Rank>
bool ran_placed(const operand_names& names, layer_function function,
                view<const std::complex<T>, Rank> spectra, view<const Second, Rank> gradient,
                view<Out, Rank> out, const execution& on) {
  const layer_problem what{.function = function,
                           .features = std::max<std::size_t>(1, out.size()),
                           .type = real_type_of<T>};
  accelerator* const device =
      placed(names.function, what, on, [&] { require_operands(names, spectra, gradient, out); });
  if (device == nullptr || out.empty()) return false;
  if constexpr (std::is_same_v<Second, T>)
    run_on(names.function, *device, what, on.precision, {spectra, gradient}, {out});
  else
    run_on(names.function, *device, what, on.precision, {spectra}, {out});
  return true;
}

constexpr operand_names of_magnitude{"magnitude", "spectra", "spectra"};
constexpr operand_names of_power{"power", "spectra", "spectra"};
constexpr operand_names magnitude_names{"magnitude_vjp", "spectra", "gradient"};
constexpr operand_names power_names{"power_vjp", "spectra", "gradient"};

}  // namespace

template <class T, std::size_t Rank>
void apply_mask_vjp(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                    std::type_identity_t<view<const T, Rank>> mask,
                    std::type_identity_t<view<const std::complex<T>, Rank>> gradient,
                    view<std::complex<T>, Rank> spectra_gradient, view<T, Rank> mask_gradient,
                    int threads) {
  mask_gradients<T, T, Rank>{spectra, mask, gradient, spectra_gradient, mask_gradient}.run(threads);
}
template <class T, std::size_t Rank>
void apply_mask_vjp(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                    std::type_identity_t<view<const T, Rank>> mask,
                    std::type_identity_t<view<const std::complex<T>, Rank>> gradient,
                    view<std::complex<T>, Rank> spectra_gradient, view<T, Rank> mask_gradient,
                    const execution& on) {
  mask_gradients<T, T, Rank>{spectra, mask, gradient, spectra_gradient, mask_gradient}.run(on);
}

template <class T, std::size_t Rank>
void apply_mask_vjp(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                    std::type_identity_t<view<const std::complex<T>, Rank>> mask,
                    std::type_identity_t<view<const std::complex<T>, Rank>> gradient,
                    view<std::complex<T>, Rank> spectra_gradient,
                    view<std::complex<T>, Rank> mask_gradient, int threads) {
  mask_gradients<T, std::complex<T>, Rank>{spectra, mask, gradient, spectra_gradient, mask_gradient}
      .run(threads);
}
template <class T, std::size_t Rank>
void apply_mask_vjp(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                    std::type_identity_t<view<const std::complex<T>, Rank>> mask,
                    std::type_identity_t<view<const std::complex<T>, Rank>> gradient,
                    view<std::complex<T>, Rank> spectra_gradient,
                    view<std::complex<T>, Rank> mask_gradient, const execution& on) {
  mask_gradients<T, std::complex<T>, Rank>{spectra, mask, gradient, spectra_gradient, mask_gradient}
      .run(on);
}

template <class T, std::size_t Rank>
void magnitude(std::type_identity_t<view<const std::complex<T>, Rank>> spectra, view<T, Rank> out,
               int threads) {
  combine(of_magnitude, spectra, spectra, out, threads,
          [](std::complex<T> x, std::complex<T>) { return std::hypot(x.real(), x.imag()); });
}
template <class T, std::size_t Rank>
void magnitude(std::type_identity_t<view<const std::complex<T>, Rank>> spectra, view<T, Rank> out,
               const execution& on) {
  if (!ran_placed<T>(of_magnitude, layer_function::magnitude, spectra, spectra, out, on))
    magnitude<T, Rank>(spectra, out, on.threads);
}

template <class T, std::size_t Rank>
void power(std::type_identity_t<view<const std::complex<T>, Rank>> spectra, view<T, Rank> out,
           int threads) {
  combine(of_power, spectra, spectra, out, threads, [](std::complex<T> x, std::complex<T>) {
    return x.real() * x.real() + x.imag() * x.imag();
  });
}
template <class T, std::size_t Rank>
void power(std::type_identity_t<view<const std::complex<T>, Rank>> spectra, view<T, Rank> out,
           const execution& on) {
  if (!ran_placed<T>(of_power, layer_function::power, spectra, spectra, out, on))
    power<T, Rank>(spectra, out, on.threads);
}

template <class T, std::size_t Rank>
void magnitude_vjp(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                   std::type_identity_t<view<const T, Rank>> gradient,
                   view<std::complex<T>, Rank> out, int threads) {
  combine(magnitude_names, spectra, gradient, out, threads, [](std::complex<T> x, T g) {
    const T size = std::hypot(x.real(), x.imag());
    return size == 0 ? std::complex<T>()
                     : std::complex<T>(g * (x.real() / size), g * (x.imag() / size));
  });
}
template <class T, std::size_t Rank>
void magnitude_vjp(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
                   std::type_identity_t<view<const T, Rank>> gradient,
                   view<std::complex<T>, Rank> out, const execution& on) {
  if (!ran_placed<T>(magnitude_names, layer_function::magnitude_vjp, spectra, gradient, out, on))
    magnitude_vjp<T, Rank>(spectra, gradient, out, on.threads);
}

template <class T, std::size_t Rank>
void power_vjp(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
               std::type_identity_t<view<const T, Rank>> gradient, view<std::complex<T>, Rank> out,
               int threads) {
  combine(power_names, spectra, gradient, out, threads, [](std::complex<T> x, T g) {
    return std::complex<T>(2 * g * x.real(), 2 * g * x.imag());
  });
}
template <class T, std::size_t Rank>
void power_vjp(std::type_identity_t<view<const std::complex<T>, Rank>> spectra,
               std::type_identity_t<view<const T, Rank>> gradient, view<std::complex<T>, Rank> out,
               const execution& on) {
  if (!ran_placed<T>(power_names, layer_function::power_vjp, spectra, gradient, out, on))
    power_vjp<T, Rank>(spectra, gradient, out, on.threads);
}

#define PAPILIO_MASKS_BY(T, Rank, By)                                                              \
  template PAPILIO_API void apply_mask_vjp(view<const std::complex<T>, Rank>, view<const T, Rank>, \
                                           view<const std::complex<T>, Rank>,                      \
                                           view<std::complex<T>, Rank>, view<T, Rank>, By);        \
  template PAPILIO_API void apply_mask_vjp(                                                        \
      view<const std::complex<T>, Rank>, view<const std::complex<T>, Rank>,                        \
      view<const std::complex<T>, Rank>, view<std::complex<T>, Rank>, view<std::complex<T>, Rank>, \
      By);                                                                                         \
  template PAPILIO_API void magnitude(view<const std::complex<T>, Rank>, view<T, Rank>, By);       \
  template PAPILIO_API void power(view<const std::complex<T>, Rank>, view<T, Rank>, By);           \
  template PAPILIO_API void magnitude_vjp(view<const std::complex<T>, Rank>, view<const T, Rank>,  \
                                          view<std::complex<T>, Rank>, By);                        \
  template PAPILIO_API void power_vjp(view<const std::complex<T>, Rank>, view<const T, Rank>,      \
                                      view<std::complex<T>, Rank>, By);
PAPILIO_FOR_MASKS(PAPILIO_MASKS_BY)
#undef PAPILIO_MASKS_BY

}  // namespace papilio
