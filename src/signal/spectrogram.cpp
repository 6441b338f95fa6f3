#include "papilio/signal/spectrogram.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "papilio/base/overlap.hpp"
#include "papilio/dispatch/placement.hpp"
#include "signal/placed_run.hpp"
#include "signal/plan_parts.hpp"
#include "signal/wide_spectrum.hpp"

namespace papilio {

using base_detail::message;

namespace {

constexpr const char* spectrogram_name = "spectrogram";

template <class T>
bool of_amplitudes(const spectrogram_options<T>& o) {
  return o.decibel && o.decibel->quantity == decibel_of::amplitude;
}

template <class T>
std::size_t columns(const stft_plan<T>& plan, const spectrogram_options<T>& o) {
  return o.mel != nullptr ? o.mel->bands() : plan.bins();
}

template <class T>
void require_options(const stft_plan<T>& plan, const spectrogram_options<T>& o) {
  if (o.decibel) {
    T one = 1;  // to_decibel checks the options
    to_decibel<T>({&one, 1}, {&one, 1}, *o.decibel);
  }
  if (o.mel == nullptr) return;
  if (plan.options().sides == stft_sides::two)
    throw invalid_argument("spectrogram: mel bands need one-sided spectra, the plan's are two");
  if (of_amplitudes(o))
    throw invalid_argument("spectrogram: levels of mel bands must be of powers, got amplitudes");
  if (o.mel->bins() != plan.bins())
    throw shape_error(
        message(spectrogram_name, ": mel must weigh ", plan.bins(), " bins, got ", o.mel->bins()));
}

template <class T>
void require_fit(const stft_plan<T>& plan, view<const T, 2> signals, view<T, 3> out,
                 const spectrogram_options<T>& o) {
  const std::uint64_t segments = plan.segments(signals.extent(1));
  if (out.extent(0) != signals.extent(0) || out.extent(1) != segments ||
      out.extent(2) != columns(plan, o))
    throw shape_error(message(spectrogram_name, ": out must be ", signals.extent(0), " x ",
                              segments, " x ", columns(plan, o), ", got ", out.extent(0), " x ",
                              out.extent(1), " x ", out.extent(2)));
  base_detail::require_distinct(spectrogram_name, out);
  if (base_detail::reach(signals).overlaps(base_detail::reach(out)))
    throw invalid_argument("spectrogram: out overlaps the signals");
}

// Levels are 10 log10(max(floor, power)) - 10 log10(reference), with both numbers as powers.
struct power_levels {
  double floor, reference;
};
power_levels levels_of(const decibel_options& o) {
  const bool amplitude = o.quantity == decibel_of::amplitude;
  const double floor = o.floor.value_or(amplitude ? 1e-5 : 1e-10);
  const double reference = std::max(floor, o.reference.value_or(1));
  return amplitude ? power_levels{floor * floor, reference * reference}
                   : power_levels{floor, reference};
}

// Returns the reason why no kernel gives such levels; it is empty where one may.
std::string refusal_of(const decibel_options& o) {
  if (o.top_db) return "it has no kernel of levels with a top_db";
  if (!o.reference) return "it has no kernel of levels relative to the largest value";
  const power_levels l = levels_of(o);
  const double floor = l.floor / l.reference;
  if (!(floor >= 0x1p-126 && floor <= 0x1p126))
    return "the floor of its kernel is a power of 2^-126 ... 2^126";
  return {};
}

// Returns the problem of signals of `samples` samples, with the levels' reference divided into the
// window.
template <class T>
stft_problem problem_of(const stft_plan<T>& plan, const spectrogram_options<T>& o,
                        std::size_t channels, std::size_t samples) {
  const auto& transform = *signal_detail::plan_parts<T>::transform(plan);
  stft_problem p = signal_detail::problem_of(transform, channels, samples, spectrum_form::power);
  if constexpr (std::is_same_v<T, float>) {
    if (o.mel != nullptr) {
      const array<float, 2> weights = o.mel->dense();
      p.mel.assign(weights.begin(), weights.end());
      p.result = spectrum_form::mel;
    }
    if (o.decibel) {
      const power_levels l = levels_of(*o.decibel);
      p.result = spectrum_form::decibel;
      p.floor = static_cast<float>(l.floor / l.reference);
      for (float& w : p.window)
        w = static_cast<float>(static_cast<double>(w) / std::sqrt(l.reference));
    }
  }
  return p;
}

template <class T>
void copy(view<const T, 3> from, view<T, 3> to) {
  for (std::size_t c = 0; c < to.extent(0); ++c)
    for (std::size_t s = 0; s < to.extent(1); ++s)
      for (std::size_t k = 0; k < to.extent(2); ++k) to(c, s, k) = from(c, s, k);
}

// Whether levels are of powers that floats do not hold.
bool leave_float(const stft_plan<float>& plan, view<const float, 2> signals,
                 const spectrogram_options<float>& o) {
  if (!o.decibel) return false;
  constexpr double least_power = 1e-30;  // with room for the squares below
  return levels_of(*o.decibel).floor < least_power ||
         signal_detail::any_beyond(signals, signal_detail::largest_safe_sample(plan));
}

// Computes the levels of such powers in double.
void run_in_double(const stft_plan<float>& plan, view<const float, 2> signals, view<float, 3> out,
                   const spectrogram_options<float>& o, int threads) {
  array<double, 2> wide(signals.extents());
  for (std::size_t c = 0; c < wide.extent(0); ++c)
    for (std::size_t i = 0; i < wide.extent(1); ++i) wide(c, i) = signals(c, i);
  const stft_plan<double> in_double = signal_detail::in_double(plan);
  array<double, 3> values({out.extent(0), out.extent(1), plan.bins()}, uninitialized);
  if (of_amplitudes(o))
    in_double.execute_magnitude(wide.view(), values.view(), threads);
  else
    in_double.execute_power(wide.view(), values.view(), threads);
  if (o.mel != nullptr) {
    array<double, 3> bands(out.extents());
    for (std::size_t c = 0; c < bands.extent(0); ++c)
      for (std::size_t s = 0; s < bands.extent(1); ++s)
        for (std::size_t band = 0; band < bands.extent(2); ++band) {
          const std::span<const float> weights = o.mel->weights(band);
          for (std::size_t k = 0; k < weights.size(); ++k)
            bands(c, s, band) +=
                static_cast<double>(weights[k]) * values(c, s, o.mel->first_bin(band) + k);
        }
    values = std::move(bands);
  }
  to_decibel<double>(values.flat(), values.flat(), *o.decibel);
  for (std::size_t c = 0; c < out.extent(0); ++c)
    for (std::size_t s = 0; s < out.extent(1); ++s)
      for (std::size_t k = 0; k < out.extent(2); ++k)
        out(c, s, k) = static_cast<float>(values(c, s, k));
}

template <class T>
void run_on_host(const stft_plan<T>& plan, view<const T, 2> signals, view<T, 3> out,
                 const spectrogram_options<T>& o, int threads) {
  if (!o.decibel && o.mel == nullptr) return plan.execute_power(signals, out, threads);
  if constexpr (std::is_same_v<T, float>)
    if (leave_float(plan, signals, o)) return run_in_double(plan, signals, out, o, threads);
  array<T, 3> values(out.extents(), uninitialized);
  if (of_amplitudes(o))
    plan.execute_magnitude(signals, values.view(), threads);
  else if (o.mel == nullptr)
    plan.execute_power(signals, values.view(), threads);
  else {
    array<T, 2> power({out.extent(1), plan.bins()}, uninitialized);
    const view<T, 3> one(power.data(), {1, power.extent(0), power.extent(1)});
    for (std::size_t c = 0; c < out.extent(0); ++c) {
      plan.execute_power(signals.slice(0, c, 1), one, threads);
      o.mel->apply(power.view(), values.view()[c], threads);
    }
  }
  if (o.decibel) to_decibel<T>(values.flat(), values.flat(), *o.decibel);
  copy<T>(values.view(), out);
}

}  // namespace

template <class T>
void spectrogram(const stft_plan<T>& plan, std::type_identity_t<view<const T, 2>> signals,
                 std::type_identity_t<view<T, 3>> out, const spectrogram_options<T>& options,
                 const execution& on) {
  require_options(plan, options);
  require_fit(plan, signals, out, options);
  accelerator* device = nullptr;
  stft_problem what;
  if (!signal_detail::is_plain_host(on)) {
    const std::string why = options.decibel ? refusal_of(*options.decibel) : "";
    if (!why.empty())
      signal_detail::require_host(spectrogram_name, "this spectrogram", why.c_str(), on);
    else {
      const std::size_t samples = out.extent(1) == 0 ? plan.options().n_fft : signals.extent(1);
      what = problem_of(plan, options, std::max<std::size_t>(1, signals.extent(0)), samples);
      device = signal_detail::place_segments(spectrogram_name, what, samples, on);
    }
  }
  if (out.empty()) return;
  if (device == nullptr) return run_on_host(plan, signals, out, options, on.threads);
  signal_detail::run_segments(spectrogram_name, *device, what, on.precision, signals.extent(1),
                              signals, out);
}

template <class T>
void spectrogram(const stft_plan<T>& plan, std::type_identity_t<std::span<const T>> x,
                 std::type_identity_t<view<T, 2>> out, const spectrogram_options<T>& options,
                 const execution& on) {
  spectrogram<T>(
      plan, view<const T, 2>(x.data(), {1, x.size()}),
      view<T, 3>(out.data(), {1, out.extent(0), out.extent(1)}, {0, out.stride(0), out.stride(1)}),
      options, on);
}

shared_tensor signal_detail::spectrogram_on_device(const stft_plan<float>& plan,
                                                   const shared_tensor& signals,
                                                   const spectrogram_options<float>& options,
                                                   const execution& on) {
  require_options(plan, options);
  const std::string why = options.decibel ? refusal_of(*options.decibel) : "";
  if (!why.empty())
    throw device_error(message(spectrogram_name, ": the accelerator ",
                               signals->on(spectrogram_name).name(),
                               " cannot do this spectrogram: ", why));
  const std::vector<std::size_t>& extents = signals->shape().extents;
  const stft_problem what =
      papilio::problem_of(plan, options, extents.size() == 1 ? 1 : extents[0], extents.back());
  return run_segments_on_device(spectrogram_name, what, signals, on);
}

#define PAPILIO_SPECTROGRAM(T)                                                               \
  template PAPILIO_API void spectrogram(const stft_plan<T>&, view<const T, 2>, view<T, 3>,   \
                                        const spectrogram_options<T>&, const execution&);    \
  template PAPILIO_API void spectrogram(const stft_plan<T>&, std::span<const T>, view<T, 2>, \
                                        const spectrogram_options<T>&, const execution&);
PAPILIO_SPECTROGRAM(float)
PAPILIO_SPECTROGRAM(double)
#undef PAPILIO_SPECTROGRAM

}  // namespace papilio
