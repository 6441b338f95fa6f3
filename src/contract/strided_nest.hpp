#pragma once

#include <cstddef>

#include "contract/step_axes.hpp"

// Sums of products by loops, for what is no product of matrices: permutations, reductions,
// elementwise and outer products, products with vectors.
namespace papilio::contract_detail {

/// The order of the loops of
///   out[kept] = alpha sum over summed of left[kept, summed] right[kept, summed] + beta out[kept].
/// Strides of the axes as of step_axis; an empty summed axis makes the sums 0.
class strided_nest {
 public:
  strided_nest() = default;  ///< no results
  strided_nest(step_axes kept, step_axes summed);

  /// Along the row the loop goes over results at once; otherwise along the innermost summed axis.
  bool is_along_row() const { return is_along_row_; }
  const step_axis& row() const { return row_; }    ///< of the results, the fastest
  const step_axis& line() const { return line_; }  ///< with the row the tiles of both sides
  const step_axes& outer() const { return outer_; }
  const step_axes& summed() const { return summed_; }  ///< the innermost last
  std::size_t results() const { return results_; }
  std::size_t terms() const { return terms_; }  ///< of each sum
  /// Time, in that of one multiply-add of a large product of matrices.
  double cost() const;

  bool operator==(const strided_nest&) const = default;

 private:
  void choose_row(step_axes& kept);
  void choose_line(step_axes& kept);
  double together(std::ptrdiff_t step_axis::*stride) const;

  bool is_along_row_ = true, has_right_ = false;
  step_axis row_, line_;
  step_axes outer_, summed_;
  std::size_t results_ = 0, terms_ = 1;
};

template <class T>
struct nest_operands {
  const T* left = nullptr;
  const T* right = nullptr;  ///< null: ones
  T* out = nullptr;
  T alpha = T(1), beta = T(0);
  bool conjugate_left = false, conjugate_right = false;
};

/// beta = 0 never reads out. The result does not depend on `threads`.
template <class T>
void run(const strided_nest& nest, const nest_operands<T>& operands, int threads);

}  // namespace papilio::contract_detail
