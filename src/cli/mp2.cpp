#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <map>
#include <memory>
#include <new>
#include <optional>

#include "cli/common.hpp"
#include "cli/json_value.hpp"
#include "cli/molecule_files.hpp"
#include "cli/mp2_report.hpp"
#include "cli/mp2_steps.hpp"
#include "cli/progress.hpp"
#include "cli/validators.hpp"
#include "papilio/base/error.hpp"
#include "papilio/chem.hpp"
#include "papilio/engine.hpp"

namespace papilio::cli {
namespace mp2_verb {
namespace {

struct arguments {
  std::string folder, from = "b", precision, occupied, machine, runtime, sizes;
  std::size_t frozen_core = 0;
  std::optional<double> memory;
  int threads = 0;
  bool steps = false;
  bool json = false;
  bool on_device() const { return !machine.empty(); }
};

// What accelerators compute in beside float.
const std::map<std::string, precision> device_modes{{"float", precision::native},
                                                    {"bf16", precision::bf16},
                                                    {"bf16_refined", precision::bf16_refined},
                                                    {"split_bf16", precision::split_bf16}};

std::unique_ptr<engine::device> device_of(const arguments& args) {
  if (!args.on_device()) return nullptr;
  return std::make_unique<engine::device>(
      engine::load_machine(args.machine),
      args.runtime.empty() ? engine::sdk_2_24() : engine::load_runtime(args.runtime));
}

// The precision that was asked for, or the side's own.
void complete(arguments& args) {
  if (!args.on_device() && !args.runtime.empty()) throw usage_error("--runtime: is for --machine");
  if (!args.sizes.empty() &&
      (args.from != "b" || !args.occupied.empty() || !args.precision.empty() || args.memory ||
       args.frozen_core != 0 || args.threads != 0))
    throw usage_error("--sizes: goes with --machine, --runtime and --json alone");
  if (args.precision.empty()) args.precision = args.on_device() ? "float" : "double";
  if (args.folder.empty() == args.sizes.empty())
    throw usage_error(args.sizes.empty() ? "DIR is required" : "--sizes: is without DIR");
  if (!args.on_device() && (args.steps || !args.sizes.empty()))
    throw usage_error("--machine: is needed for --steps and --sizes");
  if (args.on_device() && args.precision == "double")
    throw usage_error("--precision: an accelerator (--machine) does not compute in double");
  if (!args.on_device() && args.precision != "double" && args.precision != "float")
    throw usage_error(fmt::format("--precision: {} is for --machine", args.precision));
}

/// "5", or "5:4" of two spins.
std::optional<occupation> occupation_of(const std::string& text) {
  const auto number = [](std::string_view digits) -> std::optional<std::size_t> {
    std::size_t value = 0;
    const auto [end, failure] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (failure != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
  };
  const std::string_view all(text);
  const std::size_t colon = all.find(':');
  const auto alpha = number(all.substr(0, colon));
  const auto beta = colon == std::string_view::npos ? alpha : number(all.substr(colon + 1));
  if (!alpha || !beta) return std::nullopt;
  return occupation{*alpha, *beta};
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

template <class T>
std::string run_in(const arguments& args) {
  const molecule_files files(args.folder);
  const std::unique_ptr<engine::device> device = device_of(args);
  const molecule<T> m = read_molecule<T>(
      files, {.from_ao = args.from == "ao",
              .occupied = args.occupied.empty() ? std::nullopt : occupation_of(args.occupied),
              .memory_bytes = bytes_of(args.memory),
              .threads = args.threads,
              .device = device.get()});
  mp2_facts facts{.folder = args.folder,
                  .from = fmt::format("{}", fmt::join(m.integrals, ", ")),
                  .precision = args.precision,
                  .orbitals = orbitals_text(m),
                  .frozen_core = args.frozen_core,
                  .is_open = m.spins.size() == 2};
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
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  facts.seconds = elapsed.count();
  if (device) facts.device = {device->name(), device->runtime().name, device->record()};
  const mp2_comparison comparison =
      compare_energies(energies, facts, files.manifest(), files.path("manifest.json"));
  std::optional<mp2_steps> steps;
  if (args.steps) steps = steps_of(args, sizes_of(m));
  if (!args.json)
    return report_text(facts, comparison) + (steps ? "\n" + steps_text(*steps) : std::string());
  json_value report = report_json(facts, comparison);
  if (steps) report["steps"] = steps_json(*steps);
  return json_text(report);
}

// io_error begins with the path of its file; other errors are of the arrays in the folder.
mp2_steps steps_of(const arguments& args, const mp2_sizes& sizes) {
  return steps_of_mp2(
      sizes, engine::load_machine(args.machine),
      args.runtime.empty() ? engine::sdk_2_24() : engine::load_runtime(args.runtime));
}

// Without a molecule: where the time of one of these sizes would go.
int run_sizes(const arguments& args) {
  const mp2_steps steps = steps_of(args, *mp2_sizes_of(args.sizes));
  print(args.json ? json_text(steps_json(steps)) : steps_text(steps));
  return exit_done;
}

int run(arguments args) {
  complete(args);
  if (!args.sizes.empty()) return run_sizes(args);
  std::string failure;
  try {
    print(args.precision == "double" ? run_in<double>(args) : run_in<float>(args));
    return exit_done;
  } catch (const io_error& e) {
    failure = e.what();
  } catch (const error& e) {
    failure = fmt::format("{}: {}", args.folder, e.what());
  } catch (const std::bad_alloc&) {
    failure = fmt::format("{}: out of memory", args.folder);
  }
  complain(failure);
  if (args.json) {
    const json_value report{{"error", failure}};
    print(json_text(report));
  }
  return exit_bad_data;
}

void add_options(command& verb, arguments& args) {
  verb.add_option("--from", args.from,
                  "Integrals over molecular orbitals (b), or over atomic ones (ao)")
      .check(exactly_one_of({"b", "ao"}))
      .show_default();
  verb.add_option("--occupied", args.occupied,
                  "Of --from ao: how many orbitals are occupied, of each spin if they differ\n"
                  "[what manifest.json or the B files say]")
      .check({[](const std::string& text) {
        return occupation_of(text) ? std::string()
                                   : "must be whole numbers as in 5 or 5:4, got " + text;
      }})
      .type_name("N[:BETA]");
  verb.add_option("--frozen-core", args.frozen_core,
                  "So many of the lowest occupied orbitals are not correlated")
      .check(whole_number_from(0, 1u << 20))
      .show_default();
  verb.add_option("--precision", args.precision,
                  "Of the energies' integrals and quotients: float or double; with --machine\n"
                  "float, bf16, bf16_refined or split_bf16 [double, with --machine float]")
      .check(exactly_one_of({"float", "double", "bf16", "bf16_refined", "split_bf16"}));
  verb.add_option(
          "--machine", args.machine,
          "By this emulated accelerator, --from ao too: trainium1, trainium2, or a JSON file.\n"
          "Its times are modelled; the emulation is slower than the host")
      .check(not_empty());
  verb.add_option("--runtime", args.runtime,
                  "Its sdk_2_24, sdk_2_29, sdk_2_29_trn2, or a JSON file [sdk_2_24]")
      .check(not_empty());
  verb.add_flag(
      "--steps", args.steps,
      "With --machine: also where the time goes, unfused and fused, on the host and there");
  verb.add_option("--sizes", args.sizes, "The same without files, of a molecule of these sizes")
      .check({[](const std::string& text) {
        return mp2_sizes_of(text) ? std::string()
                                  : "must be NBFxNOCCxNVIRxNAUX as in 512x64x448x1536, got " + text;
      }})
      .type_name("NBFxNOCCxNVIRxNAUX");
  verb.add_option("--memory", args.memory,
                  "Gigabytes (10^9 bytes) of work memory at most, beside the arrays themselves")
      .check(number_from(1e-9, 1e6))
      .type_name("GB");
  verb.add_option("--threads", args.threads, "Of the host [one for each core]")
      .check(whole_number_from(1, 1024));
  verb.add_flag("--json", args.json, "Print JSON");
}

}  // namespace
}  // namespace mp2_verb

void add_mp2(program& app) {
  using namespace mp2_verb;
  auto args = std::make_shared<arguments>();
  command& verb =
      app.add_command("mp2", "Compute the MP2 correlation energy of a molecule by density fitting");
  verb.add_option("DIR", args->folder, "Folder with the molecule's NumPy files").check(not_empty());
  add_options(verb, *args);
  verb.footer(
      "Files: B_iaQ [nocc, nvir, naux] and eps, or Ba_iaQ, Bb_iaQ, eps_a and eps_b of two spins;\n"
      "of --from ao instead of B: AO_mnQ [nbf, nbf, naux] or AO_tril_Q (rows m >= n), metric_PQ\n"
      "and C [nbf, nmo], or C_a and C_b; all .npy. Energies are also compared with those that\n"
      "manifest.json has. Energies are in hartree if the files are in atomic units.");
  verb.example("papilio mp2 tests/chem/data/h2o_sto3g",
               "water, from the integrals in the repository");
  verb.run([args] { return run(*args); });
}

}  // namespace papilio::cli
