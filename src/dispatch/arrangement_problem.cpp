#include "papilio/dispatch/operation.hpp"

#include "dispatch/problem_text.hpp"
#include "papilio/base/error.hpp"

namespace papilio {

using base_detail::message;

void arrangement_problem::require_valid(const char* function) const {
  const std::size_t rank = in_extents.size();
  if (out_extents.size() != rank)
    throw invalid_argument(message(function, ": an arrangement must have as many out_extents as ",
                                   "in_extents, ", rank, ", got ", out_extents.size()));
  for (const box& b : boxes) {
    if (b.from.size() != rank || b.to.size() != rank || b.extents.size() != rank)
      throw invalid_argument(
          message(function, ": a box of an arrangement must have ", rank, " axes"));
    for (std::size_t a = 0; a < rank; ++a)
      if (b.extents[a] > in_extents[a] || b.from[a] > in_extents[a] - b.extents[a] ||
          b.extents[a] > out_extents[a] || b.to[a] > out_extents[a] - b.extents[a])
        throw invalid_argument(message(function, ": a box of an arrangement, ", b.extents[a],
                                       " elements of axis ", a, ", leaves the array"));
  }
}

std::string arrangement_problem::text() const {
  return message("arrangement of ", dispatch_detail::text_of(in_extents), " in ",
                 dispatch_detail::text_of(out_extents));
}

operand_shapes arrangement_problem::shapes() const {
  return {{{in_extents, complex_in}}, {{out_extents, complex_out}}};
}

double arrangement_problem::nominal_flops() const { return 0; }

}  // namespace papilio
