#pragma once

#include <span>
#include <string>

#include "papilio/base/parallel_for.hpp"
#include "papilio/base/vocabulary.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/contraction.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels_detail {

/// invalid_argument for an unknown mode, refinements other than 1 and 2, parts other than 2 and 3,
/// and a target error below 0 or NaN; with a target above 0 the other members must be the defaults.
void check_precision(const char* function, const precision_options& options);

/// "split_bf16 in 2 parts"
std::string describe(const precision_options& options);

using kernel_in_mode = function_ref<kernels::sized_kernel(const precision_options&)>;

/// The fastest of some modes that are expected to meet a target error, by dry runs.
struct chosen_mode {
  precision_options mode = {};
  kernels::sized_kernel kernel = {};
};
/// A mode whose kernel throws is not to be had. Throws invalid_argument, in the name of `name`, where
/// none meets the target, and the first mode's error where none is to be had.
chosen_mode cheapest_mode(const char* name, double target, std::span<const precision_options> modes,
                          const kernel_in_mode& kernel_in, const engine::machine_spec& machine);

/// How products are computed in a mode that they have: native, bf16 or split_bf16.
kernels::contraction_kernel_options products_in(const precision_options& how);

}  // namespace papilio::kernels_detail
