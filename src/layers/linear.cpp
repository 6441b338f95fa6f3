#include <utility>

#include "layers/device_layer.hpp"
#include "layers/features.hpp"
#include "papilio/contract/einsum.hpp"

namespace papilio {

using namespace layers_detail;

namespace {

constexpr const char* linear_name = "complex_linear";
constexpr const char* linear_vjp_name = "complex_linear_vjp";
constexpr const char* linear_sum = "...i,oi->...o";

template <class X, class Parameters>
void check_linear(const char* function, const X& x, const Parameters& p) {
  require_rank(function, 1, x.rank());
  if (x.extent(x.rank() - 1) != p.weight.extent(1))
    throw shape_error(base_detail::message(function, ": the last axis of x must have ",
                                           p.weight.extent(1), " inputs, got ",
                                           x.extent(x.rank() - 1)));
  if (p.bias.size() > 0) require_count(function, "bias", p.weight.extent(0), p.bias.size());
}

template <class X, class Parameters>
std::vector<std::size_t> extents_of_result(const X& x, const Parameters& p) {
  std::vector<std::size_t> extents(x.extents().begin(), x.extents().end());
  extents.back() = p.weight.extent(0);
  return extents;
}

}  // namespace

template <class T>
tensor<std::complex<T>> complex_linear(given_view<T> x, const complex_linear_parameters<T>& p,
                                       const execution& on) {
  check_linear(linear_name, x, p);
  tensor<std::complex<T>> y = einsum(linear_sum, x, p.weight, einsum_options{.on = on});
  add_bias(y, y.rank() - 1, p.bias);
  return y;
}

template <class T>
layer_gradients<T, complex_linear_parameters<T>> complex_linear_vjp(
    given_view<T> x, const complex_linear_parameters<T>& p, given_view<T> gradient,
    const execution& on) {
  check_linear(linear_vjp_name, x, p);
  require_extents(linear_vjp_name, "gradient", extents_of_result(x, p), gradient.extents());
  auto by = einsum_vjp(linear_sum, gradient, x, p.weight, einsum_options{.on = on});
  layer_gradients<T, complex_linear_parameters<T>> result{
      std::move(by[0]), {array<std::complex<T>, 2>(p.weight.extents()), {}}};
  std::ranges::copy(by[1].flat(), result.parameters.weight.begin());
  result.parameters.bias = bias_gradient<T>(gradient, gradient.rank() - 1, p.bias);
  return result;
}

namespace {

constexpr const char* linear_labels = "rio";  // rows of x, inputs, outputs

std::vector<std::size_t> linear_sizes(const complex_device_array& x,
                                      const device_linear_parameters& p) {
  return {x.size() / p.weight.extent(1), p.weight.extent(1), p.weight.extent(0)};
}

}  // namespace

complex_device_array complex_linear(const complex_device_array& x,
                                    const device_linear_parameters& p, const execution& on) {
  const shared_tensor from = x.tensor(linear_name), weight = p.weight.tensor(linear_name);
  check_linear(linear_name, x, p);
  const device_layer layer(linear_name, from, on);
  const contraction_problem what =
      products_of(linear_labels, linear_sizes(x, p), {"ri", "oi"}, {{0, 1, "ro"}});
  const auto y = layer.run(what, {from, weight}, {{extents_of_result(x, p), true}});
  return complex_device_array(layer.biased(y[0], p.bias));
}

device_layer_gradients<device_linear_parameters> complex_linear_vjp(
    const complex_device_array& x, const device_linear_parameters& p,
    const complex_device_array& gradient, const execution& on) {
  constexpr const char* name = linear_vjp_name;
  const shared_tensor from = x.tensor(name), weight = p.weight.tensor(name),
                      g = gradient.tensor(name);
  check_linear(linear_vjp_name, x, p);
  require_extents(name, "gradient", extents_of_result(x, p), gradient.extents());
  std::vector<labelled_product> products{{2, 1, "ri"}, {2, 0, "oi"}};
  std::vector<operand_shape> results{from->shape(), weight->shape()};
  if (!p.bias.is_empty()) {
    products.push_back({2, {}, "o"});
    results.push_back({{p.bias.size()}, true});
  }
  const contraction_problem what =
      products_of(linear_labels, linear_sizes(x, p), {"ri", "oi", "ro"}, products, true);
  return gradients_of<device_linear_parameters>(
      device_layer(name, from, on).run(what, {from, weight, g}, results));
}

#define PAPILIO_INSTANTIATE(T)                                                              \
  template PAPILIO_API tensor<std::complex<T>> complex_linear(                              \
      complex_view<T>, const complex_linear_parameters<T>&, const execution&);              \
  template PAPILIO_API layer_gradients<T, complex_linear_parameters<T>> complex_linear_vjp( \
      complex_view<T>, const complex_linear_parameters<T>&, complex_view<T>, const execution&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio
