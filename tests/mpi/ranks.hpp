#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <complex>
#include <cstddef>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "papilio/fft.hpp"
#include "papilio/mpi.hpp"
#include "support/oracle.hpp"

namespace papilio::test {

inline int ranks() {
  int n = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  return n;
}
inline int rank() {
  int r = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  return r;
}

/// Every grid of this many processes that leaves the last axis whole.
inline std::vector<std::vector<int>> all_grids(std::size_t axes) {
  std::vector<std::vector<int>> grids{{}};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    std::vector<std::vector<int>> longer;
    for (const auto& grid : grids) {
      const int used = std::accumulate(grid.begin(), grid.end(), 1, std::multiplies<>());
      for (int pieces = 1; pieces <= ranks() / used; ++pieces) {
        if (ranks() % (used * pieces) != 0 || (axis + 1 == axes && pieces != 1)) continue;
        longer.push_back(grid);
        longer.back().push_back(pieces);
      }
    }
    grids = std::move(longer);
  }
  std::erase_if(grids, [](const auto& grid) {
    return std::accumulate(grid.begin(), grid.end(), 1, std::multiplies<>()) != ranks();
  });
  return grids;
}

/// Places, in the row-major array of these extents, of a box's elements in row-major order.
inline std::vector<std::size_t> places_of(const mpi::box& part,
                                          const std::vector<std::size_t>& extents) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < part.size(); ++i) {
    std::size_t rest = i, place = 0, step = 1;
    for (std::size_t axis = extents.size(); axis-- > 0;) {
      place += (part.first[axis] + rest % part.extents[axis]) * step;
      rest /= part.extents[axis];
      step *= extents[axis];
    }
    places.push_back(place);
  }
  return places;
}

/// The box of an array, as an array of its own.
template <class E>
tensor<E> box_of(const std::vector<E>& whole, const mpi::box& part,
                 const std::vector<std::size_t>& extents) {
  tensor<E> own = mpi::make_array<E>(part);
  const std::vector<std::size_t> places = places_of(part, extents);
  for (std::size_t i = 0; i < places.size(); ++i) own.flat()[i] = whole[places[i]];
  return own;
}

/// Elements of a rank's array that differ from the whole's, by value.
template <class E>
std::size_t different(const tensor<E>& got, const std::vector<E>& whole, const mpi::box& part,
                      const std::vector<std::size_t>& extents) {
  const std::vector<std::size_t> places = places_of(part, extents);
  std::size_t count = 0;
  for (std::size_t i = 0; i < places.size(); ++i) count += got.flat()[i] != whole[places[i]];
  return count;
}

inline std::size_t product(const std::vector<std::size_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::size_t{1}, std::multiplies<>());
}

template <class Function>
std::string refusal_of(const Function& function) {
  try {
    function();
  } catch (const error& e) {
    return e.what();
  }
  return "nothing was refused";
}

}  // namespace papilio::test
