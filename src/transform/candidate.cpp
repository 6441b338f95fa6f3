#include "papilio/transform/candidate.hpp"

#include "papilio/base/error.hpp"
#include "papilio/dispatch/placement.hpp"
#include "papilio/version.hpp"
#include "transform/candidates.hpp"

namespace papilio {

std::span<const fft_candidate> fft_candidates() {
  static const std::vector<fft_candidate> all{
      transform_detail::host_fft(),
#ifdef PAPILIO_FFTW
      transform_detail::fftw_fft(),
#endif
  };
  return all;
}

fft_executor::~fft_executor() = default;

namespace {

using base_detail::message;

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
    require_known_backend(function, name, host_transforms());
    throw invalid_argument(
        message(function, ": backend \"", name, "\" runs on a device, the policy is host"));
  }
  if (const std::string why = asked->refusal(problem); !why.empty())
    throw invalid_argument(
        message(function, ": backend \"", name, "\" cannot do ", to_string(problem), ": ", why));
  return *asked;
}

}  // namespace

const fft_candidate& choose_fft(const char* function, const fft_problem& problem,
                                const execution& on) {
  problem.require_valid(function);
  if (problem.is_trigonometric() && !problem.is_line())
    throw invalid_argument(message(function, ": cosine and sine problems are lines, got ",
                                   problem.extents.size(), " axes"));
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

std::string build_info() {
  std::string text = "papilio " PAPILIO_VERSION;
  for (const fft_candidate& candidate : fft_candidates())
    if (!candidate.version.empty())
      text.append(", ").append(candidate.name).append(" ").append(candidate.version);
  return text;
}

}  // namespace papilio
