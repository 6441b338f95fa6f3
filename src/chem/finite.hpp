#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

#include "chem/energy_pass.hpp"
#include "papilio/base/array.hpp"

namespace papilio::chem_detail {

template <class T>
bool is_line_finite(const T* data, std::size_t count, std::ptrdiff_t stride) {
  if (stride == 1) return find_energy_pass<T>().all_finite(data, count);
  for (std::size_t i = 0; i < count; ++i)
    if (!std::isfinite(data[static_cast<std::ptrdiff_t>(i) * stride])) return false;
  return true;
}

/// Indices of an element that is not finite, if there is one: the first line by line along an axis
/// of stride 1, if there is such an axis.
template <class T>
std::optional<extents_type<3>> first_not_finite(const view<const T, 3>& v) {
  if (v.is_contiguous() && find_energy_pass<T>().all_finite(v.data(), v.size()))
    return std::nullopt;
  std::size_t inner = 2;
  for (const std::size_t axis : {1u, 0u})
    if (v.stride(axis) == 1 && v.stride(inner) != 1) inner = axis;
  const std::size_t middle = inner == 2 ? 1 : 2, outer = inner == 0 ? 1 : 0;
  for (std::size_t o = 0; o < v.extent(outer); ++o)
    for (std::size_t m = 0; m < v.extent(middle); ++m) {
      const T* const line = v.data() + static_cast<std::ptrdiff_t>(o) * v.stride(outer) +
                            static_cast<std::ptrdiff_t>(m) * v.stride(middle);
      if (is_line_finite(line, v.extent(inner), v.stride(inner))) continue;
      for (std::size_t i = 0; i < v.extent(inner); ++i)
        if (!std::isfinite(line[static_cast<std::ptrdiff_t>(i) * v.stride(inner)])) {
          extents_type<3> place{};
          place[outer] = o;
          place[middle] = m;
          place[inner] = i;
          return place;
        }
    }
  return std::nullopt;
}

}  // namespace papilio::chem_detail
