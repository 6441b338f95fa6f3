#include "cli/published_report.hpp"

#include <algorithm>
#include <cmath>

namespace papilio::cli {

using namespace kernels::published;

namespace {

const char* group_of(const table_row& row) {
  switch (row.kind) {
    case row_kind::fused_mp2:
      return "fused MP2";
    case row_kind::matmul:
    case row_kind::batched_matmul:
      return "real GEMM";
    default:
      return "transforms and complex products";
  }
}

}  // namespace

std::vector<residual_group> residual_groups(const published_report& report) {
  std::vector<residual_group> groups;
  for (const modelled_row& r : report.rows) {
    const std::string name = std::string(r.row->system) + ", " + group_of(*r.row);
    auto at = std::ranges::find_if(
        groups, [&](const residual_group& g) { return g.name == name && g.sdk == r.row->sdk; });
    if (at == groups.end())
      at = groups.insert(groups.end(),
                         {.name = name, .sdk = std::string(r.row->sdk), .largest_row = {}});
    const double size = std::fabs(r.residual()), without = std::fabs(r.residual_without_host());
    ++at->rows;
    at->mean += size;
    at->mean_without_host += without;
    at->largest_without_host = std::max(at->largest_without_host, without);
    if (size > at->largest) {
      at->largest = size;
      at->largest_row = std::string(r.row->op) + " " + std::string(r.row->shape);
    }
  }
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
    const kernels::sized_kernel kernel = fused_mp2_kernel(
        {.nocc = std::size_t(s[0]), .nvir = std::size_t(s[1]), .naux = std::size_t(s[2])}, machine);
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

namespace {

json_value or_null(const std::optional<double>& value) {
  return value ? json_value(*value) : json_value();
}

const char* status_of(row_place where) {
  switch (where) {
    case row_place::device:
      return "device";
    case row_place::partly:
      return "partly";
    case row_place::host:
    case row_place::host_as_device:
      return "host";
    case row_place::retracted:
      break;
  }
  return "retracted";
}

json_value facts_json(const table_row& row) {
  return {{"op", row.op},
          {"shape", row.shape},
          {"system", row.system},
          {"version", row.version},
          {"sdk", row.sdk},
          {"precision", row.precision},
          {"path", row.path},
          {"source", row.source},
          {"status", status_of(row.where)},
          {"note", row.note},
          {"published_us", row.us},
          {"host_us", or_null(published_host_us(row))}};
}

json_value parts_json(const published_run& run) {
  return {{"launches", run.launches},
          {"launch_us", run.launch_seconds * 1e6},
          {"uploads", run.upload.tensors},
          {"upload_bytes", run.upload.bytes},
          {"upload_us", run.upload.seconds * 1e6},
          {"fetches", run.fetch.tensors},
          {"fetch_bytes", run.fetch.bytes},
          {"fetch_us", run.fetch.seconds * 1e6},
          {"device_us", run.device_seconds * 1e6}};
}

json_value modelled_json(const modelled_row& r) {
  json_value json = facts_json(*r.row);
  json["runtime"] = r.runtime;
  json["modelled_us"] = r.modelled_us();
  json["residual"] = r.residual();
  json["modelled_without_host_us"] = r.without_host_us();
  json["residual_without_host"] = r.residual_without_host();
  json["parts"] = parts_json(r.run);
  json["host_parts"] = {{"bit_reversal_us", r.host.bit_reversal_us}, {"chirp_us", r.host.chirp_us}};
  json["ours_us"] = r.ours ? json_value(r.ours->total_seconds() * 1e6) : nullptr;
  json["ours_device_us"] = r.ours ? json_value(r.ours->device_seconds * 1e6) : nullptr;
  json["speedup"] = or_null(r.speedup());
  return json;
}

// The same keys, without a model.
json_value unmodelled_json(const published_report& report, const table_row& row) {
  json_value json = facts_json(row);
  for (const char* key :
       {"runtime", "modelled_us", "residual", "modelled_without_host_us", "residual_without_host",
        "parts", "host_parts", "ours_us", "ours_device_us", "speedup", "measured_host_us"})
    json[key] = nullptr;
  const auto step = std::ranges::find(report.steps, &row, &step_row::row);
  if (step == report.steps.end()) return json;
  json["ours_us"] = step->ours.total_seconds() * 1e6;
  json["ours_device_us"] = step->ours.device_seconds * 1e6;
  json["speedup"] = row.us / (step->ours.total_seconds() * 1e6);
  return json;
}

json_value groups_json(const published_report& report) {
  json_value groups = json_value::array();
  for (const residual_group& g : residual_groups(report))
    groups.push_back({{"group", g.name},
                      {"sdk", g.sdk},
                      {"rows", g.rows},
                      {"mean_residual", g.mean},
                      {"largest_residual", g.largest},
                      {"largest_row", g.largest_row},
                      {"mean_residual_without_host", g.mean_without_host},
                      {"largest_residual_without_host", g.largest_without_host}});
  return groups;
}

}  // namespace

json_value published_json(const published_report& report, const std::vector<fused_mp2_gap>& gaps) {
  json_value rows = json_value::array(), hosts = rows, mp2 = rows;
  std::size_t at = 0;
  for (const table_row& row : table()) {
    if (row.where == row_place::host) {
      hosts.push_back(facts_json(row));
      continue;
    }
    if (row.where != row_place::device) {
      rows.push_back(unmodelled_json(report, row));
      continue;
    }
    rows.push_back(modelled_json(report.rows[at]));
    rows.back()["measured_host_us"] = report.measured ? json_value(report.hosts[at]) : nullptr;
    ++at;
  }
  for (const fused_mp2_gap& g : gaps)
    mp2.push_back({{"shape", g.row->row->shape},
                   {"gap_us", g.gap_us},
                   {"program_needed_us", g.program_us},
                   {"program_modelled_us", g.row->run.device_seconds * 1e6},
                   {"engines_one_after_the_other_us", g.serial_us},
                   {"pairs", g.pairs}});
  return {
      {"machine", report.machine},
      {"runtime", report.runtime.empty() ? json_value() : json_value(report.runtime)},
      {"host_terms",
       {{"bit_reversal_us", report.terms.bit_reversal_us}, {"chirp_us", report.terms.chirp_us}}},
      {"rows", rows},
      {"host_rows", hosts},
      {"summary", groups_json(report)},
      {"fused_mp2", mp2}};
}

}  // namespace papilio::cli
