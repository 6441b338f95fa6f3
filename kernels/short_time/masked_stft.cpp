// STFT, product with a mask and inverse STFT as three launches of one graph. One mask
// [segments, bins] serves all channels.
#include "papilio/kernels/stft.hpp"

#include <string>
#include <tuple>

#include "kernels/design.hpp"
#include "kernels/elementwise/pointwise.hpp"
#include "kernels/transform/error_model.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using base_detail::message;

istft_problem inverse_of(const stft_problem& s) {
  return {.channels = s.channels,
          .segments = s.segments(),
          .samples = s.samples,
          .n_fft = s.n_fft,
          .hop = s.hop,
          .window = s.window,
          .centre = s.centre,
          .halved_ends = s.halved_ends};
}

struct mask_design {
  std::int64_t channels = 1, segments = 1, bins = 1;
  bool complex = false;

  auto fields() const { return std::tie(channels, segments, bins, complex); }
  std::string describe() const {
    return message(complex ? "complex" : "real", " mask of ", segments, " x ", bins, "\n");
  }
  mask_design without_batch() const { return {0, 0, bins, complex}; }
};

// out = mask spectra.
sized_kernel mask_kernel(const stft_problem& s, bool complex_mask, const machine_spec& machine) {
  using namespace kernels_detail;
  const auto channels = std::int64_t(s.channels), segments = std::int64_t(s.segments()),
             bins = std::int64_t(s.bins());
  formula f;
  const auto z = f.input<2>(one_for::element);
  const one_for each = channels == 1 ? one_for::element : one_for::feature;
  f.output(complex_mask ? f.input<2>(each) * z : f.input(each) * z);
  sized_kernel made = pointwise_kernel("stft_mask", channels, segments * bins, f.program(),
                                       square_root(3 * rounding_squared_error()), machine);
  tensor_shape mask{{segments, bins}};
  if (complex_mask) mask.extents.insert(mask.extents.begin(), 2);
  made.inputs = {{{2, channels, segments, bins}}, mask};
  made.outputs = {made.inputs[0]};
  made.design = design_of(mask_design{channels, segments, bins, complex_mask});
  made.program.parameters = made.design.key();
  return made;
}

const stft_problem& checked(const stft_problem& transform) {
  if (transform.result != spectrum_form::complex)
    throw invalid_argument("masked_stft: transform.result must be complex");
  return transform;
}

}  // namespace

masked_stft::masked_stft(device& on, const stft_problem& transform, bool complex_mask,
                         run_mode mode, const precision_options& precision)
    : forward_(on, stft_kernel(checked(transform), on.machine(), precision), mode),
      mask_(on, mask_kernel(transform, complex_mask, on.machine()), mode),
      inverse_(on, istft_kernel(inverse_of(transform), on.machine(), precision), mode) {}

tensor_shape masked_stft::signal_shape() const { return forward_.what().inputs[0]; }
tensor_shape masked_stft::mask_shape() const { return mask_.what().inputs[1]; }

void masked_stft::capture(graph& into, const launch_input& signal, const launch_input& mask,
                          const launch_output& result) const {
  // All shapes are checked before anything is captured.
  const auto require = [](const char* name, const tensor_shape& got, const tensor_shape& wanted) {
    if (got != wanted)
      throw shape_error(
          message("masked_stft: ", name, " must be ", wanted.describe(), ", got ", got.describe()));
  };
  require("signal", signal.shape(), signal_shape());
  require("mask", mask.shape(), mask_shape());
  require("result", result.shape(), signal_shape());
  const device_buffer spectra = into.buffer(forward_.what().outputs[0]);
  const device_buffer masked = into.buffer(forward_.what().outputs[0]);
  forward_.capture(into, {signal}, {spectra});
  mask_.capture(into, {spectra, mask}, {masked});
  inverse_.capture(into, {masked}, {result});
}

}  // namespace papilio::kernels
