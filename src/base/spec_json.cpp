#include "base/spec_json.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/suggestion.hpp"
#include "base/text_file.hpp"
#include "papilio/base/atomic_file.hpp"

namespace papilio::base_detail {
namespace {

using nlohmann::json;

/// Watches a parse: the dotted name of the member under way, and members given twice.
class member_watch {
 public:
  explicit member_watch(const std::string& origin) : origin_(origin) {}

  bool operator()(json::parse_event_t event, const json& parsed) {
    if (event == json::parse_event_t::object_start) levels_.emplace_back();
    if (event == json::parse_event_t::object_end) levels_.pop_back();
    if (event == json::parse_event_t::key) {
      level& here = levels_.back();
      here.member = parsed.get<std::string>();
      if (!here.seen.insert(here.member).second) throw io_error(origin_, name() + ": given twice");
    }
    return true;
  }

  std::string name() const {
    std::string dotted;
    for (const level& each : levels_) dotted += (dotted.empty() ? "" : ".") + each.member;
    const std::string quoted = shown(dotted);
    return quoted.substr(1, quoted.size() - 2);
  }

 private:
  struct level {
    std::set<std::string> seen = {};
    std::string member = {};
  };

  const std::string& origin_;
  std::vector<level> levels_;
};

}  // namespace

json parse_object(std::string_view text, const std::string& origin) {
  if (text.size() > max_spec_bytes)
    throw io_error(origin, fmt::format("expected at most {} bytes of JSON, got {}", max_spec_bytes,
                                       text.size()));
  require_json_levels(text, origin);
  member_watch watch(origin);
  const auto watched = [&watch](int, json::parse_event_t event, json& parsed) {
    return watch(event, parsed);
  };
  try {
    json value = json::parse(text, watched);
    if (!value.is_object()) throw io_error(origin, "must be a JSON object, got " + shown(value));
    return value;
  } catch (const json::parse_error& problem) {
    const std::size_t byte = std::min(problem.byte, text.size());
    throw io_error(origin, fmt::format("not JSON: wrong at byte {} (line {})", problem.byte,
                                       1 + std::count(text.begin(), text.begin() + byte, '\n')));
  } catch (const json::out_of_range&) {
    throw io_error(origin, watch.name() + ": must be a number that a double can hold");
  }
}

std::string read_spec_file(const std::string& path, const std::vector<std::string>& presets) {
  std::error_code problem;
  if (!std::filesystem::exists(path, problem) && !problem)
    throw io_error(path, fmt::format("no such file, and no preset ({}){}", fmt::join(presets, ", "),
                                     suggestion(path, presets)));
  return base_detail::read_text_file(path, max_spec_bytes, "JSON");
}

void write_spec_file(const std::string& path, const std::string& text) {
  atomic_file file(path);
  file.write(text.data(), text.size());
  file.commit();
}

std::string shown(const json& value) {
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > 40) text = text.substr(0, 36) + " ...";
  return text;
}

void field_reader::read(const char* name, bool& field) {
  const json* member = find(name);
  if (member == nullptr) return;
  if (!member->is_boolean()) refuse(name, "must be true or false", *member);
  field = member->get<bool>();
}

void field_reader::operator()(const char* name, std::string& field) {
  const json* member = find(name);
  if (member == nullptr) return;
  if (!member->is_string() || !is_name(member->get_ref<const std::string&>()))
    refuse(name, name_expectation, *member);
  field = member->get<std::string>();
}

void field_reader::refuse_unknown() const {
  for (const auto& member : object_.items()) {
    if (std::find(known_.begin(), known_.end(), member.key()) != known_.end()) continue;
    throw io_error(origin_, fmt::format("{}{}: no such field", prefix_, shown(member.key())));
  }
}

const json* field_reader::find(const char* name) {
  known_.emplace_back(name);
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

void field_reader::refuse(const char* name, const std::string& expected, const json& got) const {
  throw io_error(origin_, fmt::format("{}{}: {}, got {}", prefix_, name, expected, shown(got)));
}

}  // namespace papilio::base_detail
