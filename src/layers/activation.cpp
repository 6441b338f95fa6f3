#include <cmath>

#include "layers/device_layer.hpp"
#include "layers/features.hpp"
#include "layers/placed_layer.hpp"

namespace papilio {

using namespace layers_detail;

namespace {

template <class T>
T real_product(std::complex<T> a, std::complex<T> b) {
  return a.real() * b.real() + a.imag() * b.imag();
}

constexpr const char* modrelu_name = "complex_modrelu";
constexpr const char* modrelu_vjp_name = "complex_modrelu_vjp";
constexpr const char* relu_name = "complex_relu";
constexpr const char* relu_vjp_name = "complex_relu_vjp";

// Returns the axis along which the bias lies, after a check that both fit.
template <class X, class Bias>
std::size_t bias_axis(const char* function, const X& x, const Bias& bias, std::ptrdiff_t axis) {
  const auto count = static_cast<std::ptrdiff_t>(x.rank());
  if (axis < -count || axis >= count)
    throw invalid_argument(
        base_detail::message(function, ": x has ", x.rank(), " axes and lacks axis ", axis));
  const auto at = static_cast<std::size_t>(axis < 0 ? axis + count : axis);
  require_count(function, "bias", x.extent(at), bias.size());
  return at;
}

template <class T>
layer_problem problem_of(layer_function function, const complex_view<T>& x, std::size_t features) {
  return {.function = function,
          .rows = features == 0 ? 0 : x.size() / features,
          .features = features,
          .type = real_type_of<T>};
}

}  // namespace

template <class T>
tensor<std::complex<T>> complex_modrelu(given_view<T> x, const array<T, 1>& bias,
                                        std::ptrdiff_t axis, const execution& on) {
  constexpr const char* name = modrelu_name;
  const std::size_t at = bias_axis(name, x, bias, axis);
  const layer_problem what = problem_of<T>(layer_function::modrelu, x, bias.size());
  tensor<std::complex<T>> y(x.extents());
  if (accelerator* const device = place_layer(name, what, on)) {
    const complex_view<T> z = features_last(x, at);
    const tensor_view<const T> b = bias;
    const tensor_view<std::complex<T>> to = features_last(y.view(), at);
    run_on(name, *device, what, on.precision, {z, b}, {to});
    return y;
  }
  const feature_array<T> z(x, at);
  run_on_host(name, on.threads, z.features(), y.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t f = first; f < last; ++f)
      z.for_each(f, [&](std::size_t i) {
        const T size = std::hypot(z[i].real(), z[i].imag()), kept = size + bias(f);
        if (std::isnan(size))
          y.data()[i] = {size, size};
        else if (size > 0 && !(kept <= 0))
          y.data()[i] = z[i] / size * kept;
      });
  });
  return y;
}

// y = z + b u with u = z / |z|. A change of z along u keeps u; a change across it rotates u by the
// change over |z|.
template <class T>
modrelu_gradients<T> complex_modrelu_vjp(given_view<T> x, const array<T, 1>& bias,
                                         given_view<T> gradient, std::ptrdiff_t axis,
                                         const execution& on) {
  constexpr const char* name = modrelu_vjp_name;
  const std::size_t at = bias_axis(name, x, bias, axis);
  require_extents(name, "gradient", x.extents(), gradient.extents());
  const layer_problem what = problem_of<T>(layer_function::modrelu_vjp, x, bias.size());
  modrelu_gradients<T> result{tensor<std::complex<T>>(x.extents()), array<T, 1>({bias.size()})};
  if (accelerator* const device = place_layer(name, what, on)) {
    const complex_view<T> z = features_last(x, at), g = features_last(gradient, at);
    const tensor_view<const T> b = bias;
    const tensor_view<std::complex<T>> by_z = features_last(result.x.view(), at);
    const tensor_view<T> by_bias = result.bias;
    run_on(name, *device, what, on.precision, {z, b, g}, {by_z, by_bias});
    return result;
  }
  const feature_array<T> z(x, at), g(gradient, at);
  run_on_host(name, on.threads, z.features(), x.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t f = first; f < last; ++f) {
      double sum = 0;
      z.for_each(f, [&](std::size_t i) {
        const T size = std::hypot(z[i].real(), z[i].imag()), kept = size + bias(f);
        if (size == 0 || kept <= 0) return;
        const std::complex<T> u = z[i] / size;
        const T along = real_product(u, g[i]);
        result.x.data()[i] = u * along + (g[i] - u * along) * (kept / size);
        sum += static_cast<double>(along);
      });
      result.bias(f) = static_cast<T>(sum);
    }
  });
  return result;
}

complex_device_array complex_modrelu(const complex_device_array& x,
                                     const device_array<float, 1>& bias, std::ptrdiff_t axis,
                                     const execution& on) {
  const shared_tensor z = x.tensor(modrelu_name);
  const device_layer layer(modrelu_name, z, bias_axis(modrelu_name, x, bias, axis), on);
  return complex_device_array(layer.run(layer.problem(layer_function::modrelu),
                                        {layer.features_last(z), bias.tensor(modrelu_name)})[0]);
}

device_modrelu_gradients complex_modrelu_vjp(const complex_device_array& x,
                                             const device_array<float, 1>& bias,
                                             const complex_device_array& gradient,
                                             std::ptrdiff_t axis, const execution& on) {
  constexpr const char* name = modrelu_vjp_name;
  const shared_tensor z = x.tensor(name), g = gradient.tensor(name);
  const device_layer layer(name, z, bias_axis(name, x, bias, axis), on);
  require_extents(name, "gradient", x.extents(), gradient.extents());
  const auto by = layer.run(layer.problem(layer_function::modrelu_vjp),
                            {layer.features_last(z), bias.tensor(name), layer.features_last(g)});
  return {complex_device_array(by[0]), device_array<float, 1>(by[1])};
}

namespace {

// Returns all elements of x, of which a scalar has one.
template <class T>
feature_array<T> elements_of(const complex_view<T>& x) {
  return {x.rank() == 0 ? complex_view<T>(x.data(), std::vector<std::size_t>{1}) : x, 0};
}

// Returns the parts of `value`, a gradient or z itself, that a rectifier of z lets pass; a NaN in z
// lets them pass, so that it is seen in the result.
template <class T>
std::complex<T> passed(std::complex<T> z, std::complex<T> value, complex_rectifier kind) {
  if (kind == complex_rectifier::zrelu)
    return z.real() < 0 || z.imag() < 0 ? std::complex<T>() : value;
  const auto part = [](T of_z, T of_value) { return of_z <= 0 ? T(0) : of_value; };
  return {part(z.real(), value.real()), part(z.imag(), value.imag())};
}

layer_function function_of(complex_rectifier kind, bool is_vjp) {
  const bool is_crelu = kind == complex_rectifier::crelu;
  return is_vjp     ? is_crelu ? layer_function::crelu_vjp : layer_function::zrelu_vjp
         : is_crelu ? layer_function::crelu
                    : layer_function::zrelu;
}

// Rectifiers have no parameters of features, so all elements are one row.
template <class T>
layer_problem rectifier_problem(const complex_view<T>& x, complex_rectifier kind, bool is_vjp) {
  return {.function = function_of(kind, is_vjp), .features = x.size(), .type = real_type_of<T>};
}

}  // namespace

template <class T>
tensor<std::complex<T>> layers_detail::rectified(complex_view<T> x, complex_rectifier kind,
                                                 const execution& on) {
  constexpr const char* name = relu_name;
  const layer_problem what = rectifier_problem<T>(x, kind, false);
  tensor<std::complex<T>> y(x.extents(), uninitialized);
  if (accelerator* const device = place_layer(name, what, on)) {
    const tensor_view<std::complex<T>> to = y;
    run_on(name, *device, what, on.precision, {x}, {to});
    return y;
  }
  const feature_array<T> z = elements_of(x);
  run_on_host(name, on.threads, y.size(), y.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) y.data()[i] = passed(z[i], z[i], kind);
  });
  return y;
}

template <class T>
tensor<std::complex<T>> layers_detail::rectified_vjp(complex_view<T> x, complex_view<T> gradient,
                                                     complex_rectifier kind, const execution& on) {
  constexpr const char* name = relu_vjp_name;
  require_extents(name, "gradient", x.extents(), gradient.extents());
  const layer_problem what = rectifier_problem<T>(x, kind, true);
  tensor<std::complex<T>> by_x(x.extents(), uninitialized);
  if (accelerator* const device = place_layer(name, what, on)) {
    const tensor_view<std::complex<T>> to = by_x;
    run_on(name, *device, what, on.precision, {x, gradient}, {to});
    return by_x;
  }
  const feature_array<T> z = elements_of(x), g = elements_of(gradient);
  run_on_host(name, on.threads, by_x.size(), by_x.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) by_x.data()[i] = passed(z[i], g[i], kind);
  });
  return by_x;
}

complex_device_array complex_relu(const complex_device_array& x, complex_rectifier kind,
                                  const execution& on) {
  const shared_tensor z = x.tensor(relu_name);
  const device_layer layer(relu_name, z, on);
  return complex_device_array(layer.run(layer.problem(function_of(kind, false)), {z})[0]);
}

complex_device_array complex_relu_vjp(const complex_device_array& x,
                                      const complex_device_array& gradient, complex_rectifier kind,
                                      const execution& on) {
  const shared_tensor z = x.tensor(relu_vjp_name), g = gradient.tensor(relu_vjp_name);
  require_extents(relu_vjp_name, "gradient", x.extents(), gradient.extents());
  const device_layer layer(relu_vjp_name, z, on);
  return complex_device_array(layer.run(layer.problem(function_of(kind, true)), {z, g})[0]);
}

#define PAPILIO_INSTANTIATE(T)                                                                 \
  template PAPILIO_API tensor<std::complex<T>> complex_modrelu(                                \
      complex_view<T>, const array<T, 1>&, std::ptrdiff_t, const execution&);                  \
  template PAPILIO_API modrelu_gradients<T> complex_modrelu_vjp(                               \
      complex_view<T>, const array<T, 1>&, complex_view<T>, std::ptrdiff_t, const execution&); \
  template PAPILIO_API tensor<std::complex<T>> layers_detail::rectified(                       \
      complex_view<T>, complex_rectifier, const execution&);                                   \
  template PAPILIO_API tensor<std::complex<T>> layers_detail::rectified_vjp(                   \
      complex_view<T>, complex_view<T>, complex_rectifier, const execution&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio
