#include <memory>

#include "cli/common.hpp"
#include "cli/published_report.hpp"
#include "cli/published_timing.hpp"
#include "cli/validators.hpp"

namespace papilio::cli {
namespace published_verb {
namespace {

struct arguments {
  std::string machine = "trainium1", runtime;
  bool measure = false, json = false;
};

int run(const arguments& args) {
  const engine::machine_spec machine = engine::load_machine(args.machine);
  std::optional<engine::runtime_spec> runtime;
  if (!args.runtime.empty()) runtime = engine::load_runtime(args.runtime);
  published_report report{
      .machine = machine.name, .runtime = runtime ? runtime->name : "", .measured = args.measure};
  report.rows = kernels::published::model_table(machine, runtime, report.terms);
  report.steps = kernels::published::steps_by_ours(machine, runtime);
  if (args.measure)
    for (const kernels::published::modelled_row& r : report.rows)
      report.hosts.push_back(timed_on_host(*r.row));
  const std::vector<fused_mp2_gap> gaps = fused_mp2_gaps(report, machine);
  if (args.json)
    print(json_text(published_json(report, gaps), member_order::as_added));
  else
    print(published_text(report, gaps));
  return exit_done;
}

}  // namespace
}  // namespace published_verb

void add_published(program& app) {
  using namespace published_verb;
  auto args = std::make_shared<arguments>();
  command& verb = app.add_command(
      "published", "Compare the accelerator's model with measurements that others published");
  verb.add_option("--machine", args->machine, "trainium1, trainium2, or a JSON file")
      .check(not_empty())
      .show_default();
  verb.add_option("--runtime", args->runtime,
                  "sdk_2_24, sdk_2_29, sdk_2_29_trn2, or a JSON file [that of each row's SDK]")
      .check(not_empty());
  verb.add_flag(
      "--measure", args->measure,
      "Also time them on this host: CPU time of one thread; FFTW too where it is built in");
  verb.add_flag("--json", args->json, "Print JSON");
  verb.footer(
      "Rows are of trn1.2xlarge, in microseconds, of warm calls from the host and back to it: "
      "what\n"
      "PAPILIO_MACHINE and PAPILIO_RUNTIME say is not looked at, --machine asks for another. The\n"
      "model is of the published algorithm: its launches, copies and kernels, and apart from them\n"
      "what its own host program adds. Residual: modelled over published, less one. Rows that ran\n"
      "on the host, or were withdrawn, are shown as such and have none.");
  verb.example("papilio published", "every row, with the difference");
  verb.run([args] { return run(*args); });
}

}  // namespace papilio::cli
