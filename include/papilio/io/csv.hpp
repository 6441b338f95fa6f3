#pragma once

#include <concepts>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/base/atomic_file.hpp"

namespace papilio {

/// One field of a CSV row, as text. Floating-point numbers take the fewest digits that read back
/// to the same value in their own type; NaN is "nan", infinities "inf" and "-inf".
class PAPILIO_API csv_field {
 public:
  template <std::integral T>
    requires(!std::same_as<T, bool> && !std::same_as<T, char>)
  csv_field(T value) : text_(std::to_string(value)) {}
  csv_field(float value);
  csv_field(double value);
  csv_field(std::string value) : text_(std::move(value)) {}
  csv_field(std::string_view value) : text_(value) {}
  csv_field(const char* value) : text_(value) {}

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Writes comma-separated values: a header row, then rows of as many fields, lines ended by "\n".
/// A field with a comma, a quote or a line break is quoted, its quotes doubled (RFC 4180).
/// Atomic: nothing appears at `path` before commit(). io_error as atomic_file.
class PAPILIO_API csv_writer {
 public:
  /// invalid_argument if `columns` is empty.
  csv_writer(const std::filesystem::path& path, const std::vector<std::string>& columns);

  /// shape_error if the number of fields is not that of the columns.
  void write_row(std::span<const csv_field> fields);

  template <class... Fields>
    requires(sizeof...(Fields) > 0 && (std::constructible_from<csv_field, const Fields&> && ...))
  void row(const Fields&... fields) {
    const csv_field all[] = {csv_field(fields)...};
    write_row(all);
  }

  void commit() { file_.commit(); }

 private:
  atomic_file file_;
  std::size_t columns_;
};

}  // namespace papilio
