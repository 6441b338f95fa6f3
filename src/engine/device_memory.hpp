#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "papilio/base/array.hpp"
#include "papilio/engine/kernel.hpp"

namespace papilio::engine_detail {

/// The account of a device's memory, which the device shares with its buffers: they may outlive it.
/// Its address tells whether a buffer is of a device. Buffers may be freed on any thread.
struct device_memory {
  std::string label;  // for messages: "trainium1", or "trainium1 (core 3)" of a group
  std::int64_t capacity_bytes = 0;
  std::atomic<std::int64_t> used_bytes{0};
};

/// A claim on part of a device's memory, which the destructor returns.
class memory_claim {
 public:
  memory_claim() = default;
  /// Throws device_error, which names the bytes asked for and the bytes free, if there are too few.
  memory_claim(std::shared_ptr<device_memory> memory, std::int64_t bytes, const char* function);
  memory_claim(memory_claim&& other) noexcept;
  memory_claim& operator=(memory_claim&& other) noexcept;
  ~memory_claim();

  const std::shared_ptr<device_memory>& memory() const { return memory_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<device_memory> memory_;
  std::int64_t bytes_ = 0;
};

/// The tensor that copies of one device_buffer share; it is freed with the last of them.
struct buffer_state {
  memory_claim claim;
  engine::tensor_shape shape;
  array<std::byte, 1> data = {};  // empty until the first write
  bool written = false;           // it holds values
  bool planned = false;           // a dry run would have written it

  bool readable(engine::run_mode mode) const {
    return written || (planned && mode == engine::run_mode::dry_run);
  }
  /// Returns the bytes and allocates them at the first call, filled with poison if `poison`.
  std::byte* storage(bool poison);
};

/// gather() copies a host array to packed elements of the operand's device type, scatter() copies
/// them back. launch_input and launch_output document the conversions.
void gather(const engine::launch_operand& from, std::byte* to);
void scatter(const std::byte* from, const engine::launch_operand& to);

/// share_bytes() returns whether two host arrays have a byte in common, same_array() whether they
/// are one array.
bool share_bytes(const engine::launch_operand& a, const engine::launch_operand& b);
bool same_array(const engine::launch_operand& a, const engine::launch_operand& b);

}  // namespace papilio::engine_detail
