#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/overlap.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/engine/kernel.hpp"

namespace papilio::operations_detail {

/// An array of the host as the operand of launches. Its axes are joined where its strides allow it;
/// a complex array is [2, ...], real and imaginary planes. Where more axes are left than a launch
/// takes, launches see a row-major copy. Void is void or const void. The array must outlive it;
/// copies of this object share the row-major copy.
template <class Void>
class host_operand {
 public:
  /// invalid_argument, in the name of `function`, where the array would be written through a stride
  /// of 0.
  host_operand(const char* function, const untyped_view<Void>& v, bool is_complex);

  engine::launch_input input() const;
  engine::launch_output output() const
    requires(!std::is_const_v<Void>);

  /// Lets launches see a copy from now on, so that store() alone writes the array's own memory.
  void stand_apart();

  /// Lets launches see an array of these extents, behind the planes of a complex one, with the same
  /// elements in row-major order; it is copied where its strides do not allow that.
  void reshape(const std::vector<std::size_t>& extents);

  /// Fills the copy, if there is one, from the array; to be called before a launch reads.
  void load() const;
  /// Writes the copy, if there is one, to the array; to be called after a launch has written.
  void store() const
    requires(!std::is_const_v<Void>);

  bool is_copied() const { return copy_ != nullptr; }
  bool is_complex() const { return reals_ == 2; }
  /// The bytes from the array's first to its last.
  base_detail::byte_range reach() const;

 private:
  using number = std::conditional_t<std::is_const_v<Void>, const float, float>;

  /// Strides with which the array has these extents; empty where there are none.
  std::optional<std::vector<std::ptrdiff_t>> strides_as(
      const std::vector<std::size_t>& extents) const;

  number* data_;
  std::size_t reals_;                    ///< in an element: 1, or 2 of a complex one
  std::vector<std::size_t> extents_;     ///< axes after joining
  std::vector<std::ptrdiff_t> strides_;  ///< in reals
  std::shared_ptr<array<float, 1>> copy_;
  std::vector<std::size_t> copy_extents_;  ///< as launches see the copy
};

/// Whether the arrays have bytes in common; a copied one counts with all bytes from its first to
/// its last.
template <class A, class B>
bool share_memory(const host_operand<A>& a, const host_operand<B>& b);

}  // namespace papilio::operations_detail
