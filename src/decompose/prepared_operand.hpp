#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "papilio/base/tensor.hpp"

namespace papilio::decompose_detail {

/// An operand that was checked: row-major, finite, of moderate size.
template <class T>
struct prepared_operand {
  const T* data = nullptr;  ///< of `copy`, or of the operand
  std::vector<std::size_t> extents;
  std::size_t size = 0;
  int exponent = 0;            ///< the operand is data * 2^exponent
  double squared_norm = 0;     ///< of data, summed in double
  const bool* mask = nullptr;  ///< row-major; data is 0 where it is false
  tensor<T> copy;
  tensor<bool> mask_copy;

  std::size_t order() const { return extents.size(); }
};

/// Throws shape_error below order 2 and for empty arrays.
void check_shape(const char* function, std::span<const std::size_t> extents);

/// Copies only what is not row-major, has missing elements or whose largest magnitude is so far
/// from 1 that squares and sums of them could overflow or underflow. Errors as check_shape's, and
/// invalid_argument for what is not finite; `function` begins the messages.
template <class T>
prepared_operand<T> prepare(const char* function, const tensor_view<const T>& x,
                            const std::optional<tensor_view<const bool>>& mask = {});

/// value * 2^exponent for each; invalid_argument where that is beyond T's range.
template <class T>
void scale_back(const char* function, std::span<T> values, int exponent);

/// Throws invalid_argument for a tolerance outside [bound, 1); the bound is what rounding takes.
void check_tolerance(const char* function, double tolerance, double bound);
/// Throws invalid_argument unless `value` is 0 or at least `epsilon`.
void check_change(const char* function, const char* name, double value, double epsilon);

/// The least relative tolerance that results in T meet.
template <class T>
double least_tolerance(std::size_t order);

}  // namespace papilio::decompose_detail
