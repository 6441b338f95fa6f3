#include "decompose/train_rest.hpp"

#include <algorithm>
#include <utility>

#include "decompose/mode_product.hpp"
#include "papilio/blas/factorization.hpp"
#include "papilio/blas/gemm.hpp"

namespace papilio::decompose_detail {

template <class T>
host_rest<T>::host_rest(const prepared_operand<T>& x, int threads)
    : x_(x), threads_(threads), size_(x.size) {}

template <class T>
bond_cut<T> host_rest<T>::cut(const truncation& keep) {
  const std::size_t rows = bond_ * x_.extents[mode_++];
  bond_step<T> step = cut_bond(view<const T, 2>(data(), {rows, size_ / rows}), keep, threads_);
  carry_ = std::move(step.carry);
  size_ = carry_.size();
  bond_ = step.left.extent(1);
  return {std::move(step.left), step.squared_tail};
}

template <class T>
array<T, 1> host_rest<T>::values() {
  array<T, 1> copy(size_, uninitialized);
  std::copy_n(data(), size_, copy.data());
  return copy;
}

template class host_rest<float>;
template class host_rest<double>;

device_rest::device_rest(const char* function, accelerator& on, const prepared_operand<float>& x,
                         int threads, run_record& sum)
    : function_(function), on_(on), x_(x), threads_(threads), sum_(sum) {
  rows_ = x.extents[0];
  columns_ = x.size / rows_;
  const std::size_t extents[] = {1, rows_, columns_};
  lie(x.data, extents);
}

void device_rest::lie(const float* from, std::span<const std::size_t> extents) {
  array_.emplace(function_, on_, lying_on(function_, on_, from, extents, sum_), from, extents,
                 threads_, sum_);
}

bond_cut<float> device_rest::cut(const truncation& keep) {
  truncation bounded = keep;
  bounded.max_rank = std::min({keep.max_rank, rows_, columns_});
  const std::size_t extent = x_.extents[mode_];
  if (!array_) {
    const std::size_t extents[] = {rows_ / extent, extent, columns_};
    lie(carry_.data(), extents);
  }
  bond_cut<float> result = rows_ <= columns_ ? cut_left(bounded) : cut_right(bounded);
  const std::size_t next = x_.extents[++mode_];
  rows_ = result.left.extent(1) * next;
  columns_ /= next;
  return result;
}

bond_cut<float> device_rest::cut_left(const truncation& keep) {
  subspace<float> s = array_->leading(0, 2, keep);
  const std::size_t next = x_.extents[mode_ + 1];
  const std::size_t extents[] = {rows_, next, columns_ / next};
  array_->reshape(extents);
  if (!s.is_identity) array_->shorten(0, s.vectors);
  return {std::move(s.vectors), s.squared_tail};
}

bond_cut<float> device_rest::cut_right(const truncation& keep) {
  const subspace<float> s = array_->leading(2, 3, keep);
  const std::size_t extents[] = {rows_, columns_};
  array_->reshape(extents);
  if (!s.is_identity) array_->shorten(1, s.vectors);
  const array<float, 1> product = array_->values();
  array_.reset();
  qr_factors<float> factors =
      qr(view<const float, 2>(product.data(), {rows_, product.size() / rows_}));
  carry_ = std::move(factors.r);
  if (!s.is_identity) {
    array<float, 2> back({carry_.extent(0), columns_}, uninitialized);
    const view<const float, 2> right = s.vectors;
    gemm(1.0F, carry_, transposed(right), 0.0F, back, {.threads = threads_});
    carry_ = std::move(back);
  }
  return {std::move(factors.q), s.squared_tail};
}

array<float, 1> device_rest::values() {
  if (array_) return array_->values();
  array<float, 1> copy(carry_.size(), uninitialized);
  std::ranges::copy(carry_, copy.data());
  return copy;
}

}  // namespace papilio::decompose_detail
