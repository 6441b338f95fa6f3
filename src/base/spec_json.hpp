#pragma once

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/internal.hpp"
#include "base/spec_bounds.hpp"
#include "papilio/base/error.hpp"

namespace papilio::base_detail {

/// Text from outside as JSON: one object, as `require_json_levels` says, no member given twice, no
/// number beyond a double. io_error(origin) with the byte or the member otherwise.
PAPILIO_INTERNAL nlohmann::json parse_object(std::string_view text, const std::string& origin);

/// The file's bytes. io_error(path) if it cannot be read or holds more than max_spec_bytes;
/// `presets` is what else the path could have been, for the message of a file that is not there.
PAPILIO_INTERNAL std::string read_spec_file(const std::string& path,
                                            const std::vector<std::string>& presets);
inline constexpr std::size_t max_spec_bytes = std::size_t{1} << 20;

/// Writes `text` as one atomic_file.
PAPILIO_INTERNAL void write_spec_file(const std::string& path, const std::string& text);

/// The value as messages show it: JSON in ASCII, cut at 40 characters.
PAPILIO_INTERNAL std::string shown(const nlohmann::json& value);

/// A visitor of visit_fields that makes a JSON object of them, in their order.
class field_writer {
 public:
  template <class Value, class... Facts>
  void operator()(const char* name, const Value& value, const Facts&...) {
    object_[name] = value;
  }
  template <class Group>
  void group(const char* name, const Group& fields) {
    field_writer inner;
    visit_fields(fields, inner);
    object_[name] = std::move(inner.object_);
  }
  std::string text() const { return object_.dump(2) + "\n"; }

 private:
  nlohmann::ordered_json object_ = nlohmann::ordered_json::object();
};

/// A visitor of visit_fields that takes what a JSON object has of them and leaves the others.
/// io_error(origin) with the field's dotted name, what was expected and the value.
class PAPILIO_INTERNAL field_reader {
 public:
  field_reader(const nlohmann::json& object, const std::string& origin, std::string prefix = {})
      : object_(object), origin_(origin), prefix_(std::move(prefix)) {}

  template <class Number, class... Facts>
  void operator()(const char* name, Number& field, const bounds& where, const Facts&...) {
    const nlohmann::json* member = find(name);
    if (member == nullptr) return;
    constexpr bool whole = std::is_integral_v<Number>;
    // Whole numbers may be written as 64.0 or 1e3; the bounds are within Number's range.
    const double value = member->is_number() ? member->get<double>() : std::nan("");
    if (!where.hold(value) || (whole && value != std::floor(value)))
      refuse(name, expectation(where, whole), *member);
    field = static_cast<Number>(value);
  }
  template <class... Facts>
  void operator()(const char* name, bool& field, const Facts&...) {
    read(name, field);
  }
  void operator()(const char* name, std::string& field);
  template <class Group>
  void group(const char* name, Group& fields) {
    const nlohmann::json* member = find(name);
    if (member == nullptr) return;
    if (!member->is_object()) refuse(name, "must be an object", *member);
    field_reader inner(*member, origin_, prefix_ + name + ".");
    visit_fields(fields, inner);
    inner.refuse_unknown();
  }

  /// Throws io_error for a member that no visit has asked for; to be called last.
  void refuse_unknown() const;

 private:
  void read(const char* name, bool& field);
  const nlohmann::json* find(const char* name);
  [[noreturn]] void refuse(const char* name, const std::string& expected,
                           const nlohmann::json& got) const;

  const nlohmann::json& object_;
  const std::string& origin_;
  std::string prefix_;
  std::vector<std::string_view> known_;
};

/// A named spec that others may be based on.
template <class Spec>
struct named_preset {
  const char* name;
  Spec (*make)();
};

template <class Spec>
using preset_list = std::vector<named_preset<Spec>>;

template <class Spec>
std::optional<Spec> find_preset(const preset_list<Spec>& presets, std::string_view name) {
  for (const auto& preset : presets)
    if (name == preset.name) return preset.make();
  return std::nullopt;
}

template <class Spec>
std::vector<std::string> preset_names(const preset_list<Spec>& presets) {
  std::vector<std::string> names;
  for (const auto& preset : presets) names.emplace_back(preset.name);
  return names;
}

/// The spec that JSON text describes, not checked for fields that contradict one another. Members
/// that are absent are those of the preset that "based_on" names, absent: of the first.
template <class Spec>
Spec read_spec(std::string_view text, const std::string& origin, const preset_list<Spec>& presets) {
  const nlohmann::json object = parse_object(text, origin);
  field_reader reader(object, origin);
  std::string base = presets.front().name;
  reader("based_on", base);
  std::optional<Spec> spec = find_preset(presets, base);
  if (!spec)
    throw io_error(origin, fmt::format("based_on: must be one of {}, got {}",
                                       fmt::join(preset_names(presets), ", "), shown(base)));
  visit_fields(*spec, reader);
  reader.refuse_unknown();
  return *spec;
}

}  // namespace papilio::base_detail
