#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "decompose/mode_products.hpp"
#include "decompose/runner.hpp"
#include "papilio/base/array.hpp"

namespace papilio::decompose_detail {

/// mode_products by an accelerator on which the array lies, as product_plans has them: each is one
/// dispatch, to which the factors that it takes go up, and from which the product comes back. In a
/// dry run each is counted, and no factors are needed.
template <class T>
class device_products final : public mode_products<T> {
 public:
  device_products(runner& on, const shared_tensor& x, std::span<const std::size_t> extents,
                  std::size_t rank);

  const T* at(std::size_t position, std::span<const array<T, 2>> factors) override;

 private:
  struct update {
    std::vector<std::size_t> factors;
    device_step step;
  };
  bool is_dry_;
  std::vector<array<T, 2>> factors_;  // as steps read them
  array<T, 1> product_;
  std::vector<update> updates_;
};

}  // namespace papilio::decompose_detail
