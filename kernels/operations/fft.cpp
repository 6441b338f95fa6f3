// Fourier transforms of whole arrays as kernels.
#include "papilio/kernels/fft.hpp"

#include <algorithm>

#include "kernels/groups/array_fft.hpp"
#include "kernels/operations/operations.hpp"
#include "kernels/transform/precision.hpp"
#include "papilio/base/error.hpp"

namespace papilio::operations_detail {
namespace {

// Axes that are not transformed are joined with their neighbours: the same elements in the same
// order.
fft_problem joined(const fft_problem& p) {
  fft_problem few = p;
  few.extents.clear();
  std::vector<std::size_t> place(p.extents.size());
  bool is_open = false;  // the last extent may be multiplied
  for (std::size_t a = 0; a < p.extents.size(); ++a) {
    const std::size_t extent = p.extents[a];
    const bool is_transformed = std::ranges::find(p.axes, a) != p.axes.end();
    if (is_transformed) {
      place[a] = few.extents.size();
      few.extents.push_back(extent);
    } else if (is_open) {
      few.extents.back() = checked_multiply(few.extents.back(), extent, "fft: elements");
    } else if (extent > 1) {
      few.extents.push_back(extent);
    }
    if (extent > 1 || is_transformed) is_open = !is_transformed;
  }
  for (std::size_t& a : few.axes) a = place[a];
  return few;
}

}  // namespace

std::string refusal_of(const fft_problem& p, const precision_options& precision) {
  if (p.type != real_type::single_precision)
    return base_detail::message("it computes in float, the operands are ", to_string(p.type));
  if (p.measured) return "nothing is timed on it: effort::measure is the host's";
  if (p.is_trigonometric()) {
    const std::string why = kernels_detail::trigonometric_refusal(p);
    return why.empty() ? native_only(precision) : why;
  }
  if (p.axes.empty()) return "the transform has no axes";
  if (p.kind == fft_kind::real && precision.target_error == 0 &&
      precision.mode == precision::compensated)
    return "its kernel of real numbers has no compensated products";
  if (p.kind == fft_kind::real && p.is_inverse() && p.axes.size() > 1 &&
      precision.target_error == 0 && precision.mode == precision::bf16_refined)
    return "its kernel of real arrays from spectra along several axes has no refinements";
  if (joined(p).extents.size() > most_axes_of_kernels)
    return base_detail::message("its kernels take at most ", most_axes_of_kernels,
                                " axes, those that are not transformed joined where they adjoin");
  return {};
}

kernels::sized_kernel kernel_of(const fft_problem& p, const precision_options& precision,
                                const engine::machine_spec& machine) {
  // A target error of cosine and sine transforms is compared with what their one mode reaches.
  return kernels::fft_kernel(joined(p), machine,
                             {.precision = p.is_trigonometric() ? precision_options{} : precision});
}

namespace {

// One line by all cores.
divided_work work_of_line(const fft_problem& line, const kernels::fft_kernel_options& options,
                          engine::device_group& on, engine::run_mode mode) {
  const auto fft = std::make_shared<const kernels::large_fft>(on, line, options, mode);
  if (fft->rows() == 1) return {.refusal = fft->explanation()};
  const engine::tensor_shape planes{{2, fft->rows() * fft->columns()}};
  return {.recipe = fft->explanation(),
          .relative_error = fft->expected_error(),
          .inputs = {planes},
          .outputs = {planes},
          .run = [fft](const auto& in, const auto& out) { fft->transform(in[0], out[0]); }};
}

// One array by all cores, along its first axis too.
divided_work work_of_array(const fft_problem& array, const kernels::fft_kernel_options& options,
                           engine::device_group& on, engine::run_mode mode) {
  const auto fft = std::make_shared<const kernels_detail::exchanged_split>(
      kernels_detail::array_fft(on, array, options, mode));
  return {.recipe = fft->explain(),
          .relative_error = fft->expected_error(),
          .inputs = fft->first().inputs,
          .outputs = fft->last().outputs,
          .run = [fft](const auto& in, const auto& out) { fft->run(in[0], out[0]); }};
}

}  // namespace

divided_work divided(const fft_problem& p, const precision_options& precision,
                     engine::device_group& on, engine::run_mode mode) {
  const fft_problem few = joined(p);
  const kernels::fft_kernel_options options{.precision = p.is_trigonometric() ? precision_options{}
                                                                              : precision};
  if (few.is_line() && few.is_complex()) return work_of_line(few, options, on, mode);
  if (few.is_complex() && few.axes.size() > 1 && std::ranges::find(few.axes, 0u) != few.axes.end())
    return work_of_array(few, options, on, mode);
  return work_of(on, kernels::split_fft(few, on.cores(), on.machine(), options), mode);
}

}  // namespace papilio::operations_detail
