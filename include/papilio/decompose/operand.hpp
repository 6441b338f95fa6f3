#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <vector>

#include "papilio/base/tensor.hpp"

namespace papilio::decompose_detail {

/// The element type of an array, a tensor or a view of either.
template <class X>
using element_of = typename std::remove_cvref_t<X>::value_type;

/// What decompositions take: arrays and views, of any strides, of float or double.
template <class X>
concept operand = requires { typename element_of<X>; } && std::floating_point<element_of<X>> &&
                  std::is_convertible_v<const X&, tensor_view<const element_of<X>>>;

}  // namespace papilio::decompose_detail

namespace papilio {

/// What an iteration tells after each sweep over all modes.
struct decomposition_progress {
  std::size_t iteration = 0;  ///< sweeps done, from 1
  double relative_error = 0;  ///< of what there is now
};

/// Is called after each sweep; false ends the iteration with what there is. It may throw.
using progress_callback = std::function<bool(const decomposition_progress&)>;

/// How an iteration went.
struct iteration_record {
  std::size_t iterations = 0;   ///< sweeps done
  std::vector<double> history;  ///< relative error after each
  bool converged = false;       ///< the error changed by less than the tolerance, or is 0
  bool stopped = false;         ///< the callback ended it
};

}  // namespace papilio
