#include "decompose/device_products.hpp"

#include <algorithm>
#include <utility>

#include "decompose/product_plan.hpp"
#include "papilio/base/error.hpp"

namespace papilio::decompose_detail {

device_products::device_products(const char* function, accelerator& on, shared_tensor x,
                                 std::span<const std::size_t> extents, std::size_t rank,
                                 run_record& sum)
    : product_(checked_multiply(std::ranges::max(extents), rank, "cp_als: size"), uninitialized),
      sum_(sum) {
  for (const std::size_t extent : extents)
    factors_.emplace_back(extents_type<2>{rank, extent}, uninitialized);
  std::vector<shared_tensor> nodes;
  for (product_plan& plan : product_plans(extents, rank)) {
    std::vector<step_input> in{{.tensor = plan.source ? nodes[*plan.source] : x}};
    for (const std::size_t mode : plan.factors) in.push_back({.host = factors_[mode].data()});
    const operand_shapes shapes = shapes_of(plan.problem);
    std::vector<step_output> out;
    for (std::size_t i = 0; i < plan.kept.size(); ++i) {
      nodes.push_back(new_tensor(on, shapes.out[i], function));
      out.push_back({.tensor = nodes.back()});
    }
    out.push_back({.host = product_.data()});
    updates_.push_back(
        {plan.factors, device_step(function, base_detail::message("mode ", updates_.size()), on,
                                   plan.problem, in, out)});
  }
}

const float* device_products::at(std::size_t position, std::span<const array<float, 2>> factors) {
  update& u = updates_[position % updates_.size()];
  for (const std::size_t mode : u.factors) std::ranges::copy(factors[mode], factors_[mode].begin());
  u.step.run(sum_);
  return product_.data();
}

}  // namespace papilio::decompose_detail
