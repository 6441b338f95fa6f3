#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

namespace papilio::cli {

// CLI11 itself would let "nan" through, read "-1" as a huge unsigned number and "010" as eight.

/// A number in [low, high].
CLI::Validator number_from(double low, double high);

/// A whole decimal number in [low, high]; for CLI::Option::transform, which drops leading zeros.
CLI::Validator whole_number_from(std::uint64_t low, std::uint64_t high);

/// Any text but none, which would count as an option that is not given.
CLI::Validator not_empty();

}  // namespace papilio::cli
