#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "engine/quantity_text.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/profile.hpp"

namespace papilio::engine {

using namespace engine_detail;

namespace {

// Returns the similarity of two words in [0, 1]: the fraction of their characters that are in a
// longest common subsequence.
double likeness(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // [j]: the length for a's first i and b's first j
  for (const char c : a) {
    std::size_t diagonal = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t longer = c == b[j] ? diagonal + 1 : std::max(row[j], row[j + 1]);
      diagonal = row[j + 1];
      row[j + 1] = longer;
    }
  }
  return 2.0 * double(row.back()) / double(std::max<std::size_t>(1, a.size() + b.size()));
}

std::string nearest_names(std::span<const profile_field> fields, std::string_view name) {
  std::vector<std::string_view> names;
  for (const profile_field& f : fields) names.push_back(f.name);
  name = name.substr(0, 100);
  std::ranges::stable_sort(names, std::greater{},
                           [&](std::string_view n) { return likeness(n, name); });
  names.resize(std::min<std::size_t>(names.size(), 3));
  return fmt::format("{}", fmt::join(names, ", "));
}

const char* unit_words(unit u) {
  switch (u) {
    case unit::tensor:
      return "the tensor engine";
    case unit::vector:
      return "the vector engine";
    case unit::scalar:
      return "the scalar engine";
    case unit::gpsimd:
      return "the gpsimd engine";
    case unit::sync:
      return "the sync engine";
    case unit::collective:
      return "collective operations";
    case unit::dma:
      return "DMA";
  }
  return "?";
}

std::string opcode_lines(std::span<const profile_opcode> opcodes) {
  std::string text;
  for (const profile_opcode& o : opcodes)
    text += fmt::format("  {:<10} {:<24} {:>10} {:>10}\n", to_string(o.on), o.opcode, o.count,
                        seconds_text(o.seconds));
  return text;
}

std::string step_lines(std::span<const profile_step> steps) {
  std::size_t width = 0;
  for (const profile_step& s : steps) width = std::max(width, s.name.size());
  std::string text;
  for (const profile_step& s : steps)
    text += fmt::format("  {:<{}} {:>10} {:>10}\n", s.name, width, s.instructions,
                        seconds_text(s.seconds));
  return text;
}

}  // namespace

double profile::value(std::string_view field) const {
  const auto at = std::ranges::find(summary, field, &profile_field::name);
  if (at == summary.end())
    throw invalid_argument(base_detail::message(
        "profile::value: no field ", field, ", the nearest are ", nearest_names(summary, field)));
  return at->value;
}

bool profile::has(std::string_view field) const {
  return std::ranges::find(summary, field, &profile_field::name) != summary.end();
}

namespace {

const char* floor_words(const profile_verdict& v) {
  if (v.hbm_floor_seconds >= v.tensor_floor_seconds)
    return v.floor_was_stated ? "the bytes that must move, through DMA"
                              : "inputs and outputs once through DMA";
  return v.floor_was_stated ? "the products that are needed, on a full array"
                            : "the products on a full array";
}

std::string size_line(const profile_verdict& v) {
  const std::string line = fmt::format("the program is {} instructions, {} of them products",
                                       v.instructions, v.unrolled_tiles);
  return line + (v.unrolled_tiles <= v.loadable_tiles
                     ? "\n"
                     : fmt::format(": more than the {} of the largest that is known to have run\n",
                                   v.loadable_tiles));
}

}  // namespace

std::string profile::verdict_text() const {
  const double total = value("total_time");
  if (total <= 0) return "nothing ran\n";
  const profile_verdict& v = verdict;
  std::string text = fmt::format(
      "{} {}: active {} of {}, {}\n",
      v.active_fraction < 0.5 ? "no unit is active half of the time, longest" : "bound by",
      unit_words(v.bound_by), seconds_text(v.active_fraction * total), seconds_text(total),
      fraction_text(v.active_fraction));
  if (v.bound_by == unit::dma) {
    text.pop_back();
    text += fmt::format(", in which its engines moved data {} of the time\n",
                        fraction_text(v.dma_engine_fraction));
  }
  if (v.waited_seconds > 0)
    text += fmt::format("it waited {}, longest for {}: {}\n", seconds_text(v.waited_seconds),
                        v.waited_for, seconds_text(v.waited_for_seconds));
  if (v.floor_seconds > 0)
    text += fmt::format("the floor is {} ({}), {} of the run\n", seconds_text(v.floor_seconds),
                        floor_words(v), fraction_text(v.floor_fraction));
  return text + size_line(v);
}

std::string profile::numbers_text(bool all) const {
  std::size_t width = 0;
  for (const profile_field& f : summary) width = std::max(width, f.name.size());
  std::string text;
  for (const profile_field& f : summary)
    if (all || f.value != 0)
      text += fmt::format("{:<{}}  {}\n", f.name, width, quantity_text(f.value, f.of));
  if (!opcodes.empty()) text += "\ninstructions, their number and time\n" + opcode_lines(opcodes);
  if (!steps.empty()) text += "\nsteps, their instructions and time\n" + step_lines(steps);
  return text;
}

std::string profile::to_text() const {
  return fmt::format("kernel   {}\nmachine  {}\n\n{}\n{}", kernel, machine, verdict_text(),
                     numbers_text());
}

std::string profile::to_json() const {
  auto object = nlohmann::ordered_json::object();
  for (const profile_field& f : summary) {
    const std::string name(f.name);
    // Whole numbers print as such, not as 1e+15 or 5.0.
    if ((f.of == quantity::count || f.of == quantity::bytes || f.of == quantity::flops) &&
        f.value < 0x1p53 && f.value == double(std::uint64_t(f.value)))
      object[name] = std::uint64_t(f.value);
    else
      object[name] = f.value;
  }
  return object.dump(2) + "\n";
}

}  // namespace papilio::engine
