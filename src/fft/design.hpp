#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "base/internal.hpp"
#include "fft/pass.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/fft/dct_plan.hpp"
#include "papilio/fft/fft_plan.hpp"
#include "papilio/fft/recipe.hpp"

namespace papilio::fft_detail {

/// Returns the complex recipe of least cost for length n >= 1. It depends on n alone, and on
/// whether registers hold several elements: without them there are no codelets and no columns.
PAPILIO_INTERNAL recipe design(std::size_t n, bool lanes = true);

/// Returns the recipe for a part of a convolution or of a real transform. It is never two_step,
/// which takes a pass more for split planes and to untangle.
PAPILIO_INTERNAL recipe split_design(std::size_t n, bool lanes = true);

/// Returns the recipe for the filter of a convolution, which is transformed once, so that small
/// tables count.
recipe filter_design(std::size_t n, bool lanes);

/// A way to find the recipe of a complex line: design(), or what measuring chooses.
using complex_design = function_ref<recipe(std::size_t)>;

/// Returns the recipe of a transform of n reals, whose complex part is found by `part`.
PAPILIO_INTERNAL recipe real_design(std::size_t n, complex_design part);

/// The transform that a cosine or sine transform of n reals is made of.
struct trigonometric_part {
  bool is_real;
  std::size_t n;
};
trigonometric_part part_of(trigonometric_kind kind, std::size_t n);
/// Returns the recipe of a cosine or sine transform of n reals by such a part.
recipe trigonometric_design(trigonometric_kind kind, std::size_t n, recipe part);

/// Whether lines that lie so run as columns, where their length has them.
inline bool are_columns(const batch_layout& lines) {
  return lines.line_stride == 1 && lines.element_stride != 1;
}

/// Recipes worth timing for length n, the one of design() first.
std::vector<recipe> candidates(std::size_t n, bool lanes = true);

/// Whether a recipe, or a part of it, can be built only where registers hold several elements.
bool needs_lanes(const recipe& r);

/// Whether registers hold several elements of this type on this machine.
template <class T>
bool has_lanes() {
  return lanes_at_most<T>(std::numeric_limits<std::size_t>::max()) > 1;
}

/// Cost of a recipe in units of about one vector operation a point; for comparison only.
double cost(const recipe& r);

}  // namespace papilio::fft_detail
