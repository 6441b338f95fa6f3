#include <iterator>
#include <map>

#include "cli/molecule_files.hpp"
#include "cli/mp2_steps.hpp"
#include "cli/presets.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "cli/side_flags.hpp"
#include "papilio/chem.hpp"
#include "papilio/engine.hpp"
#include "papilio/engine/environment.hpp"

namespace papilio::cli {

namespace mp2_verb {
namespace {

std::string cells(const std::optional<mp2_kernels>& k) {
  if (!k) return fmt::format("{:>10} {:>6} {:>6} {:>6} {:>6}", "", "", "", "", "");
  const auto share = [&](double active) { return 100 * active / k->seconds; };
  return fmt::format("{:>10.3f} {:>6.1f} {:>6.1f} {:>6.1f} {:>6.1f}", k->seconds * 1e3,
                     share(k->tensor_seconds), share(k->vector_seconds), share(k->scalar_seconds),
                     share(k->dma_seconds));
}

json_value kernels_json(const std::optional<mp2_kernels>& k) {
  if (!k) return nullptr;
  return json_object("launches", k->launches, "seconds", k->seconds, "tensor_engine_active_seconds",
                     k->tensor_seconds, "vector_engine_active_seconds", k->vector_seconds,
                     "scalar_engine_active_seconds", k->scalar_seconds, "dma_active_seconds",
                     k->dma_seconds);
}

/// A table, and what fusing does to the whole by Amdahl's law.
report steps_report(const mp2_steps& all) {
  const mp2_sizes& s = all.sizes;
  const mp2_totals t = all.totals();
  const engine::amdahl_report amdahl = all.amdahl();
  report made;
  made.fields("machine", all.machine, "runtime", all.runtime, "nbf", s.nbf, "nocc", s.nocc, "nvir",
              s.nvir, "naux", s.naux, "launch_seconds", all.launch_seconds)
      .lines(fmt::format(
          "DF-MP2 of {} basis functions, {} occupied and {} virtual orbitals, {} auxiliary "
          "functions\non {} with {}: milliseconds, operands on the device, shares of engines in "
          "percent\n(modelled, dry runs); on the host of this computer by its model, all cores\n\n",
          s.nbf, s.nocc, s.nvir, s.naux, all.machine, all.runtime))
      .lines(fmt::format(
          "{:<8} {:>10}  {:>10} {:>6} {:>6} {:>6} {:>6}  {:>10} {:>6} {:>6} {:>6} {:>6}\n", "step",
          "host", "unfused", "tensor", "vector", "scalar", "dma", "fused", "tensor", "vector",
          "scalar", "dma"));
  json_value steps = json_value::array();
  for (const mp2_step& step : all.steps) {
    std::string line = fmt::format("{:<8} {:>10.3f}  {}  {}", step.name, step.host_seconds * 1e3,
                                   cells(step.unfused), cells(step.fused));
    line.erase(line.find_last_not_of(' ') + 1);
    made.lines(line + "\n");
    steps.push_back(json_object("name", step.name, "host_seconds", step.host_seconds, "unfused",
                                kernels_json(step.unfused), "fused", kernels_json(step.fused)));
  }
  const double launch_ms = all.launch_seconds * 1e3;
  return made
      .lines(fmt::format("{:<8} {:>10.3f}  {:>10.3f} {:>27}  {:>10.3f}\n", "total", t.host * 1e3,
                         t.unfused * 1e3, "", t.fused * 1e3))
      .lines(fmt::format("{:<8} {:>10}  {:>10.3f} {:>27}  {:>10.3f}\n", "launches", "",
                         double(t.unfused_launches) * launch_ms, "",
                         double(t.fused_launches) * launch_ms))
      .lines("\n" + amdahl.to_text())
      .add("steps", steps)
      .add("amdahl", *parse_json(amdahl.to_json(), member_order::as_added));
}

/// "5", or "5:4" of two spins. invalid_argument for another text.
occupation occupation_of(const std::string& text) {
  const std::vector<std::string> spins = split_words(text, ':');
  const auto alpha = read_number<std::size_t>(spins.front()),
             beta = read_number<std::size_t>(spins.back());
  if (!alpha || !beta || spins.size() > 2)
    throw invalid_argument(
        fmt::format("occupied: must be whole numbers as in 5 or 5:4, got {}", text));
  return {*alpha, *beta};
}

/// "512x64x448x1536". invalid_argument for another text.
mp2_sizes mp2_sizes_of(const std::string& text) {
  constexpr std::int64_t most = std::int64_t{1} << 20;
  const std::vector<std::string> words = split_words(text, 'x');
  mp2_sizes sizes;
  std::int64_t* const all[] = {&sizes.nbf, &sizes.nocc, &sizes.nvir, &sizes.naux};
  for (std::size_t i = 0; i < std::size(all); ++i) {
    const auto size = i < words.size() ? read_number<std::int64_t>(words[i]) : std::nullopt;
    if (!size || *size < 1 || *size > most || words.size() != std::size(all))
      throw invalid_argument(
          fmt::format("sizes: must be NBFxNOCCxNVIRxNAUX as in 512x64x448x1536, got {}", text));
    *all[i] = *size;
  }
  return sizes;
}

struct arguments {
  std::string folder, from = "b", precision, occupied, machine, runtime, sizes;
  std::size_t frozen_core = 0;
  std::optional<double> memory;
  int cores = 1, threads = 0;
  bool steps = false;
  bool on_device() const { return !machine.empty(); }

  void add_to(command& verb) {
    verb.add(
        {{"DIR", folder, "Folder with the molecule's NumPy files", not_empty()},
         {"--from", from, "Integrals over molecular orbitals (b), or over atomic ones (ao)",
          exactly_one_of({"b", "ao"})},
         {"--occupied", occupied,
          "Number of occupied orbitals, for --from ao; alpha:beta where they differ\n"
          "[what manifest.json or the B files say]",
          read_by([](std::string& text) { occupation_of(text); }, "N[:BETA]")},
         {"--frozen-core", frozen_core,
          "Number of the lowest occupied orbitals that are not correlated",
          whole_number_from(0, 1u << 20)},
         {"--precision", precision,
          "Precision of integrals and energies: float or double; with --machine\n"
          "float, bf16, bf16_refined or split_bf16 [double, with --machine float]",
          exactly_one_of({"float", "double", "bf16", "bf16_refined", "split_bf16"})},
         {"--machine", machine,
          "Emulated accelerator to use, --from ao too:\n" + machine_choices() +
              ".\nIts times are modelled; the emulation is slower than the host",
          not_empty()},
         {"--runtime", runtime, "Its " + runtime_choices() + "\n[sdk_2_24]", not_empty()},
         {"--cores", cores, "Number of its cores that share the energies of the pairs",
          whole_number_from(1, engine::link_model::cores_max)},
         {"--steps", steps,
          "With --machine: also where the time goes, unfused and fused, on the host and there"},
         {"--sizes", sizes, "The same without files, of a molecule of these sizes",
          read_by([](std::string& text) { mp2_sizes_of(text); }, "NBFxNOCCxNVIRxNAUX")},
         {"--memory", memory,
          "Gigabytes (10^9 bytes) of work memory at most, beside the arrays themselves",
          number_from(1e-9, 1e6).called("GB")},
         {"--threads", threads, "Number of host threads [one for each core]",
          whole_number_from(1, 1024)}});
  }
};

using named_energies = std::vector<std::pair<std::string, double>>;

/// Under the names that a manifest gives them.
named_energies energies_by_name(const mp2_energies& e, const std::optional<double>& reference,
                                bool is_open) {
  named_energies all;
  all.emplace_back("E_corr", e.correlation());
  all.emplace_back("E_corr_opposite_spin", e.opposite_spin);
  all.emplace_back("E_corr_same_spin", e.same_spin());
  if (is_open) all.emplace_back("E_aa", e.alpha_alpha);
  if (is_open) all.emplace_back("E_bb", e.beta_beta);
  all.emplace_back("E_corr_SCS_MP2", e.scs());
  all.emplace_back("scs_mp2_corr", e.scs());
  all.emplace_back("sos_mp2_corr", e.sos());
  if (reference) all.emplace_back("E_MP2_total", *reference + e.correlation());
  return all;
}

/// With the differences from the manifest's numbers of as many frozen orbitals, of fields that it
/// has. io_error naming `path` where one that is compared is no number.
void add_energies(report& made, const mp2_energies& energies, std::size_t frozen_core, bool is_open,
                  const json_value& manifest, const std::string& path) {
  // A reference energy stands in "energies_hartree" or at the manifest's top level.
  const auto number = [&](const std::string& name) -> std::optional<double> {
    const json_value* const energy = manifest["energies_hartree"].find(name);
    const json_value& value = energy != nullptr ? *energy : manifest[name];
    if (value.is_null()) return std::nullopt;
    if (!value.is_number()) throw bad_file(path, "\"{}\" must be a number", name);
    return value.number();
  };
  made.lines("energies                               hartree\n");
  const named_energies ours =
      energies_by_name(energies, number(is_open ? "E_UHF" : "E_RHF"), is_open);
  for (const auto& [name, value] : ours)
    made.add(name, value).lines(fmt::format("  {:<26} {:>20.12f}\n", name, value));
  json_value differences = json_value::object();
  std::string lines;
  const auto compare = [&](const std::string& name, double value) {
    const auto theirs = number(name);
    if (!theirs) return;
    differences.add(name, value - *theirs);
    lines += fmt::format("  {:<26} {:>20.2e}\n", name, value - *theirs);
  };
  const auto frozen = static_cast<double>(frozen_core);
  const std::optional<double> core = number("n_core_orbitals_if_frozen");
  const bool is_frozen = manifest["frozen_core"].is_boolean() && manifest["frozen_core"].truth();
  if (frozen == (is_frozen ? core.value_or(-1) : 0))
    for (const auto& [name, value] : ours) compare(name, value);
  if (frozen > 0 && core == frozen)
    for (const char* const name : {"E_corr_frozen_core_psi4", "E_corr_frozen_core_numpy"})
      compare(name, energies.correlation());
  if (!lines.empty()) made.lines("less those of manifest.json\n" + lines);
  made.add("difference", differences);
}

// The precisions in which accelerators compute.
const std::map<std::string, precision> device_modes{{"float", precision::native},
                                                    {"bf16", precision::bf16},
                                                    {"bf16_refined", precision::bf16_refined},
                                                    {"split_bf16", precision::split_bf16}};

engine::runtime_spec runtime_of(const arguments& args) {
  return args.runtime.empty() ? engine::sdk_2_24() : engine::load_runtime(args.runtime);
}

// Null: the host.
std::unique_ptr<accelerator> accelerator_of(const arguments& args) {
  if (!args.on_device()) return nullptr;
  return make_accelerator(args.machine, args.runtime, args.cores);
}

// The precision that was asked for, or the side's own.
void complete(arguments& args) {
  if (!args.on_device() && !args.runtime.empty()) throw usage_error("--runtime: is for --machine");
  if (args.cores > 1 && !args.on_device()) throw usage_error("--cores: is for --machine");
  if (args.cores > 1 && (args.steps || args.from != "b"))
    throw usage_error("--cores: is without {}, which is of one core",
                      args.steps ? "--steps" : "--from ao");
  if (!args.sizes.empty() &&
      (args.from != "b" || !args.occupied.empty() || !args.precision.empty() || args.memory ||
       args.frozen_core != 0 || args.threads != 0 || args.cores != 1))
    throw usage_error("--sizes: goes with --machine, --runtime and --json alone");
  if (args.precision.empty()) args.precision = args.on_device() ? "float" : "double";
  if (args.folder.empty() == args.sizes.empty())
    throw usage_error(args.sizes.empty() ? "DIR is required" : "--sizes: is without DIR");
  if (!args.on_device() && (args.steps || !args.sizes.empty()))
    throw usage_error("--machine: is needed for --steps and --sizes");
  if (args.on_device() && args.precision == "double")
    throw usage_error("--precision: an accelerator (--machine) does not compute in double");
  if (!args.on_device() && args.precision != "double" && args.precision != "float")
    throw usage_error("--precision: {} is for --machine", args.precision);
}

std::size_t bytes_of(const std::optional<double>& gigabytes) {
  return gigabytes ? static_cast<std::size_t>(*gigabytes * 1e9)
                   : std::numeric_limits<std::size_t>::max();
}

template <class T>
std::string orbitals_text(const molecule<T>& m) {
  std::string text;
  for (const spin_arrays<T>& spin : m.spins) {
    if (m.spins.size() > 1) text += spin.suffix == "_a" ? "alpha " : "beta ";
    text += fmt::format("{} occupied, {} virtual, ", spin.extent(0), spin.extent(1));
  }
  return text + counted(m.spins.front().extent(2), "auxiliary function");
}

template <class T>
mp2_sizes sizes_of(const molecule<T>& m) {
  const spin_arrays<T>& spin = m.spins.front();
  const auto of = [&](std::size_t axis) { return static_cast<std::int64_t>(spin.extent(axis)); };
  return {of(0) + of(1), of(0), of(1), of(2)};
}

template <class T>
mp2_energies energies_of(const molecule<T>& m, const df_mp2_options& options) {
  if (!m.spins[0].b_on_device.is_empty()) {
    std::vector<orbitals_on_device> spins;
    for (const spin_arrays<T>& spin : m.spins)
      spins.push_back({spin.b_on_device, spin.eps_occupied, spin.eps_virtual});
    if (spins.size() == 2) return df_mp2(spins[0], spins[1], options);
    return df_mp2(spins[0].b, spins[0].eps_occupied, spins[0].eps_virtual, options);
  }
  std::vector<mp2_orbitals<T>> spins;
  for (const spin_arrays<T>& spin : m.spins)
    spins.push_back({spin.b.template as<3>(), spin.eps_occupied, spin.eps_virtual});
  if (spins.size() == 2) return df_mp2(spins[0], spins[1], options);
  return df_mp2(spins[0].b, spins[0].eps_occupied, spins[0].eps_virtual, options);
}

mp2_steps steps_of(const arguments& args, const mp2_sizes& sizes) {
  return steps_of_mp2(sizes, engine::load_machine(args.machine), runtime_of(args));
}

template <class T>
report run_in(const arguments& args) {
  const molecule_files files(args.folder);
  const std::unique_ptr<accelerator> device = accelerator_of(args);
  const molecule<T> m = read_molecule<T>(
      files, {.from_ao = args.from == "ao",
              .occupied = args.occupied.empty() ? std::nullopt
                                                : std::optional(occupation_of(args.occupied)),
              .memory_bytes = bytes_of(args.memory),
              .threads = args.threads,
              .device = device.get()});
  progress bar(args.folder, 100);
  df_mp2_options options{.frozen_core = args.frozen_core,
                         .memory_bytes = bytes_of(args.memory),
                         .on = {.where = policy::host, .threads = args.threads}};
  if (device) {
    options.on.where = policy::device;
    options.on.on = device.get();
    options.on.precision.mode = device_modes.at(args.precision);
  }
  options.progress = [&bar](std::size_t done, std::size_t total) {
    bar.update(done * 100 / total);
  };
  const auto start = std::chrono::steady_clock::now();
  const mp2_energies energies = energies_of(m, options);
  const run_record run = last_run();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  const std::string from = fmt::format("{}", fmt::join(m.integrals, ", "));
  report made;
  made.add("directory", args.folder, "molecule", "{}")
      .line("integrals", "{}, in {}", from, args.precision)
      .line("orbitals", "{}{}", orbitals_text(m),
            args.frozen_core > 0 ? fmt::format("; {} frozen", args.frozen_core) : "")
      .fields("from", from, "precision", args.precision, "frozen_core", args.frozen_core, "seconds",
              elapsed.count());
  add_energies(made, energies, args.frozen_core, m.spins.size() == 2, files.manifest(),
               files.path("manifest.json"));
  const std::string runtime = runtime_of(args).name;
  if (const auto* const one = dynamic_cast<const engine::device*>(device.get()))
    made.add("device", json_object("machine", one->name(), "runtime", runtime, "record",
                                   *parse_json(one->record().to_json(), member_order::as_added)))
        .lines(fmt::format("energies by {} with {}: modelled, but for the last line\n{}",
                           one->name(), runtime, one->record().to_text()));
  else if (device)
    add_run(made, run).lines("\n" + run.recipe + (run.recipe.ends_with('\n') ? "" : "\n"));
  if (!args.steps) return made;
  const report steps = steps_report(steps_of(args, sizes_of(m)));
  return made.lines("\n" + steps.text()).add("steps", steps.json());
}

// With --sizes nothing is computed: the report estimates the time of each step for such a molecule.
// Else an io_error begins with the path of its file; other errors blame the arrays in the folder.
void run(arguments& args, reporter& out) {
  complete(args);
  if (!args.sizes.empty()) return out.print(steps_report(steps_of(args, mp2_sizes_of(args.sizes))));
  out.attempt(
      [&] { return args.precision == "double" ? run_in<double>(args) : run_in<float>(args); },
      args.folder);
}

}  // namespace
}  // namespace mp2_verb

void add_mp2(program& app) {
  command& verb =
      add_verb(app, "mp2", "Compute the MP2 correlation energy of a molecule by density fitting",
               mp2_verb::run);
  verb.footer(
      R"(Files: B_iaQ [nocc, nvir, naux] and eps, or Ba_iaQ, Bb_iaQ, eps_a and eps_b of two spins;
of --from ao instead of B: AO_mnQ [nbf, nbf, naux] or AO_tril_Q (rows m >= n), metric_PQ
and C [nbf, nmo], or C_a and C_b; all .npy. Energies are also compared with those that
manifest.json has. Energies are in hartree if the files are in atomic units.)");
  verb.example("papilio mp2 tests/chem/data/h2o_sto3g",
               "water, from the integrals in the repository");
}

}  // namespace papilio::cli
