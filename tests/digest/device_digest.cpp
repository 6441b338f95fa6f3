#include <cstdio>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "digest/bit_hash.hpp"
#include "digest/device_runs.hpp"
#include "digest/digest_lines.hpp"
#include "digest/instruction_hash.hpp"
#include "engine/observer.hpp"
#include "papilio/engine.hpp"
#include "papilio/kernels.hpp"

namespace papilio::test {
namespace {

std::string nanoseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f", seconds * 1e9);
  return text;
}

// The bits of all tables as they are on the device, rounded to their type.
void add_tables(bit_hash& hash, const kernels::sized_kernel& sized) {
  for (const kernels::constant_table& table : sized.tables) {
    const auto count = std::size_t(table.shape.elements());
    std::vector<float> values(count);
    table.fill(values);
    std::vector<std::byte> bytes(std::size_t(table.shape.bytes()));
    engine::store_row(table.shape.type, values.data(), count, bytes.data(), 1);
    hash.add(to_string(table.shape.type));
    for (const std::int64_t extent : table.shape.extents) hash.add_number(extent);
    hash.add_bytes(bytes.data(), bytes.size());
  }
}

// Kernels that run one after the other, in dry runs.
struct program_digest {
  bit_hash instructions = {}, tables = {};
  double seconds = 0;

  void add(kernels::sized_kernel sized, const engine::machine_spec& machine) {
    add_tables(tables, sized);
    sized.program.body = [&, body = sized.program.body](engine::core& nc,
                                                        const engine::kernel_arguments& t) {
      instruction_hash issued(t);
      engine_detail::observe(
          nc, [&](const engine::instruction& i, int queue) { issued.add(i, queue); });
      body(nc, t);
      engine_detail::observe(nc, {});
      instructions.add(issued.value());
      instructions.add(issued.count());
    };
    const std::vector<engine::launch_input> inputs(sized.inputs.begin(), sized.inputs.end());
    const std::vector<engine::launch_output> outputs(sized.outputs.begin(), sized.outputs.end());
    engine::device device(machine, engine::sdk_2_24(), {.strict = false});
    seconds += kernels::prepared_kernel(device, sized, engine::run_mode::dry_run)
                   .launch(inputs, outputs)
                   .device_seconds;
  }
  std::string text() const {
    return to_text(instructions.value()) + ' ' + to_text(tables.value()) + ' ' +
           nanoseconds(seconds);
  }
};

void add_catalog(digest_lines& lines, const engine::machine_spec& machine) {
  std::set<std::string> kernels_run;
  std::map<std::string, std::string> digests_of_designs;
  for (const std::string& run : device_runs()) {
    std::istringstream words(run);
    std::string name;
    words >> name;
    std::vector<std::string> settings;
    for (std::string setting; words >> setting;) settings.push_back(setting);
    kernels_run.insert(name);
    program_digest program;
    std::string design;
    try {
      const kernels::sized_kernel sized =
          kernels::size_kernel(kernels::find_kernel(name), settings, machine);
      design = sized.design.key();
      program.add(sized, machine);
    } catch (const error& e) {
      throw std::runtime_error(run + ' ' + machine.name + ": " + e.what());
    }
    // All that decides instructions and tables is in the design.
    const auto [same, is_new] = digests_of_designs.try_emplace(design, program.text());
    if (!is_new && same->second != program.text())
      throw std::runtime_error(run + ": an equal design gave another program");
    if (!lines.try_emplace("device " + run + ' ' + machine.name, program.text()).second)
      throw std::runtime_error("device_runs.cpp lists twice: " + run);
  }
  for (const kernels::catalog_entry& entry : kernels::catalog())
    if (!kernels_run.contains(entry.name))
      throw std::runtime_error("device_runs.cpp has no run of kernel " + entry.name);
}

// Over several cores: what each distinct part issues, and the time of all with their links.
void add_split(digest_lines& lines, const std::string& run, const kernels::group_split& split,
               int cores, const engine::machine_spec& machine) {
  program_digest parts;
  for (const kernels::sized_kernel& part : split.kernels) parts.add(part, machine);
  engine::device_group group(machine, engine::sdk_2_24(), cores, {.strict = false});
  const kernels::prepared_split prepared(group, split, engine::run_mode::dry_run);
  prepared.run({split.inputs.begin(), split.inputs.end()},
               {split.outputs.begin(), split.outputs.end()});
  parts.seconds = kernels::times_of(group.report(), cores).seconds;
  lines["device " + run + ' ' + machine.name] = parts.text();
}

void add_groups(digest_lines& lines, const engine::machine_spec& machine) {
  for (const int cores : {1, 8}) {
    const std::string suffix = " cores=" + std::to_string(cores);
    add_split(lines, "split_fft n=1000 batch=37" + suffix,
              kernels::split_fft(
                  {.type = real_type::single_precision, .extents = {37, 1000}, .axes = {1}}, cores,
                  machine),
              cores, machine);
    add_split(lines, "split_stft channels=5 samples=4000" + suffix,
              kernels::split_stft(
                  {.channels = 5, .samples = 4000, .n_fft = 400, .hop = 160, .centre = false},
                  cores, machine),
              cores, machine);
    const auto add_time = [&](const std::string& kernel, const std::vector<std::string>& settings) {
      std::string run = "device " + kernel;
      for (const std::string& setting : settings) run += ' ' + setting;
      const kernels::group_times times = kernels::time_kernel(
          kernels::find_kernel(kernel), settings, cores, machine, engine::sdk_2_24());
      lines[run + suffix + ' ' + machine.name] = "- - " + nanoseconds(times.seconds);
    };
    add_time("fft", {"n=65536"});
    add_time("fft", {"n=1009", "batch=37"});
    add_time("mp2_energy", {"nocc=5", "nvir=19", "naux=72"});
    add_time("contraction", {"subscripts=ij,jk->ik", "sizes=100"});
  }
}

void add_masked_stft(digest_lines& lines, const engine::machine_spec& machine) {
  engine::device device(machine);
  const kernels::masked_stft denoise(device,
                                     {.channels = 2, .samples = 4000, .n_fft = 400, .hop = 100},
                                     true, engine::run_mode::dry_run);
  program_digest program;
  for (const kernels::prepared_kernel* part :
       {&denoise.forward(), &denoise.mask(), &denoise.inverse()})
    program.add(part->what(), machine);
  lines["device masked_stft channels=2 samples=4000 n_fft=400 hop=100 " + machine.name] =
      program.text();
}

}  // namespace

digest_lines device_digest() {
  digest_lines lines;
  for (const engine::machine_spec& machine : {engine::trainium1(), engine::trainium2()}) {
    add_catalog(lines, machine);
    add_groups(lines, machine);
    add_masked_stft(lines, machine);
  }
  return lines;
}

}  // namespace papilio::test
