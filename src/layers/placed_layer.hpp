// Placement of layers on arrays of the host, and the way of their operands to accelerators.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>

#include "base/share.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio::layers_detail {

/// A view with its axis `axis` last: [..., features].
template <class T>
tensor_view<T> features_last(const tensor_view<T>& x, std::size_t axis) {
  std::vector<std::size_t> extents(x.extents().begin(), x.extents().end());
  std::vector<std::ptrdiff_t> strides(x.strides().begin(), x.strides().end());
  const auto at = static_cast<std::ptrdiff_t>(axis);
  std::rotate(extents.begin() + at, extents.begin() + at + 1, extents.end());
  std::rotate(strides.begin() + at, strides.begin() + at + 1, strides.end());
  return {x.data(), extents, strides};
}

/// Matrices [features, 3] as [3, features].
template <class T>
tensor_view<T> parts_first(const view<T, 2>& rows) {
  return features_last<T>(rows, 0);
}

/// The accelerator for a layer; null: the host. Layers of no numbers are placed as ones of some, and
/// are the host's.
inline accelerator* place_layer(const char* function, const layer_problem& what,
                                const execution& on) {
  if (dispatch_detail::is_plain_host(on)) return nullptr;
  layer_problem some = what;
  some.rows = std::max<std::size_t>(1, what.rows);
  some.features = std::max<std::size_t>(1, what.features);
  accelerator* const device = place(function, some, on, host_roofline());
  return some == what ? device : nullptr;
}

/// Calls body(first, last) for ranges of [0, units), which have `elements` together, on the host's
/// threads, and records the run; the function's name lasts for ever.
template <class Body>
void run_on_host(const char* function, int threads, std::size_t units, std::size_t elements,
                 const Body& body) {
  constexpr std::size_t least_of_a_thread = 8192;
  base_detail::share(units, base_detail::team_of(threads).at_most(elements / least_of_a_thread),
                     [&](std::size_t first, std::size_t last, std::size_t) { body(first, last); });
  dispatch_detail::record_host_run(function);
}

}  // namespace papilio::layers_detail
