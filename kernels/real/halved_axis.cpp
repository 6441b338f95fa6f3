#include "kernels/real/halved_axis.hpp"

#include <algorithm>

#include "kernels/fft/fft_design.hpp"
#include "kernels/fft/precision.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/operand.hpp"

namespace papilio::kernels_detail {

using base_detail::message;
using engine::machine_spec;

halved_axis checked(const kernels::fft_shape& shape, const machine_spec& machine,
                    const char* function) {
  if (shape.inverse)
    throw invalid_argument(message(function,
                                   ": inverse must be false; the direction is that of "
                                   "the function"));
  check_precision(function, shape.precision);
  if (shape.precision.mode != precision::native)
    throw invalid_argument(message(function, ": precision must be native"));
  if (shape.precision.target_error != 0)
    throw invalid_argument(message(function, ": precision.target_error must be 0, got ",
                                   shape.precision.target_error));
  check_scale(function, shape.scale);
  const int rank = int(shape.extents.size());
  if (rank < 1) throw shape_error(message(function, ": extents must not be empty"));
  std::int64_t all = 16;  // bytes of planes with one more bin than lengths of 1 have
  for (const std::int64_t e : shape.extents) {
    if (e < 1) throw shape_error(message(function, ": extents must be at least 1, got ", e));
    all = checked_multiply(all, e, function);
  }
  constexpr int most = engine::hbm_view::dims_max - 1;  // and the planes
  if (rank > most)
    throw shape_error(message(function, ": there are at most ", most, " extents, got ", rank));
  check_room(function, all / 4, machine);
  std::vector<int> axes;
  for (const int a : shape.axes) {
    const int axis = a < 0 ? a + rank : a;
    if (axis < 0 || axis >= rank)
      throw shape_error(message(function, ": axis ", a, " is out of range for ", rank, " extents"));
    if (std::ranges::find(axes, axis) != axes.end())
      throw shape_error(message(function, ": axis ", a, " is given twice"));
    axes.push_back(axis);
  }
  if (shape.axes.empty())
    for (int a = 0; a < rank; ++a) axes.push_back(a);
  halved_axis h;
  h.axis = std::size_t(axes.back());
  axes.pop_back();
  h.others = std::move(axes);
  h.n = shape.extents[h.axis];
  for (std::size_t a = 0; a < shape.extents.size(); ++a) {
    if (a < h.axis) h.outer *= shape.extents[a];
    if (a > h.axis) h.inner *= shape.extents[a];
  }
  return h;
}

}  // namespace papilio::kernels_detail
