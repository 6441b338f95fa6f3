#pragma once

#include "base/internal.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/fft/recipe.hpp"

namespace papilio::transform_detail {

/// Work of one execution of a recipe.
struct recipe_cost {
  double flops = 0;
  double passes = 0;        ///< over some part of the data
  double points_moved = 0;  ///< complex points that are read and written, all passes
  double table_points = 0;  ///< complex numbers that the plan holds
};

/// Counts the work from the recipe alone.
PAPILIO_INTERNAL recipe_cost cost_of(const recipe& r);

}  // namespace papilio::transform_detail
