#pragma once

#include <cstddef>
#include <string>

#include "papilio/base/export.hpp"
#include "papilio/base/real_type.hpp"
#include "papilio/dispatch/operand.hpp"

namespace papilio {

/// C[i] = op(A[i]) op(B[i]), i < batch: [batch, m, k] times [batch, k, n]; a shared operand has
/// batch 1.
struct PAPILIO_API gemm_problem {
  std::size_t batch = 1, m = 1, k = 1, n = 1;
  bool shared_left = false, shared_right = false, is_complex = false;
  real_type type = real_type::single_precision;

  std::string text() const;  ///< for example "gemm of 128x256 by 256x64 in float"
  operand_shapes shapes() const;
  double nominal_flops() const;  ///< 2 m k n, of complex numbers 8 m k n
  problem_size size() const;     ///< m, with k and n in their ratio
  gemm_problem of_size(std::size_t size) const;
  bool operator==(const gemm_problem&) const = default;
};

}  // namespace papilio
