#pragma once

#include <span>
#include <string_view>

#include "papilio/kernels/catalog.hpp"

namespace papilio::kernels::published {

/// The device's kernels, then the published ones, whose names begin with "published/".
std::span<const catalog_entry> whole_catalog();

/// find_kernel() among them all.
const catalog_entry& find_any(std::string_view name);

}  // namespace papilio::kernels::published
