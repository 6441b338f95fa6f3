#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/array_operands.hpp"
#include "kernels/transform/groups.hpp"
#include "papilio/engine/machine_spec.hpp"

// Which digits a length may have, and roughly what they cost.
namespace papilio::kernels_detail {

/// Designs of which dry runs find the fastest, at most.
inline constexpr std::size_t designs_compared_max = 6;

/// run_depths::vector_turn that dry runs compare with none.
inline constexpr std::int64_t vector_turns_compared[] = {6, 10, 16};

/// All orders of factors of n as digits of at most `radix_most`: two digits, or three where n has
/// no two; none where a prime is larger.
std::vector<std::vector<std::int64_t>> cuts_of(std::int64_t n, std::int64_t radix_most);

/// Cuts for the array: complex lines in one digit only where it has few points, since sums of many
/// are less accurate than those of two digits, or where there is no other cut.
std::vector<std::vector<std::int64_t>> accurate_cuts_of(std::int64_t n, bool real,
                                                        const engine::machine_spec& machine);

/// Seconds for the lines that partitions have at a time, roughly: of the array, or of the engine
/// that takes its results away. Where lines are added up they are `runs` times as many as partitions.
double block_seconds(std::span<const transform_stage> stages, const array_operands& operands,
                     const engine::machine_spec& machine, std::int64_t runs = 1);

/// fp32 words of a partition that the tables take.
std::int64_t table_words(std::span<const transform_stage> stages, const array_operands& operands);

/// Expected squared error, relative, for random input; `is_windowed`: matrices are of any numbers.
double squared_error_of(std::span<const transform_stage> stages, const array_operands& operands,
                        bool is_windowed, const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
