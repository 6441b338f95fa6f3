#include <fmt/format.h>

#include "dispatch/figure_text.hpp"
#include "papilio/dispatch/comparison.hpp"

namespace papilio {

using namespace dispatch_detail;

namespace {

constexpr std::size_t label_columns = 12;

std::string line(const char* label, const std::string& text) {
  return fmt::format("  {:<10}{}\n", label, indented(text, label_columns));
}

std::string error_text(double relative_error) {
  return relative_error > 0 ? fmt::format("{:.2g} (expected, relative)", relative_error)
                            : "not stated";
}

std::string host_text(const comparison& c) {
  if (!c.host_is_estimated()) return fmt::format("host: cannot, {}\n", c.host_refusal);
  const host_estimate& e = c.host;
  std::string text =
      c.host_can() ? fmt::format("host, {}\n", e.basis)
                   : fmt::format("host, {}, in native precision: {}\n", e.basis, c.host_refusal);
  if (e.backend != "host") text += line("backend", e.backend);
  if (!e.recipe.empty()) text += line("recipe", e.recipe);
  text += line("computes", scaled_text(e.flops) + "flop");
  text += line("moves", bytes_text(e.bytes_moved));
  text += line("estimate", seconds_text(e.seconds));
  return text + line("error", error_text(e.relative_error));
}

std::string copies_text(std::size_t tensors, std::size_t copies, double bytes, double seconds) {
  return fmt::format("{:<10} {}{}, {}", seconds_text(seconds),
                     tensors == 1 ? "1 tensor" : fmt::format("{} tensors", tensors),
                     copies < tensors   ? " in one copy"
                     : copies > tensors ? fmt::format(" in {} copies", copies)
                                        : "",
                     bytes_text(bytes));
}

std::string device_text(const comparison& c) {
  const std::string name =
      c.machine.empty() ? "device" : fmt::format("device {} with {}", c.machine, c.runtime);
  if (!c.device_can()) return fmt::format("{}: cannot, {}\n", name, c.device_refusal);
  const device_estimate& e = c.device;
  std::string text = fmt::format(
      "{}, modelled; it is emulated: computing takes longer than the host's own code\n", name);
  text += line("recipe", e.recipe);
  text += line("upload", copies_text(e.tensors_in, e.copies_in, e.bytes_in, e.upload_seconds));
  text += line("launch",
               fmt::format("{:<10} {}", seconds_text(e.launch_seconds),
                           e.launches == 1 ? "1 launch" : fmt::format("{} launches", e.launches)));
  text += line("device", fmt::format("{:<10} floor {}", seconds_text(e.device_seconds),
                                     seconds_text(e.floor_seconds)));
  if (e.link_seconds > 0)
    text += line("links", fmt::format("{:<10} between the cores", seconds_text(e.link_seconds)));
  text += line("fetch", copies_text(e.tensors_out, e.copies_out, e.bytes_out, e.fetch_seconds));
  text += line("total", seconds_text(e.seconds()));
  text += line("cold", fmt::format("{:<10} more: compiled, loaded, tables copied",
                                   seconds_text(e.cold_seconds)));
  text += line("tables", bytes_text(e.table_bytes));
  return text + line("error", error_text(e.relative_error));
}

std::string policy_text(const comparison& c) {
  const std::string name = fmt::format("the policy is {}", to_string(c.where));
  std::string why = c.why;
  if (why.starts_with(name)) why.erase(0, name.size());
  if (why.starts_with(", and ")) why.erase(0, 6);
  const std::string what = c.runs.empty() ? "cannot be met" : c.runs;
  return fmt::format("  policy {}: {}{}{}\n", to_string(c.where), what, why.empty() ? "" : ", ",
                     why);
}

std::string verdict_text(const comparison& c) {
  std::string text =
      fmt::format("  {:<30}{:>12}{:>12}{:>14}\n", "verdict", "host", "device", "host/device");
  for (const situation s : situations) {
    const double device = seconds_in(c.device, s);
    text += fmt::format("  {:<30}{:>12}{:>12}{:>14}  {}\n", to_string(s),
                        c.host_is_estimated() ? seconds_text(c.host.seconds) : "-",
                        c.device_can() ? seconds_text(device) : "-",
                        c.host_is_estimated() && c.device_can()
                            ? fmt::format("{:.3g}", c.host.seconds / device)
                            : "-",
                        c.faster_in(s).empty() ? "neither" : c.faster_in(s));
  }
  return text;
}

}  // namespace

std::string comparison::to_text() const {
  std::string text = fmt::format("{}: {}flop by convention\n\n", name, scaled_text(nominal_flops));
  text += host_text(*this) + "\n" + device_text(*this) + "\n" + verdict_text(*this);
  text += policy_text(*this);
  if (where != policy::automatic)
    text +=
        fmt::format("  policy automatic: {}\n", automatic.empty() ? "cannot be met" : automatic);
  return text;
}

}  // namespace papilio
