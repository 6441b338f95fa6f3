#include "cli/published_constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace papilio::cli {
namespace {

using calibration::published_report;
using engine::runtime_spec;
using engine::sourced_value;
using engine::value_origin;

std::vector<runtime_spec> runtimes_of(const published_report& of,
                                      const std::optional<runtime_spec>& runtime) {
  if (runtime) return {*runtime};
  std::vector<runtime_spec> all;
  for (const auto& r : of.rows)
    if (std::ranges::find(all, r.runtime, &runtime_spec::name) == all.end())
      all.push_back(kernels::published::runtime_of(*r.row));
  return all;
}

constant_group host_terms(const kernels::published::published_host_terms& terms) {
  const auto fitted = [](const char* field, double value) {
    return sourced_value{field, fmt::format("{}", value), value_origin::fitted,
                         "rows of SDK 2.24 of the role fit"};
  };
  return {
      "host",
      {fitted("bit_reversal_us", terms.bit_reversal_us), fitted("chirp_us", terms.chirp_us),
       fitted("matrix_us", terms.matrix_us), fitted("stockham_stage_us", terms.stockham_stage_us)}};
}

json_value json_of(const constant_group& group) {
  json_value all = json_value::object();
  for (const sourced_value& c : group.constants)
    all.add(c.field,
            json_object("value", c.value, "origin", to_string(c.origin), "source", c.source));
  return all;
}

}  // namespace

std::vector<constant_group> constants_of(const published_report& of,
                                         const engine::machine_spec& machine,
                                         const std::optional<runtime_spec>& runtime) {
  std::vector<constant_group> groups;
  for (const runtime_spec& r : runtimes_of(of, runtime)) groups.push_back({r.name, sources(r)});
  groups.push_back(host_terms(of.terms));
  groups.push_back({machine.name, sources(machine)});
  return groups;
}

json_value json_of(const std::vector<constant_group>& groups) {
  json_value json = json_value::object();
  for (const constant_group& group : groups) json.add(group.name, json_of(group));
  return json;
}

void add_lines(report& made, const std::vector<constant_group>& groups, bool all) {
  table_rows rows;
  std::size_t documented = 0;
  for (const constant_group& group : groups)
    for (const sourced_value& c : group.constants) {
      if (c.origin == value_origin::document && !all)
        ++documented;
      else
        rows.add(group.name + ": " + c.field, c.value, to_string(c.origin), c.source);
    }
  std::string words =
      "document: the vendor's; measured: published by others; fitted: to published times, of "
      "rows of\nthe role fit where rows are named, or derived from them; ours: no number is "
      "published.\n";
  if (!all) words += fmt::format("{} more are a document's: --constants lists them.\n", documented);
  if (all)
    for (const engine::source_document& d : engine::source_documents)
      words += fmt::format("  {:<4} {}\n", d.tag, d.title);
  made.lines("\n")
      .table("", "",
             {{"", "{}", "constants"},
              {"", "  {}", "value"},
              {"", "  {:<}", "origin"},
              {"", "  {:<}", "source"}},
             rows)
      .lines("\n" + words);
}

}  // namespace papilio::cli
