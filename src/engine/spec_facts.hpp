#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include "papilio/engine/machine_spec.hpp"

// What the lists of a machine's and a runtime's fields say of a field besides its bounds.

namespace papilio::engine_detail {

/// Where a preset has the value of a field from. A list gives one for each preset; the last holds
/// for the presets behind it too.
struct origin {
  engine::value_origin kind = engine::value_origin::ours;
  const char* source = "";
};

constexpr origin doc(const char* tags) { return {engine::value_origin::document, tags}; }
constexpr origin measured(const char* source) { return {engine::value_origin::measured, source}; }
constexpr origin fit(const char* to) { return {engine::value_origin::fitted, to}; }
constexpr origin ours(const char* why) { return {engine::value_origin::ours, why}; }

/// The values between which a field may lie where documents leave it open or measurements contradict
/// it, and why; without `why` it may not. Of several the first that holds the field's value counts,
/// or else the last. Fields that are one thing move `together`, by that name.
struct leeway {
  double fast = 0, slow = 0;  // of the shortest runs and of the longest
  const char* why = nullptr;
  const char* together = nullptr;

  bool holds(double value) const {
    return std::min(fast, slow) <= value && value <= std::max(fast, slow);
  }
};

/// A visitor of visit_fields that lists every number and flag that has origins.
class origin_lister {
 public:
  struct entry {
    std::string field, value;
    std::vector<origin> origins;
  };

  explicit origin_lister(std::vector<entry>& to, std::string prefix = {})
      : to_(to), prefix_(std::move(prefix)) {}

  template <class Value, class... Facts>
  void operator()(const char* name, const Value& value, const Facts&... facts) {
    entry next{prefix_ + name, fmt::format("{}", value), {}};
    (add(next, facts), ...);
    if (!next.origins.empty()) to_.push_back(std::move(next));
  }
  void operator()(const char*, const std::string&) {}
  template <class Group>
  void group(const char* name, const Group& fields) {
    visit_fields(fields, origin_lister(to_, prefix_ + name + "."));
  }

 private:
  template <class Fact>
  static void add([[maybe_unused]] entry& to, [[maybe_unused]] const Fact& fact) {
    if constexpr (std::same_as<Fact, origin>) to.origins.push_back(fact);
  }

  std::vector<entry>& to_;
  std::string prefix_;
};

/// The constants of a spec. A value is a preset's if one has it, the preset of the spec's own name
/// first; else it was given.
template <class Spec>
std::vector<engine::sourced_value> sources_of(const Spec& spec, const std::vector<Spec>& presets) {
  const auto listed = [](const Spec& of) {
    std::vector<origin_lister::entry> all;
    visit_fields(of, origin_lister(all));
    return all;
  };
  std::vector<std::vector<origin_lister::entry>> of_presets;
  for (const Spec& preset : presets) of_presets.push_back(listed(preset));
  std::vector<engine::sourced_value> all;
  const std::vector<origin_lister::entry> own = listed(spec);
  for (std::size_t i = 0; i < own.size(); ++i) {
    origin from{engine::value_origin::given, ""};
    for (std::size_t p = 0; p < presets.size(); ++p) {
      const auto& entry = of_presets[p][i];
      if (entry.value != own[i].value) continue;
      const bool is_own = presets[p].name == spec.name;
      if (from.kind != engine::value_origin::given && !is_own) continue;
      from = entry.origins[std::min(p, entry.origins.size() - 1)];
    }
    all.push_back({own[i].field, own[i].value, from.kind, from.source});
  }
  return all;
}

}  // namespace papilio::engine_detail
