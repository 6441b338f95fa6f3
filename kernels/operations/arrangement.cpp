// Cutting, padding and rolling of arrays as kernels.
#include <algorithm>
#include <vector>

#include "kernels/operations/operations.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/rearrange.hpp"

namespace papilio::operations_detail {
namespace {

// Joins each axis that every box takes whole with the axis before it, so that kernels see few axes.
class joined_axes {
 public:
  explicit joined_axes(const arrangement_problem& p) : p_(p) {
    for (std::size_t a = 0; a < p.in_extents.size(); ++a)
      if (a > 0 && is_whole(a))
        groups_.back().push_back(a);
      else
        groups_.push_back({a});
  }

  std::size_t rank() const { return groups_.size(); }
  std::vector<std::size_t> extents(const std::vector<std::size_t>& extents) const {
    std::vector<std::size_t> joined;
    for (const auto& group : groups_) {
      std::size_t n = 1;
      for (const std::size_t a : group) n = checked_multiply(n, extents[a], "arrangement: extents");
      joined.push_back(n);
    }
    return joined;
  }
  // All axes of a group but its first are whole, so an offset along the first is multiplied by
  // their extents.
  std::vector<std::size_t> offsets(const std::vector<std::size_t>& offsets) const {
    std::vector<std::size_t> joined;
    for (const auto& group : groups_) {
      std::size_t n = offsets[group.front()];
      for (const std::size_t a : group)
        if (a != group.front()) n *= p_.in_extents[a];
      joined.push_back(n);
    }
    return joined;
  }

 private:
  bool is_whole(std::size_t a) const {
    return p_.in_extents[a] == p_.out_extents[a] &&
           std::ranges::all_of(p_.boxes, [&](const arrangement_problem::box& b) {
             return b.extents[a] == p_.in_extents[a];
           });
  }

  const arrangement_problem& p_;
  std::vector<std::vector<std::size_t>> groups_;
};

kernels::sized_kernel rearranged(const arrangement_problem& p, const precision_options&,
                                 const engine::machine_spec& machine) {
  const joined_axes axes(p);
  arrangement_problem joined = p;
  joined.in_extents = axes.extents(p.in_extents);
  joined.out_extents = axes.extents(p.out_extents);
  for (arrangement_problem::box& b : joined.boxes)
    b = {axes.offsets(b.from), axes.offsets(b.to), axes.extents(b.extents)};
  return kernels::rearrange_kernel(joined, machine);
}

}  // namespace

const operation_row<arrangement_problem>& row_of(const arrangement_problem&) {
  static const operation_row<arrangement_problem> row{
      .name = "rearrange_kernel",
      .kernel = rearranged,
      .refusal = [](const arrangement_problem& p) {
        return joined_axes(p).rank() <= most_axes_of_kernels
                   ? std::string()
                   : base_detail::message("its kernel takes at most ", most_axes_of_kernels,
                                          " axes, those that are not cut joined with those before");
      }};
  return row;
}

}  // namespace papilio::operations_detail
