#include "cli/report.hpp"

#include <algorithm>
#include <new>

namespace papilio::cli {
namespace {

/// Never -0.0, however a number is rounded.
std::string formatted(std::string_view format, const json_value& value) {
  const auto as = [&](const auto& held) { return fmt::format(fmt::runtime(format), held); };
  if (value.is_null()) return {};
  if (value.is_string()) return as(value.text());
  if (value.is_boolean()) return as(value.truth());
  if (value.is_number_unsigned()) return as(value.whole());
  if (value.is_number_integer()) return as(static_cast<long long>(value.number()));
  if (!value.is_number()) return json_line(value);
  std::string text = as(value.number());
  const bool is_zero = text.find_first_of("123456789infa") == std::string::npos;
  return value.number() < 0 && is_zero ? as(0.0) : text;
}

std::string padded(const std::string& text, std::size_t width, bool left) {
  return left ? fmt::format("{:<{}}", text, width) : fmt::format("{:>{}}", text, width);
}

std::string without_spaces_behind(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace

report& report::add(std::string name, json_value value, std::string_view label,
                    std::string_view format) {
  if (!value.is_null()) text_line(label, formatted(format, value));
  return add(std::move(name), std::move(value));
}

report& report::table(std::string name, std::string_view label, const std::vector<column>& columns,
                      const table_rows& rows) {
  std::vector<std::vector<std::string>> cells;
  json_value objects = json_value::array();
  bool has_header = false;
  for (const column& c : columns) has_header = has_header || !c.header.empty();
  if (has_header)
    for (std::vector<std::string>& row = cells.emplace_back(); const column& c : columns)
      row.push_back(std::string(row.empty() ? std::string_view()
                                            : c.format.substr(0, c.format.find_first_not_of(' ')))
                        .append(c.header));
  for (const std::vector<json_value>& row : rows) {
    json_value object = json_value::object();
    std::vector<std::string>& shown = cells.emplace_back();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (!columns[c].name.empty()) object.add(columns[c].name, row[c]);
      shown.push_back(columns[c].format.empty() ? "" : formatted(columns[c].format, row[c]));
    }
    objects.push_back(std::move(object));
  }
  std::vector<std::size_t> widths(columns.size());
  for (const auto& row : cells)
    for (std::size_t c = 0; has_header && c < row.size(); ++c)
      widths[c] = std::max(widths[c], row[c].size());
  for (const auto& row : cells) {
    std::string text;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool left = c == 0 || columns[c].format.find('<') != std::string::npos;
      text += padded(row[c], widths[c], left);
    }
    if (has_header)
      text_ += printable(without_spaces_behind(std::move(text))) + "\n";
    else
      text_line(&row == &cells.front() ? label : "", text);
  }
  return name.empty() ? *this : add(std::move(name), std::move(objects));
}

report& report::warn(const std::vector<std::string>& warnings) {
  warnings_.insert(warnings_.end(), warnings.begin(), warnings.end());
  return add("warnings", warnings_);
}

report& report::append(report other) {
  text_ += other.text();
  add(other.fields_);
  return other.fields_.contains("warnings") ? warn(other.warnings_) : *this;
}

report& report::text_line(std::string_view label, const std::string& text) {
  text_ +=
      fmt::format("{}{:<{}}{}\n", has_title() ? "  " : "", label, label_width_, printable(text));
  return *this;
}

namespace {

std::string csv_cell(const json_value& value) {
  if (value.is_null() || (value.is_array() && value.begin() == value.end())) return {};
  const std::string text = value.is_string() ? value.text() : json_line(value);
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

void flatten(const std::string& name, const json_value& value, json_value& flat) {
  if (!value.is_object()) {
    flat[name] = value;
    return;
  }
  for (const auto& [member, inner] : value.items())
    flatten(name.empty() ? member : name + "." + member, inner, flat);
}

/// Objects as lines of comma-separated values under one of names. Members of members are named
/// "excerpt.frames"; lists are in JSON.
std::string csv_text(const std::vector<json_value>& objects) {
  std::vector<json_value> rows;
  json_value names = json_value::object();
  for (const json_value& object : objects) {
    flatten("", object, rows.emplace_back(json_value::object()));
    names.update(rows.back());
  }
  std::string text;
  const auto add_line = [&](const auto& cell) {
    std::vector<std::string> cells;
    for (const auto& [name, last] : names.items()) cells.push_back(csv_cell(cell(name)));
    text += fmt::format("{}\n", fmt::join(cells, ","));
  };
  add_line([](const std::string& name) { return json_value(name); });
  for (const json_value& row : rows)
    add_line([&](const std::string& name) { return std::as_const(row)[name]; });
  return text;
}

/// usage_error if standard input is named twice.
void require_one_standard_input(const std::vector<std::string>& files) {
  if (std::count(files.begin(), files.end(), "-") > 1)
    throw usage_error("FILE: standard input (-) can be read only once");
}

}  // namespace

void reporter::each(const std::vector<std::string>& files, const file_work& work,
                    bool one_is_list) {
  require_one_standard_input(files);
  is_list_ = one_is_list || files.size() > 1;
  for (const std::string& file : files) {
    check(file, [&] {
      const report made = work(file);
      for (const std::string& warning : made.warnings())
        cli::warn(shown_name(file) + ": " + warning);
      for (const std::string& caution : made.cautions()) cli::warn(caution);
      take(made);
    });
  }
}

void reporter::print(const report& of) {
  for (const std::string& warning : of.warnings()) cli::warn(warning);
  take(of);
}

void reporter::attempt(const std::function<report()>& work, const std::string& name) {
  const std::string before = name.empty() ? "" : name + ": ";
  std::string failure;
  try {
    return print(work());
  } catch (const io_error& e) {
    complain(failure = e.what());
  } catch (const shape_error& e) {  // of several lines
    complain_in_lines(failure = before + e.what());
  } catch (const error& e) {
    complain(failure = before + e.what());
  } catch (const std::bad_alloc&) {
    complain(failure = before + "out of memory");
  }
  waiting_.push_back(json_object("error", failure));
  fail();
}

void reporter::check(const std::string& file, const std::function<void()>& work) {
  const auto failure = failure_of(file, work);
  if (!failure) return;
  complain(*failure);
  waiting_.push_back(json_object("file", file, "error", *failure));
  fail();
}

void reporter::take(const report& of) {
  if (format_ != report_format::text)
    waiting_.push_back(of.json());
  else if (prints_)
    cli::print(fmt::format("{}{}", first_ || of.has_title() ? "" : "\n", of.text()));
  first_ = false;
}

void reporter::give_away_output(const char* flag) {
  if (format_ != report_format::text)
    throw usage_error("--json, --report: {} - takes standard output", flag);
  prints_ = false;
}

void reporter::fail() { code_ = exit_bad_data; }

int reporter::finish() {
  if (format_ == report_format::csv)
    cli::print(csv_text(waiting_));
  else if (format_ == report_format::json && (is_list_ || waiting_.empty()))
    cli::print(json_text(waiting_, member_order::as_added));
  else if (format_ == report_format::json)
    cli::print(json_text(waiting_.front(), member_order::as_added));
  return code_;
}

}  // namespace papilio::cli
