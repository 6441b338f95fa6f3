#include "cli/published_json.hpp"

#include <algorithm>
#include <functional>

namespace papilio::cli::published_verb {

using namespace kernels::published;
using engine::sourced_value;

const char* role_name(row_role role) { return role == row_role::fit ? "fit" : "test"; }

namespace {

const char* status_of(row_place where) {
  switch (where) {
    case row_place::device:
      return "device";
    case row_place::kernel:
      return "kernel";
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
  return json_object("op", row.op, "shape", row.shape, "system", row.system, "version", row.version,
                     "sdk", row.sdk, "precision", row.precision, "path", row.path, "source",
                     row.source, "status", status_of(row.where), "role",
                     row.role == row_role::none ? json_value() : json_value(role_name(row.role)),
                     "note", row.note, "published_us", row.us, "host_us", published_host_us(row));
}

json_value parts_json(const published_run& run) {
  return json_object("launches", run.launches, "launch_us", run.launch_seconds * 1e6, "uploads",
                     run.upload.tensors, "upload_bytes", run.upload.bytes, "upload_us",
                     run.upload.seconds * 1e6, "fetches", run.fetch.tensors, "fetch_bytes",
                     run.fetch.bytes, "fetch_us", run.fetch.seconds * 1e6, "device_us",
                     run.device_seconds * 1e6);
}

/// Times of the published program's own host work, or of a unit of it.
json_value host_json(const auto& terms) {
  return json_object("bit_reversal_us", terms.bit_reversal_us, "chirp_us", terms.chirp_us,
                     "matrix_us", terms.matrix_us, "stockham_stage_us", terms.stockham_stage_us);
}

/// Null where there is no model of the row, and where no kernel of ours.
json_value row_json(const table_row& row, const modelled_row* modelled,
                    const engine::launch_result* ours) {
  const auto known = [&](auto member) {
    return modelled == nullptr ? json_value() : json_value(std::invoke(member, *modelled));
  };
  json_value json = facts_json(row);
  json.add("runtime", known(&modelled_row::runtime), "modelled_us",
           known(&modelled_row::modelled_us), "residual", known(&modelled_row::residual),
           "modelled_without_host_us", known(&modelled_row::without_host_us),
           "residual_without_host", known(&modelled_row::residual_without_host), "parts", nullptr,
           "host_parts", nullptr, "ours_us", nullptr, "ours_device_us", nullptr, "speedup", nullptr,
           "measured_host_us", nullptr);
  if (modelled != nullptr)
    json.add("parts", parts_json(modelled->run), "host_parts", host_json(modelled->host));
  if (ours == nullptr) return json;
  const double us = ours->total_seconds() * 1e6;
  return json.add("ours_us", us, "ours_device_us", ours->device_seconds * 1e6, "speedup",
                  row.us / us);
}

json_value kernel_json(const kernel_row& r) {
  json_value json = facts_json(*r.row);
  const published_profile& p = r.row->profile;
  const auto known = [](auto value) { return value > 0 ? json_value(value) : json_value(); };
  const auto modelled = [&](const char* field) { return r.profile.value(field); };
  json.add("kernel", r.row->kernel, "modelled_us", r.seconds * 1e6, "residual", r.residual(),
           "published_vector_active", known(p.vector), "vector_active",
           modelled("vector_engine_active_time_percent"), "published_scalar_active",
           known(p.scalar), "scalar_active", modelled("scalar_engine_active_time_percent"),
           "published_hbm_read_bytes", known(p.hbm_read_bytes), "hbm_read_bytes",
           modelled("hbm_read_bytes"), "published_hbm_write_bytes", known(p.hbm_write_bytes),
           "hbm_write_bytes", modelled("hbm_write_bytes"), "spills", p.spills);
  if (r.range)
    json.add("low_us", r.range->low_seconds * 1e6, "high_us", r.range->high_seconds * 1e6);
  return json;
}

json_value json_of(const constant_group& group) {
  json_value all = json_value::object();
  for (const sourced_value& c : group.constants)
    all.add(c.field,
            json_object("value", c.value, "origin", to_string(c.origin), "source", c.source));
  return all;
}

}  // namespace

void add_rows(report& made, const published_report& of) {
  json_value rows = json_value::array(), hosts = rows, kernels = rows;
  for (const kernel_row& r : of.kernels) kernels.push_back(kernel_json(r));
  std::size_t at = 0;
  for (const table_row& row : table()) {
    if (row.where == row_place::kernel) continue;
    if (row.where == row_place::host) {
      hosts.push_back(facts_json(row));
    } else if (row.where == row_place::device) {
      const modelled_row& r = of.rows[at];
      rows.push_back(row_json(row, &r, r.ours ? &*r.ours : nullptr));
      if (of.measured) rows.back().add("measured_host_us", of.hosts[at]);
      ++at;
    } else {
      const auto step = std::ranges::find(of.steps, &row, &step_row::row);
      rows.push_back(row_json(row, nullptr, step == of.steps.end() ? nullptr : &step->ours));
    }
  }
  made.fields("machine", of.machine, "runtime",
              of.runtime.empty() ? json_value() : json_value(of.runtime), "host_terms",
              host_json(of.terms), "rows", rows, "kernel_rows", kernels, "host_rows", hosts);
}

json_value json_of(const std::vector<constant_group>& groups) {
  json_value json = json_value::object();
  for (const constant_group& group : groups) json.add(group.name, json_of(group));
  return json;
}

}  // namespace papilio::cli::published_verb
