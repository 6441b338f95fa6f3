#include "cli/plan_calibration.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include "calibration/host_calibration.hpp"
#include "calibration/host_timing.hpp"
#include "cli/plan_operation.hpp"
#include "papilio/base.hpp"
#include "papilio/contract.hpp"
#include "papilio/transform/candidate.hpp"

namespace papilio::cli {
namespace {

using namespace calibration;

/// Every figure: its label, name, both values in its unit, the unit, and both values.
table_rows figures(const host_model& features, const host_model& measured) {
  table_rows rows;
  const auto add = [&](const std::string& name, const std::string& label, const char* unit,
                       double scale, const auto& field) {
    const double supposed = std::invoke(field, features), found = std::invoke(field, measured);
    rows.add(label, name, fmt::format("{:.4g}", supposed / scale),
             fmt::format("{:.4g}", found / scale), unit, supposed, found);
  };
  using host = host_model;
  constexpr double giga = 1e9, micro = 1e-6, mebi = 1048576;
  add("float_peak_flops_per_second", "peak, float", "Gflop/s", giga,
      &host::float_peak_flops_per_second);
  add("double_peak_flops_per_second", "peak, double", "Gflop/s", giga,
      &host::double_peak_flops_per_second);
  add("gemm_peak_share", "matrix products, of peak", "", 1, &host::gemm_peak_share);
  add("extended_flops_per_second", "transforms, long double", "Gflop/s", giga,
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
          [&](const host_model& h) { return h.*l.level.*member; });
    };
    add_level("capacity_bytes", "size", "MiB", mebi, &host_level::capacity_bytes);
    add_level("core_bytes_per_second", "copying, 1 core", "GB/s", giga,
              &host_level::core_bytes_per_second);
    add_level("machine_bytes_per_second", "copying, all cores", "GB/s", giga,
              &host_level::machine_bytes_per_second);
    add_level("float_fft_flops_per_second", "transforms, float", "Gflop/s", giga,
              &host_level::float_fft_flops_per_second);
    add_level("double_fft_flops_per_second", "transforms, double", "Gflop/s", giga,
              &host_level::double_fft_flops_per_second);
  }
  add("elementwise_bandwidth_share", "masks, of copying", "", 1,
      &host::elementwise_bandwidth_share);
  add("rearrangement_bandwidth_share", "transposing, of copying", "", 1,
      &host::rearrangement_bandwidth_share);
  add("call_seconds", "a call", "us", micro, &host::call_seconds);
  add("line_seconds", "a line of a batch", "us", micro, &host::line_seconds);
  add("thread_start_seconds", "starting threads", "us", micro, &host::thread_start_seconds);
  return rows;
}

report figures_report(const host_model& host, const host_steadiness& steadiness, double seconds,
                      const std::string& file) {
  report made;
  made.lines(fmt::format(
                 "{} ({}), {}, {:.2f} GHz\n\n", printable(host.processor), host.instruction_set,
                 counted(static_cast<std::uint64_t>(host.cores), "core"), host.clock_hz * 1e-9))
      .fields("processor", host.processor, "instruction_set", host.instruction_set, "cores",
              host.cores, "clock_hz", host.clock_hz, "measured_on", host.measured_on, "file", file,
              "seconds", seconds, "waited_share", steadiness.waited_share, "spread",
              steadiness.spread)
      .table("figures", "",
             {{"", "{:<26}"},
              {"name", ""},
              {"", " {:>12}", "by features"},
              {"", " {:>12}", "measured"},
              {"", " {:<}"},
              {"features", ""},
              {"measured", ""}},
             figures(host_from_features(), host))
      .lines(fmt::format("\nmeasured in {:.1f} s; meanwhile threads waited for a core {:.1f} % of "
                         "the time, and one\nand the same loop took up to {:.1f} % longer than at "
                         "its fastest\n",
                         seconds, 100 * steadiness.waited_share, 100 * steadiness.spread));
  return made.lines(fmt::format("saved in {}\n", printable(file)));
}

constexpr const char* checked_expressions[] = {
    "fft 16",      "fft 64",      "fft 256",       "fft 1024",    "fft 4096",
    "fft 16384",   "fft 65536",   "fft 2^18",      "fft 2^20",    "fft 2^22",
    "fft 1000x16", "fft 4096x64", "fft 1000x1024", "fft 64x4096", "fft 32x65536"};

/// usage_error unless it can be parsed and run.
planned_transform parse_checked(const std::string& expression, real_type type) {
  if (const auto asked = parse_operation(expression, real_type::single_precision); !asked.transform)
    throw usage_error("--check-estimates: runs transforms alone, {} is none", asked.name);
  planned_transform t = *parse_operation(expression, type).transform;
  if (!is_measurable(t.problem, t.lines))
    throw usage_error("--check-estimates: EXPR must take at most 1 GiB");
  return t;
}

void check(const std::string& expression, real_type type, const host_model& host,
           table_rows& rows) {
  const planned_transform t = parse_checked(expression, type);
  const auto seconds = [&](const host_model& h) {
    return host_fft_estimate(h, t.problem, t.lines).seconds;
  };
  const double features = seconds(host_from_features());
  std::optional<double> calibrated;
  if (host.is_calibrated()) calibrated = seconds(host);
  const auto executor = choose_fft("plan", t.problem, {.backend = "host"}).build(t.problem);
  const double measured = measured_seconds(*executor, t.problem, t.lines, 1).value();
  rows.add(expression, to_string(type), measured * 1e6, features / measured,
           calibrated ? fmt::format("{:.2f}", *calibrated / measured) : "-", measured, features,
           calibrated);
}

}  // namespace

void calibration_flags::add_to(command& of) {
  verb = &of;
  of.add({{"--calibrate", measures,
           "Measure this computer instead, print its figures and save them for estimates"},
          {"--calibrate-seconds", seconds,
           "Time for --calibrate, in seconds; it takes at least about one", number_from(0.01, 600)},
          {"--even-if-busy", even_if_busy,
           "Save what --calibrate measured, though the computer was not quiet"},
          {"--calibration", file,
           "File of these figures, written by --calibrate, else read "
           "[~/.config/papilio/host.json]",
           not_empty()},
          {"--check-estimates", checks,
           "Run a table of transforms, or EXPR, and print estimates over times"}});
}

void calibration_flags::require_sense() const {
  const auto allow = [&](const char* flag, const std::set<std::string>& others) {
    for (const option& each : verb->options())
      if (each.given() && each.name() != flag && !others.contains(each.name()))
        throw usage_error("{}: takes no {}", flag, each.name());
  };
  if (measures)
    return allow("--calibrate",
                 {"--calibrate-seconds", "--even-if-busy", "--calibration", "--json", "--report"});
  for (const char* flag : {"--calibrate-seconds", "--even-if-busy"})
    if (verb->named(flag).given()) throw usage_error("{}: needs --calibrate", flag);
  if (checks)
    allow("--check-estimates", {"EXPR", "--calibration", "--json", "--report"});
  else if (!verb->named("EXPR").given())
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

report calibrated(const calibration_flags& flags) {
  const auto usual = host_calibration_file();
  if (flags.file.empty() && !usual)
    throw usage_error("--calibrate: --calibration must name the file: no other is known");
  const std::string file = flags.file.empty() ? usual->string() : flags.file;
  // What is plain at once is not measured first.
  if (!flags.even_if_busy) require_quiet(current_steadiness(host_from_features().cores), false);
  host_steadiness steadiness;
  const auto start = std::chrono::steady_clock::now();
  const host_model measured = calibrate_host(flags.seconds, make_product, &steadiness);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  require_quiet(steadiness, flags.even_if_busy);
  save_host(file, measured);
  return figures_report(measured, steadiness, seconds, file);
}

report checked_estimates(const std::string& expression) {
  const host_model host = current_host();
  std::vector<std::string> expressions(std::begin(checked_expressions),
                                       std::end(checked_expressions));
  if (!expression.empty()) expressions = {expression};
  for (const std::string& each : expressions)
    parse_checked(each, real_type::double_precision);  // the larger one
  table_rows rows;
  for (const real_type type : {real_type::single_precision, real_type::double_precision})
    for (const std::string& each : expressions) check(each, type, host, rows);
  report made;
  return made.add("host", to_string(host))
      .lines(fmt::format("estimate over measured time, one thread; {}\n\n", to_string(host)))
      .table("rows", "",
             {{"expression", "{:<16}"},
              {"type", " {:<7}"},
              {"", " {:>12.3f}", "measured us"},
              {"", " {:>10.2f}", "features"},
              {"", " {:>10}", "calibrated"},
              {"measured_seconds", ""},
              {"features_seconds", ""},
              {"calibrated_seconds", ""}},
             rows);
}

}  // namespace papilio::cli
