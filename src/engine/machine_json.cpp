#include "base/spec_json.hpp"
#include "engine/machine_check.hpp"
#include "engine/machine_fields.hpp"

namespace papilio::engine {

using namespace base_detail;
using engine_detail::check_machine;

namespace {

const preset_list<machine_spec>& makers_of_machines() {
  static const preset_list<machine_spec> list = [] {
    constexpr machine_spec (*makers[])() = {trainium1, trainium2, trainium3};
    static_assert(std::size(makers) == std::size(machine_presets));
    preset_list<machine_spec> all;
    for (std::size_t i = 0; i < std::size(makers); ++i)
      all.push_back({machine_presets[i].name, makers[i]});
    for (std::size_t i = 0; i < std::size(makers); ++i)
      all.push_back({machine_presets[i].short_name, makers[i]});
    return all;
  }();
  return list;
}

// trainium3's pages give what has changed; the rest is trainium2's.
constexpr std::size_t first_heir = 2;

}  // namespace

const char* to_string(value_origin origin) {
  constexpr const char* names[] = {"document", "measured", "fitted", "ours", "inherited", "given"};
  return names[static_cast<std::size_t>(origin)];
}

std::vector<sourced_value> sources(const machine_spec& machine) {
  return engine_detail::sources_of<machine_spec>(machine, {trainium1(), trainium2(), trainium3()},
                                                 first_heir);
}

std::string to_json(const machine_spec& machine) {
  field_writer writer;
  visit_fields(machine, writer);
  return writer.text();
}

machine_spec machine_from_json(std::string_view text, const std::string& origin) {
  machine_spec machine = read_spec(text, origin, makers_of_machines());
  check_machine(machine, [&](const std::string& fault) { throw io_error(origin, fault); });
  return machine;
}

machine_spec load_machine(const std::string& path_or_preset) {
  if (auto preset = find_preset(makers_of_machines(), path_or_preset)) return *preset;
  return machine_from_json(read_spec_file(path_or_preset, preset_names(makers_of_machines())),
                           path_or_preset);
}

void save_machine(const std::string& path, const machine_spec& machine) {
  require_valid(machine);
  write_spec_file(path, to_json(machine));
}

}  // namespace papilio::engine
