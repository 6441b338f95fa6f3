#include "kernels/real/halved_axis.hpp"

namespace papilio::kernels_detail {

halved_axis halved_axis_of(const fft_problem& problem) {
  halved_axis h{.axis = problem.axes.back(), .others = problem.axes};
  h.others.pop_back();
  for (std::size_t a = 0; a < problem.extents.size(); ++a) {
    const auto extent = std::int64_t(problem.extents[a]);
    (a < h.axis ? h.outer : a > h.axis ? h.inner : h.n) *= extent;
  }
  return h;
}

}  // namespace papilio::kernels_detail
