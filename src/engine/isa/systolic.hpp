#pragma once

#include <cstddef>

namespace papilio::engine_detail {

/// The systolic array computes in fp32, for each of m rows i and n columns j,
///   sum = 0; for k = 0 ... depth - 1: sum = fma(stationary[k][i], moving[k][j], sum)
///   out[i][j] = accumulate ? out[i][j] + sum : sum
/// or, where products are rounded, sum = sum + round(stationary * moving). Every instruction set
/// gives equal bits. stationary is depth x m without gaps; rows of moving and of out are
/// moving_pitch and out_pitch elements apart.
struct systolic_product {
  const float* stationary;
  const float* moving;
  std::size_t moving_pitch;
  float* out;
  std::size_t out_pitch;
  std::size_t depth, m, n;
  bool accumulate, products_rounded;
};

void multiply(const systolic_product& p);

}  // namespace papilio::engine_detail
