#pragma once

#include <string>

#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/placement.hpp"

// What either side says of an operation; placement and comparison ask the same questions.
namespace papilio::dispatch_detail {

bool is_device_backend(const std::string& name);

/// invalid_argument, in the name of `function`, for a malformed problem: of a Fourier problem as
/// require_valid() says, cosine and sine problems being lines, or arrays of them along one axis; of
/// boxes that leave an array; of a window that is not n_fft weights; of a matrix of bands that is
/// not whole bands of finite weights.
void require_valid_operation(const char* function, const operation& what);

struct host_side {
  host_estimate estimate = {};
  std::string refusal = {};  ///< empty: it can
};
/// Whatever backend of accelerators is asked for. A precision that the host does not have is a
/// refusal with the estimate of native precision.
host_side host_side_of(const operation& what, const execution& on, const host_row& host);

/// Why the accelerator cannot do it, as far as it is told without a design; empty where it may.
std::string device_refusal(const operation& what, const execution& how, const accelerator& on);

struct device_side {
  device_estimate estimate = {};
  std::string refusal = {};
};
/// By a dry run.
device_side device_side_of(const operation& what, const execution& how, const accelerator& on);

}  // namespace papilio::dispatch_detail
