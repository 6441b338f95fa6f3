#pragma once

#include <cstddef>
#include <vector>

#include "papilio/fft/recipe.hpp"

namespace papilio::fft_detail {

/// The complex recipe of least cost for length n >= 1. Pure: depends on n alone.
recipe design(std::size_t n);

/// Recipes worth timing for length n, the one of design() first.
std::vector<recipe> candidates(std::size_t n);

/// Cost of a recipe in units of about one vector operation a point; for comparison only.
double cost(const recipe& r);

}  // namespace papilio::fft_detail
