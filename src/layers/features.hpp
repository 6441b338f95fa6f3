#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <span>
#include <string>

#include "papilio/base/error.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/layers.hpp"

namespace papilio::layers_detail {

inline std::string text_of(std::span<const std::size_t> extents) {
  std::string text;
  for (const std::size_t e : extents)
    text.append(text.empty() ? "" : " x ").append(std::to_string(e));
  return text.empty() ? "a scalar" : text;
}

/// Throws shape_error unless `got` are these extents.
inline void require_extents(const char* function, const char* name,
                            std::span<const std::size_t> extents,
                            std::span<const std::size_t> got) {
  if (!std::ranges::equal(extents, got))
    throw shape_error(base_detail::message(function, ": ", name, " must be ", text_of(extents),
                                           ", got ", text_of(got)));
}

/// Throws shape_error unless a parameter has so many elements.
inline void require_count(const char* function, const char* name, std::size_t expected,
                          std::size_t got) {
  if (got != expected)
    throw shape_error(base_detail::message(function, ": ", name, " must hold ", expected,
                                           " elements, got ", got));
}

inline void require_rank(const char* function, std::size_t least, std::size_t got) {
  if (got < least)
    throw shape_error(
        base_detail::message(function, ": x must have at least ", least, " axes, got ", got));
}

/// Elements of any strides in row-major order, as [outer, features, inner] about one axis.
template <class T>
class feature_array {
 public:
  feature_array(complex_view<T> x, std::size_t axis) : features_(x.extent(axis)) {
    for (std::size_t a = axis + 1; a < x.rank(); ++a) inner_ *= x.extent(a);
    for (std::size_t a = 0; a < axis; ++a) outer_ *= x.extent(a);
    copy_ = tensor<std::complex<T>>(x.extents(), uninitialized);
    std::complex<T>* to = copy_.data();
    if (!x.empty()) copy(x, 0, x.data(), to);
  }

  std::size_t features() const { return features_; }
  /// Elements of each feature.
  std::size_t count() const { return outer_ * inner_; }
  const std::complex<T>& operator[](std::size_t at) const { return copy_.data()[at]; }
  std::span<const std::size_t> extents() const { return copy_.extents(); }

  /// Calls visit(at) for the elements of a feature in their order.
  template <class Visit>
  void for_each(std::size_t feature, const Visit& visit) const {
    for (std::size_t o = 0; o < outer_; ++o)
      for (std::size_t i = 0; i < inner_; ++i) visit((o * features_ + feature) * inner_ + i);
  }

 private:
  static void copy(const complex_view<T>& x, std::size_t axis, const std::complex<T>* from,
                   std::complex<T>*& to) {
    if (axis == x.rank()) {
      *to++ = *from;
      return;
    }
    for (std::size_t i = 0; i < x.extent(axis); ++i)
      copy(x, axis + 1, from + static_cast<std::ptrdiff_t>(i) * x.stride(axis), to);
  }

  std::size_t outer_ = 1, features_, inner_ = 1;
  tensor<std::complex<T>> copy_;
};

/// Adds a number for each feature of the axis, if there are any.
template <class T>
void add_bias(tensor<std::complex<T>>& y, std::size_t axis, const array<std::complex<T>, 1>& bias) {
  if (bias.empty()) return;
  std::size_t inner = 1;
  for (std::size_t a = axis + 1; a < y.rank(); ++a) inner *= y.extent(a);
  for (std::size_t at = 0; at < y.size(); ++at) y.data()[at] += bias(at / inner % bias.size());
}

/// The gradient by it: sums over all else.
template <class T>
array<std::complex<T>, 1> bias_gradient(complex_view<T> gradient, std::size_t axis,
                                        const array<std::complex<T>, 1>& bias) {
  array<std::complex<T>, 1> sums({bias.size()});
  if (bias.empty()) return sums;
  const feature_array<T> g(gradient, axis);
  for (std::size_t f = 0; f < bias.size(); ++f) {
    std::complex<double> sum;
    g.for_each(f, [&](std::size_t at) { sum += std::complex<double>(g[at]); });
    sums(f) = std::complex<T>(sum);
  }
  return sums;
}

}  // namespace papilio::layers_detail
