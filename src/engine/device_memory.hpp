#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "papilio/base/array.hpp"
#include "papilio/engine/kernel.hpp"

namespace papilio::engine_detail {

/// What a device and its buffers share: who they are, and how much memory is taken. Buffers may be
/// freed on any thread.
struct device_memory {
  std::string label;  // "trainium1", or "trainium1 (core 3)" of a group, as in messages
  std::int64_t capacity_bytes = 0;
  std::atomic<std::int64_t> used_bytes{0};
};

/// A share of a device's memory, given back with the object.
class memory_claim {
 public:
  memory_claim() = default;
  /// device_error with the bytes asked for and free.
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

/// What a device_buffer refers to.
struct buffer_state {
  memory_claim claim;
  engine::tensor_shape shape;
  array<std::byte, 1> data = {};  // empty until somebody writes
  bool written = false;           // holds values
  bool planned = false;           // a dry run would have written it

  bool readable(engine::run_mode mode) const {
    return written || (planned && mode == engine::run_mode::dry_run);
  }
  /// The bytes; new ones are poison where `poison`, else undefined.
  std::byte* storage(bool poison);
};

/// Copies an array of the host to packed elements of its operand's type, and back. The conversions
/// are those that launch_input and launch_output document.
void gather(const engine::launch_operand& from, std::byte* to);
void scatter(const std::byte* from, const engine::launch_operand& to);

/// Whether two arrays of the host have a byte in common, and whether they are the same one.
bool share_bytes(const engine::launch_operand& a, const engine::launch_operand& b);
bool same_array(const engine::launch_operand& a, const engine::launch_operand& b);

}  // namespace papilio::engine_detail
