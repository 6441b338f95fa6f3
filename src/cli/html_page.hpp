#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "cli/json_value.hpp"
#include "papilio/base/atomic_file.hpp"

namespace papilio::cli {

/// A page in one file: its style, its script and all that it shows are inside, and nothing is
/// fetched. What it shows is JSON, which src/cli/page/page.js draws; no text of it is ever markup.
class html_page {
 public:
  /// Begins the file. `index` is what the script reads first; its member "kind" says what follows.
  html_page(const std::filesystem::path& path, const std::string& title, const json_value& index);

  /// Adds a part, as json_line() has it: the script reads it when it is looked at.
  void add(const std::string& json);
  /// Ends the page, which then appears under its name. Its bytes come out.
  std::uint64_t commit();

 private:
  void write(std::string_view text);

  atomic_file file_;
  std::uint64_t bytes_ = 0;
};

/// The address by which a page holds a picture itself.
std::string png_address(std::span<const std::byte> png);

/// The number with so many significant digits, which JSON then has no more of; null where it is
/// none.
json_value short_number(double value, int digits);

}  // namespace papilio::cli
