#pragma once

#include <cstddef>
#include <vector>

#include "contract/layout.hpp"

namespace papilio::contract_detail {

/// An axis of a step's index space, with its stride in each operand and in the result: 0 where one
/// has it not.
struct step_axis {
  std::size_t extent = 1;
  std::ptrdiff_t left = 0, right = 0, out = 0;

  bool operator==(const step_axis&) const = default;
};
using step_axes = std::vector<step_axis>;

/// Product of the extents; resource_error where it overflows.
std::size_t size_of(const step_axes& axes);

/// Whether an axis and the next inner one are one axis, of both extents, in both operands and the
/// result.
bool are_one(const step_axis& outer, const step_axis& inner);
/// Makes one of neighbours that are_one.
void fuse(step_axes& axes);

/// The axes by who has them: diagonals taken, extents of 1 dropped, and an axis along which an
/// operand does not change taken as one that the operand has not. If a sum is of nothing, k says
/// so.
struct step_groups {
  step_axes batch;       ///< both operands and the result
  step_axes m, n;        ///< the left, the right operand and the result
  step_axes k;           ///< both operands; summed
  step_axes left_only;   ///< summed
  step_axes right_only;  ///< summed
};
step_groups grouped(const layout& left, const layout& right, const layout& out);

}  // namespace papilio::contract_detail
