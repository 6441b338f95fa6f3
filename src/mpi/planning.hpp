#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mpi/communicator.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/overlap.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/fft/distribution.hpp"
#include "papilio/transform/run.hpp"

namespace papilio::mpi {

/// Extents and grid, by which ranks see whether they plan the same.
inline std::vector<std::int64_t> numbers_of(const distribution& cut) {
  std::vector<std::int64_t> numbers;
  for (const std::size_t extent : cut.extents())
    numbers.push_back(static_cast<std::int64_t>(extent));
  for (const int pieces : cut.grid()) numbers.push_back(pieces);
  return numbers;
}

/// Throws invalid_argument unless the communicator has the distribution's ranks.
inline void require_ranks(const char* function, const distribution& cut, const communicator& all) {
  if (cut.ranks() != all.size())
    throw invalid_argument(base_detail::message(function, ": the grid ", to_string(cut), " is of ",
                                                cut.ranks(), " ranks, the communicator has ",
                                                all.size()));
}

/// Throws shape_error unless the operands are arrays of these boxes, and elements of `out` have
/// addresses of their own.
template <class In, class Out>
void require_operands(const char* function, const tensor_view<In>& in, const box& in_box,
                      const tensor_view<Out>& out, const box& out_box) {
  transform_detail::require_extents(function, "in", in.extents(), in_box.extents);
  transform_detail::require_extents(function, "out", out.extents(), out_box.extents);
  if (!out.empty()) base_detail::require_distinct(function, out.extents(), out.strides());
}

}  // namespace papilio::mpi
