#pragma once

#include "papilio/dispatch/fft_problem.hpp"
#include "papilio/fft/recipe.hpp"

namespace papilio::backends_detail {

/// What one execution of a recipe does.
struct recipe_cost {
  double flops = 0;
  double passes = 0;        ///< times that the n points are read and written
  double table_points = 0;  ///< complex numbers that the plan holds

  recipe_cost& operator+=(const recipe_cost& other) {
    flops += other.flops;
    passes += other.passes;
    table_points += other.table_points;
    return *this;
  }
};

/// Counted from the recipe alone.
recipe_cost cost_of(const recipe& r);

}  // namespace papilio::backends_detail
