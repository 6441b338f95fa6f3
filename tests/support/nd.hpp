#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "papilio/base.hpp"
#include "support/oracle.hpp"

namespace papilio::test {

using sizes = std::vector<std::size_t>;

std::size_t count(const sizes& extents);

/// The DFT of a row-major array along each of `axes`, by dft(); unscaled.
std::vector<exact> dftn(std::vector<exact> x, const sizes& extents, const sizes& axes, int sign);

/// What the spectrum of a real array along `axis`, cut to its first n/2 + 1 bins, stands for: the
/// other bins by Hermitian symmetry along that axis, the imaginary parts of bins 0 and n/2 dropped.
std::vector<exact> hermitian(const std::vector<exact>& half, sizes extents, std::size_t axis,
                             std::size_t n);

/// The first `kept` indices along an axis.
std::vector<exact> first_along(const std::vector<exact>& x, sizes extents, std::size_t axis,
                               std::size_t kept);

/// Error model of a transform over several axes: the rounding errors of all their stages in
/// quadrature.
template <class T>
double fftn_tolerance(const sizes& extents, const sizes& axes) {
  double stages = 0;
  for (const std::size_t axis : axes) stages += std::log2(2 * static_cast<double>(extents[axis]));
  return 1.2 * static_cast<double>(std::numeric_limits<T>::epsilon()) * std::sqrt(stages);
}

/// How an array lies in memory of `size` elements, its first element at `offset`.
struct layout {
  std::vector<std::ptrdiff_t> strides;
  std::size_t offset = 0, size = 0;
};

/// How to lay one axis out: between its steps `gap` - 1 times the room that is needed is left.
struct axis_layout {
  std::size_t gap = 1;
  bool backwards = false, repeated = false;  ///< negative stride; stride 0
};

/// `order` names the axes from the outermost in memory to the innermost.
layout lay_out(const sizes& extents, const sizes& order, const std::vector<axis_layout>& axes);
layout row_major(const sizes& extents);

/// The offset in memory of each element, in row-major order of the indices.
std::vector<std::size_t> offsets(const sizes& extents, const layout& where);

template <std::size_t Rank, class T>
view<T, Rank> as_view(std::vector<T>& memory, const sizes& extents, const layout& where) {
  extents_type<Rank> e;
  strides_type<Rank> s;
  for (std::size_t axis = 0; axis < Rank; ++axis) {
    e[axis] = extents.at(axis);
    s[axis] = where.strides.at(axis);
  }
  return {memory.data() + where.offset, e, s};
}

/// Calls body.operator()<Rank>() for a rank of 1 to 4.
template <class Body>
void with_rank(std::size_t rank, const Body& body) {
  switch (rank) {
    case 1:
      return body.template operator()<1>();
    case 2:
      return body.template operator()<2>();
    case 3:
      return body.template operator()<3>();
    case 4:
      return body.template operator()<4>();
    default:
      throw std::logic_error("with_rank: 1 to 4");
  }
}

/// All subsets of the axes of a rank, each rising; the empty one first.
std::vector<sizes> subsets(std::size_t rank);

inline std::vector<std::ptrdiff_t> as_signed(const sizes& axes) {
  return {axes.begin(), axes.end()};
}

}  // namespace papilio::test
