#include "decompose/models.hpp"

#include <cmath>

#include "papilio/base/error.hpp"

namespace papilio {
namespace decompose_detail {
namespace {

using base_detail::message;

// x must have the extents of the model.
template <class T, class Model>
double error_of(const tensor_view<const T>& x, const Model& model) {
  check_model("relative_error", model);
  if (!std::ranges::equal(x.extents(), model.extents()))
    throw shape_error("relative_error: x must have the extents of the model");
  const prepared_operand<T> p = prepare("relative_error", x);
  return residual_error(p, model, 0, std::ldexp(1.0, -p.exponent));
}

// Indices are [count, order], each below its extent.
void check_indices(view<const std::size_t, 2> indices, std::span<const std::size_t> extents) {
  if (indices.extent(1) != extents.size())
    throw shape_error(message("reconstruct_at: indices must be [count, ", extents.size(), "], got ",
                              indices.extent(1), " columns"));
  for (std::size_t i = 0; i < indices.extent(0); ++i)
    for (std::size_t mode = 0; mode < extents.size(); ++mode)
      if (indices(i, mode) >= extents[mode])
        throw invalid_argument(message("reconstruct_at: index ", indices(i, mode), " of mode ",
                                       mode, " in row ", i, " must be below ", extents[mode]));
}

template <class T, class Model>
array<T, 1> elements_at(const Model& model, view<const std::size_t, 2> indices) {
  check_model("reconstruct_at", model);
  check_indices(indices, model.extents());
  array<T, 1> result(indices.extent(0));
  std::vector<double> scratch;
  for (std::size_t i = 0; i < result.size(); ++i)
    result(i) = static_cast<T>(element_at(model, indices[i], scratch));
  return result;
}

}  // namespace

template <class T>
double relative_error(const tensor_view<const T>& x, const cp_model<T>& model) {
  return error_of(x, model);
}
template <class T>
double relative_error(const tensor_view<const T>& x, const tucker_model<T>& model) {
  return error_of(x, model);
}
template <class T>
double relative_error(const tensor_view<const T>& x, const tensor_train<T>& train) {
  return error_of(x, train);
}

}  // namespace decompose_detail

template <class T>
array<T, 1> reconstruct_at(const cp_model<T>& model, view<const std::size_t, 2> indices) {
  return decompose_detail::elements_at<T>(model, indices);
}
template <class T>
array<T, 1> reconstruct_at(const tucker_model<T>& model, view<const std::size_t, 2> indices) {
  return decompose_detail::elements_at<T>(model, indices);
}
template <class T>
array<T, 1> reconstruct_at(const tensor_train<T>& train, view<const std::size_t, 2> indices) {
  return decompose_detail::elements_at<T>(train, indices);
}

#define PAPILIO_INSTANTIATE(Model, T)                                                       \
  template PAPILIO_API double decompose_detail::relative_error(const tensor_view<const T>&, \
                                                               const Model<T>&);            \
  template PAPILIO_API array<T, 1> reconstruct_at(const Model<T>&, view<const std::size_t, 2>)
PAPILIO_INSTANTIATE(cp_model, float);
PAPILIO_INSTANTIATE(cp_model, double);
PAPILIO_INSTANTIATE(tucker_model, float);
PAPILIO_INSTANTIATE(tucker_model, double);
PAPILIO_INSTANTIATE(tensor_train, float);
PAPILIO_INSTANTIATE(tensor_train, double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio
