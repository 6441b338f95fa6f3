#include "papilio/dispatch/device_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace papilio {
namespace {

// The last run of this thread. A host run keeps what its description is made from, since few ask
// for it.
struct last {
  run_record record = {};
  const char* backend = nullptr;
  std::shared_ptr<const void> what = {};
  std::string (*operation)(const void*) = nullptr;
  std::string (*recipe)(const void*) = nullptr;
};

last& of_this_thread() {
  thread_local last l;
  return l;
}

}  // namespace

namespace dispatch_detail {

void record_host_run(const char* backend, std::shared_ptr<const void> what,
                     std::string (*operation)(const void*), std::string (*recipe)(const void*)) {
  last& l = of_this_thread();
  l.backend = backend;
  l.what = std::move(what);
  l.operation = operation;
  l.recipe = recipe;
}

void record_host_run(const char* operation) {
  if (is_last_host_run(operation)) return;
  record_host_run(
      "host", {std::shared_ptr<const void>(), operation},
      [](const void* name) { return std::string(static_cast<const char*>(name)); }, nullptr);
}

bool is_last_host_run(const void* what) {
  const last& l = of_this_thread();
  return l.backend != nullptr && l.what.get() == what;
}

void record_run(run_record record) { of_this_thread() = {.record = std::move(record)}; }

}  // namespace dispatch_detail

run_record last_run() {
  const last& l = of_this_thread();
  if (l.backend == nullptr) return l.record;
  run_record r;
  r.backend = l.backend;
  if (l.operation != nullptr) r.operation = l.operation(l.what.get());
  if (l.recipe != nullptr) r.recipe = l.recipe(l.what.get());
  return r;
}

run_record recorded(function_ref<void()> work) {
  struct put_back {
    last before = std::exchange(of_this_thread(), {});
    ~put_back() { of_this_thread() = std::move(before); }
  } const outside;
  work();
  return last_run();
}

void run_record::add(const run_record& later) {
  launches += later.launches;
  uploads += later.uploads;
  fetches += later.fetches;
  upload_bytes += later.upload_bytes;
  fetch_bytes += later.fetch_bytes;
  launch_seconds += later.launch_seconds;
  upload_seconds += later.upload_seconds;
  device_seconds += later.device_seconds;
  link_seconds += later.link_seconds;
  fetch_seconds += later.fetch_seconds;
  compile_seconds += later.compile_seconds;
  asynchronous = asynchronous || later.asynchronous;
  asynchronous_seconds += later.asynchronous_seconds;
  wall_seconds += later.wall_seconds;
  for (const run_step& step : later.steps) {
    const auto known = std::ranges::find(steps, step.name, &run_step::name);
    if (known == steps.end())
      steps.push_back(step);
    else
      known->device_seconds += step.device_seconds;
  }
}

std::string run_record::to_text() const {
  if (backend.empty()) return "nothing has run\n";
  std::string text =
      fmt::format("{} on {}{}{}\n", operation, backend, machine.empty() ? "" : " (" + machine + ")",
                  captured ? ", captured" : "");
  if (!recipe.empty()) text += recipe + (recipe.ends_with('\n') ? "" : "\n");
  if (machine.empty()) return text;
  const auto line = [&](const char* what, std::size_t count, double bytes, double seconds) {
    text += fmt::format("  {:<8} {:>6} {:>14.0f} bytes {:>14.9f} s\n", what, count, bytes, seconds);
  };
  line("upload", uploads, upload_bytes, upload_seconds);
  line("launch", launches, 0, launch_seconds);
  if (compile_seconds > 0) line("compile", 0, 0, compile_seconds);
  line("device", launches, 0, device_seconds);
  if (link_seconds > 0) line("links", 0, 0, link_seconds);
  line("fetch", fetches, fetch_bytes, fetch_seconds);
  text += fmt::format("  modelled {:.9f} s; emulated in {:.3f} s of wall time\n", seconds(),
                      wall_seconds);
  if (asynchronous)
    text += fmt::format("  asynchronous: {:.9f} s of the host's clock\n", asynchronous_seconds);
  return text;
}

}  // namespace papilio
