#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/array_operands.hpp"
#include "kernels/transform/groups.hpp"
#include "papilio/engine/machine_spec.hpp"

// Factorisations of a length into digits, and estimates of their cost and error.
namespace papilio::kernels_detail {

/// The largest number of designs that dry runs compare.
inline constexpr std::size_t designs_compared_max = 6;

/// Values of run_depths::vector_turn that dry runs compare with 0.
inline constexpr std::int64_t vector_turns_compared[] = {6, 10, 16};

/// All ordered factorisations of n into one or two digits of at most `radix_most`, or three where
/// there are none; empty where a prime is larger. The most even ones are kept where there are many.
std::vector<std::vector<std::int64_t>> cuts_of(std::int64_t n, std::int64_t radix_most);

/// Factorisations for the array. Complex lines have one digit only where it is short, since long
/// sums are less accurate than two digits, or where there is no other.
std::vector<std::vector<std::int64_t>> accurate_cuts_of(std::int64_t n, bool real,
                                                        const engine::machine_spec& machine);

/// Estimates the seconds for a block of lines: those of the tensor engine, or of the engine that
/// copies its results. Where lines are added up they are `runs` times as many as partitions.
double block_seconds(std::span<const transform_stage> stages, const array_operands& operands,
                     const engine::machine_spec& machine, std::int64_t runs = 1);

/// fp32 words of a partition that the tables take.
std::int64_t table_words(std::span<const transform_stage> stages, const array_operands& operands);

/// Expected squared relative error for random input; `is_windowed`: matrices hold any numbers, not
/// roots of unity alone.
double squared_error_of(std::span<const transform_stage> stages, const array_operands& operands,
                        bool is_windowed, const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
