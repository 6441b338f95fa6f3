#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/internal.hpp"

namespace papilio::base_detail {

/// "; did you mean WORD?" of the known word that is nearest to a mistyped one, or nothing where none
/// is near.
PAPILIO_INTERNAL std::string suggestion(std::string_view word,
                                        const std::vector<std::string>& known);

}  // namespace papilio::base_detail
