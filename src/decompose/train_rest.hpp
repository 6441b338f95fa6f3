#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "decompose/device_mode_array.hpp"
#include "decompose/prepared_operand.hpp"
#include "decompose/tensor_train_steps.hpp"

namespace papilio::decompose_detail {

template <class T>
struct bond_cut {
  array<T, 2> left;  ///< [bond before * extent, rank], orthonormal columns
  double squared_tail = 0;
};

/// What is left of an array while its train is made: [bond, extent, others...], of which each cut
/// takes the first two axes.
template <class T>
class train_rest {
 public:
  virtual ~train_rest() = default;
  virtual bond_cut<T> cut(const truncation& keep) = 0;
  /// The elements, row-major.
  virtual array<T, 1> values() = 0;
};

template <class T>
class host_rest final : public train_rest<T> {
 public:
  /// `x` must outlive it.
  host_rest(const prepared_operand<T>& x, int threads);

  bond_cut<T> cut(const truncation& keep) override;
  array<T, 1> values() override;

 private:
  const T* data() const { return carry_.empty() ? x_.data : carry_.data(); }

  const prepared_operand<T>& x_;
  int threads_;
  std::size_t mode_ = 0, bond_ = 1, size_;
  array<T, 2> carry_;
};

/// On an accelerator, as device_mode_array. Where the unfolding is longer than wide, A V = Q R of the
/// right singular vectors V is the host's: the little that is left goes up again.
class device_rest final : public train_rest<float> {
 public:
  /// As device_mode_array's; `x` must outlive it.
  device_rest(const char* function, accelerator& on, const prepared_operand<float>& x, int threads,
              run_record& sum);

  bond_cut<float> cut(const truncation& keep) override;
  array<float, 1> values() override;

 private:
  void lie(const float* from, std::span<const std::size_t> extents);
  bond_cut<float> cut_left(const truncation& keep);
  bond_cut<float> cut_right(const truncation& keep);

  const char* function_;
  accelerator& on_;
  const prepared_operand<float>& x_;
  int threads_;
  run_record& sum_;
  std::size_t mode_ = 0, rows_ = 1, columns_ = 1;
  std::optional<device_mode_array> array_;  // [bond, extent, others]
  array<float, 2> carry_;                   // where there is no array_
};

}  // namespace papilio::decompose_detail
