#include "io/number_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <iterator>
#include <type_traits>

#include "papilio/base/atomic_file.hpp"
#include "papilio/io.hpp"

namespace papilio::io_detail {
namespace {

std::string beginning_of(const std::vector<std::string>& columns, bool json) {
  if (json)
    return fmt::format("{{\"columns\": [\"{}\"],\n \"rows\": [", fmt::join(columns, "\", \""));
  return fmt::format("{}\n", fmt::join(columns, ","));
}

/// Numbers need no quotes, and 40 million of them should not be as many strings.
class text_number_table : public number_table {
 public:
  text_number_table(const std::filesystem::path& path, bool json, bool with_time)
      : json_(json), with_time_(with_time), file_(path) {}

  void begin(const std::vector<std::string>& columns) { text_ = beginning_of(columns, json_); }

  void write_rows(std::span<const double> times, view<const double, 2> values) override {
    for (std::size_t row = 0; row < values.extent(0); ++row) {
      if (json_) text_ += any_ ? ",\n  [" : "\n  [";
      any_ = true;
      bool first = true;
      if (with_time_) append(times[row], first);
      for (std::size_t column = 0; column < values.extent(1); ++column)
        if (const auto single = static_cast<float>(values(row, column));
            static_cast<double>(single) == values(row, column))
          append(single, first);
        else
          append(values(row, column), first);
      text_ += json_ ? "]" : "\n";
    }
    flush();
  }

  void commit() override {
    if (json_) text_ += "\n ]}\n";
    flush();
    file_.commit();
  }

 private:
  // Writes a number in the fewest digits that read back to the same value of its type.
  template <class T>
  void append(T value, bool& first) {
    if (!first) text_ += json_ ? ", " : ",";
    first = false;
    if (json_ && !std::isfinite(value))
      text_ += "null";
    else
      text_ += fmt::format("{}", value);
  }

  void flush() {
    file_.write(text_.data(), text_.size());
    text_.clear();
  }

  bool json_, with_time_, any_ = false;
  std::string text_;
  atomic_file file_;
};

/// Table as an .npy array, which in double has a column of time.
template <class T>
class npy_table : public number_table {
 public:
  npy_table(const std::filesystem::path& path, std::size_t columns)
      : path_(path), file_(path, {columns}) {}

  void write_rows(std::span<const double> times, view<const double, 2> values) override {
    std::vector<T> row;
    for (std::size_t r = 0; r < values.extent(0); ++r) {
      row.clear();
      if constexpr (std::is_same_v<T, double>) row.push_back(times[r]);
      for (std::size_t c = 0; c < values.extent(1); ++c) {
        row.push_back(static_cast<T>(values(r, c)));
        if (std::isinf(row.back()) && !std::isinf(values(r, c)))
          throw io_error(path_.string(),
                         fmt::format("{:.6g} is beyond its floats; an array with time, CSV "
                                     "and JSON hold doubles",
                                     values(r, c)));
      }
      file_.write_rows(row);
    }
  }
  void commit() override { file_.commit(); }

 private:
  std::filesystem::path path_;
  npy_writer<T> file_;
};

}  // namespace

std::unique_ptr<number_table> make_number_table(const std::filesystem::path& path,
                                                const std::string& kind, bool with_time,
                                                std::vector<std::string> columns) {
  if (with_time) columns.insert(columns.begin(), "time_seconds");
  if (kind != "npy") {
    auto table = std::make_unique<text_number_table>(path, kind == "json", with_time);
    table->begin(columns);
    return table;
  }
  if (with_time) return std::make_unique<npy_table<double>>(path, columns.size());
  return std::make_unique<npy_table<float>>(path, columns.size());
}

}  // namespace papilio::io_detail
