#pragma once

#include <memory>
#include <span>

#include "decompose/mode_array.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/execution.hpp"

namespace papilio::decompose_detail {

/// Where Tucker runs, with so many sweeps of HOOI; null: the host. Of ranks that a tolerance is to
/// find nothing is known: all is reckoned as though nothing were cut off. Errors as side_of's.
template <class T>
accelerator* tucker_side(const char* function, std::span<const std::size_t> extents,
                         std::span<const std::size_t> ranks, bool has_tolerance, std::size_t sweeps,
                         const execution& on);

/// The operand on that side: it goes up, once. `sum` counts what an accelerator runs.
template <class T>
std::unique_ptr<mode_array<T>> array_on(const char* function, accelerator* device,
                                        const prepared_operand<T>& x, int threads, run_record& sum);

}  // namespace papilio::decompose_detail
