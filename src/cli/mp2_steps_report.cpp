#include "cli/mp2_steps_report.hpp"

#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "cli/validators.hpp"

namespace papilio::cli {

using namespace calibration;

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

}  // namespace

std::optional<mp2_sizes> mp2_sizes_of(const std::string& text) {
  constexpr std::int64_t most = std::int64_t{1} << 20;
  const std::vector<std::string> words = split_words(text, 'x');
  mp2_sizes sizes;
  std::int64_t* const all[] = {&sizes.nbf, &sizes.nocc, &sizes.nvir, &sizes.naux};
  if (words.size() != std::size(all)) return std::nullopt;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto size = read_number<std::int64_t>(words[i]);
    if (!size || *size < 1 || *size > most) return std::nullopt;
    *all[i] = *size;
  }
  return sizes;
}

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

}  // namespace papilio::cli
