#include "papilio/signal/stft.hpp"

#include <algorithm>

#include "base/ask_ahead.hpp"
#include "base/caches.hpp"
#include "base/share.hpp"
#include "fft/pointwise.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/overlap.hpp"
#include "papilio/dispatch/placement.hpp"
#include "papilio/signal/istft.hpp"
#include "signal/placed_run.hpp"
#include "signal/segment_transform.hpp"
#include "signal/synthesis.hpp"

namespace papilio {

using signal_detail::segment_transform;

template <class T>
stft_plan<T>::stft_plan(stft_options options)
    : transform_(std::make_shared<const segment_transform<T>>(signal_detail::resolved(options))) {}

template <class T>
stft_plan<T>::stft_plan(stft_options options, std::span<const double> window)
    : transform_(
          std::make_shared<const segment_transform<T>>(signal_detail::resolved(options, window))) {}

template <class T>
const stft_options& stft_plan<T>::options() const {
  return transform_->options();
}
template <class T>
std::size_t stft_plan<T>::bins() const {
  return transform_->bins();
}
template <class T>
const recipe& stft_plan<T>::design() const {
  return transform_->plan().design();
}
template <class T>
std::span<const T> stft_plan<T>::window() const {
  return transform_->window();
}
template <class T>
istft_plan<T> stft_plan<T>::adjoint() const {
  if (transform_->adjoint_of()) return istft_plan<T>(transform_->adjoint_of());
  return istft_plan<T>(std::make_shared<const signal_detail::synthesis<T>>(transform_));
}
template <class T>
std::uint64_t stft_plan<T>::segments(std::uint64_t samples) const {
  return transform_->geometry().segments(samples);
}
template <class T>
std::size_t stft_plan<T>::segment_scratch_size() const {
  return transform_->scratch_size();
}

template <class T>
void stft_plan<T>::transform_segment(std::span<const T> samples, std::span<std::complex<T>> out,
                                     std::span<std::complex<T>> scratch) const {
  if (samples.size() != options().n_fft || out.size() != bins() ||
      scratch.size() < segment_scratch_size())
    throw shape_error(base_detail::message("stft_plan::transform_segment: samples must hold ",
                                           options().n_fft, ", got ", samples.size(), "; out ",
                                           bins(), ", got ", out.size(), "; scratch at least ",
                                           segment_scratch_size(), ", got ", scratch.size()));
  transform_->execute(samples.data(), transform_->weights(), out.data(), scratch.data());
}

namespace {

// Results that a segment can have: bins, magnitudes or powers.
template <class T>
struct to_bins {
  using value = std::complex<T>;
  static constexpr auto transform = &segment_transform<T>::execute;
  static constexpr auto result = spectrum_form::complex;
};
template <class T>
struct to_magnitudes {
  using value = T;
  static constexpr auto transform = &segment_transform<T>::execute_magnitude;
  static constexpr auto result = spectrum_form::magnitude;
};
template <class T>
struct to_powers {
  using value = T;
  static constexpr auto transform = &segment_transform<T>::execute_power;
  static constexpr auto result = spectrum_form::power;
};

// Memory of one thread, for a segment that is not contiguous in the signal, and bins that are not
// contiguous in the output.
template <class T, class Value>
struct stft_workspace {
  array<T, 1> samples;
  array<Value, 1> bins;
  array<std::complex<T>, 1> scratch;

  explicit stft_workspace(const segment_transform<T>& transform)
      : samples(transform.geometry().n(), uninitialized),
        bins(transform.bins(), uninitialized),
        scratch(transform.scratch_size(), uninitialized) {}
};

template <class T, class Value>
void require_fit(const segment_transform<T>& transform, view<const T, 2> signals,
                 view<Value, 3> out) {
  const auto& inverse = transform.adjoint_of();
  const std::uint64_t segments =
      inverse ? out.extent(1) : transform.geometry().segments(signals.extent(1));
  if (out.extent(0) != signals.extent(0) || out.extent(1) != segments ||
      out.extent(2) != transform.bins())
    throw shape_error(base_detail::message("stft_plan: out must be ", signals.extent(0), " x ",
                                           segments, " x ", transform.bins(),
                                           " (signals, segments, bins), got ", out.extent(0), " x ",
                                           out.extent(1), " x ", out.extent(2)));
  base_detail::require_distinct("stft_plan", out);
  if (base_detail::reach(signals).overlaps(base_detail::reach(out)))
    throw invalid_argument("stft_plan: out overlaps the signal");
  if (inverse && !signals.empty())
    inverse->require_reached("stft_plan", segments, signals.extent(1), 0);
}

// Divides the samples of a segment that belong to the signal, as the inverse does.
template <class T>
void divide_segment(const signal_detail::synthesis<T>& inverse, T* samples, std::uint64_t first,
                    std::uint64_t size, std::uint64_t segments) {
  const std::uint64_t n = inverse.geometry().n(), lead = inverse.geometry().lead();
  const std::uint64_t p = std::max(first, lead), end = std::min(first + n, lead + size);
  if (p >= end) return;
  T* const at = samples + (p - first);
  inverse.weights().divide(at, at, p, static_cast<std::size_t>(end - p), segments);
}

// Way in which the rows of an output of this size are written.
struct row_writing {
  bool streamed;            // whether rows go past the caches
  std::size_t asked_bytes;  // bytes of the next row to prefetch

  row_writing(std::size_t total_bytes, std::size_t row_bytes)
      : streamed(total_bytes >= base_detail::least_streamed_bytes()),
        asked_bytes(streamed || total_bytes <= second_cache_bytes()
                        ? 0
                        : std::min(row_bytes, most_asked_bytes)) {}

 private:
  // Prefetching more would drive out of the first cache what the transform needs.
  static constexpr std::size_t most_asked_bytes = 16384;

  static std::size_t second_cache_bytes() {
    static const std::size_t bytes = base_detail::cache_bytes(2, std::size_t{1} << 20);
    return bytes;
  }
};

template <class T, class Value, class Transform>
void transform_segments(const segment_transform<T>& transform, Transform run,
                        view<const T, 1> signal, view<Value, 2> out, std::size_t first,
                        std::size_t last, const row_writing& writing,
                        stft_workspace<T, Value>& work) {
  const auto& geometry = transform.geometry();
  const auto& kernels = fft_detail::find_pointwise_kernels<T>();
  const std::size_t size = signal.extent(0), n = geometry.n(), lead = geometry.lead();
  const std::size_t hop = std::min<std::size_t>(geometry.hop(), n);
  const auto& inverse = transform.adjoint_of();
  for (std::size_t s = first; s < last; ++s) {
    const auto begin = static_cast<std::size_t>(geometry.first(s));
    const bool repeats = inverse && inverse->weights().repeats_from(begin, out.extent(0));
    const T* samples = work.samples.data();
    if (signal.stride(0) == 1 && begin >= lead && begin - lead + n <= size &&
        (!inverse || repeats)) {
      samples = signal.data() + (begin - lead);
      base_detail::ask_ahead(samples + n, hop);  // the new samples of the next segment
    } else {
      copy_segment(geometry, signal.data(), signal.stride(0), size, s, work.samples.data());
      if (inverse && !repeats)
        divide_segment(*inverse, work.samples.data(), begin, size, out.extent(0));
    }
    const view<Value, 1> row = out[s];
    const bool whole = row.stride(0) == 1, in_row = whole && !writing.streamed;
    if (in_row && s + 1 < last)
      base_detail::ask_ahead<base_detail::soon::write>(
          reinterpret_cast<std::uintptr_t>(row.data() + out.stride(0)), writing.asked_bytes);
    (transform.*run)(samples, repeats ? transform.dividing_weights() : transform.weights(),
                     in_row ? row.data() : work.bins.data(), work.scratch.data());
    if (in_row) continue;
    if (whole)
      kernels.stream_copy(row.extent(0) * sizeof(Value) / sizeof(T),
                          reinterpret_cast<const T*>(work.bins.data()),
                          reinterpret_cast<T*>(row.data()));
    else
      for (std::size_t k = 0; k < row.extent(0); ++k) row[k] = work.bins[k];
  }
  if (writing.streamed) kernels.end_streams();
}

template <template <class> class Kind, class T, class Value>
void transform_all(const segment_transform<T>& transform, view<const T, 2> signals,
                   view<Value, 3> out, int threads) {
  const std::size_t rows = out.extent(1), total = out.extent(0) * rows;
  const base_detail::team team = base_detail::team_of(threads).at_most(total);
  const std::size_t row_bytes = out.extent(2) * sizeof(Value);
  const row_writing writing(total * row_bytes, row_bytes);
  std::vector<stft_workspace<T, Value>> work;  // allocated before anything is written
  for (std::size_t worker = 0; worker < team.workers; ++worker) work.emplace_back(transform);
  base_detail::share(total, team, [&](std::size_t at, std::size_t last, std::size_t worker) {
    while (at < last) {
      const std::size_t signal = at / rows, s = at % rows;
      const std::size_t count = std::min(rows - s, last - at);
      transform_segments(transform, Kind<T>::transform, signals[signal], out[signal], s, s + count,
                         writing, work[worker]);
      at += count;
    }
  });
}

constexpr const char* no_adjoint =
    "its adjoint of the inverse STFT is of one-sided complex spectra alone";

template <class T>
using shared_transform = std::shared_ptr<const segment_transform<T>>;

template <template <class> class Kind, class T, class Value>
void run_on_host(const shared_transform<T>& transform, view<const T, 2> signals, view<Value, 3> out,
                 int threads) {
  require_fit(*transform, signals, out);
  transform_all<Kind>(*transform, signals, out, threads);
  signal_detail::record_host_run(transform);
}

template <class T>
bool has_adjoint_kernel(const segment_transform<T>& transform, spectrum_form result) {
  return result == spectrum_form::complex && transform.options().sides == stft_sides::one;
}

// Runs the adjoint of an inverse. Extents of 0 count as 1, so that the policy is checked anyway.
template <template <class> class Kind, class T, class Value>
void run_adjoint_placed(const shared_transform<T>& transform, view<const T, 2> signals,
                        view<Value, 3> out, const execution& on) {
  const auto some = [](std::size_t n) { return std::max<std::size_t>(1, n); };
  accelerator* device = nullptr;
  stft_problem what;
  if (!has_adjoint_kernel(*transform, Kind<T>::result)) {
    signal_detail::require_host("stft_plan", "adjoint of istft", no_adjoint, on);
  } else {
    what = signal_detail::problem_of(*transform, some(out.extent(0)), some(signals.extent(1)),
                                     spectrum_form::complex, some(out.extent(1)));
    device = place("stft_plan", what, on, host_signals());
  }
  if (device == nullptr || out.empty() || signals.empty())
    return run_on_host<Kind>(transform, signals, out, on.threads);
  run_on("stft_plan", *device, what, on.precision, {signals}, {out});
}

// Without segments a signal of one segment stands in, so that the policy is checked anyway.
template <template <class> class Kind, class T, class Value>
void run_placed(const shared_transform<T>& transform, view<const T, 2> signals, view<Value, 3> out,
                const execution& on) {
  if (signal_detail::is_plain_host(on)) {
    run_on_host<Kind>(transform, signals, out, on.threads);
    return;
  }
  require_fit(*transform, signals, out);
  if (transform->adjoint_of()) return run_adjoint_placed<Kind>(transform, signals, out, on);
  const std::size_t samples = out.extent(1) == 0 ? transform->geometry().n() : signals.extent(1);
  const stft_problem what = signal_detail::problem_of(
      *transform, std::max<std::size_t>(1, signals.extent(0)), samples, Kind<T>::result);
  accelerator* const device = signal_detail::place_segments("stft_plan", what, samples, on);
  if (out.empty()) return;
  if (device == nullptr) {
    run_on_host<Kind>(transform, signals, out, on.threads);
    return;
  }
  signal_detail::run_segments("stft_plan", *device, what, on.precision, signals.extent(1), signals,
                              out);
}

template <class T>
view<const T, 2> alone(std::span<const T> signal) {
  return {signal.data(), {1, signal.size()}};
}
template <class Value>
view<Value, 3> alone(view<Value, 2> out) {
  return {out.data(), {1, out.extent(0), out.extent(1)}, {0, out.stride(0), out.stride(1)}};
}

}  // namespace

#define PAPILIO_EXECUTE(Name, Kind, Value)                                                    \
  template <class T>                                                                          \
  void stft_plan<T>::Name(view<const T, 2> signals, view<Value, 3> out, int threads) const {  \
    run_on_host<Kind>(transform_, signals, out, threads);                                     \
  }                                                                                           \
  template <class T>                                                                          \
  void stft_plan<T>::Name(view<const T, 2> signals, view<Value, 3> out, const execution& on)  \
      const {                                                                                 \
    run_placed<Kind>(transform_, signals, out, on);                                           \
  }                                                                                           \
  template <class T>                                                                          \
  void stft_plan<T>::Name(std::span<const T> signal, view<Value, 2> out, int threads) const { \
    run_on_host<Kind>(transform_, alone(signal), alone(out), threads);                        \
  }                                                                                           \
  template <class T>                                                                          \
  void stft_plan<T>::Name(std::span<const T> signal, view<Value, 2> out, const execution& on) \
      const {                                                                                 \
    run_placed<Kind>(transform_, alone(signal), alone(out), on);                              \
  }
PAPILIO_EXECUTE(execute, to_bins, std::complex<T>)
PAPILIO_EXECUTE(execute_magnitude, to_magnitudes, T)
PAPILIO_EXECUTE(execute_power, to_powers, T)
#undef PAPILIO_EXECUTE

template <class T>
shared_tensor stft_plan<T>::segments_on_device(const shared_tensor& signals, spectrum_form result,
                                               const execution& on) const {
  const std::vector<std::size_t>& extents = signals->shape().extents;
  if (const auto& inverse = transform_->adjoint_of()) {
    if (!has_adjoint_kernel(*transform_, result))
      throw device_error(base_detail::message("stft_plan: the accelerator cannot: ", no_adjoint));
    const std::uint64_t made = segments(extents.back());
    inverse->require_reached("stft_plan", made, extents.back(), 0);
    const stft_problem what =
        signal_detail::problem_of(*transform_, extents.size() == 1 ? 1 : extents[0], extents.back(),
                                  result, checked_cast<std::size_t>(made, "stft_plan: segments"));
    return signal_detail::run_segments_on_device("stft_plan", what, signals, on);
  }
  const stft_problem what = signal_detail::problem_of(
      *transform_, extents.size() == 1 ? 1 : extents[0], extents.back(), result);
  return signal_detail::run_segments_on_device("stft_plan", what, signals, on);
}

template class stft_plan<float>;
template class stft_plan<double>;

}  // namespace papilio
