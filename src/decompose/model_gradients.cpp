// Gradients of reconstructed arrays by the parts of their models. Each reconstruction is one einsum:
//   CP      weights r, factors (mode, r)                          -> modes
//   Tucker  core (ranks), factors (mode, rank)                    -> modes
//   TT      cores (bond, mode, next bond), bonds of 1 at the ends -> modes
#include <algorithm>
#include <numeric>
#include <utility>

#include "decompose/models.hpp"
#include "papilio/contract/einsum.hpp"

namespace papilio {
namespace {

using namespace decompose_detail;

std::vector<int> labels_from(int first, std::size_t count) {
  std::vector<int> labels(count);
  std::iota(labels.begin(), labels.end(), first);
  return labels;
}

template <class T>
std::vector<tensor<T>> part_gradients(const einsum_labels& labels,
                                      const tensor_view<const T>& gradient,
                                      const std::vector<tensor_view<const T>>& parts,
                                      const execution& on) {
  const std::span<const tensor_view<const T>> all(parts);
  return contract_detail::plan<T>("reconstruct_vjp", labels, all, {.on = on}).vjp(gradient, all);
}

template <class T, std::size_t Rank>
array<T, Rank> array_of(const tensor<T>& x) {
  extents_type<Rank> extents;
  std::ranges::copy(x.extents(), extents.begin());
  array<T, Rank> result(extents, uninitialized);
  std::copy_n(x.data(), x.size(), result.data());
  return result;
}

}  // namespace

template <class T>
cp_model<T> reconstruct_vjp(const cp_model<T>& model,
                            const std::type_identity_t<tensor_view<const T>>& gradient,
                            const execution& on) {
  check_model("reconstruct_vjp", model);
  einsum_labels labels{{{0}}, labels_from(1, model.order())};
  std::vector<tensor_view<const T>> parts{model.weights};
  for (std::size_t mode = 0; mode < model.order(); ++mode) {
    labels.inputs.push_back({static_cast<int>(mode) + 1, 0});
    parts.emplace_back(model.factors[mode]);
  }
  const auto gradients = part_gradients<T>(labels, gradient, parts, on);
  cp_model<T> result{array_of<T, 1>(gradients[0]), {}};
  for (std::size_t mode = 0; mode < model.order(); ++mode)
    result.factors.push_back(array_of<T, 2>(gradients[mode + 1]));
  return result;
}

template <class T>
tucker_model<T> reconstruct_vjp(const tucker_model<T>& model,
                                const std::type_identity_t<tensor_view<const T>>& gradient,
                                const execution& on) {
  check_model("reconstruct_vjp", model);
  const auto order = static_cast<int>(model.order());
  einsum_labels labels{{labels_from(0, model.order())}, labels_from(order, model.order())};
  std::vector<tensor_view<const T>> parts{model.core};
  for (int mode = 0; mode < order; ++mode) {
    labels.inputs.push_back({order + mode, mode});
    parts.emplace_back(model.factors[static_cast<std::size_t>(mode)]);
  }
  auto gradients = part_gradients<T>(labels, gradient, parts, on);
  tucker_model<T> result{std::move(gradients[0]), {}};
  for (std::size_t mode = 0; mode < model.order(); ++mode)
    result.factors.push_back(array_of<T, 2>(gradients[mode + 1]));
  return result;
}

template <class T>
tensor_train<T> reconstruct_vjp(const tensor_train<T>& train,
                                const std::type_identity_t<tensor_view<const T>>& gradient,
                                const execution& on) {
  check_model("reconstruct_vjp", train);
  const auto order = static_cast<int>(train.order());
  einsum_labels labels{{}, labels_from(order + 1, train.order())};
  std::vector<tensor_view<const T>> parts;
  for (int mode = 0; mode < order; ++mode) {
    labels.inputs.push_back({mode, order + 1 + mode, mode + 1});
    parts.emplace_back(train.cores[static_cast<std::size_t>(mode)]);
  }
  tensor_train<T> result;
  for (const tensor<T>& core : part_gradients<T>(labels, gradient, parts, on))
    result.cores.push_back(array_of<T, 3>(core));
  return result;
}

#define PAPILIO_INSTANTIATE(T)                                                                     \
  template PAPILIO_API cp_model<T> reconstruct_vjp(const cp_model<T>&,                             \
                                                   const tensor_view<const T>&, const execution&); \
  template PAPILIO_API tucker_model<T> reconstruct_vjp(                                            \
      const tucker_model<T>&, const tensor_view<const T>&, const execution&);                      \
  template PAPILIO_API tensor_train<T> reconstruct_vjp(                                            \
      const tensor_train<T>&, const tensor_view<const T>&, const execution&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio
