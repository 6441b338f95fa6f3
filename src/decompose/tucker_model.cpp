#include "decompose/tucker_model.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "decompose/mode_product.hpp"
#include "decompose/model_check.hpp"
#include "decompose/prepared_operand.hpp"
#include "decompose/sums.hpp"

namespace papilio {
namespace decompose_detail {

using base_detail::message;

template <class T>
void check_model(const char* function, const tucker_model<T>& model) {
  if (model.order() == 0 || model.core.rank() != model.order())
    throw shape_error(message(function, ": a core of ", model.core.rank(), " modes has ",
                              model.order(), " factors"));
  for (std::size_t mode = 0; mode < model.order(); ++mode)
    if (model.factors[mode].extent(1) != model.core.extent(mode))
      throw shape_error(message(function, ": the factor of mode ", mode, " has ",
                                model.factors[mode].extent(1), " columns, the core extent ",
                                model.core.extent(mode)));
}

template <class S, class T>
two_factors<S> split_model(const tucker_model<T>& model, int threads) {
  std::vector<std::size_t> extents = model.ranks();
  array<S, 1> values(model.core.size(), uninitialized);
  for (std::size_t i = 0; i < values.size(); ++i)
    values.data()[i] = static_cast<S>(model.core.data()[i]);
  for (std::size_t mode = model.order(); mode-- > 1;) {
    const array<S, 2> factor = converted<S>(model.factors[mode].view());
    values = mode_product<S>(values.data(), split_at(extents, mode), factor, threads);
    extents[mode] = factor.extent(0);
  }
  const std::size_t rank = extents[0];
  two_factors<S> result{converted<S>(model.factors[0].view()),
                        array<S, 2>({rank, rank == 0 ? 0 : values.size() / rank}, uninitialized)};
  std::copy_n(values.data(), values.size(), result.right.data());
  return result;
}

template <class T>
double relative_error(const tensor_view<const T>& x, const tucker_model<T>& model) {
  check_model("relative_error", model);
  check_extents("relative_error", x.extents(), model.extents());
  const prepared_operand<T> p = prepare("relative_error", x);
  const double factor = std::ldexp(1.0, -p.exponent);
  return root_of_ratio(
      squared_residual<T>(p.data, nullptr, factor, split_model<double>(model, 0), 0),
      p.squared_norm);
}

#define PAPILIO_INSTANTIATE(T)                                                   \
  template void check_model(const char*, const tucker_model<T>&);                \
  template two_factors<double> split_model<double>(const tucker_model<T>&, int); \
  template PAPILIO_API double relative_error(const tensor_view<const T>&, const tucker_model<T>&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE
template two_factors<float> split_model<float>(const tucker_model<float>&, int);

// The core's modes are summed from the last to the first.
template <class T>
double element(const tucker_model<T>& model, view<const std::size_t, 1> index,
               std::vector<double>& scratch) {
  std::size_t size = model.core.size();
  for (std::size_t i = 0; i < size; ++i) scratch[i] = static_cast<double>(model.core.data()[i]);
  for (std::size_t mode = model.order(); mode-- > 0;) {
    const std::size_t rank = model.core.extent(mode);
    const T* const row = model.factors[mode].data() + index[mode] * rank;
    size /= rank;
    for (std::size_t i = 0; i < size; ++i) scratch[i] = dot(&scratch[i * rank], row, rank);
  }
  return scratch[0];
}

}  // namespace decompose_detail

template <class T>
tensor<T> reconstruct(const tucker_model<T>& model) {
  decompose_detail::check_model("reconstruct", model);
  return decompose_detail::multiplied(decompose_detail::split_model<T>(model, 0), model.extents());
}

template <class T>
array<T, 1> reconstruct_at(const tucker_model<T>& model, view<const std::size_t, 2> indices) {
  decompose_detail::check_model("reconstruct_at", model);
  decompose_detail::check_indices("reconstruct_at", indices, model.extents());
  array<T, 1> result(indices.extent(0));
  if (model.core.empty()) return result;
  std::vector<double> scratch(model.core.size());
  for (std::size_t i = 0; i < result.size(); ++i)
    result(i) = static_cast<T>(decompose_detail::element(model, indices[i], scratch));
  return result;
}

#define PAPILIO_INSTANTIATE(T)                                            \
  template PAPILIO_API tensor<T> reconstruct(const tucker_model<T>&);     \
  template PAPILIO_API array<T, 1> reconstruct_at(const tucker_model<T>&, \
                                                  view<const std::size_t, 2>)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio
