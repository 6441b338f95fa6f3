#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/json_value.hpp"
#include "papilio/dispatch.hpp"

namespace papilio::cli {

/// From which side on a square product of matrices is faster on the accelerator: modelled, beside
/// the published limits of the contraction library trntensor on the same machine.
struct gemm_thresholds {
  struct row {
    std::string host;  ///< whose times the device's are compared with
    bool is_resident = false;
    std::optional<std::size_t> side;  ///< none: never up to `looked_at`
    std::size_t looked_at = 0;
    double flops = 0;  ///< of that side; 1 multiplication and addition are 2
  };
  std::vector<row> rows;
};

/// Warm, of one square product with the elements of `what`, whose own crossover is `turns`.
gemm_thresholds thresholds_of(const gemm_problem& what, const execution& on,
                              const crossover& turns);

/// Seconds of a real float product on the 8 processors of a trn1.2xlarge, as published of sides of
/// 512, 1024 and 2048: the rate in between goes by the logarithm of the operations, and stays
/// beyond.
double published_host_seconds(const operation& what);

std::string to_text(const gemm_thresholds& t);
json_value to_json(const gemm_thresholds& t);

}  // namespace papilio::cli
