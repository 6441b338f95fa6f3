#include "layers/device_layer.hpp"

#include <utility>

#include "papilio/dispatch/placement.hpp"

namespace papilio::layers_detail {

contraction_problem products_of(std::string_view labels, std::vector<std::size_t> sizes,
                                std::initializer_list<std::string_view> operands,
                                const std::vector<labelled_product>& products, bool is_gradient) {
  const auto labels_of = [&](std::string_view letters) {
    std::vector<int> all;
    for (const char letter : letters) all.push_back(static_cast<int>(labels.find(letter)));
    return all;
  };
  contraction_problem what{.sizes = std::move(sizes),
                           .operands = {},
                           .steps = {},
                           .results = {},
                           .loops = {},
                           .is_complex = true};
  std::vector<contraction_problem::term> terms;
  for (const std::string_view letters : operands) {
    terms.push_back({terms.size(), labels_of(letters)});
    what.operands.emplace_back();
    for (const int label : terms.back().labels)
      what.operands.back().push_back(what.sizes[static_cast<std::size_t>(label)]);
  }
  for (const labelled_product& p : products) {
    what.results.push_back(terms.size() + what.steps.size());
    what.steps.push_back({.of = {terms[p.left]}, .labels = labels_of(p.result)});
    if (!p.right) continue;
    what.steps.back().of.push_back(terms[*p.right]);
    what.steps.back().of.back().conjugate = is_gradient;
  }
  return what;
}

device_layer::device_layer(const char* function, const shared_tensor& x, const execution& on)
    : function_(function),
      on_(&place_device_array(function, x->on(function), on)),
      precision_(on.precision),
      shape_(x->shape()),
      features_(shape_.count()) {}

device_layer::device_layer(const char* function, const shared_tensor& x, std::size_t axis,
                           const execution& on)
    : device_layer(function, x, on) {
  features_ = shape_.extents[axis];
  for (std::size_t a = 0; a < axis; ++a) outer_ *= shape_.extents[a];
  inner_ = shape_.count() / (outer_ * features_);
}

shared_tensor device_layer::swapped(const shared_tensor& x, const extents_type<3>& e,
                                    const std::vector<std::size_t>& result) const {
  if ((e[1] == 1 || e[2] == 1) && x->shape().extents == result) return x;
  const contraction_problem what{.sizes = {e[0], e[1], e[2]},
                                 .operands = {{e[0], e[1], e[2]}},
                                 .steps = {{.of = {{0, {0, 1, 2}}}, .labels = {0, 2, 1}}},
                                 .results = {1},
                                 .loops = {},
                                 .is_complex = x->shape().is_complex};
  return moved(what, x, result);
}

shared_tensor device_layer::features_last(const shared_tensor& x) const {
  return swapped(x, {outer_, features_, inner_}, shape_.extents);
}

shared_tensor device_layer::transposed(const shared_tensor& matrix) const {
  const std::vector<std::size_t>& e = matrix->shape().extents;
  return swapped(matrix, {1, e[0], e[1]}, {e[1], e[0]});
}

std::vector<shared_tensor> device_layer::run(const layer_problem& what,
                                             const std::vector<device_input>& in) const {
  std::vector<operand_shape> results = what.shapes().out;
  results[0].extents = shape_.extents;
  std::vector<shared_tensor> made = run(operation(what), in, results);
  made[0] = swapped(made[0], {outer_, inner_, features_}, shape_.extents);
  return made;
}

shared_tensor device_layer::biased(const shared_tensor& y,
                                   const device_array<std::complex<float>, 1>& bias) const {
  if (bias.is_empty()) return y;
  const layer_problem what{.function = layer_function::bias,
                           .rows = y->shape().count() / bias.size(),
                           .features = bias.size()};
  return run_to_new(function_, *on_, what, {}, {y, bias.tensor(function_)}, {y->shape()})[0];
}

}  // namespace papilio::layers_detail
