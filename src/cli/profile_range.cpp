#include "cli/profile_range.hpp"

#include <fmt/format.h>

#include <vector>

namespace papilio::cli {

void add_range(report& made, const kernels::time_range& range) {
  table_rows rows;
  for (const kernels::time_range::field& f : range.fields)
    rows.add(f.name, f.low_value, f.high_value, f.low_seconds * 1e6, f.high_seconds * 1e6);
  made.lines(fmt::format(
      "modelled {:.2f} us ({:.2f} ... {:.2f}) where documents leave the machine open:\n",
      range.seconds * 1e6, range.low_seconds * 1e6, range.high_seconds * 1e6));
  made.table("", "",
             {{"", "{:<30}"},
              {"", " {:>4}"},
              {"", " ... {:<4}"},
              {"", "{:>14.2f}"},
              {"", " ... {:.2f} us"}},
             rows);
  made.lines("\n");
}

json_value range_json(const kernels::time_range& range) {
  json_value fields = json_value::array();
  for (const kernels::time_range::field& f : range.fields)
    fields.push_back(json_object("field", f.name, "low", f.low_value, "high", f.high_value,
                                 "low_seconds", f.low_seconds, "high_seconds", f.high_seconds));
  return json_object("seconds", range.seconds, "low_seconds", range.low_seconds, "high_seconds",
                     range.high_seconds, "fields", fields);
}

}  // namespace papilio::cli
