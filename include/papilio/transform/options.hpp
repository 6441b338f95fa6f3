#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/array_like.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/export.hpp"
#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/fft/options.hpp"

namespace papilio {

/// List of axes or of lengths, or none given: `.axes = {0, -1}`, `.s = x.extents()`. An empty list
/// that is given is made from an empty range; `{}` means not given.
class index_list {
 public:
  /// Integer of any type. Throws resource_error if it does not fit in std::ptrdiff_t.
  struct item {
    std::ptrdiff_t value;
    template <std::integral Integer>
    item(Integer v) : value(checked_cast<std::ptrdiff_t>(v, "index_list")) {}
  };

  index_list() = default;
  index_list(std::initializer_list<item> items) : is_given_(true) {
    for (const item& i : items) values_.push_back(i.value);
  }
  template <std::ranges::input_range Range>
    requires std::integral<std::ranges::range_value_t<Range>>
  index_list(const Range& items) : is_given_(true) {
    for (const auto i : items) values_.push_back(item(i).value);
  }

  bool is_given() const { return is_given_; }
  std::span<const std::ptrdiff_t> values() const { return values_; }

 private:
  bool is_given_ = false;
  std::vector<std::ptrdiff_t> values_;
};

/// Options of transforms along one axis, as numpy.fft has them.
struct line_options {
  /// Length of the transform, at least 1: the axis is cut to it, or zeros are put after it. Not
  /// given: the extent of the axis (irfft, hfft: 2 (extent - 1)).
  std::optional<std::ptrdiff_t> n = {};
  /// Negative axes count from the end.
  std::ptrdiff_t axis = -1;
  normalization norm = normalization::backward;
  /// Effort of planning; on a device only effort::estimate, since nothing is timed there.
  effort plan_effort = effort::estimate;
  /// Where it runs. A device takes float and complex<float>: x is copied up, one launch runs, and
  /// the result is copied back. Real x of fft and ifft is computed by rfft there too, with half the
  /// bytes and the work; the host completes the spectrum. A device array is transformed on its
  /// device, whatever `where` says.
  execution on = {};
};

/// Options of transforms along several axes, as numpy.fft has them.
struct grid_options {
  /// Length for each of `axes`: cut, or zeros put after it; -1 leaves the axis as it is.
  index_list s = {};
  /// Negative axes count from the end. Not given: the last s.size() axes, or all (fft2 and its
  /// like: the last two). An axis given twice is transformed twice.
  index_list axes = {};
  normalization norm = normalization::backward;
  effort plan_effort = effort::estimate;  ///< as in line_options
  /// Where it runs, as in line_options. What takes several steps (an axis that is named twice, more
  /// axes than a kernel has) is still one dispatch; automatic compares the sums.
  execution on = {};
};

namespace transform_detail {

/// Real type in which elements V are transformed: their own, and double for integers and bool.
template <class V>
struct element {};
template <class V>
  requires std::is_arithmetic_v<V>
struct element<V> {
  using real = std::conditional_t<std::is_floating_point_v<V>, V, double>;
  static constexpr bool is_complex = false;
};
template <class T>
  requires std::is_floating_point_v<T>
struct element<std::complex<T>> {
  using real = T;
  static constexpr bool is_complex = true;
};

using base_detail::as_view;
using base_detail::rank_of;
using base_detail::value_of;

template <class X>
using real_of = typename element<value_of<X>>::real;
}  // namespace transform_detail

/// Array types that the transforms take: `view`, `array`, a contiguous range of one dimension
/// (span, vector, std::array, C array), or an mdspan, of numbers: float, double, long double,
/// complex of these, integers or bool. Elements may be const. Integers and bool are transformed in
/// double, as numpy does.
template <class X>
concept array_like = requires(const X& x) {
  transform_detail::as_view(x);
  typename transform_detail::element<transform_detail::value_of<X>>::real;
};

template <class X>
concept real_array_like =
    array_like<X> && !transform_detail::element<transform_detail::value_of<X>>::is_complex;

template <class X>
concept complex_array_like =
    array_like<X> && transform_detail::element<transform_detail::value_of<X>>::is_complex;

/// Arrays that transforms take, of the host or of an accelerator.
template <class X>
concept transformable = array_like<X> || is_device_array<X>;
template <class X>
concept real_transformable =
    real_array_like<X> || (is_device_array<X> && std::same_as<typename X::value_type, float>);

/// Section of a convolution of n and m values that is returned.
///   full   every value that any product enters: n + m - 1
///   same   as long as the first operand, from the middle of full
///   valid  where the operands overlap wholly: max(n, m) - min(n, m) + 1
enum class convolution_mode { full, same, valid };

namespace transform_detail {

/// Sizes of a convolution, decided before anything is computed.
struct convolution_shape {
  std::vector<std::size_t> axes;            ///< transformed: neither operand has extent 1
  std::vector<std::size_t> padded_lengths;  ///< of the transforms along them
  std::vector<std::size_t> full_extents;
  std::vector<std::size_t> kept_first, kept_extents;  ///< part of full that the mode keeps
  std::size_t block_length = 0;                       ///< 0: at once
  std::size_t block_axis = 0;
  std::vector<std::size_t> block_lengths;  ///< of the transforms of one block
};

/// Checks the operands of a convolution. Throws the errors of fftconvolve.
PAPILIO_API convolution_shape checked_convolution(const char* function,
                                                  std::span<const std::size_t> x,
                                                  std::span<const std::size_t> y,
                                                  convolution_mode mode, const index_list& axes,
                                                  bool is_real, bool in_blocks);

}  // namespace transform_detail
}  // namespace papilio
