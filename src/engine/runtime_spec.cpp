#include "papilio/engine/runtime_spec.hpp"

#include <algorithm>

#include "base/spec_check.hpp"
#include "base/spec_json.hpp"
#include "engine/spec_facts.hpp"

namespace papilio::engine {

using namespace base_detail;
using namespace engine_detail;

template <class Fields, class Visitor>
  requires std::same_as<std::remove_const_t<Fields>, runtime_spec>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("name", s.name);
  const origin rows = fit("rows of SDK 2.24 of the role fit");
  const origin rates = ours("trainium1's: unknown on trainium2");
  const origin one_program = measured("SDK 2.24, about: a small program");
  visit("launch_us", s.launch_us, limits::duration, rows,
        measured("853 to 884; another library has 660 to 690"),
        measured("519 to 970 quoted; the middle is ours"));
  visit("host_to_device_us", s.host_to_device_us, limits::duration, rows, measured("SDK 2.29"),
        measured("quoted"));
  visit("host_to_device_us_per_mb", s.host_to_device_us_per_mb, limits::duration,
        measured("9.2 GB/s"), measured("9.2 GB/s"), rates);
  visit("host_to_device_large_us_per_mb", s.host_to_device_large_us_per_mb, limits::duration,
        fit("two rows of real products of SDK 2.24 and a probe: 1.7 GB/s"),
        measured("SDK 2.29: 4.3 GB/s"), rates);
  visit("host_to_device_large_bytes", s.host_to_device_large_bytes, limits::rate_or_none,
        fit("tensors of 4.19 MB on the one side, 16.8 and 134 MB on the other"),
        measured("SDK 2.29; that only what is beyond goes slower is ours"), rates);
  visit("blocking_fetch_us", s.blocking_fetch_us, limits::duration, ours("none seen"),
        fit("rows of SDK 2.29 of the role fit"),
        measured("2627 to 3362 quoted; the middle is ours"));
  visit("device_to_host_us", s.device_to_host_us, limits::duration, measured("SDK 2.24"),
        fit("within blocking_fetch_us; 73 measured"));
  visit("device_to_host_us_per_mb", s.device_to_host_us_per_mb, limits::duration,
        fit("rows of SDK 2.24 of the role fit: 6.3 GB/s"), measured("SDK 2.29: 4.9 GB/s"), rates);
  visit("compile_seconds", s.compile_seconds, limits::duration, one_program);
  visit("compile_us_per_instruction", s.compile_us_per_instruction, limits::duration,
        fit("one figure, DF-MP2 of trnblas: an order of magnitude"));
  visit("load_seconds", s.load_seconds, limits::duration, one_program);
  visit("first_call_us", s.first_call_us, limits::duration,
        measured("27 to 100 ms; the geometric mean is ours"));
}

namespace {

const preset_list<runtime_spec>& runtime_presets() {
  static const preset_list<runtime_spec> list{
      {"sdk_2_24", sdk_2_24}, {"sdk_2_29", sdk_2_29}, {"sdk_2_29_trn2", sdk_2_29_trn2}};
  return list;
}

constexpr double bytes_per_mb = 1e6;

}  // namespace

double runtime_spec::compile_seconds_of(double instructions) const {
  return compile_seconds + instructions * compile_us_per_instruction * 1e-6;
}

double runtime_spec::upload_us(std::size_t tensors, double bytes) const {
  const auto copies = static_cast<double>(tensors);
  const double large = std::max(0.0, bytes - copies * host_to_device_large_bytes);
  return copies * host_to_device_us + (bytes - large) / bytes_per_mb * host_to_device_us_per_mb +
         large / bytes_per_mb * host_to_device_large_us_per_mb;
}

double runtime_spec::fetch_us(std::size_t tensors, double bytes) const {
  if (tensors == 0) return 0;
  return blocking_fetch_us + static_cast<double>(tensors) * device_to_host_us +
         bytes / bytes_per_mb * device_to_host_us_per_mb;
}

runtime_spec sdk_2_24() { return {}; }

runtime_spec sdk_2_29() {
  runtime_spec r;
  r.name = "sdk_2_29";
  r.launch_us = 863;                        // probe: 853 to 884; another library's has 660 to 690
  r.host_to_device_us = 30;                 // probe
  r.host_to_device_us_per_mb = 109;         // probe: 9.2 GB/s
  r.host_to_device_large_us_per_mb = 233;   // probe: 4.3 GB/s
  r.host_to_device_large_bytes = 2e6;       // probe; that only what is beyond goes slower: ours
  r.blocking_fetch_us = 865;                // fit: whatever the number of tensors
  r.device_to_host_us = 0;                  // within blocking_fetch_us; 73 by probe
  r.device_to_host_us_per_mb = 1000 / 4.9;  // probe: 4.9 GB/s
  return r;
}

runtime_spec sdk_2_29_trn2() {
  runtime_spec r = sdk_2_29();  // the rates, unknown on trainium2: ours
  r.name = "sdk_2_29_trn2";
  r.launch_us = 744.5;           // quoted: 519 to 970; the middle is ours
  r.host_to_device_us = 118;     // quoted
  r.blocking_fetch_us = 2994.5;  // quoted: 2627 to 3362; the middle is ours
  return r;
}

void require_valid(const runtime_spec& runtime) {
  const auto refuse = [](const std::string& fault) {
    throw invalid_argument("runtime_spec: " + fault);
  };
  visit_fields(runtime, field_checker(refuse));
}

std::vector<sourced_value> sources(const runtime_spec& runtime) {
  return sources_of<runtime_spec>(runtime, {sdk_2_24(), sdk_2_29(), sdk_2_29_trn2()});
}

std::string to_json(const runtime_spec& runtime) {
  field_writer writer;
  visit_fields(runtime, writer);
  return writer.text();
}

runtime_spec runtime_from_json(std::string_view text, const std::string& origin) {
  return read_spec(text, origin, runtime_presets());
}

runtime_spec load_runtime(const std::string& path_or_preset) {
  if (auto preset = find_preset(runtime_presets(), path_or_preset)) return *preset;
  return runtime_from_json(read_spec_file(path_or_preset, preset_names(runtime_presets())),
                           path_or_preset);
}

void save_runtime(const std::string& path, const runtime_spec& runtime) {
  require_valid(runtime);
  write_spec_file(path, to_json(runtime));
}

}  // namespace papilio::engine
