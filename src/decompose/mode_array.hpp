#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "decompose/leading_subspace.hpp"
#include "decompose/prepared_operand.hpp"
#include "papilio/base/array.hpp"

namespace papilio::decompose_detail {

/// An array that is multiplied along its axes until it is short, and whose unfoldings' singular
/// vectors are asked for.
template <class T>
class mode_array {
 public:
  virtual ~mode_array() = default;

  /// As leading_subspace, of the unfolding that has the axes [first, last) as rows.
  virtual subspace<T> leading(std::size_t first, std::size_t last, const truncation& keep) = 0;
  /// Multiplies along an axis by the transpose of `factor` [extent, rank].
  virtual void shorten(std::size_t axis, view<const T, 2> factor) = 0;
  /// Back to the whole array.
  virtual void restart() = 0;
  /// The elements, row-major.
  virtual array<T, 1> values() = 0;
  /// Whether what leading() says of what is cut off is right to rounding in double.
  virtual bool has_exact_tails() const = 0;
};

/// In the host's memory; the whole array is the operand's.
template <class T>
class host_array final : public mode_array<T> {
 public:
  /// `x` must outlive it.
  host_array(const prepared_operand<T>& x, int threads);

  subspace<T> leading(std::size_t first, std::size_t last, const truncation& keep) override;
  void shorten(std::size_t axis, view<const T, 2> factor) override;
  void restart() override;
  array<T, 1> values() override;
  bool has_exact_tails() const override { return true; }

 private:
  const T* data() const { return kept_.empty() ? x_.data : kept_.data(); }

  const prepared_operand<T>& x_;
  int threads_;
  std::vector<std::size_t> extents_;
  array<T, 1> kept_;
};

}  // namespace papilio::decompose_detail
