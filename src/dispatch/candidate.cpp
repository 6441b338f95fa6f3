#include "papilio/dispatch/candidate.hpp"

#include "papilio/base/error.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/placement.hpp"
#include "papilio/version.hpp"

namespace papilio {

fft_executor::~fft_executor() = default;

namespace {

using base_detail::message;

std::string known_names() {
  std::string known;
  for (const std::string& name : backend_names())
    known.append(known.empty() ? "" : ", ").append(name);
  return known;
}

const fft_candidate* named(const std::string& name) {
  for (const fft_candidate& candidate : fft_candidates())
    if (candidate.name == name) return &candidate;
  return nullptr;
}

// The first, in the order of preference, that can do the problem.
const fft_candidate& preferred(const char* function, const fft_problem& problem) {
  for (const fft_candidate& candidate : fft_candidates())
    if (candidate.refusal(problem).empty()) return candidate;
  throw invalid_argument(message(function, ": no backend on the host can do ", to_string(problem)));
}

const fft_candidate& asked_for(const char* function, const fft_problem& problem,
                               const std::string& name) {
  const fft_candidate* const asked = named(name);
  if (asked == nullptr) {
    require_known_backend(function, name);
    throw invalid_argument(
        message(function, ": backend \"", name, "\" runs on a device, the policy is host"));
  }
  if (const std::string why = asked->refusal(problem); !why.empty())
    throw invalid_argument(
        message(function, ": backend \"", name, "\" cannot do ", to_string(problem), ": ", why));
  return *asked;
}

}  // namespace

void require_known_backend(const char* function, const std::string& name) {
  for (const std::string& known : backend_names())
    if (known == name) return;
  throw invalid_argument(message(function, ": backend must be one of ", known_names(),
                                 " in this build, got \"", name, "\""));
}

const fft_candidate& choose_fft(const char* function, const fft_problem& problem,
                                const execution& on) {
  require_valid(function, problem);
  if (on.threads < 0)
    throw invalid_argument(message(function, ": threads must be at least 0, got ", on.threads));
  const fft_candidate& chosen =
      on.backend.empty() ? preferred(function, problem) : asked_for(function, problem, on.backend);
  if (on.precision != precision_options{})
    require_host_precision(
        function, on.precision,
        on.precision.target_error > 0 ? chosen.estimate(problem, 1).relative_error : 0);
  return chosen;
}

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const fft_candidate& candidate : fft_candidates()) names.emplace_back(candidate.name);
  for (const device_backend& backend : device_backends()) names.emplace_back(backend.name);
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
