#include "papilio/dispatch/candidate.hpp"

#include "papilio/base/error.hpp"
#include "papilio/dispatch/accelerator.hpp"
#include "papilio/version.hpp"

namespace papilio {

accelerator::~accelerator() = default;
fft_executor::~fft_executor() = default;

namespace {

const fft_candidate& named(const char* function, const fft_problem& problem,
                           const std::string& name) {
  std::string known;
  for (const fft_candidate& candidate : fft_candidates()) {
    known.append(known.empty() ? "" : ", ").append(candidate.name);
    if (candidate.name != name) continue;
    if (const std::string why = candidate.refusal(problem); !why.empty())
      throw invalid_argument(base_detail::message(function, ": backend \"", name, "\" cannot do ",
                                                  to_string(problem), ": ", why));
    return candidate;
  }
  throw invalid_argument(base_detail::message(function, ": backend must be one of ", known,
                                              " in this build, got \"", name, "\""));
}

// The first, in the order of preference, that can do the problem on that side.
const fft_candidate* preferred(const fft_problem& problem, bool on_host) {
  for (const fft_candidate& candidate : fft_candidates())
    if (candidate.runs_on_host == on_host && candidate.refusal(problem).empty()) return &candidate;
  return nullptr;
}

const fft_candidate& host_candidate(const char* function, const fft_problem& problem) {
  const fft_candidate* const found = preferred(problem, true);
  if (found == nullptr)
    throw invalid_argument(
        base_detail::message(function, ": no backend on the host can do ", to_string(problem)));
  return *found;
}

}  // namespace

const fft_candidate& choose_fft(const char* function, const fft_problem& problem,
                                const execution& on, std::size_t lines) {
  require_valid(function, problem);
  if (on.threads < 0)
    throw invalid_argument(
        base_detail::message(function, ": threads must be at least 0, got ", on.threads));
  if (on.where == policy::device && on.on == nullptr)
    throw device_error(
        base_detail::message(function, ": policy::device needs an accelerator, got none"));
  if (!on.backend.empty()) {
    const fft_candidate& asked = named(function, problem, on.backend);
    if (on.where == policy::device && asked.runs_on_host)
      throw invalid_argument(base_detail::message(function, ": backend \"", on.backend,
                                                  "\" runs on the host, the policy is device"));
    if (on.where == policy::host && !asked.runs_on_host)
      throw invalid_argument(base_detail::message(function, ": backend \"", on.backend,
                                                  "\" runs on a device, the policy is host"));
    return asked;
  }
  if (on.where == policy::host || on.on == nullptr) return host_candidate(function, problem);
  const fft_candidate* const device = preferred(problem, false);
  if (on.where == policy::device) {
    if (device == nullptr)
      throw device_error(base_detail::message(function, ": no backend can do ", to_string(problem),
                                              " on the accelerator ", on.on->name()));
    return *device;
  }
  const fft_candidate& host = host_candidate(function, problem);
  if (device == nullptr) return host;
  return device->estimate(problem, lines).seconds < host.estimate(problem, lines).seconds ? *device
                                                                                          : host;
}

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const fft_candidate& candidate : fft_candidates()) names.emplace_back(candidate.name);
  return names;
}

std::string build_info() {
  std::string text = "papilio " PAPILIO_VERSION;
  for (const fft_candidate& candidate : fft_candidates())
    if (!candidate.version.empty())
      text.append(", ").append(candidate.name).append(" ").append(candidate.version);
  return text;
}

}  // namespace papilio
