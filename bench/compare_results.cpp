#include "compare_results.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace papilio::bench {
namespace {

struct column {
  const char* name;
  std::optional<double> result_row::*seconds;
};
constexpr std::array<column, 7> columns{{{"host 1", &result_row::host_one},
                                         {"host all", &result_row::host_all},
                                         {"peer 1", &result_row::peer_one},
                                         {"peer all", &result_row::peer_all},
                                         {"device", &result_row::device_warm},
                                         {"resident", &result_row::device_resident},
                                         {"cold", &result_row::device_cold}}};

const result_row* find(const result_file& in, const result_row& row) {
  const auto at = std::ranges::find_if(
      in.rows, [&](const result_row& r) { return r.op == row.op && r.shape == row.shape; });
  return at == in.rows.end() ? nullptr : &*at;
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(text.size() < width ? width - text.size() : 0, ' ');
}

std::string label(const result_row& row) { return row.op + ' ' + row.shape; }

std::string number(std::optional<double> ratio) {
  char text[32];
  if (ratio)
    std::snprintf(text, sizeof text, "%9.3f", *ratio);
  else
    std::snprintf(text, sizeof text, "%9s", "-");
  return text;
}

std::optional<double> ratio_of(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b || *a <= 0 || *b <= 0) return std::nullopt;
  return *a / *b;
}

std::string differences(const result_file& a, const result_file& b) {
  std::string text;
  const auto compare = [&](const char* what, const std::string& in_a, const std::string& in_b) {
    if (in_a != in_b) text.append(what).append(": ").append(in_a + " | " + in_b + '\n');
  };
  compare("processor", a.processor, b.processor);
  compare("cores", std::to_string(a.cores), std::to_string(b.cores));
  compare("BLAS core", a.blas_core, b.blas_core);
  compare("machine", a.machine, b.machine);
  compare("runtime", a.runtime, b.runtime);
  return text;
}

std::string only_in(const char* which, const result_file& a, const result_file& b) {
  std::string text;
  for (const result_row& row : a.rows)
    if (find(b, row) == nullptr) text += std::string("only in ") + which + ": " + label(row) + '\n';
  return text;
}

}  // namespace

std::string compare_results(const result_file& a, const result_file& b) {
  std::size_t width = 14, common = 0;
  for (const result_row& row : a.rows) width = std::max(width, label(row).size());
  std::string text = "A: papilio " + a.version + ", " + a.date + "   B: papilio " + b.version +
                     ", " + b.date + "\nTimes of A over those of B: above 1, B is faster.\n" +
                     differences(a, b) + '\n' + padded("", width);
  for (const column& c : columns)
    text += std::string(10 - std::string(c.name).size(), ' ') + c.name;
  text += '\n';
  std::array<double, columns.size()> logarithms{};
  std::array<int, columns.size()> counts{};
  for (const result_row& row : a.rows) {
    const result_row* const other = find(b, row);
    if (other == nullptr) continue;
    ++common;
    text += padded(label(row), width);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto ratio = ratio_of(row.*columns[i].seconds, other->*columns[i].seconds);
      if (ratio) logarithms[i] += std::log(*ratio), ++counts[i];
      text += ' ' + number(ratio);
    }
    text += row.is_quiet && other->is_quiet ? "\n" : " ~\n";
  }
  if (common == 0) throw std::runtime_error("the files have no operation and shape in common");
  text += padded("geometric mean", width);
  for (std::size_t i = 0; i < columns.size(); ++i)
    text += ' ' + number(counts[i] > 0 ? std::optional(std::exp(logarithms[i] / counts[i]))
                                       : std::nullopt);
  return text + "\n\n" + only_in("A", a, b) + only_in("B", b, a) +
         "~: in one of the files too few measurements of the row were undisturbed.\n";
}

}  // namespace papilio::bench
