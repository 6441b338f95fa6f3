#pragma once

#include <cstddef>

#include "adopted.hpp"
#include "ndarray.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"

namespace papilio::python {

/// View of an array of so many axes. Throws shape_error, in the name of `function`, for others.
template <class V, std::size_t Rank>
view<const V, Rank> fixed(const char* function, const char* name, const ndarray& x) {
  if (x.rank() != Rank)
    throw shape_error(base_detail::message(function, ": ", name, " must have ", Rank,
                                           Rank == 1 ? " axis" : " axes", ", got ", x.rank()));
  extents_type<Rank> extents;
  strides_type<Rank> strides;
  for (std::size_t i = 0; i < Rank; ++i) {
    extents[i] = x.extent(i);
    strides[i] = x.strides()[i];
  }
  return {static_cast<const V*>(x.data()), extents, strides};
}

/// A copy of an argument as elements V, row by row.
template <class V, std::size_t Rank>
array<V, Rank> owned(const char* function, const char* name, nb::handle x) {
  const ndarray in = contiguous(ndarray::operand(function, x, element_for<V>(), name));
  const view<const V, Rank> from = fixed<V, Rank>(function, name, in);
  array<V, Rank> copy(from.extents());
  std::copy_n(from.data(), copy.size(), copy.data());
  return copy;
}

}  // namespace papilio::python
