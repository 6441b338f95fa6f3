#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/overlap.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/engine/kernel.hpp"

namespace papilio::operations_detail {

/// An operand of launches: a buffer on a device, or an array of the host, which must outlive it. An
/// array's axes are joined where its strides allow it; a complex array is [2, ...], real and
/// imaginary planes. Where more axes are left than a launch takes, launches see a row-major copy,
/// which copies of this object share.
class run_operand {
 public:
  explicit run_operand(engine::device_buffer buffer) : buffer_(std::move(buffer)) {}
  /// Refers to an array that is read.
  run_operand(const untyped_view<const void>& v, bool is_complex);
  /// Refers to an array that is written. invalid_argument, in the name of `function`, for a stride
  /// of 0.
  run_operand(const char* function, const untyped_view<void>& v, bool is_complex);

  bool is_buffer() const { return !buffer_.empty(); }
  const engine::device_buffer& buffer() const { return buffer_; }
  bool is_complex() const { return reals_ == 2; }
  engine::launch_input input() const { return operand<engine::launch_input>(); }
  engine::launch_output output() const { return operand<engine::launch_output>(); }

  /// Lets launches see a copy of an array from now on, so that store() alone writes the array's own
  /// memory.
  void stand_apart();
  /// Lets launches see an array of these extents, behind the planes of a complex one, with the same
  /// elements in row-major order; it is copied where its strides do not allow that.
  void reshape(const std::vector<std::size_t>& extents);
  /// Fills the copy, if there is one, from the array; to be called before a launch reads.
  void load() const;
  /// Writes the copy, if there is one, to the array; to be called after a launch has written.
  void store() const;

  bool is_copied() const { return copy_ != nullptr; }
  /// All bytes of the array, from its first to its last.
  base_detail::byte_range reach() const;

  /// Whether two arrays have bytes in common; a copied one counts with all bytes from its first to
  /// its last.
  friend bool share_memory(const run_operand& a, const run_operand& b);

 private:
  template <class Operand>
  Operand operand() const;
  /// Strides with which the array has these extents; empty where there are none.
  std::optional<std::vector<std::ptrdiff_t>> strides_as(
      const std::vector<std::size_t>& extents) const;

  // Extents, and strides in elements.
  struct axes {
    std::vector<std::size_t> extents;
    std::vector<std::ptrdiff_t> strides;
  };
  engine::device_buffer buffer_;
  float* data_ = nullptr;  // not written through if the array is only read
  std::size_t reals_ = 1;  // in an element: 1, or 2 of a complex one
  axes given_, seen_;      // the array's after joining; those of what launches see
  std::shared_ptr<array<float, 1>> copy_;
};

}  // namespace papilio::operations_detail
