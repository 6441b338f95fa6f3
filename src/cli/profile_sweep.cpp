#include "cli/kernel_run.hpp"
#include "cli/profile_run.hpp"

namespace papilio::cli::profile_verb {
namespace {

constexpr std::size_t most_sizes = 1000;

/// A whole number, or a power: "2^10".
std::optional<std::uint64_t> read_size(std::string_view text) {
  const std::size_t caret = text.find('^');
  if (caret == std::string_view::npos) return read_number<std::uint64_t>(text);
  const auto base = read_number<std::uint64_t>(text.substr(0, caret)),
             exponent = read_number<std::uint64_t>(text.substr(caret + 1));
  if (!base || !exponent || *exponent > 63) return std::nullopt;
  std::uint64_t power = 1;
  for (std::uint64_t i = 0; i < *exponent; ++i)
    if (__builtin_mul_overflow(power, *base, &power)) return std::nullopt;
  return power;
}

/// The sweep that a setting is, where it is one.
std::optional<size_sweep> sweep_of(const std::string& setting) {
  const std::size_t equals = setting.find('='), dots = setting.find("..");
  if (equals == std::string::npos || dots == std::string::npos || dots < equals)
    return std::nullopt;
  const std::size_t colon = setting.find(':', dots);
  const auto low = read_size(std::string_view(setting).substr(equals + 1, dots - equals - 1)),
             high = read_size(std::string_view(setting).substr(
                 dots + 2, colon == std::string::npos ? colon : colon - dots - 2));
  if (!low || !high) return std::nullopt;  // a text of subscripts with an ellipsis
  size_sweep sweep{
      .name = setting.substr(0, equals), .values = {}, .doubles = colon == std::string::npos};
  const auto step = sweep.doubles ? std::optional<std::uint64_t>(1)
                                  : read_size(std::string_view(setting).substr(colon + 1));
  if (*low < 1 || *low >= *high)
    throw usage_error("SETTING: {}: the range must rise from 1 or more", setting);
  if (!step || *step < 1)
    throw usage_error("SETTING: {}: the step must be a whole number from 1", setting);
  for (std::uint64_t size = *low; size <= *high;) {
    if (sweep.values.size() == most_sizes)
      throw usage_error("SETTING: {}: at most {} sizes", setting, most_sizes);
    sweep.values.push_back(fmt::format("{}", size));
    if (__builtin_add_overflow(size, sweep.doubles ? size : *step, &size)) break;
  }
  return sweep;
}

}  // namespace

std::optional<size_sweep> sweep_in(const std::vector<std::string>& settings) {
  std::optional<size_sweep> found;
  for (const std::string& setting : settings)
    if (auto sweep = sweep_of(setting)) {
      if (found)
        throw usage_error("SETTING: {} and {} are both ranges: one at a time", found->name,
                          sweep->name);
      found = std::move(sweep);
    }
  return found;
}

report sweep_report(const arguments& args, const kernels::catalog_entry& entry, const target& on,
                    const size_sweep& sweep, bool& failed) {
  table_rows rows;
  std::vector<sweep_point> points;
  report made;
  for (std::size_t i = 0; i < sweep.values.size(); ++i) {
    std::vector<std::string> settings = args.settings;
    for (std::string& setting : settings)
      if (setting.starts_with(sweep.name + "=")) setting = sweep.setting(i);
    const kernels::sized_kernel sized = sized_by(entry, settings, on.machine);
    const double size = *read_number<double>(sweep.values[i]);
    try {
      engine::device device(on.machine, on.runtime, {.start = start_of(args.start)});
      const engine::launch_result r = run_on_made_inputs(device, sized, true);
      const engine::profile_verdict& v = r.summary.verdict;
      rows.add(*read_number<std::uint64_t>(sweep.values[i]), r.device_seconds,
               r.device_seconds * 1e6, engine::to_string(v.bound_by), v.active_fraction,
               100 * v.active_fraction, v.floor_seconds, v.floor_fraction, 100 * v.floor_fraction,
               r.instructions, r.total_seconds(), r.total_seconds() * 1e6, nullptr);
      points.push_back({size, r.device_seconds, v.floor_seconds});
    } catch (const error& e) {
      const json_value none;
      rows.add(*read_number<std::uint64_t>(sweep.values[i]), none, none, none, none, none, none,
               none, none, none, none, none, printable(e.what()));
      made.warn({sweep.setting(i) + ": " + e.what()});
      failed = true;
    }
  }
  if (!args.plot.empty() && !points.empty()) write_sweep(args.plot, args.kernel, sweep, points);
  return made
      .fields("kernel", args.kernel, "machine", on.machine.name, "settings", args.settings, "mode",
              "dry_run", "runtime", on.runtime.name, "swept", sweep.name)
      .lines(fmt::format("{} on {}, a dry run for each {}; with {}, operands copied in and out\n\n",
                         args.kernel, on.machine.name, sweep.name, on.runtime.name))
      .table("rows", "",
             {{"size", "{}", sweep.name},
              {"seconds", ""},
              {"", "  {:>.2f}", "device, us"},
              {"bound_by", "  {:<}", "bound by"},
              {"active_fraction", ""},
              {"", "  {:>.1f} %", "active"},
              {"floor_seconds", ""},
              {"floor_fraction", ""},
              {"", "  {:>.1f} %", "floor"},
              {"instructions", "  {:>}", "instructions"},
              {"total_seconds", ""},
              {"", "  {:>.1f}", "dispatch, us"},
              {"error", ""}},
             rows);
}

}  // namespace papilio::cli::profile_verb
