#pragma once

#include <cstddef>
#include <span>

#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"

namespace papilio::decompose_detail {

/// shape_error unless `indices` are [count, order]; invalid_argument for one that is outside.
inline void check_indices(const char* function, view<const std::size_t, 2> indices,
                          std::span<const std::size_t> extents) {
  if (indices.extent(1) != extents.size())
    throw shape_error(base_detail::message(function, ": indices must be [count, ", extents.size(),
                                           "], got ", indices.extent(1), " columns"));
  for (std::size_t i = 0; i < indices.extent(0); ++i)
    for (std::size_t mode = 0; mode < extents.size(); ++mode)
      if (indices(i, mode) >= extents[mode])
        throw invalid_argument(base_detail::message(function, ": index ", indices(i, mode),
                                                    " of mode ", mode, " in row ", i,
                                                    " must be below ", extents[mode]));
}

/// shape_error unless x has the extents of the model.
inline void check_extents(const char* function, std::span<const std::size_t> x,
                          std::span<const std::size_t> model) {
  bool same = x.size() == model.size();
  for (std::size_t mode = 0; same && mode < x.size(); ++mode) same = x[mode] == model[mode];
  if (!same)
    throw shape_error(base_detail::message(function, ": x must have the extents of the model"));
}

}  // namespace papilio::decompose_detail
