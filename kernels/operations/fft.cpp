// Fourier, cosine and sine transforms of arrays as operations: kernels, precisions, groups of
// cores.
#include "papilio/kernels/fft.hpp"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "kernels/groups/array_fft.hpp"
#include "kernels/operations/operations.hpp"
#include "kernels/transform/precision.hpp"
#include "papilio/base/error.hpp"

namespace papilio::operations_detail {
namespace {

// Joins neighbouring axes that are not transformed, which leaves the order of elements as it is,
// so that kernels see few axes.
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

std::string refusal_of(const fft_problem& p) {
  if (p.measured) return "nothing is timed on it: effort::measure is the host's";
  if (p.is_trigonometric()) return kernels_detail::trigonometric_refusal(p);
  if (p.axes.empty()) return "the transform has no axes";
  if (joined(p).extents.size() > most_axes_of_kernels)
    return base_detail::message("its kernels take at most ", most_axes_of_kernels,
                                " axes, those that are not transformed joined where they adjoin");
  return {};
}

// The compensated mode is for complex transforms; refinements are not for inverse real transforms
// of several axes.
const kernel_modes& modes_of(const fft_problem& p) {
  using enum precision;
  const auto modes = [](std::initializer_list<precision_options> more) {
    std::vector<precision_options> all{{.mode = native},
                                       {.mode = bf16},
                                       {.mode = split_bf16, .parts = 2},
                                       {.mode = split_bf16, .parts = 3}};
    all.insert(all.end(), more);
    return kernel_modes{.all = std::move(all), .target = target_choice::kernel};
  };
  constexpr precision_options once{.mode = bf16_refined, .refinements = 1},
      twice{.mode = bf16_refined, .refinements = 2};
  static const kernel_modes of_complex = modes({once, twice, {.mode = compensated}}),
                            of_real = modes({once, twice}), of_spectra = modes({});
  if (p.is_trigonometric()) return native_alone;
  if (p.is_complex()) return of_complex;
  return p.is_inverse() && p.axes.size() > 1 ? of_spectra : of_real;
}

// The work of one long line on all cores.
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

// The work of one array on all cores, where its first axis is transformed too.
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

}  // namespace

const operation_row<fft_problem>& row_of(const fft_problem&) {
  static const operation_row<fft_problem> row{
      .name = "fft_kernel",
      .kernel =
          [](const fft_problem& p, const precision_options& how,
             const engine::machine_spec& machine) {
            return kernels::fft_kernel(joined(p), machine, {.precision = how});
          },
      .modes = modes_of,
      .refusal = refusal_of,
      .divided = divided};
  return row;
}

}  // namespace papilio::operations_detail
