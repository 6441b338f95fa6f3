#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "decompose/cp_start.hpp"
#include "decompose/masked_equations.hpp"
#include "decompose/mode_products.hpp"
#include "decompose/normal_equations.hpp"

namespace papilio::decompose_detail {

/// Alternating least squares on an operand that was checked.
template <class T>
class cp_iteration {
 public:
  /// `products` of x; with a mask they are not asked for. What is referred to must outlive it.
  cp_iteration(const prepared_operand<T>& x, mode_products<T>& products, cp_factors<T> start,
               const cp_options<T>& options);

  /// Updates every factor once; the relative error then.
  double sweep();

  const cp_factors<T>& factors() const { return factors_; }

 private:
  void update(std::size_t mode);
  void update_masked(std::size_t mode);
  void combine_grams(std::size_t mode);
  void take(std::size_t mode);
  /// A sum, and the sum of its terms' magnitudes.
  struct cancelling_sum {
    double value = 0, magnitude = 0;
    void add(double term) { value += term, magnitude += std::abs(term); }
  };
  cancelling_sum squared_error() const;
  cancelling_sum squared_error_masked();
  double explicit_error() const;

  const prepared_operand<T>& x_;
  const cp_options<T>& options_;
  std::size_t rank_, position_ = 0;
  cp_factors<T> factors_;
  std::vector<array<double, 2>> grams_;   // of each mode [rank, rank]
  array<double, 2> combined_;             // elementwise product of the others'
  array<double, 1> products_, solution_;  // [rank, extent] of the mode at hand
  mode_products<T>& source_;              // of products_
  normal_equations equations_;
  std::optional<masked_equations<T>> masked_;
};

}  // namespace papilio::decompose_detail
