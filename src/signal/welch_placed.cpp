// Welch's method where an execution says. On an accelerator: the powers of all segments in one
// launch, their sums in another.
#include <algorithm>
#include <type_traits>

#include "papilio/base/error.hpp"
#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/placement.hpp"
#include "papilio/signal/host_signals.hpp"
#include "signal/placed_run.hpp"
#include "signal/welch_scale.hpp"

namespace papilio {
namespace {

constexpr const char* welch_name = "welch";

// Why there is no kernel; null where there may be one.
const char* refusal_of(const welch_options& o) {
  if (o.detrend != detrending::none) return "it has no kernel with detrending";
  if (o.average != psd_average::mean) return "it has no kernel of medians";
  if (o.n_fft != o.segment_length) return "it has no kernel with zeros after a segment";
  return nullptr;
}

template <class T>
stft_problem powers_of(const welch_options& o, std::size_t channels, std::size_t samples) {
  stft_problem p{.channels = channels,
                 .samples = samples,
                 .n_fft = o.n_fft,
                 .hop = o.segment_length - *o.overlap,
                 .centre = false,
                 .result = spectrum_form::power,
                 .type = real_type_of<T>};
  if constexpr (std::is_same_v<T, float>) {
    const array<float, 1> window = make_window<float>(o.window, o.segment_length);
    p.window.assign(window.begin(), window.end());
  }
  return p;
}

// Sums over the segments of [channels, segments, half] powers: products with ones.
gemm_problem sum_of(const operand_shape& powers) {
  return {.batch = powers.extents[0],
          .m = 1,
          .k = powers.extents[1],
          .n = powers.extents[2],
          .shared_left = true};
}

// An accelerator needs both launches; the host adds up as it goes.
accelerator* place_sums(const stft_problem& powers, const execution& on) {
  const operand_shape each = shapes_of(powers).out[0];
  const gemm_problem sum = sum_of(each);
  const pipeline_step steps[] = {{.what = powers, .precision = on.precision},
                                 {.what = sum, .precision = on.precision, .is_device_only = true}};
  const operand_shapes arrays{{shapes_of(powers).in[0], {{each.extents[1]}, false}},
                              {{{each.extents[0], each.extents[2]}, false}}};
  return place(welch_name, steps, arrays, on, host_signals());
}

// [channels, half] sums of the segments' powers.
array<float, 2> summed(accelerator& on, const stft_problem& powers,
                       const precision_options& precision, const untyped_view<const void>& x) {
  const operand_shape shape = shapes_of(powers).out[0];
  array<float, 1> ones(shape.extents[1]);
  std::ranges::fill(ones, 1.0F);
  array<float, 2> sums({shape.extents[0], shape.extents[2]});
  const view<const float, 1> row = ones.view();
  const view<float, 2> result = sums.view();
  dispatch_detail::run_captured(welch_name, on, welch_name, [&] {
    const shared_tensor from = dispatch_detail::uploaded(on, shapes_of(powers).in[0], x);
    const shared_tensor each = new_tensor(on, shape, welch_name);
    run_on(welch_name, on, powers, precision, {from}, {each});
    const shared_tensor weights =
        dispatch_detail::uploaded(on, {{shape.extents[1]}, false}, untyped_view<const void>(row));
    const gemm_problem sum = sum_of(shape);
    const shared_tensor all = new_tensor(on, shapes_of(sum).out[0], welch_name);
    run_on(welch_name, on, sum, precision, {weights, each}, {all});
    dispatch_detail::downloaded(*all, untyped_view<void>(result));
  });
  return sums;
}

}  // namespace

template <class T>
array<T, 2> welch(view<const T, 2> signals, const welch_options& options, const execution& on) {
  const welch_stream<T> model(options);
  const welch_options& o = model.options();
  if (const char* const why = refusal_of(o); why != nullptr || signal_detail::is_plain_host(on)) {
    signal_detail::require_host(welch_name, welch_name, why, on);
    return welch(signals, options, on.threads);
  }
  const bool some = signals.extent(0) > 0 && signals.extent(1) >= o.segment_length;
  const stft_problem powers =
      powers_of<T>(o, some ? signals.extent(0) : 1, some ? signals.extent(1) : o.segment_length);
  accelerator* const device = place_sums(powers, on);
  // Too short a signal is an error there.
  if (device == nullptr || !some) {
    array<T, 2> result = welch(signals, options, on.threads);
    signal_detail::record_host_run(welch_name);
    return result;
  }
  const array<float, 2> sums =
      summed(*device, powers, on.precision, untyped_view<const void>(signals));
  array<T, 2> out({signals.extent(0), model.bins()});
  const double factor = signal_detail::scale_of(o) / static_cast<double>(powers.segments());
  for (std::size_t c = 0; c < out.extent(0); ++c)
    for (std::size_t k = 0; k < sums.extent(1); ++k)
      signal_detail::place_density(o, k, factor * static_cast<double>(sums(c, k)), &out(c, 0));
  return out;
}

template <class T>
array<T, 1> welch(std::span<const T> signal, const welch_options& options, const execution& on) {
  const view<const T, 2> one(signal.data(), {1, signal.size()});
  const array<T, 2> density = welch(one, options, on);
  array<T, 1> out({density.extent(1)});
  std::ranges::copy(density, out.begin());
  return out;
}

#define PAPILIO_WELCH(T)                                                           \
  template PAPILIO_API array<T, 2> welch(view<const T, 2>, const welch_options&,   \
                                         const execution&);                        \
  template PAPILIO_API array<T, 1> welch(std::span<const T>, const welch_options&, \
                                         const execution&);
PAPILIO_WELCH(float)
PAPILIO_WELCH(double)
#undef PAPILIO_WELCH

}  // namespace papilio
