#include <algorithm>

#include "cli/presets.hpp"
#include "cli/published_host_times.hpp"
#include "cli/published_json.hpp"
#include "cli/published_residuals.hpp"

namespace papilio::cli {

namespace published_verb {
namespace {

using namespace kernels::published;
using engine::sourced_value;
using engine::value_origin;

struct arguments {
  std::string machine = "trainium1", runtime;
  bool measure = false, brief = false, constants = false, ranges = false;

  void add_to(command& verb) {
    verb.add(
        {{"--machine", machine, machine_choices(), not_empty()},
         {"--runtime", runtime, runtime_choices() + "\n[that of each row's SDK]", not_empty()},
         {"--measure", measure,
          "Also time them on this host: CPU time of one thread; FFTW too where it is built in"},
         {"--ranges", ranges, "Kernels measured alone with the range of their times, 20 runs each"},
         {"--constants", constants,
          "List the model's constants that the vendor's documents have, too"},
         {"--brief", brief, "The rows of the device in 80 columns, and the residuals"}});
  }
};

// "n_fft=512,hop=256 (63 frames ...)" without what is in parentheses behind.
std::string name_of(const table_row& row) {
  const std::string shape(row.shape);
  return std::string(row.op) + " " + shape.substr(0, shape.find(" ("));
}

std::string version_of(const table_row& row) {
  return std::string(row.version.substr(0, row.version.find(" (")));
}

std::string microseconds(const std::optional<double>& us) {
  if (!us) return "-";
  return *us < 99.95 ? fmt::format("{:.1f}", *us) : fmt::format("{:.0f}", *us);
}

std::string percent(double fraction) { return fmt::format("{:+.1f} %", 100 * fraction); }

/// Columns for cells that are text already: the first and the last `words_behind` hold words, the
/// others numbers.
std::vector<report::column> headed(const std::vector<std::string>& heads,
                                   std::size_t words_behind = 0) {
  std::vector<report::column> all;
  for (std::size_t i = 0; i < heads.size(); ++i)
    all.push_back({"",
                   i == 0                            ? "{}"
                   : i < heads.size() - words_behind ? "  {}"
                                                     : "  {:<}",
                   heads[i]});
  return all;
}

void add_model_lines(report& made, const published_report& of) {
  made.lines(fmt::format(
      "Published times and the model of what ran, us, on {} with {}.\nConstants of runtimes and "
      "host "
      "terms are fitted to the rows of the role fit, none of them to those of the role test.\nHost "
      "terms are of the published programs: {} us a point and call for a bit reversal,\n{} us a "
      "point "
      "for Bluestein's chirps, {} us a thousand elements of a DFT's matrix, {} us a Stockham "
      "stage.\n\n",
      of.machine, of.runtime.empty() ? "the runtime of each row's SDK" : of.runtime,
      of.terms.bit_reversal_us, of.terms.chirp_us, of.terms.matrix_us * 1e3,
      of.terms.stockham_stage_us));
  table_rows cells;
  for (const modelled_row& r : of.rows)
    cells.add(name_of(*r.row), r.row->sdk, role_name(r.row->role), microseconds(r.row->us),
              microseconds(r.run.launch_seconds * 1e6), microseconds(r.run.upload.seconds * 1e6),
              microseconds(r.run.fetch.seconds * 1e6), microseconds(r.run.device_seconds * 1e6),
              microseconds(r.without_host_us()), percent(r.residual_without_host()),
              microseconds(r.host.total_us()), microseconds(r.modelled_us()),
              percent(r.residual()));
  made.table(
      "", "",
      headed({"published on the device", "SDK", "role", "published", "launch", "copy", "fetch",
              "device", "model", "residual", "host terms", "model + host", "residual"}),
      cells);
}

/// The modelled percentage, beside the published one where there is one.
std::string shares(const kernel_row& r, const char* unit, double published) {
  const double modelled = r.profile.value(fmt::format("{}_active_time_percent", unit));
  return published > 0 ? fmt::format("{:.1f}/{:.1f}", 100 * modelled, 100 * published)
                       : fmt::format("{:.1f}", 100 * modelled);
}

/// Megabytes, the published number behind them unless it is the same.
std::string megabytes(const kernel_row& r, const char* field, std::int64_t published) {
  const auto bytes = std::int64_t(r.profile.value(field));
  const std::string text = fmt::format("{:.1f}", double(bytes) * 1e-6);
  if (published == 0) return text;
  return bytes == published ? text + " ="
                            : fmt::format("{}/{:.1f}{}", text, double(published) * 1e-6,
                                          r.row->profile.spills ? " s" : "");
}

void add_kernel_lines(report& made, const published_report& of) {
  const bool has_ranges = !of.kernels.empty() && of.kernels.front().range.has_value();
  made.lines(fmt::format(
      "\nKernels that others measured alone, and the model of their loops, us, on {}. "
      "Engines: active, % of the time,\nmodelled / published; HBM: MB, modelled / "
      "published, = where both are the same, s where the vendor's compiler spilled.\n\n",
      of.machine));
  std::vector<std::string> heads = {"kernel alone", "role",     "published", "model",
                                    "residual",     "vector",   "scalar",    "tensor",
                                    "DMA",          "HBM read", "HBM write"};
  if (has_ranges) heads.insert(heads.end(), {"low", "high", "width", "holds it"});
  table_rows cells;
  for (const kernel_row& r : of.kernels) {
    const published_profile& p = r.row->profile;
    cells.add(name_of(*r.row) + " " + std::string(r.row->precision), role_name(r.row->role),
              microseconds(r.row->us), microseconds(r.seconds * 1e6), percent(r.residual()),
              shares(r, "vector_engine", p.vector), shares(r, "scalar_engine", p.scalar),
              shares(r, "tensor_engine", 0), shares(r, "dma", p.dma),
              megabytes(r, "hbm_read_bytes", p.hbm_read_bytes),
              megabytes(r, "hbm_write_bytes", p.hbm_write_bytes));
    if (has_ranges)
      cells.more(
          microseconds(r.range->low_seconds * 1e6), microseconds(r.range->high_seconds * 1e6),
          fmt::format("{:.1f} %", 100 * r.range_width()), r.range_holds_published() ? "yes" : "no");
  }
  made.table("", "", headed(heads), cells);
  if (!has_ranges) return;
  const range_summary all = ranges_of(of.kernels);
  made.lines(
      fmt::format("\nThe median width of the ranges is {:.1f} % of the modelled time; {} of "
                  "{} hold the published time.\n",
                  100 * all.median_width, all.holding, of.kernels.size()));
}

void add_ours_lines(report& made, const published_report& of) {
  std::vector<std::string> backends;
  for (const host_times& times : of.hosts)
    for (const auto& [name, us] : times)
      if (std::ranges::find(backends, name) == backends.end()) backends.push_back(name);
  made.lines(
      fmt::format("\nOne launch, operands copied in and the result out, tables on the device "
                  "(modelled, us){}.\n\n",
                  backends.empty() ? ""
                                   : ";\nhere: measured on this host, CPU time of one "
                                     "thread, the shortest of at least three runs"));
  std::vector<std::string> heads = {"the same with papilio's kernels",
                                    "published",
                                    "device",
                                    "ours",
                                    "speed-up",
                                    "published host"};
  for (const std::string& name : backends) heads.push_back(name + ", here");
  table_rows cells;
  for (std::size_t i = 0; i < of.rows.size(); ++i) {
    const modelled_row& r = of.rows[i];
    cells.add(name_of(*r.row), microseconds(r.row->us));
    if (r.ours)
      cells.more(microseconds(r.ours->device_seconds * 1e6),
                 microseconds(r.ours->total_seconds() * 1e6),
                 fmt::format("{:.2f} x", *r.speedup()));
    else
      cells.more("-", "-", "no kernel");
    cells.more(microseconds(published_host_us(*r.row)));
    for (const std::string& name : backends) {
      const auto at = of.hosts[i].find(name);
      cells.more(at == of.hosts[i].end() ? "-" : microseconds(at->second));
    }
  }
  made.table("", "", headed(heads), cells);
}

void add_unmodelled_lines(report& made, const published_report& of) {
  table_rows not_device, host;
  for (const table_row& row : table()) {
    if (row.where == row_place::device || row.where == row_place::kernel) continue;
    if (row.where == row_place::host) {
      host.add(name_of(row), microseconds(row.us), row.path, version_of(row));
      continue;
    }
    const auto step = std::ranges::find(of.steps, &row, &step_row::row);
    const bool has_ours = step != of.steps.end();
    not_device.add(name_of(row), microseconds(row.us),
                   has_ours ? microseconds(step->ours.device_seconds * 1e6) : "-",
                   has_ours ? microseconds(step->ours.total_seconds() * 1e6) : "-", row.note);
  }
  made.lines("\n")
      .table("", "",
             headed({"not modelled: not, or not only, the device", "published", "device", "ours",
                     "why"},
                    1),
             not_device)
      .lines("\n")
      .table("", "", headed({"on the host, as published", "us", "path", "version"}, 2), host)
      .lines("\n");
}

/// A table of published, modelled and our own times that 80 columns take.
void add_brief_lines(report& made, const published_report& of) {
  table_rows cells;
  for (const modelled_row& r : of.rows)
    cells.add(name_of(*r.row).substr(0, 40), microseconds(r.row->us), microseconds(r.modelled_us()),
              percent(r.residual()), r.ours ? microseconds(r.ours->total_seconds() * 1e6) : "-");
  for (const kernel_row& r : of.kernels)
    cells.add(fmt::format("kernel alone: {}", name_of(*r.row)).substr(0, 40),
              microseconds(r.row->us), microseconds(r.seconds * 1e6), percent(r.residual()), "-");
  made.lines(fmt::format("Microseconds on {}, published and modelled.\n\n", of.machine))
      .table("", "", headed({"operation", "published", "model", "off by", "ours"}), cells)
      .lines("\n");
}

void add_summary(report& made, const published_report& of, bool brief) {
  const auto words = [](double share) { return fmt::format("{:.1f} %", 100 * share); };
  table_rows cells;
  for (const residual_group& g : residual_groups(of))
    cells.add(g.name, g.sdk, g.sdk.empty() ? "not named" : g.sdk, role_name(g.role), g.rows,
              words(g.mean), brief ? "" : words(g.mean_without_host),
              words(g.largest) + (brief ? "" : ", " + g.largest_row), g.mean, g.largest,
              g.largest_row, g.mean_without_host, g.largest_without_host);
  made.table("summary", "",
             {{"group", "{}", "residuals"},
              {"sdk", ""},
              {"", "  {}", "SDK"},
              {"role", "  {}", "role"},
              {"rows", "  {}", "rows"},
              {"", "  {}", "mean"},
              {"", brief ? "" : "  {}", brief ? "" : "without host terms"},
              {"", "  {:<}", "largest"},
              {"mean_residual", ""},
              {"largest_residual", ""},
              {"largest_row", ""},
              {"mean_residual_without_host", ""},
              {"largest_residual_without_host", ""}},
             cells);
}

std::string gap_text(const std::vector<fused_mp2_gap>& gaps) {
  if (gaps.empty()) return {};
  std::string text = "Fused MP2: what is missing\n";
  for (const fused_mp2_gap& g : gaps)
    text += fmt::format(
        "  {}: {:.0f} us of {:.0f}. Launch and copies are {:.0f} us, the program {:.0f}. Were all "
        "of\n    the gap the program's, it would take {:.0f} us, {:.0f} times as long; its "
        "engines, "
        "one after\n    the other without any overlap, account for {:.0f}.\n",
        g.row->row->shape, g.gap_us, g.row->row->us,
        g.row->without_host_us() - g.row->run.device_seconds * 1e6, g.row->run.device_seconds * 1e6,
        g.program_us, g.program_us / (g.row->run.device_seconds * 1e6), g.serial_us);
  const fused_mp2_gap &a = gaps.front(), &b = gaps.back();
  if (b.pairs <= a.pairs) return text;
  const double more = b.pairs - a.pairs, grown = (b.row->row->us - a.row->row->us) / more,
               modelled = (b.row->run.device_seconds - a.row->run.device_seconds) * 1e6 / more,
               serial = (b.serial_us - a.serial_us) / more;
  return text +
         fmt::format(
             "  From the one to the other the published time grows by {:.1f} us for each of {:.0f} "
             "pairs, where\n    the program has {:.1f} us a pair, {:.1f} without overlap. So "
             "the program's time explains\n    neither row nor their difference; a cost in every "
             "call that grows with the program, which\n    is unrolled over pairs, would: its "
             "authors name 15 to 40 ms of dispatch and compilation.\n",
             grown, more, modelled, serial);
}

/// A table of the constants; those that a document of the vendor has are counted unless `all`.
void add_lines(report& made, const std::vector<constant_group>& groups, bool all) {
  table_rows rows;
  std::size_t documented = 0;
  for (const constant_group& group : groups)
    for (const sourced_value& c : group.constants) {
      if (c.origin == value_origin::document && !all)
        ++documented;
      else
        rows.add(group.name + ": " + c.field, c.value, to_string(c.origin), c.source);
    }
  std::string words =
      "document: the vendor's; measured: published by others; fitted: to published times, of "
      "rows of\nthe role fit where rows are named, or derived from them; ours: no number is "
      "published; inherited: of the machine before, with what it has it from.\n";
  if (!all) words += fmt::format("{} more are a document's: --constants lists them.\n", documented);
  if (all)
    for (const engine::source_document& d : engine::source_documents)
      words += fmt::format("  {:<4} {}\n", d.tag, d.title);
  made.lines("\n")
      .table("", "",
             {{"", "{}", "constants"},
              {"", "  {}", "value"},
              {"", "  {:<}", "origin"},
              {"", "  {:<}", "source"}},
             rows)
      .lines("\n" + words);
}

report compared(const arguments& args) {
  if (args.brief && args.constants) throw usage_error("--constants: not with --brief");
  if (args.brief && args.ranges) throw usage_error("--ranges: not with --brief");
  const engine::machine_spec machine = engine::load_machine(args.machine);
  std::optional<engine::runtime_spec> runtime;
  if (!args.runtime.empty()) runtime = engine::load_runtime(args.runtime);
  published_report of{
      .machine = machine.name, .runtime = runtime ? runtime->name : "", .measured = args.measure};
  of.rows = model_table(machine, runtime, of.terms);
  of.steps = steps_by_ours(machine, runtime);
  of.kernels = model_kernels(machine, args.ranges);
  if (args.measure)
    for (const modelled_row& r : of.rows) of.hosts.push_back(timed_on_host(*r.row));
  report made;
  add_rows(made, of);
  if (args.brief) {
    add_brief_lines(made, of);
  } else {
    add_model_lines(made, of);
    add_kernel_lines(made, of);
    add_ours_lines(made, of);
    add_unmodelled_lines(made, of);
  }
  add_summary(made, of, args.brief);
  const std::vector<fused_mp2_gap> gaps = fused_mp2_gaps(of, machine);
  if (!args.brief) made.lines("\n" + gap_text(gaps));
  json_value mp2 = json_value::array();
  for (const fused_mp2_gap& g : gaps)
    mp2.push_back(json_object("shape", g.row->row->shape, "gap_us", g.gap_us, "program_needed_us",
                              g.program_us, "program_modelled_us", g.row->run.device_seconds * 1e6,
                              "engines_one_after_the_other_us", g.serial_us, "pairs", g.pairs));
  const std::vector<constant_group> constants = constants_of(of, machine, runtime);
  if (!args.brief) add_lines(made, constants, args.constants);
  return made.add("fused_mp2", mp2).add("constants", json_of(constants));
}

void run(arguments& args, reporter& out) { out.print(compared(args)); }

}  // namespace
}  // namespace published_verb

void add_published(program& app) {
  command& verb = add_verb(
      app, "published", "Compare the accelerator's model with measurements that others published",
      published_verb::run);
  verb.footer(
      R"(Each row is a published time on trn1.2xlarge, in microseconds, of a warm call with its
operands on the host. The environment's PAPILIO_MACHINE and PAPILIO_RUNTIME are ignored here;
--machine and --runtime choose others. The model has the launches, copies and kernels of the
published algorithm and, listed apart, the time of its own host program. Residual: modelled
over published, less one. Rows that ran on the host, or were withdrawn, have no residual.
Kernels alone are times of the device, by profiles or the runtime's clock.
Behind them: every constant of the model, its value, and what it is from.)");
  verb.example("papilio published", "every row, with the difference");
}

}  // namespace papilio::cli
