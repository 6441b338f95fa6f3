#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "papilio/engine/device_group.hpp"

namespace papilio::engine {
namespace {

const char* name_of(phase_kind kind) {
  return kind == phase_kind::compute ? "compute" : "communication";
}

}  // namespace

double group_report::seconds() const {
  double total = 0;
  for (const group_phase& p : phases) total += p.seconds();
  return total;
}

double group_report::seconds(phase_kind kind) const {
  double total = 0;
  for (const group_phase& p : phases)
    if (p.kind == kind) total += p.seconds();
  return total;
}

double group_report::share(phase_kind kind) const {
  const double all = seconds();
  return all > 0 ? seconds(kind) / all : 0;
}

std::string group_report::to_text() const {
  std::string text =
      fmt::format("{:<24} {:<14} {:>14} {:>8}\n", "phase", "kind", "seconds", "share");
  const double all = seconds();
  const auto line = [&](const std::string& name, const char* kind, double s) {
    text += fmt::format("{:<24} {:<14} {:>14.9f} {:>7.2f}%\n", name, kind, s,
                        all > 0 ? 100 * s / all : 0);
  };
  for (const group_phase& p : phases) line(p.name, name_of(p.kind), p.seconds());
  for (const phase_kind kind : {phase_kind::compute, phase_kind::communication})
    line("all", name_of(kind), seconds(kind));
  return text;
}

std::string group_report::to_json() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const group_phase& p : phases)
    list.push_back({{"name", p.name},
                    {"kind", name_of(p.kind)},
                    {"seconds", p.seconds()},
                    {"compile_seconds", p.compile_seconds},
                    {"launch_seconds", p.launch_seconds},
                    {"upload_seconds", p.upload.seconds},
                    {"device_seconds", p.device_seconds},
                    {"fetch_seconds", p.fetch.seconds},
                    {"link_seconds", p.link_seconds},
                    {"link_bytes", p.link_bytes}});
  nlohmann::ordered_json object = {{"seconds", seconds()},
                                   {"compute_seconds", seconds(phase_kind::compute)},
                                   {"communication_seconds", seconds(phase_kind::communication)},
                                   {"phases", std::move(list)}};
  return object.dump(2) + "\n";
}

}  // namespace papilio::engine
