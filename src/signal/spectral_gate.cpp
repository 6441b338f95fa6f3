#include "papilio/signal/spectral_gate.hpp"

#include <algorithm>
#include <cmath>

#include "papilio/base/overlap.hpp"

namespace papilio {
namespace {

constexpr std::size_t most_smoothing = 1 << 16;

void require_gate(bool good, const char* name, const char* bound, double value) {
  if (!good)
    throw invalid_argument(
        base_detail::message("spectral_gate: ", name, " must be ", bound, ", got ", value));
}

template <class T>
const spectral_gate_options& checked(std::span<const T> noise, const spectral_gate_options& o) {
  require_gate(!noise.empty(), "noise_power", "at least one bin", 0);
  for (const T n : noise)
    require_gate(n >= 0 && std::isfinite(n), "noise_power", "finite and at least 0",
                 static_cast<double>(n));
  require_gate(std::isfinite(o.threshold_db), "threshold_db", "finite", o.threshold_db);
  require_gate(o.reduction_db >= 0 && std::isfinite(o.reduction_db), "reduction_db",
               "finite and at least 0", o.reduction_db);
  require_gate(o.smoothing_bins <= most_smoothing, "smoothing_bins", "at most 65536",
               static_cast<double>(o.smoothing_bins));
  require_gate(o.smoothing_segments <= most_smoothing, "smoothing_segments", "at most 65536",
               static_cast<double>(o.smoothing_segments));
  return o;
}

// Weights at distances 0 ... half_width, as far as there is anything so far apart.
template <class T>
array<T, 1> triangle(std::size_t half_width, std::size_t most) {
  array<T, 1> weights(std::min(half_width + 1, most));
  for (std::size_t d = 0; d < weights.size(); ++d)
    weights[d] = static_cast<T>(1 - static_cast<double>(d) / static_cast<double>(half_width + 1));
  return weights;
}

template <class T>
T power_of(std::complex<T> x) {
  return x.real() * x.real() + x.imag() * x.imag();
}

}  // namespace

template <class T>
spectral_gate<T>::spectral_gate(std::span<const T> noise_power,
                                const spectral_gate_options& options)
    : options_(checked(noise_power, options)),
      threshold_(noise_power.size()),
      time_weights_(triangle<T>(options.smoothing_segments, most_smoothing + 1)),
      bin_weights_(triangle<T>(options.smoothing_bins, noise_power.size())),
      open_(noise_power.size()),
      openings_({2 * options.smoothing_segments + 1, noise_power.size()}),
      waiting_({options.smoothing_segments + 1, noise_power.size()}) {
  const double factor = std::pow(10, options.threshold_db / 10);
  for (std::size_t k = 0; k < bins(); ++k)
    threshold_[k] = static_cast<T>(factor * static_cast<double>(noise_power[k]));
}

template <class T>
void spectral_gate<T>::open_cells(std::span<const std::complex<T>> segment, std::span<T> opening) {
  for (std::size_t k = 0; k < bins(); ++k)
    open_[k] = power_of(segment[k]) >= threshold_[k] ? T(1) : T(0);
  for (std::size_t k = 0; k < bins(); ++k) {
    T sum = open_[k], weight = 1;
    for (std::size_t d = 1; d < bin_weights_.size(); ++d) {
      if (d <= k) sum += bin_weights_[d] * open_[k - d], weight += bin_weights_[d];
      if (k + d < bins()) sum += bin_weights_[d] * open_[k + d], weight += bin_weights_[d];
    }
    opening[k] = sum / weight;
  }
}

template <class T>
bool spectral_gate<T>::push(std::span<const std::complex<T>> segment,
                            std::span<std::complex<T>> out) {
  if (segment.size() != bins() || out.size() != bins())
    throw shape_error(base_detail::message("spectral_gate::push: segment and out must hold ",
                                           bins(), " bins, got ", segment.size(), " and ",
                                           out.size()));
  open_cells(segment, {&openings_(received_ % openings_.extent(0), 0), bins()});
  std::ranges::copy(segment, &waiting_(received_ % waiting_.extent(0), 0));
  ++received_;
  if (received_ - sent_ <= latency_segments()) return false;
  emit(out);
  return true;
}

template <class T>
bool spectral_gate<T>::finish(std::span<std::complex<T>> out) {
  if (out.size() != bins())
    throw shape_error(base_detail::message("spectral_gate::finish: out must hold ", bins(),
                                           " bins, got ", out.size()));
  if (sent_ == received_) {
    sent_ = received_ = 0;
    return false;
  }
  emit(out);
  return true;
}

template <class T>
void spectral_gate<T>::emit(std::span<std::complex<T>> out) {
  const std::uint64_t half = options_.smoothing_segments;
  const std::uint64_t first = sent_ - std::min(sent_, half);
  const std::uint64_t last = std::min(sent_ + half, received_ - 1);
  const auto weight_of = [&](std::uint64_t s) {
    return time_weights_[static_cast<std::size_t>(s < sent_ ? sent_ - s : s - sent_)];
  };
  std::span<T> sum = open_.flat();
  std::ranges::fill(sum, T(0));
  T weights = 0;
  for (std::uint64_t s = first; s <= last; ++s) {
    const T weight = weight_of(s);
    const T* const opening = &openings_(s % openings_.extent(0), 0);
    for (std::size_t k = 0; k < bins(); ++k) sum[k] += weight * opening[k];
    weights += weight;
  }
  const T scale = 2 / weights,
          octaves = static_cast<T>(-options_.reduction_db / 20 * std::log2(10.0));
  const T closed = std::exp2(octaves);
  const std::complex<T>* const from = &waiting_(sent_ % waiting_.extent(0), 0);
  for (std::size_t k = 0; k < bins(); ++k) {
    const T opening = std::min(T(1), scale * sum[k]);
    const T gain = opening == 0 ? closed : opening == 1 ? T(1) : std::exp2(octaves * (1 - opening));
    out[k] = {gain * from[k].real(), gain * from[k].imag()};
  }
  ++sent_;
}

template <class T>
void apply_spectral_gate(std::type_identity_t<view<const std::complex<T>, 2>> spectra,
                         std::type_identity_t<std::span<const T>> noise_power,
                         view<std::complex<T>, 2> out, const spectral_gate_options& options) {
  if (spectra.extents() != out.extents() || spectra.extent(1) != noise_power.size())
    throw shape_error(base_detail::message(
        "apply_spectral_gate: spectra and out must be segments x ", noise_power.size(), ", got ",
        spectra.extent(0), " x ", spectra.extent(1), " and ", out.extent(0), " x ", out.extent(1)));
  base_detail::require_distinct("apply_spectral_gate", out);
  const bool same = spectra.data() == out.data() && spectra.strides() == out.strides();
  if (!same && base_detail::reach(spectra).overlaps(base_detail::reach(out)))
    throw invalid_argument("apply_spectral_gate: out overlaps spectra and is not spectra");
  spectral_gate<T> gate(noise_power, options);
  array<std::complex<T>, 1> segment(gate.bins());
  std::size_t done = 0;
  const auto store = [&] {
    for (std::size_t k = 0; k < gate.bins(); ++k) out(done, k) = segment[k];
    ++done;
  };
  for (std::size_t s = 0; s < spectra.extent(0); ++s) {
    for (std::size_t k = 0; k < gate.bins(); ++k) segment[k] = spectra(s, k);
    if (gate.push(segment.flat(), segment.flat())) store();
  }
  while (gate.finish(segment.flat())) store();
}

template class spectral_gate<float>;
template class spectral_gate<double>;
template PAPILIO_API void apply_spectral_gate(view<const std::complex<float>, 2>,
                                              std::span<const float>, view<std::complex<float>, 2>,
                                              const spectral_gate_options&);
template PAPILIO_API void apply_spectral_gate(view<const std::complex<double>, 2>,
                                              std::span<const double>,
                                              view<std::complex<double>, 2>,
                                              const spectral_gate_options&);

}  // namespace papilio
