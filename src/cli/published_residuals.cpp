#include "cli/published_residuals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace papilio::cli::published_verb {

using namespace kernels::published;
using engine::runtime_spec;
using engine::sourced_value;
using engine::value_origin;

namespace {

const char* group_of(const table_row& row) {
  switch (row.kind) {
    case row_kind::fused_mp2:
      return "fused MP2";
    case row_kind::matmul:
    case row_kind::batched_matmul:
    case row_kind::gemm:
    case row_kind::gemm_slices:
      return "real GEMM";
    default:
      return "transforms and complex products";
  }
}

std::vector<runtime_spec> runtimes_of(const published_report& of,
                                      const std::optional<runtime_spec>& runtime) {
  if (runtime) return {*runtime};
  std::vector<runtime_spec> all;
  for (const auto& r : of.rows)
    if (std::ranges::find(all, r.runtime, &runtime_spec::name) == all.end())
      all.push_back(runtime_of(*r.row));
  return all;
}

constant_group host_terms(const published_host_terms& terms) {
  const auto fitted = [](const char* field, double value) {
    return sourced_value{field, fmt::format("{}", value), value_origin::fitted,
                         "rows of SDK 2.24 of the role fit"};
  };
  return {
      "host",
      {fitted("bit_reversal_us", terms.bit_reversal_us), fitted("chirp_us", terms.chirp_us),
       fitted("matrix_us", terms.matrix_us), fitted("stockham_stage_us", terms.stockham_stage_us)}};
}

}  // namespace

range_summary ranges_of(const std::vector<kernel_row>& kernels) {
  std::vector<double> widths;
  range_summary all;
  for (const kernel_row& r : kernels) {
    widths.push_back(r.range_width());
    all.holding += r.range_holds_published();
  }
  std::ranges::sort(widths);
  const std::size_t half = widths.size() / 2;
  if (!widths.empty())
    all.median_width =
        widths.size() % 2 != 0 ? widths[half] : (widths[half - 1] + widths[half]) / 2;
  return all;
}

std::vector<residual_group> residual_groups(const published_report& report) {
  std::vector<residual_group> groups;
  const auto add = [&](const std::string& name, const table_row& row, double residual,
                       double without_host) {
    auto at = std::ranges::find_if(groups, [&](const residual_group& g) {
      return g.name == name && g.sdk == row.sdk && g.role == row.role;
    });
    if (at == groups.end())
      at = groups.insert(
          groups.end(),
          {.name = name, .sdk = std::string(row.sdk), .role = row.role, .largest_row = {}});
    const double size = std::fabs(residual), without = std::fabs(without_host);
    ++at->rows;
    at->mean += size;
    at->mean_without_host += without;
    at->largest_without_host = std::max(at->largest_without_host, without);
    if (size > at->largest) {
      at->largest = size;
      at->largest_row = std::string(row.op) + " " + std::string(row.shape);
    }
  };
  for (const modelled_row& r : report.rows)
    add(std::string(r.row->system) + ", " + group_of(*r.row), *r.row, r.residual(),
        r.residual_without_host());
  for (const kernel_row& r : report.kernels)
    add("kernels alone", *r.row, r.residual(), r.residual());
  for (residual_group& g : groups) {
    g.mean /= g.rows;
    g.mean_without_host /= g.rows;
  }
  return groups;
}

std::vector<fused_mp2_gap> fused_mp2_gaps(const published_report& report,
                                          const engine::machine_spec& machine) {
  std::vector<fused_mp2_gap> gaps;
  for (const modelled_row& r : report.rows) {
    if (r.row->kind != row_kind::fused_mp2) continue;
    const auto& s = r.row->sizes;
    engine::device on(machine);
    const kernels::sized_kernel kernel = fused_mp2_kernel({.nocc = static_cast<std::size_t>(s[0]),
                                                           .nvir = static_cast<std::size_t>(s[1]),
                                                           .naux = static_cast<std::size_t>(s[2])},
                                                          machine);
    const engine::profile profile = kernels::prepared_kernel(on, kernel, engine::run_mode::dry_run)
                                        .launch({kernel.inputs.begin(), kernel.inputs.end()},
                                                {kernel.outputs.begin(), kernel.outputs.end()})
                                        .summary;
    double serial = 0;
    for (const char* engine :
         {"tensor_engine", "vector_engine", "scalar_engine", "gpsimd_engine", "dma"})
      serial += profile.value(std::string(engine) + "_active_time");
    const double gap = r.row->us - r.modelled_us();
    gaps.push_back({.row = &r,
                    .gap_us = gap,
                    .program_us = gap + r.run.device_seconds * 1e6,
                    .serial_us = serial * 1e6,
                    .pairs = double(s[0] * s[0])});
  }
  return gaps;
}

std::vector<constant_group> constants_of(const published_report& of,
                                         const engine::machine_spec& machine,
                                         const std::optional<runtime_spec>& runtime) {
  std::vector<constant_group> groups;
  for (const runtime_spec& r : runtimes_of(of, runtime)) groups.push_back({r.name, sources(r)});
  groups.push_back(host_terms(of.terms));
  groups.push_back({machine.name, sources(machine)});
  return groups;
}

}  // namespace papilio::cli::published_verb
