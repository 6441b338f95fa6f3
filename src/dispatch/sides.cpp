#include "dispatch/sides.hpp"

#include <algorithm>
#include <cmath>

#include "papilio/base/error.hpp"

namespace papilio::dispatch_detail {

namespace {

using base_detail::message;

// Ranks, and boxes within both arrays.
void require_boxes(const char* function, const arrangement_problem& p) {
  const std::size_t rank = p.in_extents.size();
  if (p.out_extents.size() != rank)
    throw invalid_argument(message(function, ": an arrangement must have as many out_extents as ",
                                   "in_extents, ", rank, ", got ", p.out_extents.size()));
  for (const arrangement_problem::box& b : p.boxes) {
    if (b.from.size() != rank || b.to.size() != rank || b.extents.size() != rank)
      throw invalid_argument(
          message(function, ": a box of an arrangement must have ", rank, " axes"));
    for (std::size_t a = 0; a < rank; ++a)
      if (b.extents[a] > p.in_extents[a] || b.from[a] > p.in_extents[a] - b.extents[a] ||
          b.extents[a] > p.out_extents[a] || b.to[a] > p.out_extents[a] - b.extents[a])
        throw invalid_argument(message(function, ": a box of an arrangement, ", b.extents[a],
                                       " elements of axis ", a, ", leaves the array"));
  }
}

void require_segments(const char* function, std::size_t n_fft, std::size_t hop,
                      std::size_t weights) {
  if (n_fft < 1 || hop < 1)
    throw invalid_argument(
        message(function, ": n_fft and hop must be at least 1, got ", n_fft, " and ", hop));
  if (weights != 0 && weights != n_fft)
    throw invalid_argument(
        message(function, ": the window must have ", n_fft, " weights, got ", weights));
}

void require_bands(const char* function, const stft_problem& p) {
  const bool is_mel = p.result == stft_result::mel;
  if (!is_mel && p.result != stft_result::decibel && !p.mel.empty())
    throw invalid_argument(message(function, ": mel must be empty but for mel bands and decibel, ",
                                   "got ", p.mel.size(), " weights"));
  if (is_mel && p.mel.empty())
    throw invalid_argument(message(function, ": mel must have at least one band of ", p.bins(),
                                   " bins, got 0 weights"));
  if (p.mel.size() % p.bins() != 0)
    throw invalid_argument(message(function, ": mel must have whole bands of ", p.bins(),
                                   " bins, got ", p.mel.size(), " weights"));
  const auto bad = std::ranges::find_if(p.mel, [](float weight) { return !std::isfinite(weight); });
  if (bad == p.mel.end()) return;
  const auto at = static_cast<std::size_t>(bad - p.mel.begin());
  throw invalid_argument(message(function, ": mel must be finite, got ", *bad, " as weight ",
                                 at % p.bins(), " of band ", at / p.bins()));
}

}  // namespace

bool is_device_backend(const std::string& name) { return name == device_backend_name; }

void require_valid_operation(const char* function, const operation& what) {
  if (const auto* const moved = std::get_if<arrangement_problem>(&what))
    require_boxes(function, *moved);
  if (const auto* const stft = std::get_if<stft_problem>(&what)) {
    require_segments(function, stft->n_fft, stft->hop, stft->window.size());
    require_bands(function, *stft);
  }
  if (const auto* const istft = std::get_if<istft_problem>(&what))
    require_segments(function, istft->n_fft, istft->hop, istft->window.size());
  const auto* const fft = std::get_if<fft_problem>(&what);
  if (fft == nullptr) return;
  fft_problem p = *fft;
  if (p.trigonometric_type != 0 && p.axes.size() == 1 && p.axes[0] < p.extents.size()) {
    p.extents = {p.extents[p.axes[0]]};
    p.axes = {0};
  }
  require_valid(function, p);
}

host_side host_side_of(const operation& what, const execution& on, const host_row& row) {
  constexpr const char* host = "host";
  execution of_host = on;
  if (is_device_backend(on.backend)) of_host.backend.clear();
  host_side side;
  try {
    side.estimate = estimate_on_host(what, of_host, row);
    if (on.precision != precision_options{})
      require_host_precision(host, on.precision, side.estimate.relative_error);
  } catch (const error& e) {
    side.refusal = e.what();
    // A report names the side itself.
    if (const std::string named = message(host, ": "); side.refusal.starts_with(named))
      side.refusal.erase(0, named.size());
  }
  return side;
}

std::string device_refusal(const operation& what, const execution& how, const accelerator& on) {
  try {
    return backend_of("place", on).refusal(what, how.precision, on);
  } catch (const resource_error& e) {
    return e.what();
  }
}

device_side device_side_of(const operation& what, const execution& how, const accelerator& on) {
  device_side side{.refusal = device_refusal(what, how, on)};
  if (!side.refusal.empty()) return side;
  try {
    side.estimate = backend_of("place", on).estimate(what, how.precision, on);
  } catch (const error& e) {
    side.refusal = e.what();
  }
  return side;
}

}  // namespace papilio::dispatch_detail
