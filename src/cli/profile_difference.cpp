#include "cli/profile_run.hpp"

namespace papilio::cli::profile_verb {
namespace {

constexpr std::size_t most_saved_bytes = std::size_t{16} << 20;

/// "fft batch=4096 n=1024 on trainium1".
std::string name_of(const json_value& run) {
  std::string name = run["kernel"].text();
  if (run["settings"].is_array())
    for (const json_value& setting : run["settings"])
      if (setting.is_string()) name += " " + setting.text();
  return name + " on " + run["machine"].text();
}

/// A number under the unit that the field's name ends in.
std::string shown(const std::string& field, const json_value& value) {
  if (!value.is_number()) return "-";
  if (field.ends_with("_percent") || field.ends_with("_fraction"))
    return fmt::format("{:.2f} %", 100 * value.number());
  if (field.ends_with("_time") || field.ends_with("_seconds"))
    return fmt::format("{:.2f} us", 1e6 * value.number());
  if (value.is_number_integer()) return fmt::format("{}", value.number());
  return fmt::format("{:.6g}", value.number());
}

std::string change(const json_value& before, const json_value& after) {
  if (!before.is_number() || !after.is_number() || before.number() == 0) return "";
  return fmt::format("{:+.1f} %", 100 * (after.number() / before.number() - 1));
}

}  // namespace

json_value saved_run(const std::string& path) {
  json_value run = read_json_object(path, most_saved_bytes);
  if (!run["summary"].is_object() || !run["kernel"].is_string() || !run["machine"].is_string() ||
      !run["summary"]["total_time"].is_number())
    throw io_error(path, "is not what papilio profile --json prints of a run");
  return run;
}

report difference_report(const json_value& before, const json_value& after, bool all) {
  table_rows rows;
  json_value differences = json_value::array();
  const auto add = [&](const std::string& field, const json_value& old, const json_value& now) {
    const bool same = old == now;
    if (!same || all) rows.add(field, shown(field, old), shown(field, now), change(old, now));
    if (!same) differences.push_back(json_object("field", field, "before", old, "after", now));
  };
  for (const char* field : {"floor_seconds", "floor_fraction", "active_fraction", "instructions"})
    add(field, before[field], after[field]);
  json_value names = after["summary"];
  names.update(before["summary"]);
  for (const auto& [name, last] : names.items())
    add(name, before["summary"][name], after["summary"][name]);
  for (const auto& [name, last] :
       after["dispatch"].is_object() ? after["dispatch"].items() : json_value::object().items())
    add("dispatch_" + name, before["dispatch"][name], last);
  const json_value &old = before["summary"]["total_time"], &now = after["summary"]["total_time"];
  const auto bound = [](const json_value& run) {
    return run["bound_by"].is_string() ? run["bound_by"].text() : std::string("unknown");
  };
  report made;
  made.line("before", "{}", name_of(before))
      .line("after", "{}", name_of(after))
      .line("time", "{} -> {}, {}", shown("_time", old), shown("_time", now), change(old, now))
      .line("bound by", "{} -> {}", bound(before), bound(after))
      .lines("\n");
  if (rows.empty())
    made.line("differs", "nothing");
  else
    made.table("", "",
               {{"", "{}", "field"},
                {"", "  {:>}", "before"},
                {"", "  {:>}", "after"},
                {"", "  {:>}", "change"}},
               rows);
  const auto facts = [&](const json_value& run) {
    return json_object("kernel", run["kernel"], "machine", run["machine"], "settings",
                       run["settings"], "total_seconds", run["summary"]["total_time"], "bound_by",
                       run["bound_by"]);
  };
  return made.fields("before", facts(before), "after", facts(after), "differences", differences);
}

}  // namespace papilio::cli::profile_verb
