// The adjoint of an inverse STFT on an accelerator: an STFT of divided samples under the inverse's
// window, whose inner bins count twice.
#include <algorithm>
#include <complex>
#include <vector>

#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/placement.hpp"
#include "papilio/signal/host_signals.hpp"
#include "signal/placed_run.hpp"

namespace papilio::signal_detail {

template <class T>
adjoint_segments adjoint_of(const segment_transform<T>& transform, std::size_t channels,
                            std::size_t segments) {
  const std::size_t n = transform.options().n_fft, hop = transform.options().hop;
  const std::size_t positions = checked_add(
      checked_multiply(segments - 1, hop, "stft_plan: samples"), n, "stft_plan: samples");
  adjoint_segments what{{.channels = channels,
                         .samples = positions,
                         .n_fft = n,
                         .hop = hop,
                         .centre = false,
                         .type = real_type_of<T>},
                        {}};
  for (const T w : transform.window()) what.transform.window.push_back(static_cast<float>(2 * w));
  if (transform.halves_ends()) return what;  // its inverse doubles them
  what.ends = product_problem{.count = channels * segments * transform.bins(),
                              .factors = std::vector<std::complex<float>>(transform.bins(), 1.0F),
                              .type = real_type_of<T>};
  what.ends->factors.front() = 0.5F;
  if (n % 2 == 0) what.ends->factors.back() = 0.5F;
  return what;
}

accelerator* place_adjoint(const char* function, const adjoint_segments& what,
                           const execution& on) {
  std::vector<pipeline_step> steps{{.what = what.transform, .precision = on.precision}};
  if (what.ends) steps.push_back({.what = *what.ends, .is_device_only = true});
  return place(function, steps, shapes_of(what.transform), on, host_signals());
}

namespace {

void transform_positions(const char* function, accelerator& device, const adjoint_segments& what,
                         const precision_options& precision, const shared_tensor& positions,
                         const shared_tensor& result) {
  const device_input in(positions);
  const shared_tensor bins =
      what.ends ? new_tensor(device, shapes_of(what.transform).out[0], function) : result;
  const device_output out(bins), last(result);
  run_on(function, device, what.transform, precision, {&in, 1}, {&out, 1});
  if (!what.ends) return;
  const device_input given(bins);
  run_on(function, device, *what.ends, {}, {&given, 1}, {&last, 1});
}

}  // namespace

void run_adjoint(const char* function, accelerator& device, const adjoint_segments& what,
                 const precision_options& precision, const untyped_view<const void>& positions,
                 const untyped_view<void>& out) {
  dispatch_detail::run_captured(function, device, to_string(operation(what.transform)), [&] {
    const operand_shapes shapes = shapes_of(what.transform);
    const shared_tensor from = dispatch_detail::uploaded(device, shapes.in[0], positions);
    const shared_tensor result = new_tensor(device, shapes.out[0], function);
    transform_positions(function, device, what, precision, from, result);
    dispatch_detail::downloaded(*result, out);
  });
}

// A product of complex numbers divides: it is what accelerators have of tables.
template <class T>
shared_tensor run_adjoint_on_device(const char* function, const adjoint_segments& what,
                                    std::span<const T> factors, std::size_t lead,
                                    const shared_tensor& signals, const execution& on) {
  accelerator& device = place_device_array(function, signals->on(function), on);
  const std::size_t channels = what.transform.channels, positions = what.transform.samples,
                    samples = factors.size();
  const arrangement_problem spread{.in_extents = {channels, samples},
                                   .out_extents = {channels, positions},
                                   .complex_out = true,
                                   .boxes = {{{0, 0}, {0, lead}, {channels, samples}}}};
  const arrangement_problem reals{.in_extents = spread.out_extents,
                                  .out_extents = spread.out_extents,
                                  .complex_in = true,
                                  .boxes = {{{0, 0}, {0, 0}, {channels, positions}}}};
  product_problem quotients{.count = channels * positions,
                            .factors = std::vector<std::complex<float>>(positions)};
  for (std::size_t i = 0; i < samples; ++i)
    quotients.factors[lead + i] = static_cast<float>(factors[i]);
  shared_tensor x = signals;
  const auto next = [&](const operation& of, bool is_complex) {
    const device_input in(x);
    x = new_tensor(device, {spread.out_extents, is_complex}, function);
    const device_output out(x);
    run_on(function, device, of, {}, {&in, 1}, {&out, 1});
  };
  next(spread, true);
  next(quotients, true);
  next(reals, false);
  operand_shape shape = shapes_of(what.transform).out[0];
  if (signals->shape().extents.size() == 1) shape.extents.erase(shape.extents.begin());
  const shared_tensor result = new_tensor(device, shape, function);
  transform_positions(function, device, what, on.precision, x, result);
  return result;
}

#define PAPILIO_PLACED(T)                                                                      \
  template adjoint_segments adjoint_of(const segment_transform<T>&, std::size_t, std::size_t); \
  template shared_tensor run_adjoint_on_device(const char*, const adjoint_segments&,           \
                                               std::span<const T>, std::size_t,                \
                                               const shared_tensor&, const execution&)
PAPILIO_PLACED(float);
PAPILIO_PLACED(double);
#undef PAPILIO_PLACED

}  // namespace papilio::signal_detail
