// STFT, mask, inverse as three launches of one graph.
//   the mask's kernel   rows of 2048 numbers of a plane on lanes, one row of the mask for all
//                       channels; out = mask spectra. Bound: DMA for real masks; the vector engine,
//                       12 cycles a bin, for complex ones.
#include "papilio/kernels/stft.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include "kernels/design.hpp"
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

constexpr std::int64_t row_numbers = 2048;

struct mask_design {
  std::int64_t channels = 1, segments = 1, bins = 1;
  bool complex = false;

  auto fields() const { return std::tie(channels, segments, bins, complex); }
  std::string describe() const {
    return message(complex ? "complex" : "real", " mask of ", segments, " x ", bins, ", ",
                   std::min(segments * bins, row_numbers), " of its numbers to a lane\n");
  }
  mask_design without_batch() const { return {0, 0, bins, complex}; }
};

// Numbers [first, first + lanes * width) of a plane.
struct part {
  std::int64_t first = 0, lanes = 1, width = 1;
};

class mask_product {
 public:
  mask_product(core& nc, const kernel_arguments& t, bool complex)
      : nc_(nc),
        spectra_(t.in(0)),
        mask_(t.in(1)),
        out_(t.out(0)),
        complex_(complex),
        plane_(spectra_.extent(2) * spectra_.extent(3)),
        width_(std::min(plane_, row_numbers)),
        pool_(nc.sbuf_pool(16, nc.machine().sbuf.partitions, width_)) {}

  void run() {
    const std::int64_t rows = plane_ / width_, side = nc_.machine().sbuf.partitions;
    for (std::int64_t row = 0; row < rows; row += side)
      multiply({.first = row * width_, .lanes = std::min(side, rows - row), .width = width_});
    if (plane_ % width_ > 0)
      multiply({.first = rows * width_, .lanes = 1, .width = plane_ % width_});
  }

 private:
  hbm_view place(const hbm_view& tensor, const part& p, std::int64_t plane) const {
    return tensor.pattern(plane * plane_ + p.first, {{p.lanes, width_}, {p.width, 1}});
  }
  tile_view room(const part& p) {
    return pool_.next().partition_range(0, int(p.lanes)).columns(0, p.width);
  }
  tile_view loaded(const hbm_view& tensor, const part& p, std::int64_t plane) {
    const tile_view tile = room(p);
    nc_.issue(dma_copy{.out = tile, .in = place(tensor, p, plane)});
    return tile;
  }
  void multiply(const part& p) {
    const std::int64_t channels = spectra_.extent(1);
    for (std::int64_t c = 0; c < channels; ++c) {
      const tile_view re = loaded(spectra_, p, c), im = loaded(spectra_, p, channels + c);
      const tile_view m = loaded(mask_, p, 0);
      if (!complex_) {
        nc_.issue(tensor_tensor{.out = re, .left = re, .right = m, .op = alu_op::multiply});
        nc_.issue(tensor_tensor{.out = im, .left = im, .right = m, .op = alu_op::multiply});
        nc_.issue(dma_copy{.out = place(out_, p, c), .in = re});
        nc_.issue(dma_copy{.out = place(out_, p, channels + c), .in = im});
        continue;
      }
      const tile_view turn = loaded(mask_, p, 1), across = room(p), back = room(p);
      const auto product = [&](const tile_view& out, const tile_view& left,
                               const tile_view& right) {
        nc_.issue(tensor_tensor{.out = out, .left = left, .right = right, .op = alu_op::multiply});
      };
      product(across, re, turn);
      product(back, im, turn);
      product(re, re, m);
      product(im, im, m);
      nc_.issue(tensor_tensor{.out = re, .left = re, .right = back, .op = alu_op::subtract});
      nc_.issue(tensor_tensor{.out = im, .left = im, .right = across, .op = alu_op::add});
      nc_.issue(dma_copy{.out = place(out_, p, c), .in = re});
      nc_.issue(dma_copy{.out = place(out_, p, channels + c), .in = im});
    }
  }

  core& nc_;
  hbm_view spectra_, mask_, out_;
  bool complex_;
  std::int64_t plane_, width_;
  tile_pool pool_;
};

sized_kernel mask_kernel(const stft_problem& s, bool complex_mask) {
  const mask_design d{.channels = std::int64_t(s.channels),
                      .segments = std::int64_t(s.segments()),
                      .bins = std::int64_t(s.bins()),
                      .complex = complex_mask};
  const tensor_shape spectra{{2, d.channels, d.segments, d.bins}, dtype::fp32};
  tensor_shape mask{{d.segments, d.bins}, dtype::fp32};
  if (complex_mask) mask.extents.insert(mask.extents.begin(), 2);
  sized_kernel made;
  made.design = kernels_detail::design_of(d);
  made.program = {.name = "stft_mask",
                  .parameters = made.design.key(),
                  .body = [complex = complex_mask](core& nc, const kernel_arguments& t) {
                    mask_product(nc, t, complex).run();
                  }};
  made.inputs = {spectra, mask};
  made.outputs = {spectra};
  made.ranges = {{}, {}};
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
      mask_(on, mask_kernel(transform, complex_mask), mode),
      inverse_(on, istft_kernel(inverse_of(transform), on.machine(), precision), mode) {}

tensor_shape masked_stft::signal_shape() const { return forward_.what().inputs[0]; }
tensor_shape masked_stft::mask_shape() const { return mask_.what().inputs[1]; }

void masked_stft::capture(graph& into, const launch_input& signal, const launch_input& mask,
                          const launch_output& result) const {
  // All shapes before anything is captured.
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
