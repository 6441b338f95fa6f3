#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "papilio/base.hpp"

namespace papilio::cli {

enum class table_format { csv, json, npy };

/// ".csv", ".json" or ".npy", of any case; none for any other.
std::optional<table_format> table_format_of(const std::filesystem::path& path);
/// "csv", "json" or "npy"; and the ending that goes with it.
table_format parse_table_format(const std::string& name);
std::string table_ending(table_format format);

/// A table of numbers that comes row by row, and appears whole or not at all.
///   csv   a header row, then the rows;
///   json  {"columns": [...], "rows": [[...], ...]}, one row a line, null for what is no number;
///   npy   [rows, columns], float64 with a time column, float32 without.
class feature_table {
 public:
  virtual ~feature_table() = default;
  /// `times` is empty in a table without time.
  virtual void write_rows(std::span<const double> times, view<const float, 2> values) = 0;
  virtual void commit() = 0;
};

/// io_error as atomic_file.
std::unique_ptr<feature_table> make_feature_table(const std::filesystem::path& path,
                                                  table_format format, bool with_time,
                                                  std::vector<std::string> columns);

}  // namespace papilio::cli
