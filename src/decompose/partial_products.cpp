#include "decompose/partial_products.hpp"

#include <algorithm>
#include <utility>

#include "decompose/mode_split.hpp"
#include "decompose/sums.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/blas/gemm.hpp"
#include "papilio/blas/gemv.hpp"

namespace papilio::decompose_detail {
namespace {

constexpr std::size_t small_size = std::size_t{1} << 16;     // elements of an array worth copying
constexpr std::size_t worth_gemv = std::size_t{1} << 10;     // elements of a matrix
constexpr std::size_t worth_threads = std::size_t{1} << 20;  // elements of all ranks together

// Sum of a[i] b[i] in T, sixteen sums side by side.
template <class T>
T short_dot(const T* a, const T* b, std::size_t n) {
  T sums[16] = {};
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (std::size_t j = 0; j < 16; ++j) sums[j] += a[i + j] * b[i + j];
  for (std::size_t j = 0; i < n; ++i, ++j) sums[j] += a[i] * b[i];
  for (std::size_t width = 8; width > 0; width /= 2)
    for (std::size_t j = 0; j < width; ++j) sums[j] += sums[j + width];
  return sums[0];
}

// out[row] = matrix [rows, columns] times a vector.
template <class T>
void times_vector(const T* matrix, std::size_t rows, std::size_t columns, const T* v, T* out) {
  if (rows * columns >= worth_gemv)
    return gemv(T(1), view<const T, 2>(matrix, {rows, columns}), view<const T, 1>(v, {columns}),
                T(0), view<T, 1>(out, {rows}), matrix_op::none, 1);
  for (std::size_t i = 0; i < rows; ++i) out[i] = short_dot(matrix + i * columns, v, columns);
}

// out[column] = a vector times matrix [rows, columns].
template <class T>
void vector_times(const T* v, const T* matrix, std::size_t rows, std::size_t columns, T* out) {
  if (rows * columns >= worth_gemv)
    return gemv(T(1), view<const T, 2>(matrix, {rows, columns}), view<const T, 1>(v, {rows}), T(0),
                view<T, 1>(out, {columns}), matrix_op::transpose, 1);
  for (std::size_t j = 0; j < columns; ++j) out[j] = v[0] * matrix[j];
  for (std::size_t i = 1; i < rows; ++i) add_scaled(v[i], matrix + i * columns, out, columns);
}

// Multiplies, for each rank, an array [left, extent, right] by that row of `factor` along the
// middle.
template <class T>
void multiply_vectors(const T* in, std::size_t rank, const mode_split& split,
                      const array<T, 2>& factor, T* out, int threads) {
  const std::size_t from = split.columns() * split.extent, to = split.columns();
  papilio::parallel_for(rank, rank * from < worth_threads ? 1 : threads, [&](std::size_t r) {
    const T* const v = factor.data() + r * split.extent;
    if (split.right == 1)
      return times_vector(in + r * from, split.left, split.extent, v, out + r * to);
    for (std::size_t l = 0; l < split.left; ++l)
      vector_times(v, in + r * from + l * split.extent * split.right, split.extent, split.right,
                   out + r * to + l * split.right);
  });
}

}  // namespace

template <class T>
partial_products<T>::partial_products(const prepared_operand<T>& x, std::size_t rank, int threads)
    : x_(x), rank_(rank), threads_(x.size * rank < small_size ? 1 : threads) {}

template <class T>
const T* partial_products<T>::at(std::size_t position, std::span<const array<T, 2>> factors) {
  while (depth_ > 0 && nodes_[depth_ - 1].last <= position) --depth_;
  if (depth_ == 0) start(position, factors);
  while (nodes_[depth_ - 1].modes.size() > 1) descend(position, factors);
  return nodes_[depth_ - 1].values.data();
}

template <class T>
std::size_t partial_products<T>::size_of(std::span<const std::size_t> modes) const {
  std::size_t size = rank_;
  for (const std::size_t mode : modes)
    size = checked_multiply(size, x_.extents[mode], "cp_als: size");
  return size;
}

// Returns memory for `size` values; nothing is allocated once every size has been seen.
template <class T>
T* partial_products<T>::room(array<T, 1>& values, std::size_t size) const {
  if (values.size() < size) values = array<T, 1>(size, uninitialized);
  return values.data();
}

template <class T>
void partial_products<T>::start(std::size_t position, std::span<const array<T, 2>> factors) {
  const std::size_t order = x_.order(), changed = (position + order - 1) % order;
  if (nodes_.empty()) nodes_.resize(order + 1);
  node& root = nodes_[0];
  root.first = position;
  root.last = position + order - 1;
  root.modes.clear();
  for (std::size_t mode = 0; mode < order; ++mode)
    if (mode != changed) root.modes.push_back(mode);
  multiply_whole(changed, factors[changed], room(root.values, size_of(root.modes)));
  depth_ = 1;
}

template <class T>
void partial_products<T>::descend(std::size_t position, std::span<const array<T, 2>> factors) {
  const node& parent = nodes_[depth_ - 1];
  node& child = nodes_[depth_];
  const std::size_t middle = (parent.first + parent.last + 1) / 2;
  const bool is_first = position < middle;
  child.first = is_first ? parent.first : middle;
  child.last = is_first ? middle : parent.last;
  std::vector<std::size_t> leaving;
  child.modes = parent.modes;
  for (std::size_t p = parent.first; p < parent.last; ++p)
    if (p < child.first || p >= child.last) leaving.push_back(p % x_.order());
  // The longest first: what is left is then the smallest.
  std::ranges::stable_sort(leaving, std::greater{}, [&](std::size_t m) { return x_.extents[m]; });
  const T* in = parent.values.data();
  for (std::size_t i = 0; i < leaving.size(); ++i) {
    std::vector<std::size_t> extents;
    for (const std::size_t mode : child.modes) extents.push_back(x_.extents[mode]);
    const auto at = std::ranges::find(child.modes, leaving[i]);
    const auto index = static_cast<std::size_t>(at - child.modes.begin());
    child.modes.erase(at);
    const bool is_last = i + 1 == leaving.size();
    T* const out = room(is_last ? child.values : scratch_[i % 2], size_of(child.modes));
    multiply_vectors(in, rank_, split_at(extents, index), factors[leaving[i]], out, threads_);
    in = out;
  }
  ++depth_;
}

// Returns a copy of the array with a middle mode first, which is kept. For a small array the copy
// pays, as many tiny products become one.
template <class T>
const T* partial_products<T>::mode_first(std::size_t mode) {
  const auto found = turned_.find(mode);
  if (found != turned_.end()) return found->second.data();
  const mode_split split = split_at(x_.extents, mode);
  array<T, 1> copy(x_.size, uninitialized);
  for (std::size_t l = 0; l < split.left; ++l)
    for (std::size_t i = 0; i < split.extent; ++i)
      std::copy_n(x_.data + (l * split.extent + i) * split.right, split.right,
                  copy.data() + (i * split.left + l) * split.right);
  return turned_.emplace(mode, std::move(copy)).first->second.data();
}

template <class T>
void partial_products<T>::multiply_whole(std::size_t mode, const array<T, 2>& factor, T* out) {
  const mode_split split = split_at(x_.extents, mode);
  const auto& [left, extent, right] = split;
  const gemm_options options{.threads = threads_};
  const view<T, 2> whole(out, {rank_, left * right});
  if (right == 1) {
    const view<const T, 2> turned(x_.data, {extent, left},
                                  {1, static_cast<std::ptrdiff_t>(extent)});
    return gemm(T(1), factor, turned, T(0), whole, options);
  }
  if (left == 1 || x_.size <= small_size) {
    const T* const from = left == 1 ? x_.data : mode_first(mode);
    return gemm(T(1), factor, view<const T, 2>(from, {extent, left * right}), T(0), whole, options);
  }
  const view<const T, 3> shared(factor.data(), {left, rank_, extent},
                                {0, static_cast<std::ptrdiff_t>(extent), 1});
  const view<T, 3> to(
      out, {left, rank_, right},
      {static_cast<std::ptrdiff_t>(right), static_cast<std::ptrdiff_t>(left * right), 1});
  gemm_batched(T(1), shared, view<const T, 3>(x_.data, {left, extent, right}), T(0), to, options);
}

template class partial_products<float>;
template class partial_products<double>;

}  // namespace papilio::decompose_detail
