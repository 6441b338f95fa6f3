#pragma once

#include <string>

#include "result_file.hpp"

namespace papilio::bench {

/// Ratios of the times in `a` over those in `b` (above 1: b is faster), for every row of both by
/// operation and shape and every column of seconds, their geometric means, what differs between
/// the computers, and the rows that only one of them has: lines of text.
/// std::runtime_error where they have no row in common.
std::string compare_results(const result_file& a, const result_file& b);

}  // namespace papilio::bench
