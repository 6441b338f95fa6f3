#pragma once

#include <complex>
#include <cstddef>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/real_type.hpp"
#include "papilio/dispatch/operand.hpp"

namespace papilio {

/// Element by element: out[i] = a[i] b[i] of complex numbers. With `factors`, whose number divides
/// count, there is one operand: out[i] = a[i] factors[i mod their number]; they stay with the
/// program.
struct PAPILIO_API product_problem {
  std::size_t count = 1;
  std::vector<std::complex<float>> factors = {};
  real_type type = real_type::single_precision;

  std::string text() const;  ///< for example "product of 4 complex numbers"
  operand_shapes shapes() const;
  double nominal_flops() const;  ///< 6 a product
  problem_size size() const;     ///< complex numbers in each operand
  product_problem of_size(std::size_t size) const;
  bool operator==(const product_problem&) const = default;
};

}  // namespace papilio
