#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include "papilio/engine/machine_spec.hpp"

// The field lists of machine_spec and runtime_spec state more of a field than its bounds: the
// origin of its value in each preset, and the range in which the true value may lie. This file has
// the types of these facts and lists the origins of a spec's values.

namespace papilio::engine_detail {

/// The source from which a preset takes the value of a field. A field list gives one origin for
/// each preset; the last holds for all further presets too, which inherit the value where their list
/// says so.
struct origin {
  engine::value_origin kind = engine::value_origin::ours;
  const char* source = "";
};

constexpr origin doc(const char* tags) { return {engine::value_origin::document, tags}; }
constexpr origin measured(const char* source) { return {engine::value_origin::measured, source}; }
constexpr origin fit(const char* to) { return {engine::value_origin::fitted, to}; }
constexpr origin ours(const char* why) { return {engine::value_origin::ours, why}; }

/// The range in which the true value of a field may lie where documents leave it open or
/// measurements contradict it, with the reason `why`; a null `why` means that the value is certain.
/// Where a field has several ranges, the first that holds its value counts, or else the last.
/// Fields with one physical cause share a name `together` and vary as one.
struct leeway {
  double fast = 0, slow = 0;  // the ends that give the shortest and the longest run
  const char* why = nullptr;
  const char* together = nullptr;

  bool holds(double value) const {
    return std::min(fast, slow) <= value && value <= std::max(fast, slow);
  }
};

/// This visitor of visit_fields lists every number and flag that has origins.
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

/// The source of the value of preset `p`. From `heirs` on, presets without an origin of their own
/// inherit that of the last that has one.
inline engine::sourced_value source_in(const origin_lister::entry& entry, std::size_t p,
                                       std::size_t heirs, const std::string& testator) {
  const origin& from = entry.origins[std::min(p, entry.origins.size() - 1)];
  if (p < heirs || p < entry.origins.size())
    return {entry.field, entry.value, from.kind, from.source};
  return {entry.field, entry.value, engine::value_origin::inherited,
          fmt::format("{}: {}, {}", testator, to_string(from.kind), from.source)};
}

/// Lists the constants of a spec with their origins. A value that equals a preset's has that
/// preset's origin, where the preset of the spec's own name goes first; any other value was given
/// by the user.
template <class Spec>
std::vector<engine::sourced_value> sources_of(const Spec& spec, const std::vector<Spec>& presets,
                                              std::size_t heirs) {
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
    engine::sourced_value from{own[i].field, own[i].value, engine::value_origin::given, ""};
    for (std::size_t p = 0; p < presets.size(); ++p) {
      const auto& entry = of_presets[p][i];
      if (entry.value != own[i].value) continue;
      const bool is_own = presets[p].name == spec.name;
      if (from.origin != engine::value_origin::given && !is_own) continue;
      from = source_in(entry, p, heirs, p > 0 ? presets[p - 1].name : "");
    }
    all.push_back(from);
  }
  return all;
}

}  // namespace papilio::engine_detail
