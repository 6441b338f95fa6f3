// Adjoints of real transforms in one program. Inner bins, which stand for their mirror images too,
// count twice in an inverse transform, and once in the adjoints:
//   adjoint of the forward transform   bins, inner ones times 1/2, to reals by the inverse
//   adjoint of the inverse             reals to bins by the forward transform, inner ones times 2
#include <algorithm>
#include <utility>

#include "kernels/elementwise/pointwise.hpp"
#include "kernels/entries.hpp"
#include "kernels/parameters.hpp"
#include "kernels/stage_list.hpp"
#include "kernels/transform/fft_design.hpp"
#include "kernels/transform/precision.hpp"

namespace papilio::kernels_detail {

using engine::machine_spec;
using kernels::sized_kernel;

sized_kernel weighted_bins(const lines_problem& h, float ends, float others,
                           const machine_spec& machine) {
  formula f;
  const auto bins = f.input<2>(one_for::element);
  f.output(f.input(one_for::feature) * bins);
  return with_table(
      pointwise_kernel("weights of bins", h.outer, h.bins() * h.inner, f.program(), 0, machine),
      "weights of bins", [=](std::span<float> weights) {
        std::ranges::fill(weights, others);
        std::fill_n(weights.begin(), h.inner, ends);
        if (h.n % 2 == 0) std::fill_n(weights.end() - h.inner, h.inner, ends);
      });
}

sized_kernel real_adjoint(const fft_problem& problem, const kernels::fft_kernel_options& options,
                          const machine_spec& machine) {
  const lines_problem h = real_lines_of(problem);
  fft_problem plain = problem;
  plain.adjoint = false;
  plain.norm = normalization::none;
  kernels::fft_kernel_options scaled = options;
  scaled.scale *= problem.scale();
  sized_kernel transform = kernels::fft_kernel(plain, machine, scaled);
  stage_list list(problem.is_inverse() ? "rfftn_vjp" : "irfftn_vjp");
  const stage_tensor in = list.input(transform.inputs[0]), out = list.output(transform.outputs[0]);
  const stage_tensor bins = list.between(2 * h.outer * h.bins() * h.inner);
  const char* const stage = problem.is_inverse() ? "inverse transform" : "transform";
  if (problem.is_inverse()) {
    list.add("weights", weighted_bins(h, 1, 0.5F, machine), {in}, {bins});
    list.add(stage, std::move(transform), {bins}, {out});
  } else {
    list.add(stage, std::move(transform), {in}, {bins});
    list.add("weights", weighted_bins(h, 1, 2, machine), {bins}, {out});
  }
  return list.kernel(machine);
}

namespace {

struct real_adjoint_request : precision_options {
  std::size_t x = 1, y = 1, z = 1;
  std::vector<std::size_t> axes = {};
};

kernels::catalog_entry adjoint_entry(const char* name, const char* summary, direction dir) {
  using r = real_adjoint_request;
  return settings<r>{number_setting("x", &r::x, "1", "First extent"),
                     number_setting("y", &r::y, "1024", "Second extent"),
                     number_setting("z", &r::z, "1024", "Last extent, whose spectrum is half"),
                     choice_setting("axes", &r::axes, "Transformed: the last, or all",
                                    {{"all", {0, 1, 2}}, {"last", {2}}})}
      .with(precision_settings())
      .entry(name, summary, [dir](const r& of, const machine_spec& machine) {
        check_precision("fft", of);
        return kernels::fft_kernel({.kind = fft_kind::real,
                                    .dir = dir,
                                    .type = real_type::single_precision,
                                    .norm = normalization::none,
                                    .extents = {of.x, of.y, of.z},
                                    .axes = of.axes,
                                    .adjoint = true},
                                   machine, {.precision = of});
      });
}

}  // namespace

kernels::catalog_entry rfftn_vjp_entry() {
  return adjoint_entry("rfftn_vjp", "Gradient through an FFT of real x by y by z: bins to reals",
                       direction::inverse);
}

kernels::catalog_entry irfftn_vjp_entry() {
  return adjoint_entry("irfftn_vjp",
                       "Gradient through an inverse FFT to real x by y by z: reals to bins",
                       direction::forward);
}

}  // namespace papilio::kernels_detail
