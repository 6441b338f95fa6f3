// The host's model as a file, and the one that the process uses.
#include <concepts>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
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

// Beyond any machine, and such that no quotient of work and rate overflows.
constexpr bounds rate{1e3, 1e18};
constexpr bounds share{1e-6, 1e3};
// Of a peak that this build may measure without optimization, while BLAS has its own.
constexpr bounds product_share{1e-6, 1e6};
constexpr bounds seconds{0, 10};
constexpr bounds whole_one{1, 1};

}  // namespace

// The one list of the fields, of which saving, loading and checking are visitors; these find it by
// the type of the struct.
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
  visit("processor", s.processor);
  visit("instruction_set", s.instruction_set);
  visit("measured_on", s.measured_on);
  visit("cores", s.cores, spec::limits::count);
  visit("clock_hz", s.clock_hz, rate);
  visit("vector_bytes", s.vector_bytes, spec::limits::count);
  visit("float_peak_flops_per_second", s.float_peak_flops_per_second, rate);
  visit("double_peak_flops_per_second", s.double_peak_flops_per_second, rate);
  visit("extended_flops_per_second", s.extended_flops_per_second, rate);
  visit("gemm_peak_share", s.gemm_peak_share, product_share);
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

struct host_file {
  int format = 1;  ///< of the meaning of the fields
  host_model host;
};

template <class Fields, class Visitor>
  requires std::same_as<std::remove_const_t<Fields>, host_file>
void visit_fields(Fields& s, Visitor&& visit) {
  visit("format", s.format, whole_one);
  papilio::visit_fields(s.host, visit);
}

/// A visitor that refuses the first field that an object does not have.
class presence_checker {
 public:
  presence_checker(const nlohmann::json& object, const std::string& origin, std::string prefix = {})
      : object_(object), origin_(origin), prefix_(std::move(prefix)) {}

  template <class... Anything>
  void operator()(const char* name, const Anything&...) const {
    if (!object_.contains(name)) throw io_error(origin_, prefix_ + name + ": is missing");
  }
  template <class Group>
  void group(const char* name, const Group& fields) const {
    (*this)(name);
    visit_fields(fields, presence_checker(object_[name], origin_, prefix_ + name + "."));
  }

 private:
  const nlohmann::json& object_;
  const std::string& origin_;
  std::string prefix_;
};

void check(host_model host, spec::refusal refuse) {
  // Empty in a model of features.
  if (host.measured_on.empty()) host.measured_on = "never";
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

void require_this_processor(const host_model& host, const std::string& origin) {
  const host_model here = host_from_features();
  const auto compare = [&](const char* name, const std::string& theirs, const std::string& ours) {
    if (theirs != ours)
      throw io_error(origin, fmt::format("{}: is \"{}\", this computer's is \"{}\"; papilio plan "
                                         "--calibrate measures it, PAPILIO_CALIBRATION=off does "
                                         "without",
                                         name, theirs, ours));
  };
  compare("processor", host.processor, here.processor);
  compare("instruction_set", host.instruction_set, here.instruction_set);
}

struct calibration_place {
  std::optional<std::filesystem::path> file = {};
  bool is_named = false;  ///< and must be there; the usual one need not
};

calibration_place found_place() {
  const auto value = [](const char* name) {
    const char* const text = std::getenv(name);
    return std::string(text == nullptr ? "" : text);
  };
  if (const std::string named = value("PAPILIO_CALIBRATION"); !named.empty())
    return named == "off" ? calibration_place() : calibration_place{named, true};
  // The XDG base directory specification: a path that is not absolute is none.
  if (const std::filesystem::path folder = value("XDG_CONFIG_HOME"); folder.is_absolute())
    return {folder / "papilio" / "host.json"};
  if (const std::filesystem::path home = value("HOME"); home.is_absolute())
    return {home / ".config" / "papilio" / "host.json"};
  return {};
}

const calibration_place& place() {
  static const calibration_place process = found_place();
  return process;
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

std::optional<std::filesystem::path> host_calibration_file() { return place().file; }

host_model current_host() {
  used_host& process = used();
  const std::lock_guard lock(process.mutex);
  if (!process.host) {
    const auto& [file, is_named] = place();
    std::error_code problem;
    process.host = file && (is_named || std::filesystem::exists(*file, problem))
                       ? load_host(*file)
                       : host_from_features();
  }
  return *process.host;
}

void use_host(const host_model& host) {
  check(host, [](const std::string& fault) { throw invalid_argument("use_host: " + fault); });
  used_host& process = used();
  const std::lock_guard lock(process.mutex);
  process.host = host;
}

void save_host(const std::filesystem::path& path, const host_model& host) {
  if (!host.is_calibrated())
    throw invalid_argument("save_host: measured_on must not be empty: this was never measured");
  const auto refuse = [](const std::string& fault) {
    throw invalid_argument("save_host: " + fault);
  };
  check(host, refuse);
  const host_file file{.host = host};
  spec::field_writer writer;
  visit_fields(file, writer);
  std::error_code problem;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), problem);
  if (problem) throw io_error(path.string(), problem.message());
  spec::write_spec_file(path.string(), writer.text());
}

host_model load_host(const std::filesystem::path& path) {
  const std::string origin = path.string();
  const std::string text = base_detail::read_text_file(path, spec::max_spec_bytes, "JSON");
  const nlohmann::json object = spec::parse_object(text, origin);
  host_file file;
  spec::field_reader reader(object, origin);
  visit_fields(file, reader);
  reader.refuse_unknown();
  visit_fields(file, presence_checker(object, origin));
  check(file.host, [&](const std::string& fault) { throw io_error(origin, fault); });
  require_this_processor(file.host, origin);
  file.host.cores = host_from_features().cores;
  return file.host;
}

}  // namespace papilio
