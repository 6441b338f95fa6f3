#include "cli/profile_cores.hpp"

#include <fmt/format.h>

#include "cli/common.hpp"
#include "cli/json_value.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels.hpp"

namespace papilio::cli {
namespace {

std::string text_of(const cores_request& request, const std::string& machine,
                    const std::string& runtime, const kernels::group_times& one,
                    const kernels::group_times& all) {
  std::string text = fmt::format("kernel   {}\nmachine  {}\ncores    {}\n\n{}\n", request.kernel,
                                 machine, request.cores, all.explanation);
  const auto line = [&](const char* name, double first, double then, double efficiency) {
    text += fmt::format("{:<24}{:>14.1f}{:>14.1f}{:>12.3f}\n", name, first * 1e6, then * 1e6,
                        efficiency);
  };
  text += fmt::format("{:<24}{:>14}{:>14}{:>12}\n", "microseconds", "1 core",
                      counted(std::uint64_t(request.cores), "core"), "efficiency");
  line("cores and links", one.device_seconds, all.device_seconds, all.device_efficiency(one));
  line("with dispatch, copies", one.seconds, all.seconds, all.efficiency(one));
  text += fmt::format(
      "\nlinks are {:.1f}% of the first; of the second, compute is {:.1f}% and communication "
      "{:.1f}%\n({}, operands copied in and out; modelled, a dry run)\n",
      100 * all.link_share, 100 * all.compute_share, 100 * all.communication_share, runtime);
  return text;
}

json_value json_of(const kernels::group_times& t) {
  return {{"cores", t.cores},
          {"seconds", t.seconds},
          {"device_seconds", t.device_seconds},
          {"compute_share", t.compute_share},
          {"communication_share", t.communication_share},
          {"link_share", t.link_share}};
}

}  // namespace

int run_on_cores(const cores_request& request, const engine::machine_spec& machine,
                 const engine::runtime_spec& runtime) {
  const auto times = [&](int cores) {
    try {
      return kernels::time_kernel(kernels::find_kernel(request.kernel), request.settings, cores,
                                  machine, runtime, {.start = request.start});
    } catch (const invalid_argument& e) {
      throw usage_error("--cores: " + printable(e.what()));
    }
  };
  const kernels::group_times one = times(1), all = times(request.cores);
  if (!request.json) {
    print(text_of(request, machine.name, runtime.name, one, all));
    return exit_done;
  }
  const json_value json{{"kernel", request.kernel},
                        {"machine", machine.name},
                        {"settings", request.settings},
                        {"mode", "dry_run"},
                        {"runtime", runtime.name},
                        {"one_core", json_of(one)},
                        {"group", json_of(all)},
                        {"efficiency", all.efficiency(one)},
                        {"device_efficiency", all.device_efficiency(one)}};
  print(json_text(json, member_order::as_added));
  return exit_done;
}

}  // namespace papilio::cli
