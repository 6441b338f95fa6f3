#include <cmath>

#include "layers/features.hpp"

namespace papilio {

using namespace layers_detail;

namespace {

template <class T>
T real_product(std::complex<T> a, std::complex<T> b) {
  return a.real() * b.real() + a.imag() * b.imag();
}

std::size_t checked_feature_axis(const char* function, std::ptrdiff_t axis, std::size_t rank) {
  const auto count = static_cast<std::ptrdiff_t>(rank);
  if (axis < -count || axis >= count)
    throw invalid_argument(
        base_detail::message(function, ": x has ", rank, " axes and lacks axis ", axis));
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

template <class T>
feature_array<T> modrelu_input(const char* function, const complex_view<T>& x,
                               const array<T, 1>& bias, std::ptrdiff_t axis) {
  const std::size_t at = checked_feature_axis(function, axis, x.rank());
  require_count(function, "bias", x.extent(at), bias.size());
  return feature_array<T>(x, at);
}

}  // namespace

template <class T>
tensor<std::complex<T>> complex_modrelu(given_view<T> x, const array<T, 1>& bias,
                                        std::ptrdiff_t axis) {
  const feature_array<T> z = modrelu_input("complex_modrelu", x, bias, axis);
  tensor<std::complex<T>> y(x.extents());
  for (std::size_t f = 0; f < z.features(); ++f)
    z.for_each(f, [&](std::size_t at) {
      const T size = std::hypot(z[at].real(), z[at].imag()), kept = size + bias(f);
      if (size > 0 && kept > 0) y.data()[at] = z[at] / size * kept;
      if (std::isnan(size)) y.data()[at] = {size, size};
    });
  return y;
}

// y = z + b u, u = z / |z|, of which a change along u keeps u, and one across it turns u by the
// change over |z|.
template <class T>
modrelu_gradients<T> complex_modrelu_vjp(given_view<T> x, const array<T, 1>& bias,
                                         given_view<T> gradient, std::ptrdiff_t axis) {
  const feature_array<T> z = modrelu_input("complex_modrelu_vjp", x, bias, axis);
  require_extents("complex_modrelu_vjp", "gradient", x.extents(), gradient.extents());
  const feature_array<T> g(gradient, checked_feature_axis("complex_modrelu_vjp", axis, x.rank()));
  modrelu_gradients<T> result{tensor<std::complex<T>>(x.extents()), array<T, 1>({bias.size()})};
  for (std::size_t f = 0; f < z.features(); ++f) {
    double sum = 0;
    z.for_each(f, [&](std::size_t at) {
      const T size = std::hypot(z[at].real(), z[at].imag()), kept = size + bias(f);
      if (!(size > 0 && kept > 0)) return;
      const std::complex<T> u = z[at] / size;
      const T along = real_product(u, g[at]);
      result.x.data()[at] = u * along + (g[at] - u * along) * (kept / size);
      sum += static_cast<double>(along);
    });
    result.bias(f) = static_cast<T>(sum);
  }
  return result;
}

namespace {

// Of a scalar too.
template <class T>
feature_array<T> elements_of(const complex_view<T>& x) {
  return {x.rank() == 0 ? complex_view<T>(x.data(), std::vector<std::size_t>{1}) : x, 0};
}

// What passes of a gradient by z, or of z itself.
template <class T>
std::complex<T> passed(std::complex<T> z, std::complex<T> value, complex_rectifier kind,
                       bool at_zero) {
  if (kind == complex_rectifier::zrelu)
    return z.real() >= 0 && z.imag() >= 0 ? value : std::complex<T>();
  const auto part = [&](T of_z, T of_value) {
    return of_z > 0 || (at_zero && !(of_z <= 0)) ? of_value : T(0);
  };
  return {part(z.real(), value.real()), part(z.imag(), value.imag())};
}

}  // namespace

template <class T>
tensor<std::complex<T>> layers_detail::rectified(complex_view<T> x, complex_rectifier kind) {
  tensor<std::complex<T>> y(x.extents(), uninitialized);
  const feature_array<T> z = elements_of(x);
  for (std::size_t at = 0; at < y.size(); ++at) y.data()[at] = passed(z[at], z[at], kind, true);
  return y;
}

template <class T>
tensor<std::complex<T>> layers_detail::rectified_vjp(complex_view<T> x, complex_view<T> gradient,
                                                     complex_rectifier kind) {
  require_extents("complex_relu_vjp", "gradient", x.extents(), gradient.extents());
  tensor<std::complex<T>> by_x(x.extents(), uninitialized);
  const feature_array<T> z = elements_of(x), g = elements_of(gradient);
  for (std::size_t at = 0; at < by_x.size(); ++at)
    by_x.data()[at] = passed(z[at], g[at], kind, false);
  return by_x;
}

#define PAPILIO_INSTANTIATE(T)                                                              \
  template PAPILIO_API tensor<std::complex<T>> complex_modrelu(                             \
      complex_view<T>, const array<T, 1>&, std::ptrdiff_t);                                 \
  template PAPILIO_API modrelu_gradients<T> complex_modrelu_vjp(                            \
      complex_view<T>, const array<T, 1>&, complex_view<T>, std::ptrdiff_t);                \
  template PAPILIO_API tensor<std::complex<T>> layers_detail::rectified(complex_view<T>,    \
                                                                        complex_rectifier); \
  template PAPILIO_API tensor<std::complex<T>> layers_detail::rectified_vjp(                \
      complex_view<T>, complex_view<T>, complex_rectifier)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio
