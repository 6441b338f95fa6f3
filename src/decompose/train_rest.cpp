#include "decompose/train_rest.hpp"

#include <algorithm>
#include <utility>

#include "decompose/mode_product.hpp"
#include "papilio/blas/factorization.hpp"
#include "papilio/blas/gemm.hpp"

namespace papilio::decompose_detail {

template <class T>
train_rest<T>::train_rest(runner& on, const T* x, std::span<const std::size_t> extents)
    : on_(on),
      extents_(extents.begin(), extents.end()),
      rows_(extents_[0]),
      columns_(product_of(extents) / rows_) {
  const std::size_t whole[] = {1, rows_, columns_};
  array_.emplace(on, x, whole);
}

template <class T>
bond_cut<T> train_rest<T>::cut(const truncation& keep) {
  truncation bounded = keep;
  bounded.max_rank = std::min({keep.max_rank, rows_, columns_});
  const std::size_t extent = extents_[mode_];
  if (!array_) {
    const std::size_t rest[] = {rows_ / extent, extent, columns_};
    array_.emplace(on_, carry_.data(), rest);
  }
  bond_cut<T> result = rows_ <= columns_ ? cut_left(bounded) : cut_right(bounded);
  const std::size_t next = extents_[++mode_];
  rows_ = result.left.extent(1) * next;
  columns_ /= next;
  return result;
}

template <class T>
bond_cut<T> train_rest<T>::cut_left(const truncation& keep) {
  subspace<T> s = array_->leading(0, 2, keep);
  const std::size_t next = extents_[mode_ + 1];
  const std::size_t rest[] = {rows_, next, columns_ / next};
  array_->reshape(rest);
  if (!s.is_identity) array_->shorten(0, s.vectors);
  return {std::move(s.vectors), s.squared_tail};
}

template <class T>
bond_cut<T> train_rest<T>::cut_right(const truncation& keep) {
  const subspace<T> s = array_->leading(2, 3, keep);
  const std::size_t matrix[] = {rows_, columns_}, rank = s.rank();
  array_->reshape(matrix);
  if (!s.is_identity) array_->shorten(1, s.vectors);
  const array<T, 1> product = array_->values();
  array_.reset();
  if (on_.is_dry()) {
    carry_ = array<T, 2>({rank, columns_}, uninitialized);
    return {array<T, 2>({rows_, rank}, uninitialized), 0};
  }
  qr_factors<T> factors = qr(view<const T, 2>(product.data(), {rows_, rank}));
  carry_ = std::move(factors.r);
  if (!s.is_identity) {
    array<T, 2> back({rank, columns_}, uninitialized);
    const view<const T, 2> right = s.vectors;
    gemm(T(1), carry_, transposed(right), T(0), back, {.threads = on_.threads()});
    carry_ = std::move(back);
  }
  return {std::move(factors.q), s.squared_tail};
}

template <class T>
array<T, 1> train_rest<T>::values() {
  if (array_) return array_->values();
  array<T, 1> copy(carry_.size(), uninitialized);
  if (!on_.is_dry()) std::ranges::copy(carry_, copy.data());
  return copy;
}

template class train_rest<float>;
template class train_rest<double>;

}  // namespace papilio::decompose_detail
