#include <utility>

#include "layers/features.hpp"
#include "papilio/contract/einsum.hpp"

namespace papilio {

using namespace layers_detail;

namespace {

constexpr const char* linear_name = "complex_linear";
constexpr const char* linear_sum = "...i,oi->...o";

template <class T>
void check_linear(const complex_view<T>& x, const complex_linear_parameters<T>& p) {
  require_rank(linear_name, 1, x.rank());
  if (x.extent(x.rank() - 1) != p.weight.extent(1))
    throw shape_error(base_detail::message(linear_name, ": the last axis of x must have ",
                                           p.weight.extent(1), " inputs, got ",
                                           x.extent(x.rank() - 1)));
  if (!p.bias.empty()) require_count(linear_name, "bias", p.weight.extent(0), p.bias.size());
}

}  // namespace

template <class T>
tensor<std::complex<T>> complex_linear(given_view<T> x, const complex_linear_parameters<T>& p,
                                       const execution& on) {
  check_linear<T>(x, p);
  tensor<std::complex<T>> y = einsum(linear_sum, x, p.weight, einsum_options{.on = on});
  add_bias(y, y.rank() - 1, p.bias);
  return y;
}

template <class T>
layer_gradients<T, complex_linear_parameters<T>> complex_linear_vjp(
    given_view<T> x, const complex_linear_parameters<T>& p, given_view<T> gradient,
    const execution& on) {
  check_linear<T>(x, p);
  std::vector<std::size_t> extents(x.extents().begin(), x.extents().end());
  extents.back() = p.weight.extent(0);
  require_extents("complex_linear_vjp", "gradient", extents, gradient.extents());
  auto by = einsum_vjp(linear_sum, gradient, x, p.weight, einsum_options{.on = on});
  layer_gradients<T, complex_linear_parameters<T>> result{
      std::move(by[0]), {array<std::complex<T>, 2>(p.weight.extents()), {}}};
  std::ranges::copy(by[1].flat(), result.parameters.weight.begin());
  result.parameters.bias = bias_gradient<T>(gradient, gradient.rank() - 1, p.bias);
  return result;
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
