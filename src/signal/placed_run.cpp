#include "signal/placed_run.hpp"

#include <algorithm>
#include <type_traits>

#include "papilio/base/error.hpp"
#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/placement.hpp"
#include "papilio/signal/host_signals.hpp"

namespace papilio::signal_detail {

using base_detail::message;

namespace {

template <class T>
std::vector<float> float_weights(const segment_transform<T>& transform) {
  if constexpr (std::is_same_v<T, float>)
    return {transform.weights().begin(), transform.weights().end()};
  return {};
}

template <class T>
std::string segments_text(const char* name, const segment_transform<T>& transform) {
  const stft_options& o = transform.options();
  return message(name, " ", to_string(real_type_of<T>), " n_fft ", o.n_fft, " hop ", o.hop);
}

template <class T>
const segment_transform<T>& segments_of(const void* what) {
  return *static_cast<const segment_transform<T>*>(what);
}
template <class T>
const segment_transform<T>& analysis_of(const void* what) {
  return static_cast<const synthesis<T>*>(what)->analysis();
}

void record_once(std::shared_ptr<const void> what, std::string (*operation)(const void*),
                 std::string (*recipe)(const void*)) {
  if (!dispatch_detail::is_last_host_run(what.get()))
    dispatch_detail::record_host_run("host", std::move(what), operation, recipe);
}

}  // namespace

template <class T>
stft_problem problem_of(const segment_transform<T>& transform, std::size_t channels,
                        std::size_t samples, spectrum_form result, std::size_t segments) {
  const stft_options& o = transform.options();
  if (const auto& inverse = transform.adjoint_of())
    return {.channels = channels,
            .samples = samples,
            .n_fft = o.n_fft,
            .hop = o.hop,
            .window = float_weights(inverse->analysis()),
            .centre = o.centre,
            .result = result,
            .two_sided = o.sides == stft_sides::two,
            .halved_ends = inverse->analysis().halves_ends(),
            .adjoint = true,
            .inverted_segments = segments,
            .type = real_type_of<T>};
  const segment_geometry& geometry = transform.geometry();
  const bool zeros_follow = o.pad_end && geometry.padding() == edge_padding::zero;
  if (const std::uint64_t made = geometry.segments(samples); zeros_follow && made > 0)
    samples = std::max(samples, checked_cast<std::size_t>(geometry.reach(made) - geometry.lead(),
                                                          "stft_plan: samples"));
  return {.channels = channels,
          .samples = samples,
          .n_fft = o.n_fft,
          .hop = o.hop,
          .window = float_weights(transform),
          .centre = o.centre,
          .padding = o.padding,
          .result = result,
          .pad_end = o.pad_end && !zeros_follow,
          .two_sided = o.sides == stft_sides::two,
          .halved_ends = transform.halves_ends(),
          .type = real_type_of<T>};
}

// The problem needs no factor c of the scaling beside the window v = c w, since sum v y / sum v^2 =
// sum w y / (c sum w^2), and y / c is what was analysed.
template <class T>
istft_problem problem_of(const synthesis<T>& s, std::size_t channels, std::size_t segments,
                         std::size_t samples, std::uint64_t first) {
  const stft_options& o = s.analysis().options();
  return {.channels = channels,
          .segments = segments,
          .samples = samples,
          .first = checked_cast<std::size_t>(first, "istft_plan: first"),
          .n_fft = o.n_fft,
          .hop = o.hop,
          .window = float_weights(s.analysis()),
          .centre = o.centre,
          .adjoint = s.adjoint_of() != nullptr,
          .two_sided = o.sides == stft_sides::two,
          .halved_ends = s.analysis().halves_ends(),
          .type = real_type_of<T>};
}

namespace {

void require_hosts_own(const char* function, const char* operation, const execution& on) {
  if (!on.backend.empty() && on.backend != "host")
    throw invalid_argument(
        message(function, ": backend \"", on.backend, "\" cannot do ", operation));
  if (on.precision.target_error > 0 || on.precision.mode != precision::native)
    throw invalid_argument(message(function, ": the host does ", operation,
                                   " in native precision only, without a target error"));
}

}  // namespace

void require_host(const char* function, const char* operation, const char* reason,
                  const execution& on) {
  if (!is_plain_host(on)) {
    if (on.threads < 0)
      throw invalid_argument(message(function, ": threads must be at least 0, got ", on.threads));
    if (!on.backend.empty()) require_known_backend(function, on.backend, host_signals());
    if (on.where == policy::device) {
      const accelerator* const device = on.on;
      if (device == nullptr)
        throw device_error(message(function, ": policy::device needs an accelerator, got none"));
      throw device_error(message(function, ": the accelerator ", device->name(), " cannot do ",
                                 operation, ": ", reason));
    }
    require_hosts_own(function, operation, on);
  }
  record_host_run(operation);
}

namespace {

arrangement_problem zeros_after(const stft_problem& what, std::size_t samples) {
  return {.in_extents = {what.channels, samples},
          .out_extents = {what.channels, what.samples},
          .boxes = {{{0, 0}, {0, 0}, {what.channels, samples}}}};
}

}  // namespace

accelerator* place_segments(const char* function, const stft_problem& what, std::size_t samples,
                            const execution& on) {
  if (what.samples == samples) return place(function, what, on, host_signals());
  const pipeline_step steps[] = {{.what = what, .precision = on.precision},
                                 {.what = zeros_after(what, samples), .is_device_only = true}};
  operand_shapes arrays = shapes_of(what);
  arrays.in[0].extents.back() = samples;
  return place(function, steps, arrays, on, host_signals());
}

namespace {

// Runs the problem on signals to which a launch appends zeros first.
void run_longer(const char* function, accelerator& device, const stft_problem& what,
                const precision_options& precision, std::size_t samples,
                const device_input& signals, const device_output& out) {
  const arrangement_problem zeros = zeros_after(what, samples);
  const shared_tensor longer = new_tensor(device, {zeros.out_extents, false}, function);
  run_on(function, device, zeros, {}, {signals}, {longer});
  run_on(function, device, what, precision, {longer}, {out});
}

}  // namespace

void run_segments(const char* function, accelerator& device, const stft_problem& what,
                  const precision_options& precision, std::size_t samples,
                  const device_input& signals, const device_output& out) {
  if (what.samples == samples) {
    run_on(function, device, what, precision, {signals}, {out});
    return;
  }
  if (signals.tensor != nullptr)
    return run_longer(function, device, what, precision, samples, signals, out);
  dispatch_detail::run_captured(function, device, to_string(operation(what)), [&] {
    const arrangement_problem zeros = zeros_after(what, samples);
    const shared_tensor from =
        dispatch_detail::uploaded(device, {zeros.in_extents, false}, signals.host);
    const shared_tensor result = new_tensor(device, shapes_of(what).out[0], function);
    run_longer(function, device, what, precision, samples, from, result);
    dispatch_detail::downloaded(*result, out.host);
  });
}

shared_tensor run_segments_on_device(const char* function, const stft_problem& what,
                                     const shared_tensor& signals, const execution& on) {
  accelerator& device = place_device_array(function, signals->on(function), on);
  operand_shape shape = shapes_of(what).out[0];
  if (shape.count() == 0)
    throw shape_error(message(function, ": ", to_string(what),
                              " has no segment, and an accelerator holds no empty array"));
  const std::vector<std::size_t>& extents = signals->shape().extents;
  if (extents.size() == 1) shape.extents.erase(shape.extents.begin());
  shared_tensor out = new_tensor(device, shape, function);
  run_segments(function, device, what, on.precision, extents.back(), signals, out);
  return out;
}

template <class T>
void record_host_run(const std::shared_ptr<const segment_transform<T>>& transform) {
  record_once(
      transform,
      [](const void* what) {
        const auto& segments = segments_of<T>(what);
        return segments_text(segments.adjoint_of() ? "adjoint of istft" : "stft", segments);
      },
      [](const void* what) { return to_string(segments_of<T>(what).plan().design()); });
}

template <class T>
void record_host_run(const std::shared_ptr<const synthesis<T>>& s) {
  record_once(
      s,
      [](const void* what) {
        const bool is_adjoint = static_cast<const synthesis<T>*>(what)->adjoint_of() != nullptr;
        return segments_text(is_adjoint ? "adjoint of stft" : "istft", analysis_of<T>(what));
      },
      [](const void* what) { return to_string(analysis_of<T>(what).plan().design()); });
}

#define PAPILIO_PLACED(T)                                                                       \
  template stft_problem problem_of(const segment_transform<T>&, std::size_t, std::size_t,       \
                                   spectrum_form, std::size_t);                                 \
  template istft_problem problem_of(const synthesis<T>&, std::size_t, std::size_t, std::size_t, \
                                    std::uint64_t);                                             \
  template void record_host_run(const std::shared_ptr<const segment_transform<T>>&);            \
  template void record_host_run(const std::shared_ptr<const synthesis<T>>&);
PAPILIO_PLACED(float)
PAPILIO_PLACED(double)
#undef PAPILIO_PLACED

}  // namespace papilio::signal_detail
