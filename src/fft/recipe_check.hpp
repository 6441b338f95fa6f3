#pragma once

#include "papilio/fft/recipe.hpp"

namespace papilio::fft_detail {

inline constexpr recipe_kind all_recipe_kinds[] = {
    recipe_kind::codelet,  recipe_kind::two_step,  recipe_kind::direct, recipe_kind::four_step,
    recipe_kind::stockham, recipe_kind::bluestein, recipe_kind::rader,  recipe_kind::real,
    recipe_kind::dct1,     recipe_kind::dct2,      recipe_kind::dct3,   recipe_kind::dct4,
    recipe_kind::dst1,     recipe_kind::dst2,      recipe_kind::dst3,   recipe_kind::dst4};

/// Whether it is a complex transform, from which a plan can be built.
bool is_complex(const recipe& r);

/// The word for a kind in to_string.
const char* kind_name(recipe_kind kind);

/// Throws invalid_argument, naming the recipe and the rule, unless it can be built: radices that
/// have passes and multiply to n, parts of the number, kind and length that the kind asks for.
void require_valid(const recipe& r);

}  // namespace papilio::fft_detail
