// Fourier, cosine and sine transforms of arrays as operations: kernels, precisions, groups of
// cores.
#include "papilio/kernels/fft.hpp"

#include <algorithm>
#include <vector>

#include "kernels/groups/divided_works.hpp"
#include "kernels/operations/operations.hpp"
#include "kernels/transform/precision.hpp"
#include "papilio/base/error.hpp"

namespace papilio::operations_detail {
namespace {

using namespace kernels_detail;

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
  if (p.is_trigonometric()) return trigonometric_refusal(p);
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
  constexpr precision_options once{.mode = bf16_refined, .refinements = 1},
      twice{.mode = bf16_refined, .refinements = 2};
  static const kernel_modes of_complex = modes_in_parts(target_choice::kernel,
                                                        {once, twice, {.mode = compensated}}),
                            of_real = modes_in_parts(target_choice::kernel, {once, twice}),
                            of_spectra = modes_in_parts(target_choice::kernel);
  if (p.is_trigonometric()) return native_alone;
  if (p.is_complex()) return of_complex;
  return p.is_inverse() && p.axes.size() > 1 ? of_spectra : of_real;
}

divided_work divided(const fft_problem& p, const precision_options& precision,
                     engine::device_group& on, engine::run_mode mode) {
  const fft_problem few = joined(p);
  const kernels::fft_kernel_options options{.precision = p.is_trigonometric() ? precision_options{}
                                                                              : precision};
  if (few.is_line() && few.is_complex()) return divided_line(on, few, options, mode);
  if (few.is_complex() && few.axes.size() > 1 && std::ranges::find(few.axes, 0u) != few.axes.end())
    return divided_array(on, few, options, mode);
  return work_of({on, kernels::split_fft(few, on.cores(), on.machine(), options), mode});
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
