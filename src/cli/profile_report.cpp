#include "cli/profile_run.hpp"

namespace papilio::cli::profile_verb {
namespace {

struct part {
  const char* name;
  double seconds;
};

std::vector<part> parts_of(const engine::launch_result& r) {
  return {{"compile", r.compile_seconds}, {"launch", r.launch_seconds},
          {"copy", r.upload.seconds},     {"fetch", r.fetch.seconds},
          {"device", r.device_seconds},   {"total", r.total_seconds()}};
}

std::optional<engine::amdahl_report> amdahl_of(const arguments& args,
                                               const engine::launch_result& r) {
  if (!args.replaces) return std::nullopt;
  std::vector<engine::amdahl_step> steps{{args.kernel, *args.replaces, r.device_seconds}};
  if (args.rest) steps.push_back({"rest", *args.rest, *args.rest});
  return engine::amdahl_report(std::move(steps));
}

/// The modelled time where documents leave the machine open, and the floor's share of it: no open
/// field is in the floor.
void add_range(report& made, const kernels::time_range& range, double floor_seconds) {
  made.lines(fmt::format(
      "modelled {:.2f} us ({:.2f} ... {:.2f}) where documents leave the machine "
      "open, most by {};\nthe floor is {:.1f} % of it ({:.1f} ... {:.1f})\n",
      range.seconds * 1e6, range.low_seconds * 1e6, range.high_seconds * 1e6,
      range.fields.front().name, 100 * floor_seconds / range.seconds,
      100 * floor_seconds / range.high_seconds, 100 * floor_seconds / range.low_seconds));
}

/// Which field opens the time how far.
void add_open_fields(report& made, const kernels::time_range& range) {
  table_rows rows;
  for (const kernels::time_range::field& f : range.fields)
    rows.add(f.name, f.low_value, f.high_value, f.low_seconds * 1e6, f.high_seconds * 1e6);
  made.table("", "",
             {{"", "  {:<30}"},
              {"", " {:>4}"},
              {"", " ... {:<4}"},
              {"", "{:>14.2f}"},
              {"", " ... {:.2f} us"}},
             rows);
}

json_value range_json(const kernels::time_range& range, double floor_seconds) {
  json_value fields = json_value::array();
  for (const kernels::time_range::field& f : range.fields)
    fields.push_back(json_object("field", f.name, "low", f.low_value, "high", f.high_value,
                                 "low_seconds", f.low_seconds, "high_seconds", f.high_seconds));
  return json_object("seconds", range.seconds, "low_seconds", range.low_seconds, "high_seconds",
                     range.high_seconds, "low_floor_fraction", floor_seconds / range.high_seconds,
                     "high_floor_fraction", floor_seconds / range.low_seconds, "fields", fields);
}

void add_dispatch(report& made, const arguments& args, const launched_kernel& of) {
  const engine::launch_result& r = of.result;
  made.lines(fmt::format("\nOne dispatch with {}, operands copied in and out (modelled):\n",
                         of.runtime.name));
  for (const part& p : parts_of(r))
    if (args.all || p.seconds > 0)
      made.line(fmt::format("  {}", p.name), "{:>14.1f} us", p.seconds * 1e6);
  made.lines(fmt::format("  {} in, {} out; program {}, which compiles in about {:.0f} s\n",
                         counted(r.upload.tensors, "tensor"), counted(r.fetch.tensors, "tensor"),
                         engine::to_string(r.program),
                         of.runtime.compile_seconds_of(double(r.instructions))));
}

/// The units that did something, and how long.
void add_active_units(report& made, const engine::profile& profile) {
  made.lines("\nactive\n");
  constexpr std::string_view share = "_active_time_percent";
  for (const char* unit : {"tensor_engine", "vector_engine", "scalar_engine", "gpsimd_engine",
                           "sync_engine", "dma", "cc_op"})
    if (const double active = profile.value(fmt::format("{}{}", unit, share)); active > 0)
      made.lines(fmt::format("  {:<14}{:>10.1f} %\n", unit, 100 * active));
}

void add_numbers(report& made, const arguments& args, const launched_kernel& of) {
  made.lines("\n" + of.result.summary.numbers_text(args.all));
  if (const std::string how = of.sized.explain(); !how.empty()) made.lines("\n" + how);
  if (const auto& measured = of.measured)
    made.lines(fmt::format("achieved: {:.3g}, over {} outputs of {}, against sums in double\n",
                           measured->achieved, measured->outputs,
                           counted(std::uint64_t(measured->lines), "line")));
  made.lines(fmt::format("\nEmulated in {:.3f} s{}\n", of.result.wall_seconds,
                         args.dry_run ? " (dry run: no values)" : ""));
}

void add_lines(report& made, const arguments& args, const launched_kernel& of) {
  const engine::profile& profile = of.result.summary;
  if (args.listing) made.lines(of.result.events.listing() + "\n");
  if (!args.brief)
    made.lines(fmt::format("kernel   {}\nmachine  {}\n\n", profile.kernel, profile.machine));
  made.lines(profile.verdict_text());
  if (of.range) add_range(made, *of.range, profile.verdict.floor_seconds);
  if (args.uncertainty) add_open_fields(made, *of.range);
  add_dispatch(made, args, of);
  if (args.brief)
    add_active_units(made, profile);
  else
    add_numbers(made, args, of);
}

}  // namespace

report report_of(const arguments& args, const launched_kernel& of) {
  const engine::launch_result& r = of.result;
  json_value parts;
  for (const part& p : parts_of(r)) parts[std::string(p.name) + "_seconds"] = p.seconds;
  json_value achieved;
  if (const auto& m = of.measured)
    achieved = json_object("error", m->achieved, "lines", m->lines, "outputs", m->outputs);
  report made;
  made.fields(
      "kernel", args.kernel, "machine", r.summary.machine, "settings", args.settings, "mode",
      args.dry_run ? "dry_run" : "execute", "summary",
      *parse_json(r.summary.to_json(), member_order::as_added), "verdict", r.summary.verdict_text(),
      "floor_seconds", r.summary.verdict.floor_seconds, "floor_fraction",
      r.summary.verdict.floor_fraction, "bound_by", engine::to_string(r.summary.verdict.bound_by),
      "active_fraction", r.summary.verdict.active_fraction, "explanation",
      of.sized.recipe() + of.sized.comparison(), "table_bytes", of.sized.table_bytes(), "runtime",
      of.runtime.name, "dispatch", parts, "wall_seconds", r.wall_seconds, "compile_seconds",
      of.runtime.compile_seconds_of(double(r.instructions)), "instructions", r.instructions,
      "range", of.range ? range_json(*of.range, r.summary.verdict.floor_seconds) : json_value(),
      "expected_error",
      of.sized.expected_error > 0 ? json_value(of.sized.expected_error) : json_value(),
      "achieved_error", achieved);
  add_lines(made, args, of);
  const auto amdahl = amdahl_of(args, r);
  if (amdahl) made.lines("\n" + amdahl->to_text());
  return made.add("amdahl",
                  amdahl ? *parse_json(amdahl->to_json(), member_order::as_added) : json_value());
}

}  // namespace papilio::cli::profile_verb
