#include "papilio/engine/profile.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace papilio::engine {

const char* to_string(program_state state) {
  switch (state) {
    case program_state::compiled:
      return "compiled";
    case program_state::loaded:
      return "loaded";
    case program_state::assumed_warm:
      return "assumed warm";
    case program_state::hit:
      return "hit";
  }
  return "";
}

void copy_record::add(const copy_record& other) {
  tensors += other.tensors;
  bytes += other.bytes;
  seconds += other.seconds;
}

namespace {

/// Calls count(name, integer) and time(name, seconds) for what a record holds, in order.
template <class Count, class Time>
void visit(const device_record& r, const Count& count, const Time& time) {
  count("launches", r.launches);
  count("programs_compiled", r.compiles);
  count("programs_loaded", r.loads);
  count("program_hits", r.hits);
  count("uploads", r.upload.tensors);
  count("uploaded_bytes", r.upload.bytes);
  count("fetches", r.fetch.tensors);
  count("fetched_bytes", r.fetch.bytes);
  time("compile_seconds", r.compile_seconds);
  time("launch_seconds", r.launch_seconds);
  time("upload_seconds", r.upload.seconds);
  time("device_seconds", r.device_seconds);
  time("fetch_seconds", r.fetch.seconds);
  if (r.asynchronous_seconds > 0) time("asynchronous_seconds", r.asynchronous_seconds);
  time("total_seconds", r.total_seconds());
  time("pending_seconds", r.pending_seconds);
  time("wall_seconds", r.wall_seconds);
}

}  // namespace

std::string device_record::to_text() const {
  std::string text;
  visit(
      *this,
      [&](const char* name, std::uint64_t n) { text += fmt::format("{:<18} {:>14}\n", name, n); },
      [&](const char* name, double s) { text += fmt::format("{:<18} {:>14.9f}\n", name, s); });
  return text;
}

std::string device_record::to_json() const {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  const auto keep = [&](const char* name, auto value) { object[name] = value; };
  visit(*this, keep, keep);
  return object.dump(2) + "\n";
}

}  // namespace papilio::engine
