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
  const origin zero_copy = ours(
      "SDK 2.29's rate of small tensors: since 2.30 the host copies none (release notes), so that "
      "neither size nor direction slows it");
  const origin within_launch = doc("R1: within launch_us");
  const origin no_async = ours("no asynchronous calls are modelled");
  const origin one_program = measured("SDK 2.24, about: a small program");
  visit("launch_us", s.launch_us, limits::duration, rows,
        measured("853 to 884; another library has 660 to 690"),
        measured("519 to 970 quoted; the middle is ours"),
        doc("R1: from one synchronous call to the next"));
  visit("submit_us", s.submit_us, limits::duration, no_async, no_async, no_async,
        doc("R1: at most, all of what lies between synchronous calls"));
  visit("inflight_max", s.inflight_max, limits::count_or_none, no_async, no_async, no_async,
        ours("no limit is documented"));
  visit("host_to_device_us", s.host_to_device_us, limits::duration, rows, measured("SDK 2.29"),
        measured("quoted"), within_launch);
  visit("host_to_device_us_per_mb", s.host_to_device_us_per_mb, limits::duration,
        measured("9.2 GB/s"), measured("9.2 GB/s"), rates, zero_copy);
  visit("host_to_device_large_us_per_mb", s.host_to_device_large_us_per_mb, limits::duration,
        fit("two rows of real products of SDK 2.24 and a probe: 1.7 GB/s"),
        measured("SDK 2.29: 4.3 GB/s"), rates, zero_copy);
  visit("host_to_device_large_bytes", s.host_to_device_large_bytes, limits::rate_or_none,
        fit("tensors of 4.19 MB on the one side, 16.8 and 134 MB on the other"),
        measured("SDK 2.29; that only what is beyond goes slower is ours"), rates, zero_copy);
  visit("blocking_fetch_us", s.blocking_fetch_us, limits::duration, ours("none seen"),
        fit("rows of SDK 2.29 of the role fit"),
        measured("2627 to 3362 quoted; the middle is ours"), within_launch);
  visit("device_to_host_us", s.device_to_host_us, limits::duration, measured("SDK 2.24"),
        fit("within blocking_fetch_us; 73 measured"), fit("within blocking_fetch_us; 73 measured"),
        within_launch);
  visit("device_to_host_us_per_mb", s.device_to_host_us_per_mb, limits::duration,
        fit("rows of SDK 2.24 of the role fit: 6.3 GB/s"), measured("SDK 2.29: 4.9 GB/s"), rates,
        zero_copy);
  visit("compile_seconds", s.compile_seconds, limits::duration, one_program);
  visit("compile_us_per_instruction", s.compile_us_per_instruction, limits::duration,
        fit("one figure, DF-MP2 of trnblas: an order of magnitude"));
  visit("load_seconds", s.load_seconds, limits::duration, one_program);
  visit("first_call_us", s.first_call_us, limits::duration,
        measured("27 to 100 ms; the geometric mean is ours"));
}

namespace {

const preset_list<runtime_spec>& makers_of_runtimes() {
  static const preset_list<runtime_spec> list = [] {
    constexpr runtime_spec (*makers[])() = {sdk_2_24, sdk_2_29, sdk_2_29_trn2, sdk_2_32_trn2,
                                            sdk_2_32_trn3};
    static_assert(std::size(makers) == std::size(runtime_presets));
    preset_list<runtime_spec> all;
    for (std::size_t i = 0; i < std::size(makers); ++i)
      all.push_back({runtime_presets[i], makers[i]});
    return all;
  }();
  return list;
}

// trainium3 has no figure of its own.
constexpr std::size_t first_heir_of_runtimes = 4;

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

runtime_spec sdk_2_32_trn2() {
  runtime_spec r;
  r.name = "sdk_2_32_trn2";
  r.launch_us = 437;    // R1: between synchronous calls: dispatch, allocation of tensors, Python
  r.submit_us = 437;    // R1: at most; it is hidden behind a program of 5.18 ms
  r.inflight_max = 64;  // ours
  r.host_to_device_us = 0;
  r.host_to_device_us_per_mb = 109;        // ours: 9.2 GB/s, of small tensors before
  r.host_to_device_large_us_per_mb = 109;  // ours: without the host's copy no size is slower
  r.host_to_device_large_bytes = 0;
  r.blocking_fetch_us = 0;
  r.device_to_host_us = 0;
  r.device_to_host_us_per_mb = 109;  // ours: as up
  return r;
}

runtime_spec sdk_2_32_trn3() {
  runtime_spec r = sdk_2_32_trn2();  // a start is 20 us shorter than before: before is not printed
  r.name = "sdk_2_32_trn3";
  return r;
}

void require_valid(const runtime_spec& runtime) {
  const auto refuse = [](const std::string& fault) {
    throw invalid_argument("runtime_spec: " + fault);
  };
  visit_fields(runtime, field_checker(refuse));
}

std::vector<sourced_value> sources(const runtime_spec& runtime) {
  std::vector<runtime_spec> presets;
  for (const auto& preset : makers_of_runtimes()) presets.push_back(preset.make());
  return sources_of<runtime_spec>(runtime, presets, first_heir_of_runtimes);
}

std::string to_json(const runtime_spec& runtime) {
  field_writer writer;
  visit_fields(runtime, writer);
  return writer.text();
}

runtime_spec runtime_from_json(std::string_view text, const std::string& origin) {
  return read_spec(text, origin, makers_of_runtimes());
}

runtime_spec load_runtime(const std::string& path_or_preset) {
  if (auto preset = find_preset(makers_of_runtimes(), path_or_preset)) return *preset;
  return runtime_from_json(read_spec_file(path_or_preset, preset_names(makers_of_runtimes())),
                           path_or_preset);
}

void save_runtime(const std::string& path, const runtime_spec& runtime) {
  require_valid(runtime);
  write_spec_file(path, to_json(runtime));
}

}  // namespace papilio::engine
