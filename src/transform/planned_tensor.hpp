#pragma once

#include <utility>

#include "papilio/dispatch/device_program.hpp"

namespace papilio::transform_detail {

/// A result of which only the shape is known.
class planned_tensor final : public device_tensor {
 public:
  planned_tensor(accelerator& on, operand_shape shape) : device_tensor(on, std::move(shape)) {}
};

}  // namespace papilio::transform_detail
