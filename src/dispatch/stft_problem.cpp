#include "papilio/dispatch/operation.hpp"

#include <algorithm>
#include <cmath>

#include "papilio/base/error.hpp"

namespace papilio {
namespace {

using base_detail::message;

double segment_flops(std::size_t channels, std::size_t segments, std::size_t n_fft) {
  const double n = static_cast<double>(n_fft);
  return static_cast<double>(channels) * static_cast<double>(segments) * 2.5 * n * std::log2(n);
}

std::string sound_text(std::size_t channels, std::size_t samples) {
  return message(channels == 1 ? "" : message(channels, " channels of "), samples, " samples");
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
  const bool is_mel = p.result == spectrum_form::mel;
  if (!is_mel && p.result != spectrum_form::decibel && !p.mel.empty())
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

std::size_t stft_problem::segments() const {
  if (adjoint) return inverted_segments;
  const std::size_t whole =
      checked_add(samples, centre ? 2 * (n_fft / 2) : 0, "stft_problem: samples");
  if (samples == 0 || hop == 0 || (whole < n_fft && !pad_end)) return 0;
  if (!pad_end) return 1 + (whole - n_fft) / hop;
  if (whole <= n_fft) return 1;
  const std::size_t steps = (whole - n_fft - 1) / hop + 1;
  return steps <= (whole - 1) / hop ? 1 + steps : steps;
}

void stft_problem::require_valid(const char* function) const {
  require_segments(function, n_fft, hop, window.size());
  require_bands(function, *this);
  if (adjoint && (result != spectrum_form::complex || padding != edge_padding::zero || pad_end ||
                  inverted_segments == 0))
    throw invalid_argument(message(
        function, ": the adjoint of an inverse must be complex, with zeros beyond the ends and no ",
        "pad_end, of at least one segment, got ", inverted_segments));
}

std::string stft_problem::text() const {
  return message(adjoint ? "istft_vjp of " : "stft of ", sound_text(channels, samples), ", n_fft ",
                 n_fft, ", hop ", hop);
}

operand_shapes stft_problem::shapes() const {
  return {
      {{{channels, samples}, false}},
      {{{channels, segments(), mel.empty() ? bins() : bands()}, result == spectrum_form::complex}}};
}

double stft_problem::nominal_flops() const { return segment_flops(channels, segments(), n_fft); }

void istft_problem::require_valid(const char* function) const {
  require_segments(function, n_fft, hop, window.size());
}

std::string istft_problem::text() const {
  return message("istft of ", segments, segments == 1 ? " segment" : " segments", " to ",
                 sound_text(channels, samples), ", n_fft ", n_fft, ", hop ", hop);
}

operand_shapes istft_problem::shapes() const {
  return {{{{channels, segments, bins()}, true}}, {{{channels, samples}, false}}};
}

double istft_problem::nominal_flops() const { return segment_flops(channels, segments, n_fft); }

}  // namespace papilio
