#include <cmath>
#include <vector>

#include "decompose/khatri_rao.hpp"
#include "decompose/model_check.hpp"
#include "decompose/prepared_operand.hpp"
#include "papilio/decompose/cp.hpp"

namespace papilio {
namespace decompose_detail {
namespace {

using base_detail::message;

template <class T>
void check_model(const char* function, const cp_model<T>& model) {
  if (model.order() == 0) throw shape_error(message(function, ": the model has no factors"));
  for (std::size_t mode = 0; mode < model.order(); ++mode)
    if (model.factors[mode].extent(1) != model.rank())
      throw shape_error(message(function, ": the factor of mode ", mode, " has ",
                                model.factors[mode].extent(1), " columns, and there are ",
                                model.rank(), " weights"));
}

template <class S, class T>
two_factors<S> split_cp_model(const cp_model<T>& model) {
  const auto factors = views_of<T>(model.factors);
  return split_cp<S, T>(factors, model.weights.flat());
}

}  // namespace

template <class T>
double relative_error(const tensor_view<const T>& x, const cp_model<T>& model) {
  check_model("relative_error", model);
  check_extents("relative_error", x.extents(), model.extents());
  const prepared_operand<T> p = prepare("relative_error", x);
  const double factor = std::ldexp(1.0, -p.exponent);
  return root_of_ratio(
      squared_residual<T>(p.data, nullptr, factor, split_cp_model<double>(model), 0),
      p.squared_norm);
}

template PAPILIO_API double relative_error(const tensor_view<const float>&, const cp_model<float>&);
template PAPILIO_API double relative_error(const tensor_view<const double>&,
                                           const cp_model<double>&);

namespace {

template <class T>
double element(const cp_model<T>& model, view<const std::size_t, 1> index) {
  double sum = 0;
  for (std::size_t r = 0; r < model.rank(); ++r) {
    double product = static_cast<double>(model.weights(r));
    for (std::size_t mode = 0; mode < model.order(); ++mode)
      product *= static_cast<double>(model.factors[mode](index[mode], r));
    sum += product;
  }
  return sum;
}

}  // namespace
}  // namespace decompose_detail

template <class T>
tensor<T> reconstruct(const cp_model<T>& model) {
  decompose_detail::check_model("reconstruct", model);
  return decompose_detail::multiplied(decompose_detail::split_cp_model<T>(model), model.extents());
}

template <class T>
array<T, 1> reconstruct_at(const cp_model<T>& model, view<const std::size_t, 2> indices) {
  decompose_detail::check_model("reconstruct_at", model);
  decompose_detail::check_indices("reconstruct_at", indices, model.extents());
  array<T, 1> result(indices.extent(0));
  for (std::size_t i = 0; i < result.size(); ++i)
    result(i) = static_cast<T>(decompose_detail::element(model, indices[i]));
  return result;
}

#define PAPILIO_INSTANTIATE(T)                                    \
  template PAPILIO_API tensor<T> reconstruct(const cp_model<T>&); \
  template PAPILIO_API array<T, 1> reconstruct_at(const cp_model<T>&, view<const std::size_t, 2>)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio
