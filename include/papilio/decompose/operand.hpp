#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <vector>

#include "papilio/base/tensor.hpp"

namespace papilio::decompose_detail {

/// Names the element type of an array, a tensor or a view of either.
template <class X>
using element_of = typename std::remove_cvref_t<X>::value_type;

/// Names an operand of a decomposition: an array or a view of float or double, any strides.
template <class X>
concept operand = requires { typename element_of<X>; } && std::floating_point<element_of<X>> &&
                  std::is_convertible_v<const X&, tensor_view<const element_of<X>>>;

}  // namespace papilio::decompose_detail

namespace papilio {

/// Describes the progress after a sweep over all modes.
struct decomposition_progress {
  std::size_t iteration = 0;  ///< sweeps done, from 1
  double relative_error = 0;  ///< of the current model
};

/// Callback after each sweep; false ends the iteration with the current model. It may throw.
using progress_callback = std::function<bool(const decomposition_progress&)>;

/// Describes how an iteration went.
struct iteration_record {
  std::size_t iterations = 0;   ///< sweeps done
  std::vector<double> history;  ///< relative error after each
  bool converged = false;       ///< the error changed by less than the tolerance, or is 0
  bool stopped = false;         ///< the callback ended it
};

}  // namespace papilio
