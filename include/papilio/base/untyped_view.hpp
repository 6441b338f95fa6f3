#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "papilio/base/view.hpp"

namespace papilio {

/// A strided array whose element type and rank are known at run time only. Void is void or const
/// void; extents and strides (in elements) are those of the view it was made from, which must
/// outlive it.
template <class Void>
struct untyped_view {
  Void* data = nullptr;
  std::span<const std::size_t> extents;
  std::span<const std::ptrdiff_t> strides;

  untyped_view(Void* memory, std::span<const std::size_t> sizes,
               std::span<const std::ptrdiff_t> steps)
      : data(memory), extents(sizes), strides(steps) {}
  template <class T, std::size_t Rank>
    requires(std::is_const_v<Void> || !std::is_const_v<T>)
  explicit untyped_view(const view<T, Rank>& v)
      : data(v.data()), extents(v.extents()), strides(v.strides()) {}
  template <class T, std::size_t Rank>
  explicit untyped_view(view<T, Rank>&&) = delete;

  std::size_t rank() const { return extents.size(); }
};

}  // namespace papilio
