#pragma once

#include <cstddef>
#include <span>

#include "papilio/base/view.hpp"

namespace papilio::base_detail {

/// A view whose rank is known only at run time. It refers to extents and strides (in elements) that
/// live elsewhere.
template <class T>
struct strided {
  T* data = nullptr;
  std::span<const std::size_t> extents;
  std::span<const std::ptrdiff_t> strides;

  std::size_t rank() const { return extents.size(); }
  bool empty() const {
    for (const std::size_t e : extents)
      if (e == 0) return true;
    return false;
  }
};

/// `v` without its rank; valid while `v` lives.
template <class T, std::size_t Rank>
strided<T> any_rank(const view<T, Rank>& v) {
  return {v.data(), v.extents(), v.strides()};
}
template <class T, std::size_t Rank>
strided<T> any_rank(const view<T, Rank>&& v) = delete;

}  // namespace papilio::base_detail
