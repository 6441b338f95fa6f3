#pragma once

#include <cstdint>
#include <memory>

#include "papilio/base/export.hpp"
#include "papilio/engine/kernel.hpp"

namespace papilio::engine_detail {
struct buffer_state;
}

namespace papilio::engine {

/// A tensor that stays in the memory of a device. A handle: copies refer to the same tensor, which
/// is freed with the last of them and may outlive the device. Made by device::allocate and upload.
class PAPILIO_API device_buffer {
 public:
  device_buffer() = default;

  bool empty() const { return state_ == nullptr; }
  /// invalid_argument if empty.
  const tensor_shape& shape() const;
  /// Whether it holds values: by an upload, or a launch in execute mode that went well.
  bool is_written() const;
  /// Whether two handles refer to the same tensor.
  bool operator==(const device_buffer& other) const { return state_ == other.state_; }

  // What follows is for the engine.
  explicit device_buffer(std::shared_ptr<engine_detail::buffer_state> state)
      : state_(std::move(state)) {}
  engine_detail::buffer_state* state() const { return state_.get(); }

 private:
  std::shared_ptr<engine_detail::buffer_state> state_;
};

}  // namespace papilio::engine
