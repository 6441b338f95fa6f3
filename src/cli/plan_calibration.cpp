#include "cli/plan_calibration.hpp"
#include "calibration/host_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cli/common.hpp"
#include "cli/json_value.hpp"
#include "cli/plan_expression.hpp"
#include "cli/plan_operation.hpp"
#include "cli/plan_sides.hpp"
#include "cli/plan_timing.hpp"
#include "cli/validators.hpp"
#include "papilio/base.hpp"
#include "papilio/contract.hpp"
#include "papilio/transform/candidate.hpp"

namespace papilio::cli {
namespace {

using namespace calibration;

struct figure {
  std::string name;  ///< of the field
  std::string label;
  const char* unit;
  double scale;  ///< of the unit
  double features, measured;
};

std::vector<figure> figures(const host_model& features, const host_model& measured) {
  std::vector<figure> all;
  const auto add = [&](std::string name, std::string label, const char* unit, double scale,
                       const auto& field) {
    all.push_back(
        {std::move(name), std::move(label), unit, scale, field(features), field(measured)});
  };
  const auto add_member = [&](const char* name, const char* label, const char* unit, double scale,
                              double host_model::*member) {
    add(name, label, unit, scale, [member](const host_model& h) { return h.*member; });
  };
  using host = host_model;
  add_member("float_peak_flops_per_second", "peak, float", "Gflop/s", 1e9,
             &host::float_peak_flops_per_second);
  add_member("double_peak_flops_per_second", "peak, double", "Gflop/s", 1e9,
             &host::double_peak_flops_per_second);
  add_member("gemm_peak_share", "matrix products, of peak", "", 1, &host::gemm_peak_share);
  add_member("extended_flops_per_second", "transforms, long double", "Gflop/s", 1e9,
             &host::extended_flops_per_second);
  const struct {
    const char *name, *label;
    host_level host_model::*level;
  } levels[] = {{"l1", "L1", &host::l1},
                {"l2", "L2", &host::l2},
                {"l3", "L3", &host::l3},
                {"memory", "memory", &host::memory}};
  for (const auto& l : levels) {
    const auto add_level = [&](const char* name, const char* label, const char* unit, double scale,
                               double host_level::*member) {
      add(fmt::format("{}.{}", l.name, name), fmt::format("{} {}", l.label, label), unit, scale,
          [&l, member](const host_model& h) { return h.*l.level.*member; });
    };
    add_level("capacity_bytes", "size", "MiB", 1048576, &host_level::capacity_bytes);
    add_level("core_bytes_per_second", "copying, 1 core", "GB/s", 1e9,
              &host_level::core_bytes_per_second);
    add_level("machine_bytes_per_second", "copying, all cores", "GB/s", 1e9,
              &host_level::machine_bytes_per_second);
    add_level("float_fft_flops_per_second", "transforms, float", "Gflop/s", 1e9,
              &host_level::float_fft_flops_per_second);
    add_level("double_fft_flops_per_second", "transforms, double", "Gflop/s", 1e9,
              &host_level::double_fft_flops_per_second);
  }
  add_member("elementwise_bandwidth_share", "masks, of copying", "", 1,
             &host::elementwise_bandwidth_share);
  add_member("rearrangement_bandwidth_share", "transposing, of copying", "", 1,
             &host::rearrangement_bandwidth_share);
  add_member("call_seconds", "a call", "us", 1e-6, &host::call_seconds);
  add_member("line_seconds", "a line of a batch", "us", 1e-6, &host::line_seconds);
  add_member("thread_start_seconds", "starting threads", "us", 1e-6, &host::thread_start_seconds);
  return all;
}

json_value figures_json(const host_model& host, const std::vector<figure>& all,
                        const host_steadiness& steadiness, double seconds,
                        const std::string& file) {
  json_value json{{"processor", host.processor},
                  {"instruction_set", host.instruction_set},
                  {"cores", host.cores},
                  {"clock_hz", host.clock_hz},
                  {"measured_on", host.measured_on},
                  {"file", file},
                  {"seconds", seconds},
                  {"waited_share", steadiness.waited_share},
                  {"spread", steadiness.spread},
                  {"figures", json_value::array()}};
  for (const figure& f : all)
    json["figures"].push_back(
        {{"name", f.name}, {"features", f.features}, {"measured", f.measured}});
  return json;
}

std::string figures_text(const host_model& host, const std::vector<figure>& all,
                         const host_steadiness& steadiness, double seconds) {
  std::string text =
      fmt::format("{} ({}), {}, {:.2f} GHz\n\n{:<26} {:>12} {:>12}\n", printable(host.processor),
                  host.instruction_set, counted(static_cast<std::uint64_t>(host.cores), "core"),
                  host.clock_hz * 1e-9, "", "by features", "measured");
  for (const figure& f : all)
    text += fmt::format("{:<26} {:>12.4g} {:>12.4g}{}{}\n", f.label, f.features / f.scale,
                        f.measured / f.scale, *f.unit == 0 ? "" : " ", f.unit);
  return text + fmt::format(
                    "\nmeasured in {:.1f} s; meanwhile threads waited for a core {:.1f} % of "
                    "the time, and one\nand the same loop took up to {:.1f} % longer than at "
                    "its fastest\n",
                    seconds, 100 * steadiness.waited_share, 100 * steadiness.spread);
}

struct checked_estimate {
  std::string expression;
  real_type type;
  double measured_seconds, features_seconds;
  std::optional<double> calibrated_seconds;
};

constexpr const char* checked_expressions[] = {
    "fft 16",      "fft 64",      "fft 256",       "fft 1024",    "fft 4096",
    "fft 16384",   "fft 65536",   "fft 2^18",      "fft 2^20",    "fft 2^22",
    "fft 1000x16", "fft 4096x64", "fft 1000x1024", "fft 64x4096", "fft 32x65536"};

/// usage_error unless it can be parsed and run.
planned_transform parse_checked(const std::string& expression, real_type type) {
  if (const auto asked = parse_operation(expression, real_type::single_precision); !asked.transform)
    throw usage_error(
        fmt::format("--check-estimates: runs transforms alone, {} is none", asked.name));
  planned_transform t = parse_plan_expression(expression, type);
  if (!is_measurable(t)) throw usage_error("--check-estimates: EXPR must take at most 1 GiB");
  return t;
}

checked_estimate check(const std::string& expression, real_type type, const host_model& host) {
  const planned_transform t = parse_checked(expression, type);
  const auto seconds = [&](const host_model& h) {
    return host_fft_estimate(h, t.problem, t.lines).seconds;
  };
  checked_estimate row{expression, type, 0, seconds(host_from_features()), std::nullopt};
  if (host.is_calibrated()) row.calibrated_seconds = seconds(host);
  const auto executor = choose_fft("plan", t.problem, {.backend = "host"}).build(t.problem);
  row.measured_seconds = measured_seconds(*executor, t, 1).value();
  return row;
}

std::string row_text(const checked_estimate& row) {
  const auto ratio = [&](double seconds) { return seconds / row.measured_seconds; };
  return fmt::format(
      "{:<16} {:<7} {:>12.3f} {:>10.2f} {:>10}\n", row.expression, to_string(row.type),
      row.measured_seconds * 1e6, ratio(row.features_seconds),
      row.calibrated_seconds ? fmt::format("{:.2f}", ratio(*row.calibrated_seconds)) : "-");
}

json_value row_json(const checked_estimate& row) {
  return {{"expression", row.expression},
          {"type", to_string(row.type)},
          {"measured_seconds", row.measured_seconds},
          {"features_seconds", row.features_seconds},
          {"calibrated_seconds",
           row.calibrated_seconds ? json_value(*row.calibrated_seconds) : json_value()}};
}

}  // namespace

void calibration_flags::add_to(command& verb) {
  verb.add_flag("--calibrate", measures,
                "Measure this computer instead, print its figures and save them for estimates");
  verb.add_option("--calibrate-seconds", seconds,
                  "How long --calibrate measures, though a second or so at least")
      .check(number_from(0.01, 600))
      .show_default();
  verb.add_flag("--even-if-busy", even_if_busy,
                "Save what --calibrate measured, though the computer was not quiet");
  verb.add_option("--calibration", file,
                  "File of these figures, written by --calibrate, else read "
                  "[~/.config/papilio/host.json]")
      .check(not_empty());
  verb.add_flag("--check-estimates", checks,
                "Run a table of transforms, or EXPR, and print estimates over times");
}

void calibration_flags::require_sense(const command& verb) const {
  const auto refuse_others = [&](const char* flag, std::vector<const char*> others) {
    const std::vector<const char*> sides = comparison_flags::names();
    others.insert(others.end(), sides.begin(), sides.end());
    for (const char* other : others)
      if (verb.named(other).given()) throw usage_error(fmt::format("{}: takes no {}", flag, other));
  };
  if (measures)
    refuse_others("--calibrate", {"EXPR", "--type", "--effort", "--wisdom", "--threads",
                                  "--backend", "--check-estimates"});
  for (const char* flag : {"--calibrate-seconds", "--even-if-busy"})
    if (!measures && verb.named(flag).given())
      throw usage_error(fmt::format("{}: needs --calibrate", flag));
  if (measures) return;
  if (checks)
    refuse_others("--check-estimates",
                  {"--type", "--effort", "--wisdom", "--threads", "--backend"});
  else if (!verb.named("EXPR").given())
    throw usage_error("EXPR is required");
}

void calibration_flags::use_file() const {
  if (file.empty())
    current_host();
  else
    use_host(load_host(file));
}

// C = A B of ones, on this thread.
template <class T>
std::function<void()> product_of(std::size_t side) {
  struct operands {
    array<T, 2> a, b, c;
  };
  const extents_type<2> extents{side, side};
  const auto o = std::make_shared<operands>(
      operands{array<T, 2>(extents), array<T, 2>(extents), array<T, 2>(extents)});
  std::fill_n(o->a.data(), o->a.size(), T(1));
  std::fill_n(o->b.data(), o->b.size(), T(1));
  return [o] { gemm(o->a, o->b, o->c.view(), {.on = {.where = policy::host, .threads = 1}}); };
}

std::function<void()> make_product(real_type type, std::size_t side) {
  return type == real_type::single_precision ? product_of<float>(side) : product_of<double>(side);
}

// resource_error, or with even_if_busy a warning, where figures are not to be relied on.
void require_quiet(const host_steadiness& steadiness, bool even_if_busy) {
  const std::string fault = steadiness.fault();
  if (fault.empty()) return;
  const std::string busy = fmt::format("--calibrate: the computer is busy: {}", fault);
  if (!even_if_busy)
    throw resource_error(fmt::format(
        "{}; nothing is saved. Try again when it is quiet, or with --even-if-busy", busy));
  warn(busy);
}

int run_calibration(const calibration_flags& flags, bool json) {
  const auto usual = host_calibration_file();
  if (flags.file.empty() && !usual)
    throw usage_error("--calibrate: --calibration must name the file: no other is known");
  const std::string file = flags.file.empty() ? usual->string() : flags.file;
  // What is plain at once is not measured first.
  if (!flags.even_if_busy)
    require_quiet({.waited_share = waited_share(host_from_features().cores, 0.02)}, false);
  host_steadiness steadiness;
  const auto start = std::chrono::steady_clock::now();
  const host_model measured = calibrate_host(flags.seconds, make_product, &steadiness);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  require_quiet(steadiness, flags.even_if_busy);
  save_host(file, measured);
  const std::vector<figure> all = figures(host_from_features(), measured);
  print(json ? json_text(figures_json(measured, all, steadiness, seconds, file))
             : figures_text(measured, all, steadiness, seconds) +
                   fmt::format("saved in {}\n", printable(file)));
  return exit_done;
}

int run_estimate_check(const std::string& expression, bool json) {
  const host_model host = current_host();
  std::vector<std::string> expressions(std::begin(checked_expressions),
                                       std::end(checked_expressions));
  if (!expression.empty()) expressions = {expression};
  for (const std::string& each : expressions)
    parse_checked(each, real_type::double_precision);  // the larger one
  json_value rows = json_value::array();
  if (!json)
    print(fmt::format(
        "estimate over measured time, one thread; {}\n\n{:<16} {:<7} {:>12} {:>10} {:>10}\n",
        to_string(host), "", "", "measured us", "features", "calibrated"));
  for (const real_type type : {real_type::single_precision, real_type::double_precision})
    for (const std::string& each : expressions) {
      const checked_estimate row = check(each, type, host);
      if (json)
        rows.push_back(row_json(row));
      else
        print(row_text(row));
    }
  if (json) print(json_text({{"host", to_string(host)}, {"rows", rows}}));
  return exit_done;
}

}  // namespace papilio::cli
