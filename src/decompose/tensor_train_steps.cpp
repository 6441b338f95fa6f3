#include "decompose/tensor_train_steps.hpp"

#include <limits>

#include "papilio/base/error.hpp"

namespace papilio::decompose_detail {
namespace {

using base_detail::message;

}  // namespace

std::vector<std::size_t> bond_bounds(const char* function, std::span<const std::size_t> max_ranks,
                                     std::size_t order) {
  const std::size_t bonds = order - 1;
  if (!max_ranks.empty() && max_ranks.size() != 1 && max_ranks.size() != bonds)
    throw shape_error(message(function, ": max_ranks must be one for all bonds or one for each of ",
                              bonds, ", got ", max_ranks.size()));
  for (std::size_t i = 0; i < max_ranks.size(); ++i)
    if (max_ranks[i] == 0)
      throw invalid_argument(message(function, ": max_ranks[", i, "] must be at least 1, got 0"));
  if (max_ranks.empty())
    return std::vector<std::size_t>(bonds, std::numeric_limits<std::size_t>::max());
  if (max_ranks.size() == 1) return std::vector<std::size_t>(bonds, max_ranks[0]);
  return {max_ranks.begin(), max_ranks.end()};
}

truncation bond_budget::take(std::size_t max_rank, bool exact_tail) {
  truncation keep{.max_rank = max_rank, .exact_tail = exact_tail};
  if (left >= 0) keep.budget = left / static_cast<double>(bonds--);
  return keep;
}

void bond_budget::spent(double squared_tail) {
  tail += squared_tail;
  if (left >= 0) left -= squared_tail;
}

}  // namespace papilio::decompose_detail
