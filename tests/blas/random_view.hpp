#pragma once

#include <rapidcheck.h>

#include <vector>

#include "naive.hpp"

namespace papilio::test {

template <class T>
struct random_view {
  std::vector<T> memory;
  view<T, 2> v;
};

// Axes in either order, reversed or not, with gaps; inputs also broadcast or overlapping.
template <class T>
random_view<T> any_view(std::size_t rows, std::size_t columns, bool is_output,
                        random_source<T>& random) {
  const bool by_columns = *rc::gen::arbitrary<bool>();
  const auto inner = static_cast<std::ptrdiff_t>(by_columns ? rows : columns);
  const auto outer = static_cast<std::ptrdiff_t>(by_columns ? columns : rows);
  std::ptrdiff_t step = *rc::gen::inRange<std::ptrdiff_t>(1, 4);
  std::ptrdiff_t pitch = inner * step + *rc::gen::inRange<std::ptrdiff_t>(0, 3);
  if (!is_output) {
    if (*rc::gen::inRange(0, 6) == 0) step = 0;
    if (*rc::gen::inRange(0, 6) == 0) pitch = *rc::gen::inRange<std::ptrdiff_t>(0, 3);
  }
  const std::ptrdiff_t span = (inner + 1) * 4 + (outer + 1) * (inner * 4 + 4);
  if (*rc::gen::arbitrary<bool>()) step = -step;
  if (*rc::gen::arbitrary<bool>()) pitch = -pitch;
  random_view<T> result{std::vector<T>(static_cast<std::size_t>(2 * span), not_a_number<T>()), {}};
  result.v = {result.memory.data() + span,
              {rows, columns},
              {by_columns ? step : pitch, by_columns ? pitch : step}};
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) result.v(i, j) = random();
  return result;
}

}  // namespace papilio::test
