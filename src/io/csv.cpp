#include "papilio/io.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "papilio/base/error.hpp"

namespace papilio {
namespace {

void append_quoted(std::string& line, const std::string& text) {
  line += '"';
  for (const char c : text) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

/// A lone empty field is quoted too, so that its row is not taken for a blank line.
void append_field(std::string& line, const std::string& text, bool alone) {
  if (text.find_first_of(",\"\r\n") != std::string::npos || (alone && text.empty()))
    append_quoted(line, text);
  else
    line += text;
}

}  // namespace

csv_field::csv_field(float value) : text_(fmt::format("{}", value)) {}
csv_field::csv_field(double value) : text_(fmt::format("{}", value)) {}

csv_writer::csv_writer(const std::filesystem::path& path, const std::vector<std::string>& columns)
    : file_(path), columns_(columns.size()) {
  if (columns.empty()) throw invalid_argument("csv_writer: columns must not be empty");
  write_row(std::vector<csv_field>(columns.begin(), columns.end()));
}

void csv_writer::write_row(std::span<const csv_field> fields) {
  if (fields.size() != columns_)
    throw shape_error(base_detail::message("csv_writer::write_row: ", fields.size(),
                                           " fields in a table of ", columns_, " columns"));
  std::string line;
  for (const csv_field& field : fields) {
    if (&field != fields.data()) line += ',';
    append_field(line, field.text(), columns_ == 1);
  }
  line += '\n';
  file_.write(line.data(), line.size());
}

}  // namespace papilio
