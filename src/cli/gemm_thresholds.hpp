#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "papilio/dispatch.hpp"

namespace papilio::cli {

/// From which side on a square product of matrices is faster on the accelerator: modelled, beside
/// the published limits of the contraction library trntensor on the same machine.
struct gemm_threshold {
  std::string host;  ///< whose times the device's are compared with
  bool has_device_arrays = false;
  std::optional<std::size_t> side;  ///< none: never up to `looked_at`
  std::size_t looked_at = 0;
  std::optional<double> flops;  ///< of that side; 1 multiplication and addition are 2
};

/// Warm, of one square product with the elements of `what`, whose own crossover is `turns`.
std::vector<gemm_threshold> thresholds_of(const gemm_problem& what, const execution& on,
                                          const crossover& turns);

/// A published number of operations from which on that library used the accelerator, meant as
/// 2 m k n; its code compared m k n with it.
struct published_limit {
  const char* name;
  bool has_device_arrays;
  double flops;

  /// The extent n of the n x n x n product that takes so many operations.
  static double side_of(double flops);
  double flops_as_applied() const { return 2 * flops; }
};
inline constexpr std::array<published_limit, 2> published_limits{
    {{"unpinned", false, 2e9}, {"pinned", true, 0.9e9}}};

/// Seconds of a real float product on the 8 processors of a trn1.2xlarge, as published of sides of
/// 512, 1024 and 2048: the rate in between goes by the logarithm of the operations, and stays
/// beyond.
double published_host_seconds(const operation& what);

}  // namespace papilio::cli
