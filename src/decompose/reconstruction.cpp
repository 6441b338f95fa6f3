// Arrays reconstructed from their models, and derivatives by the parts of these. Each reconstruction is
// one einsum:
//   CP      weights r, factors (mode, r)                          -> modes
//   Tucker  core (ranks), factors (mode, rank)                    -> modes
//   TT      cores (bond, mode, next bond), bonds of 1 at the ends -> modes
// Its derivative along changes dP of the parts is one einsum too, with two labels of extent 2 more for
// each part P, which say whether a product has no change yet (0) or one (1):
//   [P dP] of the first part, [P dP; 0 P] of the next ones, [dP; P] of the last.
// So all products with one change are summed, and the largest step takes twice as long.
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "decompose/models.hpp"
#include "papilio/base/error.hpp"
#include "papilio/contract/einsum.hpp"

namespace papilio {
namespace {

using namespace decompose_detail;
using base_detail::message;

std::vector<int> labels_from(int first, std::size_t count) {
  std::vector<int> labels(count);
  std::iota(labels.begin(), labels.end(), first);
  return labels;
}

// The einsum that reconstructs a model, and its operands.
template <class T>
struct reconstruction {
  einsum_labels labels;
  std::vector<tensor_view<const T>> parts = {};
  const char* head = nullptr;  // name of the part before those of the modes, if there is one
  const char* of_mode;         // name of the others
};

template <class T>
reconstruction<T> reconstruction_of(const cp_model<T>& model) {
  reconstruction<T> r{.labels = {{{0}}, labels_from(1, model.order())},
                      .parts = {model.weights},
                      .head = "weights",
                      .of_mode = "factor"};
  for (std::size_t mode = 0; mode < model.order(); ++mode) {
    r.labels.inputs.push_back({static_cast<int>(mode) + 1, 0});
    r.parts.emplace_back(model.factors[mode]);
  }
  return r;
}

template <class T>
reconstruction<T> reconstruction_of(const tucker_model<T>& model) {
  const auto order = static_cast<int>(model.order());
  reconstruction<T> r{
      .labels = {{labels_from(0, model.order())}, labels_from(order, model.order())},
      .parts = {model.core},
      .head = "core",
      .of_mode = "factor"};
  for (int mode = 0; mode < order; ++mode) {
    r.labels.inputs.push_back({order + mode, mode});
    r.parts.emplace_back(model.factors[static_cast<std::size_t>(mode)]);
  }
  return r;
}

template <class T>
reconstruction<T> reconstruction_of(const tensor_train<T>& train) {
  const auto order = static_cast<int>(train.order());
  reconstruction<T> r{.labels = {{}, labels_from(order + 1, train.order())}, .of_mode = "core"};
  for (int mode = 0; mode < order; ++mode) {
    r.labels.inputs.push_back({mode, order + 1 + mode, mode + 1});
    r.parts.emplace_back(train.cores[static_cast<std::size_t>(mode)]);
  }
  return r;
}

// The host has products of its own for whole arrays.
template <class T, class Model>
tensor<T> all_elements(const Model& model, const execution& on) {
  check_model("reconstruct", model);
  if (dispatch_detail::is_plain_host(on))
    return multiplied(split_model<T>(model, on.threads), model.extents(), on.threads);
  const reconstruction<T> r = reconstruction_of(model);
  const std::span<const tensor_view<const T>> all(r.parts);
  return contract_detail::plan<T>("reconstruct", r.labels, all, {.on = on}).execute(all);
}

template <class T>
std::vector<tensor<T>> part_gradients(const reconstruction<T>& model,
                                      const tensor_view<const T>& gradient, const execution& on) {
  const std::span<const tensor_view<const T>> all(model.parts);
  return contract_detail::plan<T>("reconstruct_vjp", model.labels, all, {.on = on})
      .vjp(gradient, all);
}

// Each part of the tangent must have the extents of the model's.
template <class T>
void check_tangent(const reconstruction<T>& model, const reconstruction<T>& tangent) {
  const std::size_t heads = model.head != nullptr ? 1 : 0;
  if (tangent.parts.size() != model.parts.size())
    throw shape_error(message("reconstruct_jvp: the tangent must have ", model.parts.size() - heads,
                              " ", model.of_mode, "s, as the model, got ",
                              tangent.parts.size() - heads));
  for (std::size_t i = 0; i < model.parts.size(); ++i) {
    const auto name = [&] {
      return i < heads ? std::string(model.head) : message(model.of_mode, " of mode ", i - heads);
    };
    const tensor_view<const T>&part = model.parts[i], &change = tangent.parts[i];
    if (change.rank() != part.rank())
      throw shape_error(message("reconstruct_jvp: the tangent's ", name(), " must have ",
                                part.rank(), " axes, as the model's, got ", change.rank()));
    for (std::size_t axis = 0; axis < part.rank(); ++axis)
      if (change.extent(axis) != part.extent(axis))
        throw shape_error(message("reconstruct_jvp: axis ", axis, " of the tangent's ", name(),
                                  " must have extent ", part.extent(axis), ", as the model's, got ",
                                  change.extent(axis)));
  }
}

// Blocks, null for zeros, one after the other, as one tensor with these axes before those of a part.
// Parts are row-major.
template <class T>
tensor<T> joined(std::initializer_list<const T*> blocks, std::vector<std::size_t> extents,
                 const tensor_view<const T>& part) {
  extents.insert(extents.end(), part.extents().begin(), part.extents().end());
  tensor<T> result(extents);
  T* to = result.data();
  for (const T* const block : blocks) {
    if (block != nullptr) std::copy_n(block, part.size(), to);
    to += part.size();
  }
  return result;
}

template <class T, class Model>
tensor<T> changed(const Model& model, const Model& tangent, const execution& on) {
  check_model("reconstruct_jvp", model);
  reconstruction<T> r = reconstruction_of(model), change = reconstruction_of(tangent);
  check_tangent(r, change);
  // The first mode comes last, which makes the last step a product in the result's order.
  const auto reversed = [&](auto& list) {
    std::reverse(list.begin() + (r.head != nullptr ? 1 : 0), list.end());
  };
  reversed(r.parts);
  reversed(change.parts);
  reversed(r.labels.inputs);
  const auto count = static_cast<int>(r.parts.size());
  const int fresh = 2 * count + 1;  // no label of a model is as large
  std::vector<tensor<T>> joint;
  for (int i = 0; i < count; ++i) {
    const bool is_first = i == 0, is_last = i == count - 1;
    const auto at = static_cast<std::size_t>(i);
    const tensor_view<const T>& part = r.parts[at];
    const T *const p = part.data(), *const d = change.parts[at].data();
    std::vector<int>& labels = r.labels.inputs[at];
    if (!is_last) labels.insert(labels.begin(), fresh + i + 1);
    if (!is_first) labels.insert(labels.begin(), fresh + i);
    if (is_first && is_last)
      joint.push_back(joined<T>({d}, {}, part));
    else if (is_first)
      joint.push_back(joined<T>({p, d}, {2}, part));
    else if (is_last)
      joint.push_back(joined<T>({d, p}, {2}, part));
    else
      joint.push_back(joined<T>({p, d, nullptr, p}, {2, 2}, part));
  }
  const std::vector<tensor_view<const T>> parts(joint.begin(), joint.end());
  const std::span<const tensor_view<const T>> all(parts);
  return contract_detail::plan<T>("reconstruct_jvp", r.labels, all, {.on = on}).execute(all);
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
tensor<T> reconstruct(const cp_model<T>& model, const execution& on) {
  return all_elements<T>(model, on);
}
template <class T>
tensor<T> reconstruct(const tucker_model<T>& model, const execution& on) {
  return all_elements<T>(model, on);
}
template <class T>
tensor<T> reconstruct(const tensor_train<T>& train, const execution& on) {
  return all_elements<T>(train, on);
}

template <class T>
cp_model<T> reconstruct_vjp(const cp_model<T>& model,
                            const std::type_identity_t<tensor_view<const T>>& gradient,
                            const execution& on) {
  check_model("reconstruct_vjp", model);
  const auto gradients = part_gradients<T>(reconstruction_of(model), gradient, on);
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
  auto gradients = part_gradients<T>(reconstruction_of(model), gradient, on);
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
  tensor_train<T> result;
  for (const tensor<T>& core : part_gradients<T>(reconstruction_of(train), gradient, on))
    result.cores.push_back(array_of<T, 3>(core));
  return result;
}

template <class T>
tensor<T> reconstruct_jvp(const cp_model<T>& model,
                          const std::type_identity_t<cp_model<T>>& tangent, const execution& on) {
  return changed<T>(model, tangent, on);
}
template <class T>
tensor<T> reconstruct_jvp(const tucker_model<T>& model,
                          const std::type_identity_t<tucker_model<T>>& tangent,
                          const execution& on) {
  return changed<T>(model, tangent, on);
}
template <class T>
tensor<T> reconstruct_jvp(const tensor_train<T>& train,
                          const std::type_identity_t<tensor_train<T>>& tangent,
                          const execution& on) {
  return changed<T>(train, tangent, on);
}

#define PAPILIO_INSTANTIATE(T)                                                                     \
  template PAPILIO_API tensor<T> reconstruct(const cp_model<T>&, const execution&);                \
  template PAPILIO_API tensor<T> reconstruct(const tucker_model<T>&, const execution&);            \
  template PAPILIO_API tensor<T> reconstruct(const tensor_train<T>&, const execution&);            \
  template PAPILIO_API cp_model<T> reconstruct_vjp(const cp_model<T>&,                             \
                                                   const tensor_view<const T>&, const execution&); \
  template PAPILIO_API tucker_model<T> reconstruct_vjp(                                            \
      const tucker_model<T>&, const tensor_view<const T>&, const execution&);                      \
  template PAPILIO_API tensor_train<T> reconstruct_vjp(                                            \
      const tensor_train<T>&, const tensor_view<const T>&, const execution&);                      \
  template PAPILIO_API tensor<T> reconstruct_jvp(const cp_model<T>&, const cp_model<T>&,           \
                                                 const execution&);                                \
  template PAPILIO_API tensor<T> reconstruct_jvp(const tucker_model<T>&, const tucker_model<T>&,   \
                                                 const execution&);                                \
  template PAPILIO_API tensor<T> reconstruct_jvp(const tensor_train<T>&, const tensor_train<T>&,   \
                                                 const execution&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio
