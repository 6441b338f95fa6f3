#pragma once

#include <memory>

#include "papilio/base/error.hpp"
#include "papilio/base/vocabulary.hpp"
#include "papilio/dispatch/accelerator.hpp"
#include "papilio/dispatch/operation.hpp"

namespace papilio::transform_detail {

/// A problem that an accelerator does. Its programs lie there, one for each shape of array.
struct device_plan {
  fft_problem problem;
  fft_problem whole;  ///< of the array that the plan was made for
  accelerator* on;
  std::weak_ptr<const void> life;
  precision_options precision;

  accelerator& device() const {
    if (life.expired())
      throw device_error("transform_plan: the accelerator that the plan was made for is gone");
    return *on;
  }
};

}  // namespace papilio::transform_detail
