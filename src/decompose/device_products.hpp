#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "decompose/device_step.hpp"
#include "decompose/mode_products.hpp"
#include "papilio/base/array.hpp"

namespace papilio::decompose_detail {

/// mode_products by an accelerator on which the array lies, as product_plans has them: each is one
/// dispatch, to which the factors that it takes go up, and from which the product comes back.
class device_products final : public mode_products<float> {
 public:
  /// `sum` counts what runs, and must outlive it. Errors as device_step's, in the name of
  /// `function`.
  device_products(const char* function, accelerator& on, shared_tensor x,
                  std::span<const std::size_t> extents, std::size_t rank, run_record& sum);

  const float* at(std::size_t position, std::span<const array<float, 2>> factors) override;

 private:
  struct update {
    std::vector<std::size_t> factors;
    device_step step;
  };
  std::vector<array<float, 2>> factors_;  // as steps read them
  array<float, 1> product_;
  std::vector<update> updates_;
  run_record& sum_;
};

}  // namespace papilio::decompose_detail
