#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "decompose/prepared_operand.hpp"
#include "decompose/sums.hpp"
#include "decompose/two_factors.hpp"
#include "papilio/decompose/cp.hpp"
#include "papilio/decompose/tensor_train.hpp"
#include "papilio/decompose/tucker.hpp"

// Functions that differ between the models are declared here; those that models share are written
// once.
namespace papilio::decompose_detail {

/// Throws shape_error, in the name of `function`, if a model's parts do not fit each other.
template <class T>
void check_model(const char* function, const cp_model<T>& model);
template <class T>
void check_model(const char* function, const tucker_model<T>& model);
template <class T>
void check_model(const char* function, const tensor_train<T>& model);

/// Returns the model as a product of two matrices, computed in S: for CP two of about the same
/// size, for the others the first factor or core, and the rest.
template <class S, class T>
two_factors<S> split_model(const cp_model<T>& model, int threads);
template <class S, class T>
two_factors<S> split_model(const tucker_model<T>& model, int threads);
template <class S, class T>
two_factors<S> split_model(const tensor_train<T>& model, int threads);

/// Returns one element, summed in double. `scratch` is kept from call to call.
template <class T>
double element_at(const cp_model<T>& model, view<const std::size_t, 1> index,
                  std::vector<double>& scratch);
template <class T>
double element_at(const tucker_model<T>& model, view<const std::size_t, 1> index,
                  std::vector<double>& scratch);
template <class T>
double element_at(const tensor_train<T>& model, view<const std::size_t, 1> index,
                  std::vector<double>& scratch);

/// Relative error of `factor` times the model, by its residual.
template <class T, class Model>
double residual_error(const prepared_operand<T>& x, const Model& model, int threads,
                      double factor = 1) {
  const two_factors<double> split = split_model<double>(model, threads);
  return root_of_ratio(squared_residual(x.data, nullptr, factor, split, threads), x.squared_norm);
}

/// Relative error of a model whose parts are orthonormal but for `core`. |x - model|^2 is what was
/// cut off, `tail`, if that is known to rounding in double; `longest` is then the longest side of a
/// Gram matrix that it came from. Else it is |x|^2 - |core|^2. Where either cannot be told from
/// rounding, the residual is computed.
template <class T, class Model>
double truncation_error(const prepared_operand<T>& x, const Model& model, std::span<const T> core,
                        std::optional<double> tail, std::size_t longest, int threads) {
  if (tail) {
    const double error = root_of_ratio(*tail, x.squared_norm);
    const double squared_noise =
        1600 * static_cast<double>(longest) * std::numeric_limits<double>::epsilon();
    const bool is_told = error >= std::max(least_cheap_error, std::sqrt(squared_noise));
    return is_told ? error : residual_error(x, model, threads);
  }
  const double cut = x.squared_norm - dot(core.data(), core.data(), core.size());
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  return cut < 1024 * epsilon * x.squared_norm ? residual_error(x, model, threads)
                                               : root_of_ratio(cut, x.squared_norm);
}

}  // namespace papilio::decompose_detail
