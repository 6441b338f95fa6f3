#include <algorithm>

#include "decompose/mode_array.hpp"
#include "decompose/mode_product.hpp"

namespace papilio::decompose_detail {

template <class T>
host_array<T>::host_array(const prepared_operand<T>& x, int threads)
    : x_(x), threads_(threads), extents_(x.extents) {}

template <class T>
subspace<T> host_array<T>::leading(std::size_t first, std::size_t last, const truncation& keep) {
  return leading_subspace(data(), split_at(extents_, first, last), keep, threads_);
}

template <class T>
void host_array<T>::shorten(std::size_t axis, view<const T, 2> factor) {
  kept_ = mode_product(data(), split_at(extents_, axis), transposed(factor), threads_);
  extents_[axis] = factor.extent(1);
}

template <class T>
void host_array<T>::restart() {
  kept_ = {};
  extents_ = x_.extents;
}

template <class T>
array<T, 1> host_array<T>::values() {
  array<T, 1> copy(product_of(extents_), uninitialized);
  std::copy_n(data(), copy.size(), copy.data());
  return copy;
}

template class host_array<float>;
template class host_array<double>;

}  // namespace papilio::decompose_detail
