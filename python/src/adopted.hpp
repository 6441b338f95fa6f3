#pragma once

#include <nanobind/nanobind.h>

#include <complex>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "ndarray.hpp"

namespace papilio::python {

template <class T>
constexpr element element_for() {
  if constexpr (std::is_floating_point_v<T>)
    return {false, real_type_of<T>};
  else
    return {true, real_type_of<typename T::value_type>};
}

/// A numpy array of a tensor's or an array's elements, which it keeps, row by row in these extents.
template <class Owner>
numpy_array adopted(Owner values, const std::vector<std::size_t>& extents) {
  auto* const owner = new Owner(std::move(values));
  const nb::capsule keeper(owner, [](void* p) noexcept { delete static_cast<Owner*>(p); });
  std::vector<std::ptrdiff_t> strides(extents.size());
  std::ptrdiff_t step = 1;
  for (std::size_t i = extents.size(); i-- > 0; step *= static_cast<std::ptrdiff_t>(extents[i]))
    strides[i] = step;
  return ndarray::over(owner->data(), element_for<typename Owner::value_type>(), extents, strides,
                       keeper)
      .object();
}
template <class Owner>
numpy_array adopted(Owner values) {
  const std::vector<std::size_t> extents(values.extents().begin(), values.extents().end());
  return adopted(std::move(values), extents);
}

}  // namespace papilio::python
