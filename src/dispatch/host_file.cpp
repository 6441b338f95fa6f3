// Reads and checks a file of the host's rates, and holds the rates that the process uses.
#include <concepts>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "base/spec_check.hpp"
#include "base/spec_json.hpp"
#include "base/text_file.hpp"
#include "papilio/base/error.hpp"
#include "papilio/dispatch/host_model.hpp"

namespace papilio {

namespace {

namespace spec = base_detail;
using spec::bounds;

// Bounds of fields: wider than any machine, and such that no quotient of work and rate overflows.
constexpr bounds rate{1e3, 1e18};
constexpr bounds share{1e-6, 1e3};
constexpr bounds seconds{0, 10};

}  // namespace

// The only lists of the fields; reading and checking visit them, and find them by the struct's
// type.
template <class Fields, class Visitor>
  requires std::same_as<std::remove_const_t<Fields>, host_level>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("capacity_bytes", s.capacity_bytes, spec::limits::byte_count);
  visit("core_bytes_per_second", s.core_bytes_per_second, rate);
  visit("machine_bytes_per_second", s.machine_bytes_per_second, rate);
  visit("float_fft_flops_per_second", s.float_fft_flops_per_second, rate);
  visit("double_fft_flops_per_second", s.double_fft_flops_per_second, rate);
}

template <class Fields, class Visitor>
  requires std::same_as<std::remove_const_t<Fields>, host_model>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("cores", s.cores, spec::limits::count);
  visit("float_peak_flops_per_second", s.float_peak_flops_per_second, rate);
  visit("double_peak_flops_per_second", s.double_peak_flops_per_second, rate);
  visit("extended_flops_per_second", s.extended_flops_per_second, rate);
  visit("gemm_peak_share", s.gemm_peak_share, share);
  visit("elementwise_peak_share", s.elementwise_peak_share, share);
  visit("elementwise_bandwidth_share", s.elementwise_bandwidth_share, share);
  visit("rearrangement_bandwidth_share", s.rearrangement_bandwidth_share, share);
  visit("call_seconds", s.call_seconds, seconds);
  visit("line_seconds", s.line_seconds, seconds);
  visit("thread_start_seconds", s.thread_start_seconds, seconds);
  visit.group("l1", s.l1);
  visit.group("l2", s.l2);
  visit.group("l3", s.l3);
  visit.group("memory", s.memory);
}

namespace {

void check(const host_model& host, spec::refusal refuse) {
  visit_fields(host, spec::field_checker(refuse));
  const struct {
    const char* name;
    double bytes, least;
  } capacities[] = {{"l2", host.l2.capacity_bytes, host.l1.capacity_bytes},
                    {"l3", host.l3.capacity_bytes, host.l2.capacity_bytes}};
  for (const auto& c : capacities)
    if (c.bytes < c.least)
      refuse(fmt::format("{}.capacity_bytes: must be at least the {} of the level before, got {}",
                         c.name, c.least, c.bytes));
}

struct used_host {
  std::mutex mutex;
  std::optional<host_model> host;
};

used_host& used() {
  static used_host process;
  return process;
}

}  // namespace

host_model current_host() {
  used_host& process = used();
  const std::lock_guard lock(process.mutex);
  return process.host ? *process.host : host_from_features();
}

void use_host(const host_model& host) {
  check(host, [](const std::string& fault) { throw invalid_argument("use_host: " + fault); });
  used_host& process = used();
  const std::lock_guard lock(process.mutex);
  process.host = host;
}

host_model load_host(const std::filesystem::path& path) {
  const std::string origin = path.string();
  const std::string text = base_detail::read_text_file(path, spec::max_spec_bytes, "JSON");
  const nlohmann::json object = spec::parse_object(text, origin);
  host_model host = host_from_features();
  spec::field_reader reader(object, origin);
  visit_fields(host, reader);
  reader.refuse_unknown();
  check(host, [&](const std::string& fault) { throw io_error(origin, fault); });
  const std::string name = path.filename().string();
  host.source = spec::is_name(name) ? name : "a file";
  return host;
}

}  // namespace papilio
