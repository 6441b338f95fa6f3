#include "decompose/prepared_operand.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "contract/pair_design.hpp"
#include "decompose/mode_split.hpp"
#include "decompose/sums.hpp"
#include "papilio/base/error.hpp"

namespace papilio::decompose_detail {
namespace {

using base_detail::message;

// Squares of magnitudes up to 2^32 and sums of them are far from the limits of either type.
constexpr int largest_exponent = 32;

template <class T>
bool is_row_major(const tensor_view<const T>& x) {
  std::ptrdiff_t step = 1;
  for (std::size_t axis = x.rank(); axis-- > 0;) {
    if (x.extent(axis) != 1 && x.stride(axis) != step) return false;
    step *= static_cast<std::ptrdiff_t>(x.extent(axis));
  }
  return true;
}

// Copies by the contraction core, whose permutations go through whole cache lines.
template <class T>
tensor<T> row_major_copy(const tensor_view<const T>& x) {
  const auto layout_of = [](const auto& v) {
    contract_detail::layout l{
        {}, {v.extents().begin(), v.extents().end()}, {v.strides().begin(), v.strides().end()}};
    for (std::size_t axis = 0; axis < v.rank(); ++axis) l.labels.push_back(static_cast<int>(axis));
    return l;
  };
  tensor<T> result(x.extents(), uninitialized);
  const contract_detail::unary_design copy(layout_of(x), layout_of(result.view()), false);
  run(copy, x.data(), result.data(), T(1), T(0), 1);
  return result;
}

// The core has no such elements: line by line.
tensor<bool> row_major_copy(const tensor_view<const bool>& mask) {
  tensor<bool> result(mask.extents(), uninitialized);
  const std::size_t last = mask.rank() - 1, length = mask.extent(last);
  for (std::size_t line = 0; line < result.size() / length; ++line) {
    const bool* from = mask.data();
    for (std::size_t axis = last, rest = line; axis-- > 0; rest /= mask.extent(axis))
      from += static_cast<std::ptrdiff_t>(rest % mask.extent(axis)) * mask.stride(axis);
    bool* const to = result.data() + line * length;
    for (std::size_t i = 0; i < length; ++i)
      to[i] = from[static_cast<std::ptrdiff_t>(i) * mask.stride(last)];
  }
  return result;
}

std::string index_text(std::span<const std::size_t> extents, std::size_t at) {
  std::string text;
  for (std::size_t axis = extents.size(); axis-- > 0; at /= extents[axis]) {
    if (!text.empty()) text.insert(0, ", ");
    text.insert(0, std::to_string(at % extents[axis]));
  }
  return text;
}

// The bits of a magnitude, which as a number are in the order of magnitudes; infinity and NaN are
// beyond all others.
template <class T>
auto magnitude_bits(T value) {
  using bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  return static_cast<bits>(std::bit_cast<bits>(value) & std::numeric_limits<bits>::max());
}

struct extremes {
  double largest = 0, squared_norm = 0;
};

// Finds extremes and norm in pieces that stay in the first cache, and with independent maxima,
// which vectors take. The norm is of no use where the largest magnitude is not finite or far from
// 1.
template <class T>
extremes extremes_of(const T* x, std::size_t n) {
  constexpr std::size_t piece = 2048, lanes = 16;
  decltype(magnitude_bits(T())) largest[lanes] = {};
  extremes result;
  for (std::size_t first = 0; first < n; first += piece) {
    const std::size_t count = std::min(piece, n - first), whole = count / lanes * lanes;
    for (std::size_t i = 0; i < whole; i += lanes)
      for (std::size_t j = 0; j < lanes; ++j)
        largest[j] = std::max(largest[j], magnitude_bits(x[first + i + j]));
    for (std::size_t i = whole; i < count; ++i)
      largest[0] = std::max(largest[0], magnitude_bits(x[first + i]));
    result.squared_norm += dot(x + first, x + first, count);
  }
  const auto most = *std::ranges::max_element(largest);
  result.largest = static_cast<double>(std::bit_cast<T>(most));
  return result;
}

void take_mask(const char* function, std::span<const std::size_t> extents,
               const tensor_view<const bool>& mask, tensor<bool>& copy) {
  if (!std::ranges::equal(mask.extents(), extents))
    throw shape_error(message(function, ": the mask must have the extents of x"));
  copy = row_major_copy(mask);
  if (std::ranges::find(copy.flat(), true) == copy.flat().end())
    throw invalid_argument(message(function, ": the mask leaves no element of x"));
}

// Missing elements become 0, whatever they are.
template <class T>
void drop_missing(prepared_operand<T>& p) {
  const std::span<T> values = p.copy.flat();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!p.mask_copy.flat()[i]) values[i] = 0;
}

template <class T>
void check_finite(const char* function, const prepared_operand<T>& p, double largest) {
  if (std::isfinite(largest)) return;
  for (std::size_t i = 0; i < p.size; ++i)
    if (!std::isfinite(p.data[i]))
      throw invalid_argument(
          message(function, ": x[", index_text(p.extents, i), "] is not finite: ", p.data[i]));
}

}  // namespace

void check_shape(const char* function, std::span<const std::size_t> extents) {
  if (extents.size() < 2)
    throw shape_error(message(function, ": x must have at least 2 modes, got ", extents.size()));
  for (std::size_t mode = 0; mode < extents.size(); ++mode)
    if (extents[mode] == 0)
      throw shape_error(message(function, ": x is empty: extent 0 of mode ", mode));
}

template <class T>
prepared_operand<T> prepare(const char* function, const tensor_view<const T>& x,
                            const std::optional<tensor_view<const bool>>& mask) {
  check_shape(function, x.extents());
  prepared_operand<T> p;
  p.extents.assign(x.extents().begin(), x.extents().end());
  p.size = product_of(x.extents());
  p.data = x.data();
  if (mask) take_mask(function, x.extents(), *mask, p.mask_copy);
  const auto copy = [&] {
    if (p.copy.size() != p.size) p.copy = row_major_copy(x);
    p.data = p.copy.data();
  };
  if (mask || !is_row_major(x)) copy();
  if (mask) {
    drop_missing(p);
    p.mask = p.mask_copy.data();
  }
  const extremes seen = extremes_of(p.data, p.size);
  check_finite(function, p, seen.largest);
  p.squared_norm = seen.squared_norm;
  const int exponent = seen.largest > 0 ? std::ilogb(seen.largest) : 0;
  if (std::abs(exponent) <= largest_exponent) return p;
  copy();
  p.exponent = exponent;
  for (T& value : p.copy.flat()) value = std::ldexp(value, -exponent);
  p.squared_norm = dot(p.data, p.data, p.size);
  return p;
}

template <class T>
void scale_back(const char* function, std::span<T> values, int exponent) {
  if (exponent == 0) return;
  for (T& value : values) {
    value = std::ldexp(value, exponent);
    if (!std::isfinite(value))
      throw invalid_argument(
          message(function, ": x is so large that its norm is beyond the range of its type"));
  }
}

void check_tolerance(const char* function, double tolerance, double bound) {
  if (!(tolerance >= bound))
    throw invalid_argument(message(function, ": tolerance must be at least ", bound,
                                   ", which rounding takes, got ", tolerance));
  if (!(tolerance < 1))
    throw invalid_argument(message(function, ": tolerance must be below 1, got ", tolerance));
}

void check_change(const char* function, const char* name, double value, double epsilon) {
  if (value == 0 || value >= epsilon) return;
  throw invalid_argument(message(function, ": ", name, " must be 0 or at least ", epsilon,
                                 ", the epsilon of the type, got ", value));
}

template <class T>
double least_tolerance(std::size_t order) {
  return 8 * static_cast<double>(order) * static_cast<double>(std::numeric_limits<T>::epsilon());
}

#define PAPILIO_INSTANTIATE(T)                                                         \
  template prepared_operand<T> prepare(const char*, const tensor_view<const T>&,       \
                                       const std::optional<tensor_view<const bool>>&); \
  template void scale_back(const char*, std::span<T>, int);                            \
  template double least_tolerance<T>(std::size_t)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::decompose_detail
