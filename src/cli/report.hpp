#pragma once

#include "cli/common.hpp"
#include "cli/json_value.hpp"

namespace papilio::cli {

/// Rows of a table, cell by cell.
class table_rows {
 public:
  template <class... Cells>
  table_rows& add(Cells&&... cells) {
    all_.emplace_back();
    return more(std::forward<Cells>(cells)...);
  }
  /// Cells at the end of the last row.
  template <class... Cells>
  table_rows& more(Cells&&... cells) {
    (all_.back().emplace_back(std::forward<Cells>(cells)), ...);
    return *this;
  }
  bool empty() const { return all_.empty(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  std::vector<std::vector<json_value>> all_;
};

/// The result of a verb: fields, which programs know by name, and lines, which people read, both in
/// the order in which they are added. Lines may hold text from outside as it is.
class report {
 public:
  /// A column of a table. Without a name it is for people alone, without a format for programs
  /// alone. The format, such as "{:>9.1f} Hz", is that of fmt::format and includes the space before
  /// the column, which the header then has too; null is shown as nothing. Views of texts that the
  /// caller keeps.
  struct column {
    std::string_view name, format, header = {};
  };

  /// A field for programs.
  report& add(std::string name, json_value value) {
    fields_[name] = std::move(value);
    return *this;
  }
  /// All members of an object.
  report& add(const json_value& members) {
    fields_.update(members);
    return *this;
  }
  /// Fields for programs: a name and its value, the next name and its value, and so on.
  template <class... Members>
  report& fields(Members&&... members) {
    fields_.add(std::forward<Members>(members)...);
    return *this;
  }
  /// A line for people: a label and what stands beside it.
  template <class... Args>
  report& line(std::string_view label, fmt::format_string<Args...> format, Args&&... args) {
    return text_line(label, fmt::format(format, std::forward<Args>(args)...));
  }
  /// Both: the value in this format, such as "{:.1f} dBFS", or a text that stands for it; no line
  /// where it is null.
  report& add(std::string name, json_value value, std::string_view label, std::string_view format);

  /// For programs a list of objects, for people lines. With headers, columns are as wide as what
  /// they hold, the first and those of formats with < flush left, the others right; without,
  /// `label` stands beside the first row.
  report& table(std::string name, std::string_view label, const std::vector<column>& columns,
                const table_rows& rows);

  /// The first line, under which the others are indented.
  report& title(std::string text) {
    title_ = printable(text) + "\n";
    return *this;
  }
  /// Where the text beside the labels of the lines that follow begins.
  report& labels(std::size_t width) {
    label_width_ = width;
    return *this;
  }
  /// "  TEXT", an entry of a list under the line before.
  report& entry(const std::string& text) {
    text_ += fmt::format("  {}\n", printable(text));
    return *this;
  }
  /// Whole lines, for people.
  report& lines(const std::string& text) {
    text_ += printable_lines(text);
    return *this;
  }
  /// Told on stderr, and, with those before, the field "warnings".
  report& warn(const std::vector<std::string>& warnings);
  /// Told on stderr alone, of a file that the text names itself.
  report& caution(std::string text) {
    cautions_.push_back(std::move(text));
    return *this;
  }
  /// All of another report behind this one.
  report& append(report other);

  bool has_title() const { return !title_.empty(); }
  const std::vector<std::string>& warnings() const { return warnings_; }
  const std::vector<std::string>& cautions() const { return cautions_; }
  std::string text() const { return title_ + text_; }
  const json_value& json() const { return fields_; }

 private:
  report& text_line(std::string_view label, const std::string& text);

  std::string title_, text_;
  std::size_t label_width_ = 10;
  json_value fields_ = json_value::object();
  std::vector<std::string> warnings_, cautions_;
};

enum class report_format { text, json, csv };

/// Prints the reports of one run of a verb, and knows its exit code.
class reporter {
 public:
  /// `quiet`: no report is printed.
  reporter(report_format format, bool quiet) : format_(format), prints_(!quiet) {}

  report_format format() const { return format_; }

  /// The report of each file. A failure is told on stderr with the file's name, is
  /// {"file", "error"} for programs, and the rest go on; usage_error passes through. JSON is one
  /// object of one file, if `one_is_list` does not say otherwise, and a list of several.
  using file_work = std::function<report(const std::string& file)>;
  void each(const std::vector<std::string>& files, const file_work& work, bool one_is_list = false);
  /// A report of no file, or of one that ends the run with its error.
  void print(const report& of);
  /// Makes a report and prints it. An error of `work`, with that name before it unless it names a
  /// file itself, goes to stderr, and is {"error"} for programs; usage_error passes through.
  void attempt(const std::function<report()>& work, const std::string& name = {});
  /// Work on a file of which nothing is reported but a failure.
  void check(const std::string& file, const std::function<void()>& work);
  /// Data take standard output, in the name of that flag, and nothing else is printed there.
  /// usage_error where a report for programs is wanted.
  void give_away_output(const char* flag);
  /// The exit code is that of bad data.
  void fail();

  /// Prints what waits; the exit code.
  int finish();

 private:
  void take(const report& of);

  report_format format_;
  bool is_list_ = false, prints_ = true, first_ = true;
  int code_ = 0;
  std::vector<json_value> waiting_;
};

/// Adds a verb that makes reports. Its arguments are the members of a struct, which adds the flags
/// that fill them itself; `work` is what is done with them.
template <class Arguments>
command& add_verb(program& app, const std::string& name, const std::string& help,
                  void (*work)(Arguments& args, reporter& out)) {
  auto args = std::make_shared<Arguments>();
  command& verb = app.add_command(name, help);
  args->add_to(verb);
  verb.reports([args, work](reporter& out) { work(*args, out); });
  return verb;
}

}  // namespace papilio::cli
