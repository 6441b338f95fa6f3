#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/overlap.hpp"
#include "papilio/base/tensor.hpp"

namespace papilio::fft_detail {

using base_detail::any_rank;
using base_detail::strided;

template <class T>
struct real_component_of {
  using type = T;
};
template <class T>
struct real_component_of<std::complex<T>> {
  using type = T;
};
/// T of both T and std::complex<T>.
template <class T>
using real_component = typename real_component_of<T>::type;

/// Throws shape_error unless `got` are the extents expected of `argument`.
void require_extents(const char* function, const char* argument, std::span<const std::size_t> got,
                     std::span<const std::size_t> expected);

/// Product of extents; resource_error naming `what` where it or its size in bytes overflows.
std::size_t element_count(std::span<const std::size_t> extents, std::size_t element_bytes,
                          const char* what);

/// out[i...] = in[i...]; equal extents, memory that does not overlap.
template <class T>
void copy_elements(strided<const T> in, strided<T> out);

/// Row-major memory of some extents that are known at run time.
template <class T>
class workspace {
 public:
  explicit workspace(std::span<const std::size_t> extents);
  strided<T> view() { return {memory_.data(), extents_, strides_}; }
  strided<const T> view() const { return {memory_.data(), extents_, strides_}; }

 private:
  std::vector<std::size_t> extents_;
  std::vector<std::ptrdiff_t> strides_;
  array<T, 1> memory_;
};

/// Whether two operands of equal extents are the same elements.
template <class In, class Out>
bool is_same(const strided<const In>& in, const strided<Out>& out) {
  if constexpr (!std::is_same_v<In, Out>) {
    return false;
  } else {
    if (in.data != out.data) return false;
    for (std::size_t axis = 0; axis < in.rank(); ++axis)
      if (in.extents[axis] > 1 && in.strides[axis] != out.strides[axis]) return false;
    return true;
  }
}

/// The input of a transform to `out`: itself, or a copy of it where its memory overlaps that of
/// `out` without being the same elements.
template <class In>
class source {
 public:
  template <class Out>
  source(strided<const In> in, strided<Out> out) : view_(in), copy_(std::span<std::size_t>()) {
    if (is_same(in, out) || !reach(in).overlaps(reach(out))) return;
    copy_ = workspace<In>(in.extents);
    copy_elements(in, copy_.view());
    view_ = std::as_const(copy_).view();
  }
  source(const source&) = delete;
  source& operator=(const source&) = delete;
  strided<const In> view() const { return view_; }

 private:
  strided<const In> view_;
  workspace<In> copy_;
};

}  // namespace papilio::fft_detail
