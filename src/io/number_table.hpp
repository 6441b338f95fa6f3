#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/internal.hpp"
#include "papilio/base/array.hpp"

namespace papilio::io_detail {

/// A table of numbers that comes row by row, and appears whole or not at all.
///   csv   a header row, then the rows;
///   json  {"columns": [...], "rows": [[...], ...]}, one row a line, null for what is no number;
///   npy   [rows, columns], float64 with a time column, float32 without.
class PAPILIO_INTERNAL number_table {
 public:
  virtual ~number_table() = default;
  /// `times`, one a row, are left out of a table without time. Text has the digits of a float where
  /// the value is one. io_error for a value beyond the floats of an array.
  virtual void write_rows(std::span<const double> times, view<const double, 2> values) = 0;
  virtual void commit() = 0;
};

/// `kind` is "csv", "json" or "npy". io_error as atomic_file.
PAPILIO_INTERNAL std::unique_ptr<number_table> make_number_table(const std::filesystem::path& path,
                                                                 const std::string& kind,
                                                                 bool with_time,
                                                                 std::vector<std::string> columns);

}  // namespace papilio::io_detail
