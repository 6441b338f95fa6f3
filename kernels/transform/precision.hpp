#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "kernels/design.hpp"
#include "kernels/parameters.hpp"
#include "kernels/precision_choice.hpp"
#include "kernels/transform/lines.hpp"
#include "kernels/transform/recipe.hpp"
#include "papilio/base/vocabulary.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/kernels/fft.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// Kernels of transforms in each precision mode.
namespace papilio::kernels_detail {

/// A kernel with the inputs, outputs and name of a transform; the precision mode adds the rest.
kernels::sized_kernel empty_fft(const fft_problem& problem);

/// The design of a transform in a precision mode.
///   native, bf16, split_bf16   one pass through `forward`
///   bf16_refined               `forward` in bf16, and for each refinement one of `inverses`
///   compensated                `forward` is a butterfly_fft
struct fft_design {
  precision mode = precision::native;
  int refinements = 1, parts = 2;
  double scale = 1;  ///< of refined results
  kernels::kernel_design forward = {};
  std::vector<kernels::kernel_design> inverses = {};

  auto fields() const { return std::tie(mode, refinements, parts, scale, forward, inverses); }
  std::string describe() const;
  fft_design without_batch() const;
};

/// The recipe of a checked complex or real transform: native, bf16, split_bf16.
fft_recipe recipe_of(const fft_problem& problem, const kernels::fft_kernel_options& options,
                     const engine::machine_spec& machine);
/// The recipe of a checked real transform, in one of those modes.
fft_recipe design_real_fft(const fft_problem& problem, const kernels::fft_kernel_options& options,
                           const engine::machine_spec& machine);
/// fft_kernel of a checked cosine or sine problem. The refusal says why it has none; empty where it has one.
kernels::sized_kernel trigonometric_fft(const fft_problem& problem,
                                        const kernels::fft_kernel_options& options,
                                        const engine::machine_spec& machine);
std::string trigonometric_refusal(const fft_problem& problem);

/// The adjoint of a real transform, checked: the transform in the adjoint's direction, and weights
/// of its bins.
kernels::sized_kernel real_adjoint(const fft_problem& problem,
                                   const kernels::fft_kernel_options& options,
                                   const engine::machine_spec& machine);

/// Bins of `outer` lines, `inner` beside each other, times weights that are powers of two, without
/// rounding: `ends` of bins that are their own mirror images, `others` of all others.
kernels::sized_kernel weighted_bins(const lines_problem& lines, float ends, float others,
                                    const engine::machine_spec& machine);

/// The kernel of native, bf16 and split_bf16: one pass through the recipe.
kernels::sized_kernel single_fft(const fft_problem& problem,
                                 const kernels::fft_kernel_options& options,
                                 const engine::machine_spec& machine);
/// The kernel of bf16_refined: see refined_fft.cpp.
kernels::sized_kernel refined_fft(const fft_problem& problem,
                                  const kernels::fft_kernel_options& options,
                                  const engine::machine_spec& machine);
/// The kernel of compensated, by butterflies in doubled fp32.
kernels::sized_kernel compensated_fft(const fft_problem& problem,
                                      const kernels::fft_kernel_options& options,
                                      const engine::machine_spec& machine);
/// The fastest mode that meets target_error, and its transform.
chosen_mode cheapest_fft(const fft_problem& problem, const kernels::fft_kernel_options& options,
                         const engine::machine_spec& machine);

/// Returns the settings of a transform's precision; the kernel checks what they say.
settings<precision_options> precision_settings();
/// Returns the settings of products, which have the modes native, bf16 and split_bf16.
settings<precision_options> product_precision_settings();

/// A request of the catalog has complex lines, [batch, n], unscaled, or [batch, n, inner].
struct line_request : precision_options {
  std::size_t n = 1, batch = 1, inner = 1;
  direction dir = direction::forward;

  fft_problem lines() const;
  fft_problem lines_beside_each_other() const;
  /// options() throws as check_precision.
  kernels::fft_kernel_options options() const;
};

/// out = (a +- b) scale, on the vector engine. Flat fp32 tensors of one length in HBM; out may be a
/// or b.
void combine_tensors(engine::core& nc, const engine::hbm_view& out, const engine::hbm_view& a,
                     const engine::hbm_view& b, engine::alu_op op, float scale = 1);

}  // namespace papilio::kernels_detail
