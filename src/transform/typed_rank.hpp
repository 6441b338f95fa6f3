#pragma once

#include <algorithm>
#include <cstddef>

#include "papilio/base/error.hpp"
#include "papilio/base/tensor.hpp"

namespace papilio::transform_detail {

/// As many axes as an operand of the plans' templates is made for.
inline constexpr std::size_t most_axes = 32;

template <class T, std::size_t Rank, class Void>
view<T, Rank> typed(const untyped_view<Void>& v) {
  extents_type<Rank> extents;
  strides_type<Rank> strides;
  std::copy_n(v.extents.begin(), Rank, extents.begin());
  std::copy_n(v.strides.begin(), Rank, strides.begin());
  return {static_cast<T*>(v.data), extents, strides};
}

/// f(in, out) with the operands as views of their rank; invalid_argument beyond most_axes.
template <class In, class Out, std::size_t Rank = 1, class Function>
void with_views(const untyped_view<const void>& in, const untyped_view<void>& out,
                const Function& f) {
  if (in.rank() == Rank) {
    f(typed<const In, Rank>(in), typed<Out, Rank>(out));
  } else if constexpr (Rank < most_axes) {
    with_views<In, Out, Rank + 1>(in, out, f);
  } else {
    throw invalid_argument(base_detail::message("transform: operands must have at most ", most_axes,
                                                " axes, got ", in.rank()));
  }
}

}  // namespace papilio::transform_detail
