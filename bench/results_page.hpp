#pragma once

#include <string>

#include "result_file.hpp"

namespace papilio::bench {

/// docs/benchmarks.md of a file of results: its tables, and what they say. `name` is the file's.
std::string results_page(const result_file& results, const std::string& name);

/// The sentences below the tables, which the numbers of `results` make.
std::string reading_of(const result_file& results);

/// "12.3 us", "4.56 ms" or "7.89 s"; "-" of none.
std::string time_text(std::optional<double> seconds);

}  // namespace papilio::bench
