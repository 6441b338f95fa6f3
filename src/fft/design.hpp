#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "base/internal.hpp"
#include "fft/pass.hpp"
#include "papilio/fft/recipe.hpp"

namespace papilio::fft_detail {

/// The complex recipe of least cost for length n >= 1. Pure: depends on n alone, and on whether
/// registers of several elements are there: without them there are no codelets and no columns.
PAPILIO_INTERNAL recipe design(std::size_t n, bool lanes = true);

/// Recipes worth timing for length n, the one of design() first.
std::vector<recipe> candidates(std::size_t n, bool lanes = true);

/// Whether it, or a part of it, can be built only where registers hold several elements.
bool needs_lanes(const recipe& r);

/// Whether those of this element type do on this machine.
template <class T>
bool has_lanes() {
  return lanes_at_most<T>(std::numeric_limits<std::size_t>::max()) > 1;
}

/// Cost of a recipe in units of about one vector operation a point; for comparison only.
double cost(const recipe& r);

}  // namespace papilio::fft_detail
