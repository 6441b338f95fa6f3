#pragma once

#include <optional>

#include "contract/lowered_plan.hpp"

namespace papilio::contract_detail {

/// How an accelerator computes a step, if the execution wants it there; empty: the host computes.
/// device_error under `device` for steps that are no product of matrices.
std::optional<device_product> device_step(const lowered_step& step, element_type type,
                                          bool conjugate_left, bool conjugate_right,
                                          const execution& on);

/// out = alpha product + beta out, by the accelerator's own program.
template <class T>
void run_device_step(const lowered_step& step, const T* left, const T* right, T* out, T alpha,
                     T beta, std::span<T> scratch, const execution& on);

}  // namespace papilio::contract_detail
