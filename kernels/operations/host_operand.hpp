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

/// An array of the host as the operand of launches: its axes joined where its strides allow it, and
/// [2, ...] of a complex one, the planes being its real and imaginary parts. Where more axes are
/// left than a launch takes, a row-major copy stands for it. Void is void or const void. The array
/// must outlive it; its own copies share what stands for the array.
template <class Void>
class host_operand {
 public:
  /// invalid_argument, in the name of `function`, where the array would be written through a stride
  /// of 0.
  host_operand(const char* function, const untyped_view<Void>& v, bool is_complex);

  engine::launch_input input() const;
  engine::launch_output output() const
    requires(!std::is_const_v<Void>);

  /// From now on a copy stands for it, so that its own memory is written by store() alone.
  void stand_apart();

  /// From now on launches see an array of these extents, behind the planes of a complex one, with
  /// the same elements in row-major order; a copy stands for it where its strides do not allow it.
  void reshape(const std::vector<std::size_t>& extents);

  /// Before a launch reads: the array's elements go to what stands for it.
  void load() const;
  /// After a launch has written: they come back.
  void store() const
    requires(!std::is_const_v<Void>);

  bool is_copied() const { return copy_ != nullptr; }
  bool is_complex() const { return reals_ == 2; }
  /// From the array's first byte to its last.
  base_detail::byte_range reach() const;

 private:
  using number = std::conditional_t<std::is_const_v<Void>, const float, float>;

  /// Strides in which the elements have these extents; none where there are no such strides.
  std::optional<std::vector<std::ptrdiff_t>> strides_as(
      const std::vector<std::size_t>& extents) const;

  number* data_;
  std::size_t reals_;                    ///< of an element
  std::vector<std::size_t> extents_;     ///< of the axes that are left
  std::vector<std::ptrdiff_t> strides_;  ///< in reals
  std::shared_ptr<array<float, 1>> copy_;
  std::vector<std::size_t> copy_extents_;  ///< as launches see the copy
};

/// Whether the arrays have bytes in common; one that is copied has all from its first to its last.
template <class A, class B>
bool share_memory(const host_operand<A>& a, const host_operand<B>& b);

}  // namespace papilio::operations_detail
