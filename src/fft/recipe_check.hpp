#pragma once

#include "papilio/fft/recipe.hpp"

namespace papilio::fft_detail {

inline constexpr recipe_kind all_recipe_kinds[] = {recipe_kind::stockham, recipe_kind::bluestein,
                                                   recipe_kind::rader, recipe_kind::real};

/// The word for a kind in to_string.
const char* kind_name(recipe_kind kind);

/// invalid_argument, naming the recipe and the rule, unless it can be built: radices that have
/// passes and multiply to n, parts of the number, kind and length that the kind asks for.
void require_valid(const recipe& r);

}  // namespace papilio::fft_detail
