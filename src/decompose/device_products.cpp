#include "decompose/device_products.hpp"

#include <algorithm>
#include <utility>

#include "decompose/product_plan.hpp"
#include "papilio/base/error.hpp"

namespace papilio::decompose_detail {

template <class T>
device_products<T>::device_products(runner& on, const shared_tensor& x,
                                    std::span<const std::size_t> extents, std::size_t rank)
    : is_dry_(on.is_dry()),
      product_(checked_multiply(std::ranges::max(extents), rank, "cp_als: size"), uninitialized) {
  for (const std::size_t extent : extents)
    factors_.emplace_back(extents_type<2>{rank, extent}, uninitialized);
  std::vector<shared_tensor> nodes;
  for (product_plan& plan : product_plans(extents, rank)) {
    std::vector<step_input> in{{.tensor = plan.source ? nodes[*plan.source] : x}};
    for (const std::size_t mode : plan.factors) in.push_back({.host = factors_[mode].data()});
    const operand_shapes shapes = shapes_of(plan.problem);
    std::vector<step_output> out;
    for (std::size_t i = 0; i < plan.kept.size(); ++i) {
      nodes.push_back(on.room(shapes.out[i]));
      out.push_back({.tensor = nodes.back()});
    }
    out.push_back({.host = product_.data()});
    updates_.push_back(
        {std::move(plan.factors), device_step(on, base_detail::message("mode ", updates_.size()),
                                              std::move(plan.problem), in, out)});
  }
}

template <class T>
const T* device_products<T>::at(std::size_t position, std::span<const array<T, 2>> factors) {
  update& u = updates_[position % updates_.size()];
  if (!is_dry_)
    for (const std::size_t mode : u.factors)
      std::ranges::copy(factors[mode], factors_[mode].begin());
  u.step.run();
  return product_.data();
}

template class device_products<float>;
template class device_products<double>;

}  // namespace papilio::decompose_detail
