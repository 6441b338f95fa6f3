#pragma once

#include <complex>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/layers.hpp"

namespace papilio::layers_detail {

/// One result of a contraction: the product of two operands, summed over the labels that `result`
/// lacks. In gradients the second operand is conjugated. Without `right` it is a sum of the first.
struct labelled_product {
  std::size_t left;
  std::optional<std::size_t> right;
  std::string_view result;
};
contraction_problem products_of(std::string_view labels, std::vector<std::size_t> sizes,
                                std::initializer_list<std::string_view> operands,
                                const std::vector<labelled_product>& products,
                                bool is_gradient = false);

/// Layer of device arrays, where its input x lies. About the axis of its features x is [outer,
/// features, inner]; kernels take [rows, features], for which a launch moves the features behind
/// the inner axes. Errors name `function`.
class device_layer {
 public:
  /// Takes all of x as one row, for layers without parameters of features.
  device_layer(const char* function, const shared_tensor& x, const execution& on);
  device_layer(const char* function, const shared_tensor& x, std::size_t axis, const execution& on);

  layer_problem problem(layer_function function, double epsilon = 0) const {
    return {
        .function = function, .rows = outer_ * inner_, .features = features_, .epsilon = epsilon};
  }

  /// Returns an array of x's extents with its features last.
  shared_tensor features_last(const shared_tensor& x) const;
  /// Returns [a, b, c] as [a, c, b]: by a launch, or x itself where that is the same.
  shared_tensor swapped(const shared_tensor& x, const extents_type<3>& extents,
                        const std::vector<std::size_t>& result) const;
  shared_tensor transposed(const shared_tensor& matrix) const;
  /// Moves elements to other places, unchanged, in an array of these extents.
  shared_tensor moved(const operation& what, const shared_tensor& x,
                      const std::vector<std::size_t>& result) const {
    return run_to_new(function_, *on_, what, {}, {x}, {{result, x->shape().is_complex}})[0];
  }

  /// Runs one launch, whose results are new arrays.
  std::vector<shared_tensor> run(const operation& what, const std::vector<device_input>& in,
                                 const std::vector<operand_shape>& results) const {
    return run_to_new(function_, *on_, what, precision_, in, results);
  }
  /// Runs a layer_problem; the first result is in the extents of x again.
  std::vector<shared_tensor> run(const layer_problem& what,
                                 const std::vector<device_input>& in) const;
  /// Adds a number for each feature to y, whose features are last, if there are any.
  shared_tensor biased(const shared_tensor& y,
                       const device_array<std::complex<float>, 1>& bias) const;

 private:
  const char* function_;
  accelerator* on_;
  precision_options precision_;
  operand_shape shape_;
  std::size_t outer_ = 1, features_ = 1, inner_ = 1;
};

/// Returns the gradients by x, the weights and, where there is one, the bias.
template <class Parameters>
device_layer_gradients<Parameters> gradients_of(const std::vector<shared_tensor>& by) {
  device_layer_gradients<Parameters> result{complex_device_array(by[0]),
                                            {decltype(Parameters::weight)(by[1])}};
  if (by.size() > 2) result.parameters.bias = decltype(Parameters::bias)(by[2]);
  return result;
}

}  // namespace papilio::layers_detail
