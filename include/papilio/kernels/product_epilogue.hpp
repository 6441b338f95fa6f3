#pragma once

#include <cstdint>

#include "papilio/engine/isa/activation.hpp"

namespace papilio::kernels {

/// Which sums of a product's values are wanted instead of the values.
///   none   none: the values, [m, n]
///   rows   the sum of each row, [m]
///   whole  the sum of all, [1]
enum class product_sums : std::uint8_t { none, rows, whole };

/// What becomes of A B on its way out of PSUM: function(alpha A B + beta C0 + bias), element by
/// element, and what is stored of it. Where only alpha or a function is asked for, they are part of
/// the copy out of PSUM that every product needs; C0 and bias are added by it. Values are fp32
/// until they are stored.
///
/// beta = 0 has no C0 and reads none. alpha = 0 multiplies all the same, so that values that are no
/// numbers show.
struct product_epilogue {
  float alpha = 1, beta = 0;
  bool bias = false;  ///< a row of n values, added to each row of the product
  engine::activation_function function = engine::activation_function::copy;
  product_sums sums = product_sums::none;

  /// A B as it is; with a bias at most.
  bool is_plain() const {
    return alpha == 1 && beta == 0 && function == engine::activation_function::copy &&
           sums == product_sums::none;
  }
  bool operator==(const product_epilogue&) const = default;
};

}  // namespace papilio::kernels
